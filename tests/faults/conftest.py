"""One lab for all tests of faults; each leaves it in working order."""

from collections.abc import Iterator

import pytest

from lessons.faults.lab import Lab
from lessons.settings import Settings


@pytest.fixture(scope="session")
def lab(database: Settings) -> Iterator[Lab]:
    with Lab() as lab:
        yield lab
