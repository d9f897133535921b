"""Rerankers that ask no model: what they put first, and that none of them invents or repeats a document."""

import sys
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from lessons.errors import ModelError
from lessons.rag.llama_index import Postprocessed
from lessons.rag.types import Query, Reranker, Resources, RetrievedDocument, Scope
from lessons.search.cross_encoder import CrossEncoder
from lessons.search.rerankers import MMR, ByScore, KeywordWeighted
from lessons.trace import Step

DOCUMENTS = st.lists(
    st.tuples(
        st.floats(0, 1), st.sampled_from(["refund in 14 days", "환불은 14일 안에", "invoice", "", "refund days"])
    ),
    max_size=8,
).map(lambda each: [document(str(number), score, text) for number, (score, text) in enumerate(each)])


def document(name: str, score: float, content: str, **metadata: Any) -> RetrievedDocument:
    return RetrievedDocument(name, content, score, f"{name}.md", metadata)


def rerank(reranker: Reranker, documents: list[RetrievedDocument], question: str = "refund", top_k: int = 10) -> str:
    found = reranker.rerank(
        Query(question, Scope("reader"), top_k=top_k), documents, cast(Resources, None), Step("rerank")
    )
    return " ".join(each.id for each in found)


class LongestFirst(BaseNodePostprocessor):
    """The longest node first, with its length as the score; one node twice and one of its own."""

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        scored = [NodeWithScore(node=node.node, score=float(len(node.get_content()))) for node in nodes]
        ordered = sorted(scored, key=lambda node: -(node.score or 0))
        return [*ordered, *ordered[:1], NodeWithScore(node=TextNode(id_="invented", text="x"), score=1.0)]


class Shown(BaseNodePostprocessor):
    """Keeps nodes whose embedded text holds the question."""

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        assert query_bundle is not None
        return [node for node in nodes if query_bundle.query_str in node.node.get_content(metadata_mode="embed")]


def test_by_score_puts_the_best_score_first() -> None:
    assert rerank(ByScore(), [document("a", 0.1, ""), document("b", 0.9, ""), document("c", 0.5, "")]) == "b c a"


def test_shared_words_lift_a_document_by_their_weight() -> None:
    documents = [document("a", 0.6, "invoice"), document("b", 0.5, "환불은 14일 안에 신청할 수 있습니다.")]
    assert rerank(KeywordWeighted(), documents, "환불을 신청하려면?") == "b a"
    assert rerank(KeywordWeighted(weight=0), documents, "환불을 신청하려면?") == "a b"


def test_the_weighted_score_is_the_formula_of_its_docstring() -> None:
    query = Query("refund days", Scope("reader"))
    (found,) = KeywordWeighted().rerank(query, [document("a", 0.8, "refund")], cast(Resources, None), Step("rerank"))
    assert found.score == pytest.approx(0.8 * 0.7 + 0.5 * 0.3)


def test_mmr_puts_something_new_before_a_repetition() -> None:
    documents = [
        document("best", 1.0, "refunds are paid in 14 days"),
        document("copy", 0.9, "refunds are paid in 14 days"),
        document("new", 0.6, "invoices are sent monthly"),
    ]
    assert rerank(MMR(), documents) == "best new copy"
    assert rerank(MMR(lambda_=1), documents) == "best copy new"


@pytest.mark.parametrize(("score", "order"), [(0.35, "best half new"), (0.45, "best new half")])
def test_mmr_weighs_relevance_and_repetition_alike(score: float, order: str) -> None:
    documents = [document("best", 1.0, "refund invoice"), document("half", 0.9, "refund"), document("new", score, "x")]
    assert rerank(MMR(), documents) == order


def test_mmr_begins_with_the_best_score_even_if_only_diversity_counts() -> None:
    assert rerank(MMR(lambda_=0), [document("a", 0.1, "one"), document("b", 0.9, "two")]) == "b a"


def test_a_node_postprocessor_reranks_but_adds_and_repeats_nothing() -> None:
    documents = [document("short", 0.9, "a"), document("long", 0.1, "aaaa"), document("middle", 0.5, "aa")]
    assert rerank(Postprocessed(LongestFirst()), documents) == "long middle short"


def test_a_node_postprocessor_reads_the_title_and_no_other_metadata() -> None:
    documents = [document("a", 0.9, "text", title="refund"), document("b", 0.8, "text", owner="refund")]
    assert rerank(Postprocessed(Shown()), documents) == "a"


def test_a_cross_encoder_that_is_not_installed_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed.rerank.cross_encoder", None)
    with pytest.raises(ModelError, match="uv sync --extra rerank"):
        rerank(CrossEncoder(model="none"), [document("a", 0.9, "text")])


@pytest.mark.parametrize(
    "reranker",
    [ByScore(), KeywordWeighted(), MMR(), Postprocessed(LongestFirst())],
    ids=lambda each: type(each).__name__,
)
@given(documents=DOCUMENTS, question=st.text(max_size=20), top_k=st.integers(1, 10))
def test_what_comes_out_came_in_and_comes_once(
    reranker: Reranker, documents: list[RetrievedDocument], question: str, top_k: int
) -> None:
    names = rerank(reranker, documents, question, top_k).split()
    assert len(names) == len(set(names)) == min(top_k, len(documents))
    assert set(names) <= {each.id for each in documents}
