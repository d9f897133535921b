"""A misbehaving OpenAI-compatible server for the tests of this room."""

from collections.abc import Iterator

import pytest

from tests.support.openai_server import Server, openai_server


@pytest.fixture
def server() -> Iterator[Server]:
    """A fresh server for each test, so that none sees another's requests."""
    with openai_server() as running:
        yield running
