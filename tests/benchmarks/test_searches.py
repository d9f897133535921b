"""Every search over 10,000 made-up chunks."""

from collections.abc import Callable, Iterator

import pytest

from data.make.bench import MadeUpEmbedding, made_up_store, phrasings, searches
from lessons.database import engine
from lessons.keyless.llm import OfflineLLM
from lessons.rag.types import Resources
from lessons.settings import Settings
from tests.benchmarks.conftest import Timed

CHUNKS = 10_000
NAMES = ["vector", "keyword", "hybrid", "hybrid, all phrasings", "range", "statistics"]

Searches = dict[str, Callable[[int], object]]


@pytest.fixture(scope="module")
def by_name(database: Settings) -> Iterator[Searches]:
    with made_up_store(engine(database), CHUNKS) as store:
        found = searches(Resources(store, MadeUpEmbedding(), OfflineLLM()))
        assert list(found) == NAMES
        yield found


@pytest.mark.parametrize("name", NAMES)
def test_search(timed: Timed, by_name: Searches, name: str) -> None:
    embedding = MadeUpEmbedding()
    assert timed(
        by_name[name], prepare=lambda number: [embedding.get_query_embedding(each) for each in phrasings(number)]
    )
