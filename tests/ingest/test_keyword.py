"""Keyword search in PostgreSQL: BM25 as the book has it, within the searched scope and nothing else."""

from collections import Counter
from math import log

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters
from sqlalchemy import text

from lessons.database import engine
from lessons.rag.store import ChunkStore
from lessons.rag.tables import term_table_name
from lessons.rag.types import Scope
from lessons.settings import Settings
from lessons.text import terms

MINA, JOON = Scope("mina"), Scope("joon")
HOSTILE = [
    "",
    "'",
    '"',
    "\\",
    "\0",
    "a\0b",
    "\ud800",
    "' OR '1'='1",
    "{a,b}",
    "NULL",
    "%",
    ":x",
    "긴" * 100,
    "x" * 5000,
]


def chunk(words: str, position: int = 0, scope: Scope = MINA, file: str = "a.txt", **metadata: object) -> TextNode:
    place = {"source_file": file, "page_number": 1, "user_id": scope.user_id, "chunk_index": position}
    return TextNode(
        id_=f"{scope.user_id}-{file}-{position}",
        text=words,
        embedding=[1.0, 0.0, 0.0],
        metadata=place | metadata,
        excluded_embed_metadata_keys=[*place, "year"],
    )


@pytest.fixture(scope="module")
def kept(database: Settings) -> ChunkStore:
    store = ChunkStore(engine(database), "keyword", "toy", 3)
    store._make_tables()
    return store


@pytest.fixture
def store(kept: ChunkStore) -> ChunkStore:
    for scope in (MINA, JOON):
        for document in kept.documents(scope):
            kept.delete_document(scope, document.source_file)
    return kept


def found(store: ChunkStore, question: str, scope: Scope = MINA, filters: MetadataFilters | None = None) -> list[str]:
    return [node.text for node in store.keyword_search(terms(question), 10, scope, filters).nodes]


def scores(store: ChunkStore, words: list[str], scope: Scope = MINA) -> dict[str, float]:
    result = store.keyword_search(words, 1000, scope)
    return dict(zip(result.ids, result.similarities, strict=True))


def year(value: int) -> MetadataFilters:
    return MetadataFilters(filters=[MetadataFilter(key="year", operator=FilterOperator.EQ, value=value)])


def bm25(documents: list[list[str]], question: list[str], k1: float = 1.2, b: float = 0.75) -> list[float]:
    """The reference, as plain as it can be written."""
    average = sum(map(len, documents)) / len(documents)
    result = []
    for document in documents:
        score = 0.0
        for term in dict.fromkeys(question):
            containing = sum(term in other for other in documents)
            idf = log(1 + (len(documents) - containing + 0.5) / (containing + 0.5))
            frequency = Counter(document)[term]
            score += idf * frequency * (k1 + 1) / (frequency + k1 * (1 - b + b * len(document) / average))
        result.append(score)
    return result


WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta", "omega", "ord-2024-001", "환불", "마케팅"])


@hypothesis_settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents=st.lists(st.lists(WORDS, min_size=1, max_size=30), min_size=1, max_size=12), asked=st.lists(WORDS))
def test_scores_and_order_are_those_of_bm25(store: ChunkStore, documents: list[list[str]], asked: list[str]) -> None:
    store.replace_document(MINA, "a.txt", "", [chunk(" ".join(words), i) for i, words in enumerate(documents)])
    expected = bm25([terms(" ".join(words)) for words in documents], terms(" ".join(asked)))
    found = scores(store, terms(" ".join(asked)))
    assert found == pytest.approx({f"mina-a.txt-{i}": score for i, score in enumerate(expected) if score}, abs=1e-6)
    assert list(found.values()) == sorted(found.values(), reverse=True)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("마케팅은 얼마인가요?", "마케팅이 비용의 절반을 차지한다"),
        ("Where is order ORD-2024-001?", "The order ORD-2024-001 is late"),
        ("the cost", "It costs little"),
        ("3분기 실적", "Results of Q3"),
    ],
)
def test_words_are_found_in_other_forms(store: ChunkStore, question: str, expected: str) -> None:
    texts = ["마케팅이 비용의 절반을 차지한다", "The order ORD-2024-001 is late", "It costs little", "Results of Q3"]
    store.replace_document(MINA, "a.txt", "", [chunk(words, i) for i, words in enumerate(texts)])
    assert found(store, question)[0] == expected


def test_the_heading_that_is_embedded_with_a_chunk_finds_it(store: ChunkStore) -> None:
    store.add([chunk("within fourteen days", title="Refunds"), chunk("within a month", 1, title="Invoices")])
    assert found(store, "refund") == ["within fourteen days"]


def test_metadata_that_is_not_embedded_finds_nothing(store: ChunkStore) -> None:
    store.add([chunk("within fourteen days", year=2024)])
    assert found(store, "2024") == []


def test_another_owners_chunks_are_not_found_and_change_no_score(store: ChunkStore) -> None:
    store.add([chunk("refund soon"), chunk("invoice soon", 1)])
    before = scores(store, ["refund", "soon"])
    store.add([chunk("refund refund and much more about it", i, JOON, "b.txt") for i in range(20)])
    assert scores(store, ["refund", "soon"]) == before
    assert store.document_frequencies(["refund"], MINA) == {"refund": 1}


def test_filters_limit_what_is_found_and_what_is_counted(store: ChunkStore) -> None:
    store.add([chunk("refund", 0, year=2023), chunk("refund late", 1, year=2024), chunk("invoice", 2, year=2024)])
    assert found(store, "refund", filters=year(2024)) == ["refund late"]
    assert store.document_frequencies(["refund", "tax"], MINA, year(2024)) == {"refund": 1, "tax": 0}
    assert store.document_frequencies(["refund"], MINA) == {"refund": 2}


def test_the_materials_of_a_scope_limit_what_is_found_and_what_is_counted(store: ChunkStore) -> None:
    store.add([chunk("refund"), chunk("refund late", file="b.txt")])
    assert found(store, "refund", MINA.only(["b.txt"])) == ["refund late"]
    assert store.document_frequencies(["refund"], MINA.only(["b.txt"])) == {"refund": 1}


@pytest.mark.parametrize("asked", [[], *[[term] for term in HOSTILE], HOSTILE])
def test_strange_terms_find_nothing_and_break_nothing(store: ChunkStore, asked: list[str]) -> None:
    store.add([chunk("plain words")])
    assert store.keyword_search(asked, 10, MINA).nodes == []
    assert not any(store.document_frequencies(asked, MINA).values())


def test_strange_terms_do_not_spoil_the_plain_ones_beside_them(store: ChunkStore) -> None:
    store.add([chunk("plain words")])
    assert len(store.keyword_search([*HOSTILE, "plain"], 10, MINA).nodes) == 1


def test_an_empty_scope_finds_nothing(store: ChunkStore) -> None:
    assert store.keyword_search(["refund"], 10, Scope("nobody")).nodes == []
    assert store.document_frequencies(["refund"], Scope("nobody")) == {"refund": 0}


def test_a_new_version_of_a_document_is_found_by_its_new_words_only(store: ChunkStore) -> None:
    store.replace_document(MINA, "a.txt", "v1", [chunk("old words")])
    store.replace_document(MINA, "a.txt", "v2", [chunk("new words")])
    assert (found(store, "old"), found(store, "new")) == ([], ["new words"])


def test_a_chunk_that_is_added_again_is_counted_once(store: ChunkStore) -> None:
    for words in ("refund refund late", "refund"):
        store.add([chunk(words)])
    assert store.document_frequencies(["refund", "late"], MINA) == {"refund": 1, "late": 0}


def test_a_deleted_document_leaves_no_terms(store: ChunkStore) -> None:
    store.add([chunk("refund")])
    store.delete_document(MINA, "a.txt")
    assert store.document_frequencies(["refund"], MINA) == {"refund": 0}


def test_after_a_load_the_database_knows_how_much_there_is(store: ChunkStore) -> None:
    store.replace_document(MINA, "a.txt", "", [chunk(f"refund number{i}", i) for i in range(100)])
    store.optimize(100)
    tables = [store.table_name, term_table_name(store.table_name)]
    with store.engine.connect() as connection:
        rows = connection.execute(
            text("SELECT relname, reltuples FROM pg_class WHERE relname = any(:t)"), {"t": tables}
        )
        assert {row.relname: row.reltuples for row in rows} == dict(zip(tables, [100, 200], strict=True))


def test_several_questions_find_what_each_finds_alone(store: ChunkStore) -> None:
    store.add([chunk("refund late"), chunk("refund tax year", 1), chunk("환불 기한", 2)])
    asked = [["refund"], ["tax", "refund"], ["unknown"], [], ["환불"]]
    together = [(found.ids, found.similarities) for found in store.keyword_search_each(asked, 10, MINA)]
    alone = [store.keyword_search(terms, 10, MINA) for terms in asked]
    assert together == [(found.ids, found.similarities) for found in alone]
