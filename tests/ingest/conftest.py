"""A server that misbehaves, as the models' tests have it; an owner and databases with an empty queue for jobs."""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from lessons.rag.types import Scope
from lessons.settings import Settings
from tests.ingest.jobs_place import cleared
from tests.models.conftest import server

__all__ = ["server"]


@pytest.fixture
def owner() -> Scope:
    """Somebody whom nobody has seen before."""
    return Scope(f"owner-{uuid4()}")


@pytest.fixture
def one_database(database: Settings) -> Iterator[Settings]:
    yield from cleared(database)


@pytest.fixture
def either_database(any_database: Settings) -> Iterator[Settings]:
    """Each of the two databases in turn."""
    yield from cleared(any_database)
