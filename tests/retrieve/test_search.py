"""The two retrievers over the database: both merge what several phrasings find, and stay within the query's scope."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import pytest
from llama_index.core.schema import TextNode

from lessons.database import engine
from lessons.rag.retrievers import KeywordRetriever, VectorRetriever
from lessons.rag.store import ChunkStore
from lessons.rag.types import Query, Resources, Retriever, Scope
from lessons.settings import Settings

MINA, JOON = Scope("mina"), Scope("joon")
DIRECTIONS = {"refund": [1.0, 0.0, 0.0], "invoice": [0.0, 1.0, 0.0]}


def chunk(words: str, position: int, vector: Sequence[float], scope: Scope = MINA) -> TextNode:
    place = {"source_file": "a.txt", "page_number": 3, "user_id": scope.user_id, "chunk_index": position}
    metadata = {"metadata": place, "excluded_embed_metadata_keys": list(place)}
    return TextNode(id_=f"{scope.user_id}-{position}", text=words, embedding=list(vector), **metadata)


@pytest.fixture(scope="module")
def resources(database: Settings) -> Resources:
    store = ChunkStore(engine(database), "search", "toy", 3)
    store.add(
        [
            chunk("refund within fourteen days", 0, [1, 0.1, 0]),
            chunk("refund or invoice", 1, [1, 1, 0]),
            chunk("invoice at the end of the month", 2, [0.1, 1, 0]),
            chunk("refund of another", 3, [1, 0, 0], JOON),
        ]
    )
    embedding = SimpleNamespace(get_query_embedding=DIRECTIONS.__getitem__)
    return cast(Resources, SimpleNamespace(store=store, embedding=embedding, llm=None))


@pytest.fixture(params=[VectorRetriever(), KeywordRetriever()], ids=lambda retriever: type(retriever).__name__)
def retriever(request: pytest.FixtureRequest) -> Retriever:
    return request.param


def ids(retriever: Retriever, resources: Resources, *queries: str, scope: Scope = MINA, top_k: int = 10) -> list[str]:
    return [each.id for each in retriever.search(list(queries), Query("", scope, top_k=top_k), resources)]


def test_the_nearest_chunk_comes_first(resources: Resources) -> None:
    assert ids(VectorRetriever(), resources, "invoice") == ["mina-2", "mina-1", "mina-0"]


def test_the_chunk_with_more_of_the_words_comes_first(resources: Resources) -> None:
    assert ids(KeywordRetriever(), resources, "refund invoice")[0] == "mina-1"


def test_several_phrasings_find_each_chunk_once_with_its_best_score(retriever: Retriever, resources: Resources) -> None:
    query = Query("", MINA)
    alone = {each.id: each.score for text in DIRECTIONS for each in retriever.search([text], query, resources)}
    both = retriever.search(list(DIRECTIONS), query, resources)
    assert sorted(each.id for each in both) == ["mina-0", "mina-1", "mina-2"]
    assert all(each.score >= alone[each.id] for each in both)
    assert [each.score for each in both] == sorted((each.score for each in both), reverse=True)


def test_no_more_than_wanted_are_found(retriever: Retriever, resources: Resources) -> None:
    assert len(ids(retriever, resources, *DIRECTIONS, top_k=2)) == 2


def test_another_owners_chunks_are_out_of_reach(retriever: Retriever, resources: Resources) -> None:
    assert ids(retriever, resources, "refund", scope=JOON) == ["joon-3"]


def test_a_found_chunk_knows_where_it_stands(retriever: Retriever, resources: Resources) -> None:
    found = retriever.search(["refund"], Query("", MINA), resources)[0]
    assert (found.source, found.page) == ("a.txt", 3)
    assert found.estimated_tokens > 0


def test_keywords_find_only_chunks_that_hold_one(resources: Resources) -> None:
    assert sorted(ids(KeywordRetriever(), resources, "refund")) == ["mina-0", "mina-1"]
    assert ids(KeywordRetriever(), resources, "zebra") == []
    assert ids(KeywordRetriever(), resources, "what is the") == []


def test_a_retrievers_own_number_goes_before_the_querys(resources: Resources) -> None:
    assert len(ids(KeywordRetriever(top_k=1), resources, "refund")) == 1
