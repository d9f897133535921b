"""Our steps in an `IngestionPipeline` of LlamaIndex, and LlamaIndex's steps in an index of ours."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter
from llama_index.core.schema import BaseNode, TransformComponent

from lessons.database import engine
from lessons.errors import LessonsError
from lessons.ingest.classify import Classifier
from lessons.ingest.enrich import ChunkKeywords, ChunkSummaries
from lessons.ingest.index import Embedder, Index, MetadataStamper
from lessons.ingest.pipeline import ingest
from lessons.ingest.read import read
from lessons.ingest.split import SectionSplitter
from lessons.models.keyless import OfflineLLM
from lessons.rag.store import ChunkStore
from lessons.rag.types import Scope
from lessons.settings import Settings
from tests.support.files import write_pdf

GUIDE = "# How to renew a pass\n\n1. Open the page.\n2. Enter the code.\n3. Press Save.\n"
NOTES = "# 회의록\n\n## 결정\n\n환불은 14일 이내에 신청하실 수 있습니다.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "guide.md").write_text(GUIDE, encoding="utf-8")
    (tmp_path / "notes.md").write_text(NOTES, encoding="utf-8")
    return tmp_path


@pytest.fixture
def store(database: Settings, request: pytest.FixtureRequest) -> Iterator[ChunkStore]:
    made, owner = ChunkStore(engine(database), "llama", "toy", 3), Scope("llama")
    yield made
    for document in made.documents(owner):
        made.delete_document(owner, document.source_file)


def test_each_of_our_steps_runs_in_a_pipeline_of_llama_index(folder: Path, store: ChunkStore) -> None:
    model, llm = MockEmbedding(3), OfflineLLM()
    steps: list[TransformComponent] = [SectionSplitter(), Classifier()]
    steps += [ChunkSummaries(llm=llm, show_progress=False), ChunkKeywords(llm=llm, show_progress=False)]
    steps += [MetadataStamper(index="llama", user_id="llama"), Embedder(model=model)]
    documents = [document for path in sorted(folder.iterdir()) for document in read(path)]
    IngestionPipeline(transformations=steps, vector_store=store.of("llama")).run(documents=documents)
    found = VectorStoreIndex.from_vector_store(store.of("llama"), embed_model=model).as_retriever().retrieve("환불")
    known = {node.metadata["source_file"]: node.metadata for node in found}
    assert {name: each["doc_type"] for name, each in known.items()} == {"guide.md": "guide", "notes.md": "document"}
    assert known["guide.md"]["has_steps"]
    assert known["notes.md"]["section"] == "결정"
    assert all(each["keywords"] and each["section_summary"] and each["chunk_index"] == 0 for each in known.values())


def test_documents_of_any_reader_are_cut_and_placed_by_ours() -> None:
    pages = [Document(text=text, metadata={"file_name": name}) for name, text in (("a.txt", "One."), ("b.txt", "Two."))]
    steps = [SectionSplitter(), Classifier(), MetadataStamper(index="mine", user_id="llama")]
    nodes = IngestionPipeline(transformations=steps).run(documents=pages)
    places = [(node.metadata["source_file"], node.metadata["chunk_index"]) for node in nodes]
    assert places == [("a.txt", 0), ("b.txt", 0)]


class Redactor(TransformComponent):
    """A step of the reader's own: no codes of four digits."""

    def __call__(self, nodes: list[BaseNode], **_: Any) -> list[BaseNode]:
        for node in nodes:
            node.set_content(re.sub(r"\d{4}", "****", node.get_content()))
        return nodes


@pytest.mark.parametrize("splitter", [SentenceSplitter(chunk_size=64, chunk_overlap=0), MarkdownNodeParser()])
def test_any_step_of_llama_index_goes_into_an_index_of_ours(
    folder: Path, store: ChunkStore, splitter: TransformComponent
) -> None:
    (folder / "door.md").write_text("# Door\n\nThe code is 4711.\n", encoding="utf-8")
    mine, owner = Index("mine", (splitter, Redactor())), Scope("llama")
    (result,) = ingest([(folder / "door.md", "door.md")], mine, store, MockEmbedding(3), owner)
    assert (result.status, result.chunks) == ("added", 1)
    (node,) = store.of("llama").get_nodes()
    assert node.get_content().endswith("The code is ****.")
    assert (node.metadata["user_id"], node.metadata["chunk_index"]) == ("llama", 0)


def by_line(text: str) -> list[str]:
    return text.split("\n")


def lowered(text: str) -> str:
    return text.lower()


def test_functions_of_a_text_go_into_an_index_of_ours(tmp_path: Path, store: ChunkStore) -> None:
    write_pdf(tmp_path / "doors.pdf", "The front door.\nThe code is 4711.", "The back door.")
    mine, owner = Index("mine", (lowered, by_line, Redactor())), Scope("llama")
    (result,) = ingest([(tmp_path / "doors.pdf", "doors.pdf")], mine, store, MockEmbedding(3), owner)
    assert result.status == "added"
    nodes = sorted(store.of("llama").get_nodes(), key=lambda node: node.metadata["chunk_index"])
    assert [(node.get_content().strip(), node.metadata["page_number"]) for node in nodes] == [
        ("the front door.", 1),
        ("the code is ****.", 1),
        ("the back door.", 2),
    ]
    assert {node.metadata["source_file"] for node in nodes} == {"doors.pdf"}


def test_another_function_cuts_anew() -> None:
    prints = [Index("mine", (cut,)).fingerprint("x") for cut in (by_line, by_line, lowered, partial(str.split))]
    assert prints[0] == prints[1]
    assert len(set(prints)) == 3


@pytest.mark.parametrize("given", [Redactor, "by line", 5])
def test_what_cuts_nothing_is_refused_at_once(given: object) -> None:
    with pytest.raises(LessonsError, match="is no splitter; take a transformation"):
        Index("mine", (given,))
