"""The tools search what belongs to the owner of the question, whatever the model says."""

from typing import cast
from uuid import uuid4

import pytest
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.schema import TextNode

from lessons.agent import SearchTools
from lessons.database import engine
from lessons.keyless.llm import OfflineLLM
from lessons.rag.pipeline import Pipeline
from lessons.rag.retrievers import KeywordRetriever
from lessons.rag.store import ChunkStore
from lessons.rag.types import Query, Resources, Scope
from lessons.settings import Settings
from lessons.trace import Step


@pytest.fixture(scope="module")
def store(database: Settings) -> ChunkStore:
    return ChunkStore(engine(database), "agent", "toy", 3)


@pytest.fixture(scope="module")
def owners(store: ChunkStore) -> tuple[Scope, Scope]:
    """Two owners with a document each of the same name."""
    mina, joon = Scope(f"mina-{uuid4()}"), Scope(f"joon-{uuid4()}")
    for scope, text in ((mina, "The midterm is on 3 May."), (joon, "The midterm is on 9 June.")):
        store.replace_document(scope, "exam.md", "", [chunk(scope, "exam.md", text)])
    return mina, joon


def chunk(scope: Scope, name: str, text: str) -> TextNode:
    place = {"source_file": name, "ref_id": name, "user_id": scope.user_id, "type": "document", "chunk_index": 0}
    return TextNode(text=text, embedding=[1.0, 0.0, 0.0], metadata=place)


def searched(store: ChunkStore, scope: Scope, name: str, **arguments: str) -> tuple[list[str], str]:
    """The texts that a call finds for an owner, and what the model is told."""
    resources = Resources(store, cast(BaseEmbedding, None), OfflineLLM())
    tools = SearchTools(Pipeline(retriever=KeywordRetriever()), Query("?", scope), resources)
    said = tools.run(ToolSelection(tool_id="1", tool_name=name, tool_kwargs=arguments), Step(name))
    return [document.content for documents in tools.found.values() for document in documents], said


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"user_id": "{other}"},
        {"owner": "{other}", "user": "{other}"},
    ],
)
def test_only_the_owners_chunks_are_found(
    store: ChunkStore, owners: tuple[Scope, Scope], arguments: dict[str, str]
) -> None:
    for mine, other in (owners, owners[::-1]):
        named = {key: value.format(other=other.user_id) for key, value in arguments.items()}
        found, _ = searched(store, mine, "search_documents", query=f"midterm {other.user_id}", **named)
        dates = {owners[0]: "The midterm is on 3 May.", owners[1]: "The midterm is on 9 June."}
        assert found == [dates[mine]]


def test_a_file_of_the_owner_can_be_searched_alone(store: ChunkStore) -> None:
    owner = Scope(f"sora-{uuid4()}")
    for name, text in (("exam.md", "The midterm is on 3 May."), ("notes.md", "Bring a pen to the midterm.")):
        store.replace_document(owner, name, "", [chunk(owner, name, text)])
    assert len(searched(store, owner, "search_documents", query="midterm")[0]) == 2
    found, said = searched(store, owner, "search_by_metadata", query="midterm", source_file="exam.md")
    assert found == ["The midterm is on 3 May."]
    assert "[Source: 1 | exam.md" in said
    _, said = searched(store, owner, "search_by_metadata", query="zebra", source_file="exam.md")
    assert "search all documents" in said


@pytest.mark.parametrize("name", ["unknown.md", "exam.md' OR '1'='1", "", "없는 파일.pdf"])
def test_a_file_that_nobody_registered_is_told(store: ChunkStore, owners: tuple[Scope, Scope], name: str) -> None:
    found, said = searched(store, owners[0], "search_by_metadata", query="midterm", source_file=name)
    assert found == []
    assert "is not registered" in said


def test_materials_outside_the_plan_are_not_registered(store: ChunkStore, owners: tuple[Scope, Scope]) -> None:
    plan = Scope(owners[0].user_id, frozenset({"other.md"}))
    assert searched(store, plan, "search_documents", query="midterm")[0] == []
    assert "not registered" in searched(store, plan, "search_by_metadata", query="x", source_file="exam.md")[1]
