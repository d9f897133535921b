"""LlamaIndex's own public calls work on the path's parts, and its parts work in a stage; owners stay apart."""

import asyncio
import unicodedata
from pathlib import Path

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.llms import MockLLM
from llama_index.core.postprocessor import KeywordNodePostprocessor, SimilarityPostprocessor
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.prompts import PromptTemplate
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.core.vector_stores.types import (
    ExactMatchFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)

from lessons.errors import LessonsError
from lessons.ingest.pipeline import ingest_each
from lessons.rag.pipeline import Stage
from lessons.rag.retrievers import KeywordRetriever, ScopedRetriever, VectorRetriever
from lessons.rag.types import RetrievedDocument, Scope
from lessons.rag.vector_store import OwnedVectorStore
from lessons.rag.workspace import Workspace
from lessons.search.hybrid import HybridRetriever
from lessons.search.languages import CentredVectorRetriever
from lessons.search.rerankers import MMR, ByScore, KeywordWeighted, ModelScored
from lessons.text import normalize, terms
from tests.support.files import write_pdf


@pytest.fixture
def notes(place: Workspace, naive: Stage, request: pytest.FixtureRequest) -> OwnedVectorStore:
    """What Mina has in the naive index."""
    return place.store(naive.index).of("rag-mina")


@pytest.fixture
def index(place: Workspace, notes: OwnedVectorStore) -> VectorStoreIndex:
    return VectorStoreIndex.from_vector_store(notes, embed_model=place.embedding)


def test_an_index_over_the_store_finds_what_its_owner_has_and_nothing_else(index: VectorStoreIndex) -> None:
    found = index.as_retriever(similarity_top_k=50).retrieve("What is the code of the safe?")
    assert found
    assert {node.metadata["source_file"] for node in found} == {"kiosk.md"}
    assert [node.score for node in found] == sorted((node.score for node in found), reverse=True)


def test_a_node_that_is_inserted_is_found_and_deleted_again(
    index: VectorStoreIndex, place: Workspace, naive: Stage
) -> None:
    note = TextNode(text="The pier closes in winter.", metadata={"source_file": "note.md", "user_id": "rag-joon"})
    index.insert_nodes([note])
    assert "winter" in index.as_retriever(similarity_top_k=1).retrieve("When does the pier close?")[0].text
    theirs = place.store(naive.index).of("rag-joon")
    assert "note.md" not in {node.metadata["source_file"] for node in theirs.get_nodes()}
    index.vector_store.delete_nodes([note.node_id])
    assert "winter" not in index.as_retriever(similarity_top_k=1).retrieve("When does the pier close?")[0].text


def test_a_document_grows_by_the_nodes_that_are_inserted_and_goes_as_a_whole(
    index: VectorStoreIndex, notes: OwnedVectorStore, place: Workspace, naive: Stage
) -> None:
    for words in ("Ice is sold in July.", "Tea is sold in January."):
        index.insert_nodes([TextNode(text=words, metadata={"source_file": "menu.md"})])
    owner = notes._scope
    assert {row.source_file: row.chunks for row in place.store(naive.index).documents(owner)}["menu.md"] == 2
    assert [node.metadata["chunk_index"] for node in notes.get_nodes(filters=of_file("menu.md"))] == [0, 1]
    notes.delete("menu.md")
    assert notes.get_nodes(filters=of_file("menu.md")) == []


@pytest.mark.parametrize(
    ("scope", "given", "stored"),
    [
        (Scope("rag-typed", type="law"), {}, "law"),
        (Scope("rag-typed"), {}, "document"),
        (Scope("rag-typed"), {"type": "notice"}, "notice"),
    ],
)
def test_a_node_that_is_inserted_is_found_in_a_scope_of_its_type_and_by_its_own_words(
    place: Workspace, naive: Stage, scope: Scope, given: dict[str, str], stored: str
) -> None:
    store = place.store(naive.index)
    index = VectorStoreIndex.from_vector_store(store.of(scope), embed_model=place.embedding)
    index.insert_nodes([TextNode(text="Bread is sold at dawn.", metadata={"source_file": "bread.md", **given})])
    (node,) = index.as_retriever().retrieve("When is bread sold?")
    assert (node.metadata["type"], node.metadata["ref_id"]) == (stored, "bread.md")
    assert store.of(Scope("rag-typed", type=stored)).get_nodes()
    assert store.keyword_search(["bread"], 5, scope).ids
    assert not store.keyword_search(terms(stored), 5, scope).ids
    index.vector_store.clear()


def test_a_name_of_decomposed_letters_is_found_as_it_is_typed(index: VectorStoreIndex, notes: OwnedVectorStore) -> None:
    decomposed = unicodedata.normalize("NFD", "메뉴.md")
    index.insert_nodes([TextNode(text="Cocoa is sold in March.", metadata={"source_file": decomposed})])
    assert notes.get_nodes(filters=of_file("메뉴.md"))
    notes.delete(decomposed)
    assert notes.get_nodes(filters=of_file("메뉴.md")) == []


def test_a_node_that_joins_a_document_leaves_its_bytes_and_pages(
    place: Workspace, naive: Stage, tmp_path: Path
) -> None:
    mine, pages = Scope("rag-pages"), ["Ice is sold in July.", "Tea is sold in January."]
    file = write_pdf(tmp_path / "menu.pdf", *pages)
    list(ingest_each(place, [(file, "menu.pdf")], [naive.index], mine))
    store = place.store(naive.index)
    index = VectorStoreIndex.from_vector_store(store.of(mine), embed_model=place.embedding)
    index.insert_nodes([TextNode(text="Soup is sold at noon.", metadata={"source_file": "menu.pdf"})])
    (kept,) = store.documents(mine)
    assert (store.content(mine, "menu.pdf"), kept.pages, kept.chunks) == (file.read_bytes(), 2, 3)


def test_nodes_that_are_inserted_together_are_in_order_and_go_by_a_filter(
    index: VectorStoreIndex, notes: OwnedVectorStore
) -> None:
    index.insert_nodes([TextNode(text=words, metadata={"source_file": "ices.md"}) for words in ("Lemon.", "Mint.")])
    assert [(n.text, n.metadata["chunk_index"]) for n in notes.get_nodes(filters=of_file("ices.md"))] == [
        ("Lemon.", 0),
        ("Mint.", 1),
    ]
    notes.delete_nodes(filters=of_file("ices.md"))
    assert notes.get_nodes(filters=of_file("ices.md")) == []
    assert notes.get_nodes(filters=of_file("kiosk.md"))


def of_file(name: str) -> MetadataFilters:
    return MetadataFilters(filters=[ExactMatchFilter(key="source_file", value=name)])


def test_filters_of_llama_index_reach_the_search(index: VectorStoreIndex) -> None:
    assert index.as_retriever(filters=of_file("elsewhere.md")).retrieve("kiosk") == []


def test_a_search_by_keyword_and_one_among_chosen_documents(notes: OwnedVectorStore) -> None:
    words = VectorStoreQuery(query_str="umbrellas", mode=VectorStoreQueryMode.TEXT_SEARCH, similarity_top_k=3)
    assert "umbrellas" in notes.query(words).nodes[0].text
    words.doc_ids = ["elsewhere.md"]
    assert asyncio.run(notes.aquery(words)).nodes == []


@pytest.mark.parametrize("mode", [VectorStoreQueryMode.HYBRID, VectorStoreQueryMode.MMR])
def test_a_mode_that_the_store_has_not_is_refused(notes: OwnedVectorStore, mode: VectorStoreQueryMode) -> None:
    with pytest.raises(LessonsError, match="by vector or by keyword"):
        notes.query(VectorStoreQuery(query_embedding=[0.0], mode=mode))


def test_a_search_among_chosen_nodes_is_refused(notes: OwnedVectorStore) -> None:
    with pytest.raises(LessonsError, match="not chosen nodes"):
        notes.query(VectorStoreQuery(query_embedding=[0.0], node_ids=["one"]))


def test_nothing_is_deleted_without_a_name(notes: OwnedVectorStore) -> None:
    with pytest.raises(LessonsError, match="Name the nodes"):
        notes.delete_nodes()


def test_clearing_leaves_what_others_have(place: Workspace, naive: Stage) -> None:
    mine, theirs = place.store(naive.index).of("rag-clear"), place.store(naive.index).of("rag-joon")
    index = VectorStoreIndex.from_vector_store(mine, embed_model=place.embedding)
    index.insert_nodes([TextNode(text="Nobody needs this.")])
    mine.clear()
    assert mine.get_nodes() == []
    assert theirs.get_nodes()


@pytest.mark.parametrize("name", ["naive", "smart"])
def test_a_stage_is_a_retriever_and_a_query_engine(request: pytest.FixtureRequest, name: str) -> None:
    stage: Stage = request.getfixturevalue(name)
    found = stage.as_retriever("rag-mina").retrieve("When does the kiosk open?")
    assert "nine" in found[0].text
    response = stage.as_query_engine("rag-mina").query("When does the kiosk open?")
    assert "nine" in str(response)
    assert response.source_nodes[0].metadata["source_file"] == "kiosk.md"
    assert response.metadata["found"]
    assert asyncio.run(stage.as_query_engine("rag-joon").aquery("When does the kiosk open?")).metadata["found"] is False


@pytest.mark.parametrize("name", ["naive", "smart"])
def test_a_stage_searches_what_filters_leave_and_names_a_file_that_it_does_not_know(
    request: pytest.FixtureRequest, name: str
) -> None:
    stage: Stage = request.getfixturevalue(name)
    question = "When does the kiosk open?"
    assert not stage.ask(question, user="rag-mina", filters=of_file("elsewhere.md")).context.documents
    answer = stage.ask(question, user="rag-mina", source_file="missing.md")
    assert answer.found
    assert "missing.md" in answer.warnings[0]


def test_the_retriever_of_a_stage_serves_an_engine_of_llama_index(naive: Stage) -> None:
    engine = RetrieverQueryEngine.from_args(
        naive.as_retriever("rag-mina"),
        llm=MockLLM(),
        node_postprocessors=[SimilarityPostprocessor(similarity_cutoff=0.0)],
    )
    assert engine.query("When does the kiosk open?").source_nodes


class Fixed(BaseRetriever):
    """Finds the same nodes whatever it is asked, the first of them another owner's, without a score."""

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        mine = TextNode(text="The lighthouse was built in 1873.", metadata={"file_name": "lighthouse.md"})
        theirs = TextNode(text="The lighthouse is haunted.", metadata={"user_id": "rag-joon"})
        later = TextNode(text="The pier was built in 1902.", metadata={"file_name": "pier.md"})
        return [NodeWithScore(node=node) for node in (theirs, mine, later)]


def test_a_retriever_of_llama_index_serves_a_stage(naive: Stage) -> None:
    answer = naive.but("fixed", retriever=Fixed()).ask("When was the lighthouse built?", user="rag-mina")
    assert "1873" in answer.text
    assert [document.source for document in answer.context.documents] == ["lighthouse.md", "pier.md"]


@pytest.mark.parametrize(
    ("scope", "left"),
    [
        (Scope("rag-mina"), ["act.md", "등대.md", "pier.md"]),
        (Scope("rag-mina").only(["등대.md", "act.md"]), ["act.md", "등대.md"]),
        (Scope("rag-mina", type="law"), ["act.md"]),
        (Scope("rag-mina", type="law").only(["pier.md"]), []),
    ],
)
def test_a_retriever_of_llama_index_keeps_to_the_materials_and_the_type_of_a_scope(
    naive: Stage, scope: Scope, left: list[str]
) -> None:
    def find(question: str) -> list[NodeWithScore]:
        known = [
            {"source_file": "act.md", "type": "law"},
            {"source_file": unicodedata.normalize("NFD", "등대.md"), "type": "document"},
            {"source_file": "pier.md"},
        ]
        return [NodeWithScore(node=TextNode(text=str(its), metadata=its)) for its in known]

    found = naive.but("found", retriever=find).find("When was it built?", scope).documents
    assert [normalize(document.source) for document in found] == left


def test_a_node_postprocessor_of_llama_index_serves_a_stage(smart: Stage) -> None:
    without = smart.but("without", reranker=KeywordNodePostprocessor(exclude_keywords=["umbrellas"], lang="en"))
    assert "umbrellas" not in without.ask("What does the kiosk rent?", user="rag-mina").context.text


def test_functions_serve_a_stage(naive: Stage) -> None:
    def find(question: str) -> list[NodeWithScore]:
        texts = f"Asked: {question}", "The kiosk opens at 9:15.", "Nothing here."
        return [NodeWithScore(node=TextNode(text=text), score=0.5) for text in texts]

    def longest_first(question: str, documents: list[RetrievedDocument]) -> list[RetrievedDocument]:
        return sorted(documents, key=lambda document: (question in document.content, -len(document.content)))

    mine = naive.but(retriever=find, reranker=longest_first)
    assert mine.name == "my naive"
    answer = mine.ask("When does the kiosk open?", user="rag-mina")
    assert [document.content[:3] for document in answer.context.documents] == ["The", "Not", "Ask"]
    assert "9:15" in answer.text


@pytest.mark.parametrize("part", ["retriever", "reranker"])
@pytest.mark.parametrize("given", [Fixed, "kiosk", 5])
def test_what_is_no_part_of_a_stage_is_refused_at_once(naive: Stage, part: str, given: object) -> None:
    with pytest.raises(LessonsError, match=rf"is no {part}; take an object with"):
        naive.but(**{part: given})


def test_a_prompt_of_llama_index_serves_a_stage(place: Workspace, naive: Stage) -> None:
    repeating = Workspace(place.settings, place.engine, place.embedding, MockLLM())
    short = PromptTemplate("In a word: {question}\n{context}")
    answer = naive.but("short", prompt=short, workspace=repeating).ask("When does the kiosk open?", user="rag-mina")
    assert "In a word: When does the kiosk open?" in answer.text
    assert "nine" in answer.text


def test_the_keyless_model_answers_by_a_prompt_of_llama_index_as_by_ours(naive: Stage) -> None:
    own = PromptTemplate("Use {context}: {question}")
    question = "When does the kiosk open?"
    answer, usual = naive.but(prompt=own).ask(question, user="rag-mina"), naive.ask(question, user="rag-mina")
    assert "nine" in answer.text
    assert (answer.text, answer.found, answer.citations) == (usual.text, True, usual.citations)
    assert "task" not in own.metadata


@pytest.mark.parametrize("retriever", [VectorRetriever, KeywordRetriever, CentredVectorRetriever, HybridRetriever])
def test_our_retrievers_are_retrievers_of_llama_index(
    retriever: type[ScopedRetriever], place: Workspace, smart: Stage
) -> None:
    mine = retriever().bind(place.resources(smart.index), "rag-mina")
    assert isinstance(mine, BaseRetriever)
    engine = RetrieverQueryEngine.from_args(mine, llm=MockLLM(), node_postprocessors=[MMR(top_k=1)])
    (found,) = engine.query("When does the kiosk open?").source_nodes
    assert "nine" in found.text
    asked = QueryBundle("Which code?", custom_embedding_strs=["What is the code of the safe?", "When is tea sold?"])
    assert {node.metadata["source_file"] for node in mine.retrieve(asked)} <= {"kiosk.md"}


def test_a_retriever_that_was_not_told_where_to_search_says_so() -> None:
    with pytest.raises(LessonsError, match=r"\.bind"):
        VectorRetriever().retrieve("When does the kiosk open?")


@pytest.mark.parametrize("reranker", [ByScore(top_k=2), KeywordWeighted(top_k=2), MMR(top_k=2), ModelScored(top_k=2)])
def test_our_rerankers_are_node_postprocessors_of_llama_index(reranker: BaseNodePostprocessor) -> None:
    texts = ["Boats are rented at the pier.", "The kiosk opens at nine.", "Tea is sold in January."]
    nodes = [NodeWithScore(node=TextNode(text=words), score=0.5) for words in texts]
    ordered = reranker.postprocess_nodes(nodes, query_str="When does the kiosk open?")
    assert len(ordered) == 2
    assert {node.text for node in ordered} <= set(texts)
    if isinstance(reranker, KeywordWeighted | ModelScored):
        assert ordered[0].text == texts[1]


def test_a_narrow_store_deletes_nothing_outside_its_scope(place: Workspace, naive: Stage) -> None:
    mine, store = Scope("rag-narrow"), place.store(naive.index)
    index = VectorStoreIndex.from_vector_store(store.of(mine), embed_model=place.embedding)
    names = ("a.md", "b.md")
    index.insert_nodes([TextNode(text=f"Words of {name}.", metadata={"source_file": name}) for name in names])
    narrow = store.of(mine.only(["a.md"]))
    narrow.delete("b.md")
    assert [document.source_file for document in store.documents(mine)] == ["a.md", "b.md"]
    narrow.clear()
    assert [document.source_file for document in store.documents(mine)] == ["b.md"]
