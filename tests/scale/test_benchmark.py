"""The benchmark over made-up chunks: complete, and gone from the database afterwards."""

import pytest
from sqlalchemy import Engine, inspect, text

from data.make import bench
from data.make.bench import PERCENT, MadeUpEmbedding, empty_store, filtered_searches, made_up_store, phrasings
from data.make.graphs import BREADTHS, OWNER, PRECISIONS, compared
from lessons.database import engine
from lessons.evaluate.throwaway import drop_leftovers
from lessons.keyless.llm import OfflineLLM
from lessons.rag.retrievers import KeywordRetriever, VectorRetriever
from lessons.rag.store import ChunkStore
from lessons.rag.tables import hnsw_name
from lessons.rag.types import Query, Resources
from lessons.rag.workspace import workspace
from lessons.settings import Settings, settings


@pytest.fixture(scope="module")
def there(database: Settings) -> Engine:
    return engine(database)


def left(there: Engine) -> list[str]:
    return [name for name in inspect(there).get_table_names() if "_tmp_" in name]


def test_every_size_has_its_searches_and_answers_and_leaves_nothing(
    there: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, few in {"ROUNDS": 2, "QUESTIONS": 5, "SETTLING": 1, "ANSWERS": 1}.items():
        monkeypatch.setattr(bench, name, few)
    (size,) = bench.benchmark(workspace(), [200])
    assert min(pair.ratio for pair in size.searches) > 0
    assert list(size.stages) == ["naive", "enhanced", "smart", "reranked", "agentic"]
    assert min(size.stages.values()) > 0
    assert left(there) == []


def test_made_up_chunks_are_found_by_meaning_and_by_words(there: Engine) -> None:
    with made_up_store(there, 300) as store:
        resources, query = Resources(store, MadeUpEmbedding(), OfflineLLM()), Query(phrasings(0)[0], OWNER)
        by_words = KeywordRetriever().search([query.text], query, resources)
        by_meaning = VectorRetriever().search([query.text], query, resources)
    assert len(by_meaning) == query.top_k
    assert set(query.text.split()) & set(by_words[0].content.split())


def test_searches_under_filters_are_compared_with_the_truth(there: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "exact_search_chunks", 300)
    monkeypatch.setattr(settings(), "exact_filtered_chunks", 50)
    with made_up_store(there, 600) as store:
        found = list(filtered_searches(store, 2))
    assert [each.percent for each in found] == list(PERCENT)
    assert [each.search_plan for each in found] == ["exact", "exact", "hnsw", "hnsw", "hnsw"]
    assert all(each.recall >= 0.9 for each in found)


def test_a_store_that_needs_an_index_gets_it_although_it_is_claimed(
    there: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings(), "exact_search_chunks", 300)
    with made_up_store(there, 400) as store:
        assert inspect(there).has_index(store.table_name, hnsw_name(store.table_name))


def test_a_claim_keeps_no_vacuum_from_marking_pages_as_visible(there: Engine) -> None:
    with made_up_store(there, 400) as store, there.connect() as connection:
        pages = text("SELECT relallvisible, relpages FROM pg_class WHERE relname = :table")
        visible, all_pages = connection.execute(pages, {"table": store.table_name}).one()
        assert visible == all_pages > 0


def test_what_a_killed_benchmark_left_is_dropped_by_the_next(there: Engine) -> None:
    ChunkStore(there, "tmp_left", "made_up", 3).documents(OWNER)  # as it leaves it: nobody claims it
    assert left(there)
    with empty_store(there, 3):
        pass
    assert left(there) == []
    assert drop_leftovers(there, OWNER) == []


def test_indexes_are_compared_at_every_precision(there: Engine) -> None:
    found = compared(there, [500])
    searched = [("none", 0), *((name, breadth) for name in list(PRECISIONS)[1:] for breadth in BREADTHS)]
    assert [(graph.precision, graph.breadth) for graph in found] == searched
    sizes = {graph.precision: graph.index_bytes for graph in found}
    assert sizes["none"] == 0
    assert sizes["float32"] > sizes["halfvec"] > sizes["bits"] > 0
    assert all(graph.recall > 0.9 for graph in found if graph.breadth >= 200)
    assert left(there) == []
