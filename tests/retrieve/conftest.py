"""Chunks of a few owners with random vectors, in an index of their own."""

import random
from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from llama_index.core.llms import LLM
from llama_index.core.schema import TextNode

from lessons.database import engine
from lessons.rag.store import ChunkStore
from lessons.rag.types import Scope
from lessons.settings import Settings
from tests.support.openai_server import Server, model_behind, openai_server

Put = Callable[..., list[str]]


@pytest.fixture(scope="module")
def store(database: Settings) -> ChunkStore:
    return ChunkStore(engine(database), "retrieve", "toy", 3)


@pytest.fixture
def mina() -> Scope:
    return Scope(f"mina-{uuid4()}")


@pytest.fixture
def joon() -> Scope:
    return Scope(f"joon-{uuid4()}")


@pytest.fixture(scope="module")
def put(store: ChunkStore) -> Put:
    """Store a document with these texts as its chunks; gives their ids."""
    numbers = random.Random(0)

    def put(scope: Scope, name: str, *texts: str, **metadata: object) -> list[str]:
        place = {"source_file": name, "ref_id": name, "user_id": scope.user_id, "type": scope.type or "document"}
        nodes = [
            TextNode(
                id_=f"{scope.user_id}/{name}/{position}",
                text=text,
                embedding=[numbers.gauss(0, 1) for _ in range(3)],
                metadata=place | {"chunk_index": position, "page_number": position + 1} | metadata,
            )
            for position, text in enumerate(texts)
        ]
        numbers.shuffle(nodes)
        store.replace_document(scope, name, "", nodes)
        return [node.node_id for node in nodes]

    return put


@pytest.fixture(scope="module")
def shared_server() -> Iterator[Server]:
    with openai_server() as running:
        yield running


@pytest.fixture
def served(shared_server: Server) -> LLM:
    return model_behind(shared_server)
