"""Chunks in PostgreSQL: owners kept apart, filters bound, nothing stored twice, a document whole or not at all."""

import unicodedata

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
)
from sqlalchemy import text

from lessons.database import engine
from lessons.errors import LessonsError
from lessons.rag.filters import BooleanFilter, also
from lessons.rag.store import ChunkStore
from lessons.rag.types import Scope, WhereClause
from lessons.search.filter_text import parse_filter
from lessons.settings import Settings

MINA, JOON = Scope("mina"), Scope("joon")


def chunk(words: str, vector: list[float], scope: Scope = MINA, position: int = 0, **metadata: object) -> TextNode:
    place = {"source_file": "a.txt", "page_number": 1, "user_id": scope.user_id, "chunk_index": position}
    node_id = f"{scope.user_id}-{words}-{position}"
    return TextNode(id_=node_id, text=words, embedding=vector, metadata=place | metadata)


@pytest.fixture
def store(database: Settings) -> ChunkStore:
    store = ChunkStore(engine(database), "test", "toy", 3)
    store._make_tables()
    with store.engine.begin() as connection:
        connection.execute(text("DELETE FROM documents WHERE index_table = :table"), {"table": store.table_name})
    return store


def found(store: ChunkStore, scope: Scope = MINA, filters: MetadataFilters | None = None, k: int = 10) -> list[str]:
    query = VectorStoreQuery(query_embedding=[1, 0, 0], similarity_top_k=k, filters=filters)
    return [node.text for node in store.query(query, scope=scope).nodes]


def where(key: str, operator: FilterOperator, value: object) -> MetadataFilters:
    return MetadataFilters(filters=[MetadataFilter(key=key, operator=operator, value=value)])


def test_nearest_chunks_come_first_with_cosine_similarity(store: ChunkStore) -> None:
    store.add([chunk("far", [0, 1, 0]), chunk("near", [2, 0, 0], position=1)])
    result = store.query(VectorStoreQuery(query_embedding=[1, 0, 0], similarity_top_k=2), scope=MINA)
    assert [node.text for node in result.nodes] == ["near", "far"]
    assert result.similarities == pytest.approx([1, 0])


def test_an_owner_never_sees_anothers_chunk(store: ChunkStore) -> None:
    store.add([chunk("hers", [1, 0, 0]), chunk("his", [1, 0, 0], JOON)])
    assert found(store, MINA) == ["hers"]
    assert found(store, JOON) == ["his"]
    assert [node.text for node in store.get_nodes(scope=JOON)] == ["his"]


def test_a_search_without_a_scope_cannot_be_made(store: ChunkStore) -> None:
    with pytest.raises(TypeError, match="scope"):
        store.query(VectorStoreQuery(query_embedding=[1, 0, 0]))
    with pytest.raises(TypeError, match="scope"):
        store.get_nodes(["mina-hers-0"])


def test_adding_the_same_chunk_again_adds_nothing(store: ChunkStore) -> None:
    for _ in range(2):
        store.add([chunk("once", [1, 0, 0])])
    assert found(store) == ["once"]


def test_a_new_version_of_a_document_replaces_its_chunks(store: ChunkStore) -> None:
    store.replace_document(MINA, "a.txt", "v1", [chunk("old", [1, 0, 0]), chunk("older", [1, 0, 0], position=1)])
    store.replace_document(MINA, "a.txt", "v2", [chunk("new", [1, 0, 0])])
    assert found(store) == ["new"]
    assert [(row.source_file, row.sha256, row.chunks) for row in store.documents(MINA)] == [("a.txt", "v2", 1)]


def test_a_document_lands_whole_or_not_at_all(store: ChunkStore) -> None:
    store.replace_document(MINA, "a.txt", "v1", [chunk("old", [1, 0, 0])])
    with pytest.raises(Exception, match="dimensions"):
        store.replace_document(MINA, "a.txt", "v2", [chunk("new", [1, 0, 0]), chunk("bad", [1, 0], position=1)])
    assert found(store) == ["old"]
    assert store.documents(MINA)[0].sha256 == "v1"


def test_deleting_a_document_takes_its_chunks_and_nobody_elses(store: ChunkStore) -> None:
    store.add([chunk("hers", [1, 0, 0]), chunk("his", [1, 0, 0], JOON)])
    assert store.delete_document(MINA, "a.txt")
    assert not store.delete_document(MINA, "a.txt")
    assert (found(store, MINA), found(store, JOON)) == ([], ["his"])


def test_no_ids_find_no_chunks(store: ChunkStore) -> None:
    store.add([chunk("some", [1, 0, 0])])
    assert store.get_nodes([], scope=MINA) == []


@pytest.mark.parametrize(
    ("key", "operator", "value", "expected"),
    [
        ("year", FilterOperator.EQ, 2024, ["a"]),
        ("year", FilterOperator.NE, 2024, ["b", "c"]),
        ("year", FilterOperator.GT, 2023, ["a"]),
        ("year", FilterOperator.GTE, 2023, ["a", "b"]),
        ("year", FilterOperator.LT, 2024, ["b"]),
        ("year", FilterOperator.LTE, 2024, ["a", "b"]),
        ("year", FilterOperator.IN, [2024, 2025], ["a"]),
        ("year", FilterOperator.NIN, [2024, 2025], ["b", "c"]),
        ("year", FilterOperator.GT, "2023", []),
        ("quarter", FilterOperator.EQ, "Q3", ["a"]),
        ("date", FilterOperator.GTE, "2024-01-01", ["a"]),
        ("keywords", FilterOperator.IN, ["비용"], ["b"]),
        ("keywords", FilterOperator.CONTAINS, "비용", ["b"]),
        ("keywords", FilterOperator.ANY, ["비용", "tag"], ["a", "b"]),
        ("keywords", FilterOperator.ALL, ["tag", "cost"], ["a"]),
        ("quarter", FilterOperator.TEXT_MATCH, "Q", ["a"]),
        ("quarter", FilterOperator.TEXT_MATCH, "%", []),
        ("quarter", FilterOperator.TEXT_MATCH_INSENSITIVE, "q3", ["a"]),
        ("quarter", FilterOperator.IS_EMPTY, None, ["b", "c"]),
    ],
)
def test_filters_compare_values_as_what_they_are(
    store: ChunkStore, key: str, operator: FilterOperator, value: object, expected: list[str]
) -> None:
    store.add(
        [
            chunk("a", [1, 0, 0], year=2024, quarter="Q3", date="2024-10-05", keywords=["tag", "cost"]),
            chunk("b", [1, 0, 0], position=1, year=2023, date="2023-10-05", keywords=["비용"]),
            chunk("c", [1, 0, 0], position=2),
        ]
    )
    assert sorted(found(store, filters=where(key, operator, value))) == expected


def test_filters_nest(store: ChunkStore) -> None:
    store.add([chunk(str(year), [1, 0, 0], position=year, year=year) for year in range(2020, 2026)])
    early = where("year", FilterOperator.LT, 2022)
    late = where("year", FilterOperator.GT, 2024)
    either = MetadataFilters(filters=[early, late], condition=FilterCondition.OR)
    assert sorted(found(store, filters=either)) == ["2020", "2021", "2025"]
    neither = MetadataFilters(filters=[either], condition=FilterCondition.NOT)
    assert sorted(found(store, filters=neither)) == ["2022", "2023", "2024"]
    nothing = MetadataFilters(filters=[], condition=FilterCondition.NOT)
    assert len(found(store, filters=nothing)) == 6


@pytest.mark.parametrize(("value", "expected"), [(True, ["a"]), (False, ["b"])])
def test_booleans_are_compared_as_booleans(store: ChunkStore, value: bool, expected: list[str]) -> None:
    store.add([chunk("a", [1, 0, 0], steps=True), chunk("b", [1, 0, 0], position=1, steps=False)])
    assert found(store, filters=MetadataFilters(filters=[BooleanFilter(key="steps", value=value)])) == expected


def test_an_empty_group_limits_nothing(store: ChunkStore) -> None:
    store.add([chunk("a", [1, 0, 0])])
    for condition in (FilterCondition.AND, FilterCondition.OR):
        assert found(store, filters=MetadataFilters(filters=[], condition=condition)) == ["a"]


def test_a_keyword_is_trimmed_and_composed_before_it_is_compared(store: ChunkStore) -> None:
    store.add([chunk("a", [1, 0, 0], keywords=["비용"])])
    decomposed = unicodedata.normalize("NFD", " 비용\n")
    assert found(store, filters=where("keywords", FilterOperator.IN, [decomposed])) == ["a"]


def nested(levels: int) -> MetadataFilters:
    filters = where("year", FilterOperator.EQ, 2024)
    for _ in range(levels):
        filters = MetadataFilters(filters=[filters])
    return filters


@pytest.mark.parametrize(
    "filters",
    [
        nested(43),
        MetadataFilters(filters=where("year", FilterOperator.EQ, 2024).filters * 101),
        where("keywords", FilterOperator.IN, ["k" * 51]),
        where("keywords", FilterOperator.CONTAINS, "  "),
        where("title", FilterOperator.EQ, "x" * 501),
        where("title", FilterOperator.EQ, "NUL \0"),
        where("title\0", FilterOperator.EQ, "x"),
        where("title", FilterOperator.EQ, "half a pair \ud800"),
        where("year", FilterOperator.IN, list(range(1_001))),
        where("year", FilterOperator.EQ, float("nan")),
        where("year", FilterOperator.EQ, 10**400),
    ],
)
def test_a_filter_that_no_chunk_could_meet_is_refused(store: ChunkStore, filters: MetadataFilters) -> None:
    with pytest.raises(LessonsError, match="The filter cannot be used"):
        found(store, filters=filters)


def test_filters_nest_to_the_limit(store: ChunkStore) -> None:
    store.add([chunk("a", [1, 0, 0], year=2024)])
    deep = "year == 1 || year == 2024 && (" * 20 + "year == 2024" + ")" * 20
    assert found(store, filters=parse_filter(deep)) == ["a"]
    assert found(store, filters=also("source_file", "elsewhere.md", parse_filter(deep))) == []


HOSTILE = st.one_of(
    st.sampled_from(["' OR '1'='1", "O'Brien", "x'; DROP TABLE documents; --", '"', "\\", "%", ":x", "{}", "한'글"]),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20),
)


@hypothesis_settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(key=HOSTILE, value=HOSTILE, operator=st.sampled_from(FilterOperator))
def test_no_filter_ever_reaches_another_owner(
    store: ChunkStore, key: str, value: str, operator: FilterOperator
) -> None:
    store.add([chunk("hers", [1, 0, 0]), chunk("his", [1, 0, 0], JOON)])
    several = operator in (FilterOperator.IN, FilterOperator.NIN, FilterOperator.ANY, FilterOperator.ALL)
    try:
        assert set(found(store, filters=where(key, operator, [value] if several else value))) <= {"hers"}
    except LessonsError as error:
        assert "The filter cannot be used" in str(error)  # noqa: PT017 – an empty key


def test_a_forgotten_where_shows_nothing_of_another_owner(store: ChunkStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.add([chunk("hers", [1, 0, 0]), chunk("his", [1, 0, 0], JOON)])
    monkeypatch.setattr(
        ChunkStore, "where", lambda self, *_: WhereClause(":user_id = :user_id", {"user_id": "mina"}, narrow=False)
    )
    assert found(store, MINA) == ["hers"]
    assert [node.text for node in store.get_nodes(scope=JOON)] == ["his"]


def test_a_chunk_of_another_owner_is_not_overwritten_by_its_id(store: ChunkStore) -> None:
    his = chunk("his", [1, 0, 0], JOON)
    store.add([his])
    forged = chunk("forged", [1, 0, 0])
    forged.id_ = his.node_id
    store.add([forged])
    assert (found(store, MINA), found(store, JOON)) == (["forged"], ["his"])
    assert [node.text for node in store.get_nodes([his.node_id], scope=JOON)] == ["his"]


def test_a_chunk_without_words_is_never_stored(store: ChunkStore) -> None:
    store.replace_document(MINA, "a.txt", "v1", [chunk(" \n", [1, 0, 0]), chunk("words", [1, 0, 0], position=1)])
    assert found(store) == ["words"]
    assert store.documents(MINA)[0].chunks == 1
