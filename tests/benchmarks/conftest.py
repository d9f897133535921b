"""What the benchmarks share: a way to time something, and a workspace with the shipped corpus."""

from collections.abc import Callable
from itertools import count
from typing import Any, Protocol

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from data.make.bench import WARM_UP
from lessons.library import load_corpus
from lessons.rag.workspace import Workspace, workspace
from lessons.settings import Settings


class Timed(Protocol):
    """Times `work(n)` for n = 0, 1, … and gives its last result; `prepare(n)` runs before, and does not count."""

    def __call__(
        self, work: Callable[[int], object], rounds: int = 20, prepare: Callable[[int], object] = ...
    ) -> Any: ...


@pytest.fixture
def timed(benchmark: BenchmarkFixture) -> Timed:
    """The same rounds every time, so that two commits do the same work."""

    def timed(
        work: Callable[[int], object], rounds: int = 20, prepare: Callable[[int], object] = lambda number: None
    ) -> Any:
        numbers = count()

        def ready() -> tuple[tuple[int], dict]:
            number = next(numbers)
            prepare(number)
            return (number,), {}

        return benchmark.pedantic(work, setup=ready, rounds=rounds, warmup_rounds=WARM_UP)

    return timed


@pytest.fixture(scope="session")
def corpus(database: Settings) -> Workspace:
    """The shipped documents in the index of every stage."""
    load_corpus(workspace())
    return workspace()
