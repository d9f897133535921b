"""Search by vector: exact while there is little to compare, through an HNSW index when there is much."""

import random

import pytest
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters, VectorStoreQuery
from sqlalchemy import inspect, text

from lessons.database import engine
from lessons.database.owners import owner_transaction
from lessons.keyless.llm import OfflineLLM
from lessons.rag.hnsw import choose_search_plan, configure_hnsw_search
from lessons.rag.pipeline import WALKED, Pipeline
from lessons.rag.retrievers import VectorRetriever
from lessons.rag.store import ChunkStore, SearchResult
from lessons.rag.tables import hnsw_name
from lessons.rag.types import Query, Resources, Scope
from lessons.settings import Settings, settings
from lessons.trace import Trace

MINA, JOON = Scope("mina"), Scope("joon")
MANY, FEW, LIMIT = 600, 20, 50
RARE, COMMON = 0, 1


def vector(chance: random.Random) -> list[float]:
    return [chance.gauss(0, 1) for _ in range(8)]


def chunks(scope: Scope, number: int) -> list[TextNode]:
    chance = random.Random(scope.user_id)
    return [
        TextNode(
            id_=f"{scope.user_id}-{i}",
            text=f"{scope.user_id} {i}",
            embedding=vector(chance),
            metadata={
                "source_file": "a.txt",
                "user_id": scope.user_id,
                "chunk_index": i,
                "kind": RARE if i % 100 == 0 else COMMON,
            },
        )
        for i in range(number)
    ]


@pytest.fixture(scope="module")
def store(database: Settings) -> ChunkStore:
    """A table with one large owner and one small one, as it is after a load."""
    store = ChunkStore(engine(database), "nearest", "toy", 8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings(), "exact_search_chunks", LIMIT)
        store.add([*chunks(MINA, MANY), *chunks(JOON, FEW)])
        store.optimize(MANY + FEW)
    return store


@pytest.fixture(autouse=True)
def low_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "exact_search_chunks", LIMIT)
    monkeypatch.setattr(settings(), "exact_filtered_chunks", LIMIT)


def kind(value: int) -> MetadataFilters:
    return MetadataFilters(filters=[MetadataFilter(key="kind", operator=FilterOperator.EQ, value=value)])


def search(store: ChunkStore, scope: Scope, filters: MetadataFilters | None = None, k: int = 10) -> SearchResult:
    asked = vector(random.Random(1))
    return store.query(VectorStoreQuery(query_embedding=asked, similarity_top_k=k, filters=filters), scope=scope)


def test_a_walk_that_filters_leave_with_too_little_goes_on(store: ChunkStore) -> None:
    with owner_transaction(store.engine, MINA.user_id) as connection:
        configure_hnsw_search(connection)
        assert connection.scalar(text("SHOW hnsw.iterative_scan")) == "relaxed_order"


def plan(store: ChunkStore, scope: Scope, filters: MetadataFilters | None = None) -> str:
    """How PostgreSQL carries out the search that the store would make."""
    where = store.where(scope, filters)
    with owner_transaction(store.engine, scope.user_id) as connection:
        search_plan = choose_search_plan(connection, store.table_name, where.sql, where.values)
        if search_plan == "hnsw":
            configure_hnsw_search(connection)
        statement, values = store.vector_search([vector(random.Random(1))], 10, where, search_plan)
        return "\n".join(connection.execute(text(f"EXPLAIN {statement.text}"), values).scalars())


def truth(store: ChunkStore, scope: Scope, filters: MetadataFilters | None = None) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings(), "exact_search_chunks", 10 * MANY)
        return search(store, scope, filters).ids


def test_a_large_owner_is_searched_through_the_index(store: ChunkStore) -> None:
    assert search(store, MINA).search_plan == "hnsw"
    assert hnsw_name(store.table_name) in plan(store, MINA)


def test_what_the_index_finds_is_nearly_what_comparing_everything_finds(store: ChunkStore) -> None:
    found = search(store, MINA)
    assert len(set(found.ids) & set(truth(store, MINA))) >= 9
    assert found.similarities == sorted(found.similarities, reverse=True)


def test_what_the_index_finds_is_scored_in_full_precision(store: ChunkStore) -> None:
    walked, compared = search(store, MINA), {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings(), "exact_search_chunks", 10 * MANY)
        found = search(store, MINA, k=MANY)
        compared = dict(zip(found.ids, found.similarities, strict=True))
    assert (walked.search_plan, found.search_plan) == ("hnsw", "exact")
    assert walked.similarities == [compared[id_] for id_ in walked.ids]


@pytest.mark.parametrize(("dimension", "built"), [(3_000, True), (4_001, False)])
def test_long_vectors_are_indexed_as_far_as_they_can_be(
    database: Settings, monkeypatch: pytest.MonkeyPatch, dimension: int, built: bool
) -> None:
    long = ChunkStore(engine(database), f"long{dimension}", "toy", dimension)
    monkeypatch.setattr(settings(), "exact_search_chunks", 2)
    nodes = chunks(MINA, 5)
    for node in nodes:
        node.embedding = [1.0] * dimension
    long.add(nodes)
    long.optimize(5)
    assert inspect(long.engine).has_index(long.table_name, hnsw_name(long.table_name)) is built
    asked = VectorStoreQuery(query_embedding=[1.0] * dimension, similarity_top_k=3)
    assert len(long.query(asked, scope=MINA).ids) == 3


def test_a_small_owner_in_a_large_table_is_compared_one_by_one(store: ChunkStore) -> None:
    assert search(store, JOON).search_plan == "exact"
    assert hnsw_name(store.table_name) not in plan(store, JOON)
    assert search(store, JOON).ids == truth(store, JOON)


def test_a_selective_filter_is_searched_exactly_and_misses_nothing(store: ChunkStore) -> None:
    found = search(store, MINA, kind(RARE))
    assert found.search_plan == "exact"
    assert hnsw_name(store.table_name) not in plan(store, MINA, kind(RARE))
    assert sorted(found.ids) == sorted(f"mina-{i}" for i in range(0, MANY, 100))


def test_a_broad_filter_goes_through_the_index(store: ChunkStore) -> None:
    found = search(store, MINA, kind(COMMON))
    assert found.search_plan == "hnsw"
    assert all(node.metadata["kind"] == COMMON for node in found.nodes or [])


def test_a_walk_that_finds_too_little_is_followed_by_an_exact_search(
    store: ChunkStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings(), "exact_filtered_chunks", 5)
    found = search(store, MINA, kind(RARE), k=10)
    assert (found.search_plan, len(found.ids)) == ("exact", MANY // 100)


def test_more_are_found_than_the_walk_keeps_candidates(store: ChunkStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "hnsw_ef_search", 10)
    assert len(search(store, MINA, k=100).ids) == 100


def test_a_small_table_gets_no_index(database: Settings) -> None:
    store = ChunkStore(engine(database), "tiny", "toy", 8)
    store.add(chunks(JOON, FEW))
    store.optimize(FEW)
    names = {index["name"] for index in inspect(engine(database)).get_indexes(store.table_name)}
    assert hnsw_name(store.table_name) not in names


def test_many_chunks_without_an_index_are_compared_one_by_one(database: Settings) -> None:
    store = ChunkStore(engine(database), "unindexed", "toy", 8)
    store.add(chunks(MINA, LIMIT + 1))
    assert search(store, MINA).search_plan == "exact"


def test_several_vectors_find_what_each_finds_alone(store: ChunkStore) -> None:
    asked = [vector(random.Random(seed)) for seed in range(3)]
    for scope in (MINA, JOON):
        together = [found.ids for found in store.query_each(asked, 10, scope)]
        assert together == [store.query_each([one], 10, scope)[0].ids for one in asked]


def test_the_trace_says_when_the_index_was_walked(store: ChunkStore) -> None:
    class Toy(MockEmbedding):
        def _get_query_embedding(self, query: str) -> list[float]:
            return vector(random.Random(query))

    resources = Resources(store, Toy(embed_dim=8), OfflineLLM())
    notes = {}
    for scope in (MINA, JOON):
        trace = Trace()
        Pipeline(retriever=VectorRetriever()).search(Query("which?", scope), resources, trace)
        notes[scope.user_id] = trace["retrieve"].notes
    assert notes == {"mina": [WALKED], "joon": []}
