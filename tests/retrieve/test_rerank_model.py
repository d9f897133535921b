"""Reranking by a model's scores: fused with those of the search if they can be used, else the order stays as it was."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.llms import LLM

from lessons.budget import Budget
from lessons.keyless.llm import OfflineLLM
from lessons.rag.pipeline import Pipeline
from lessons.rag.types import Query, Resources, RetrievedDocument, Scope
from lessons.search.rerankers import DocumentScore, ModelScored, Scores, excerpts, quoted, relevance_prompt
from lessons.settings import settings
from lessons.stages import stage_named
from lessons.trace import Step, Trace
from tests.support.openai_server import Server

TEXTS = [
    "Invoices are sent monthly.",
    "Refunds are paid within 14 days.",
    "Seats can be added.",
    "Tags are case-blind.",
]
FOUND = [RetrievedDocument(str(n), text, 1 - n / 10, f"{n}.md", {}) for n, text in enumerate(TEXTS, start=1)]
RIGHT = [(1, 2.0), (2, 9.5), (3, 0.0), (4, 9.5)]
NUMBERS = st.one_of(st.integers(-2, 6), st.integers())
SCORES = st.one_of(st.floats(allow_nan=True), st.floats(0, 10), st.integers(0, 10).map(float))


class Says(OfflineLLM):
    """A model whose structured output is given, without any check of its own."""

    said: Any = None

    def structured_predict(self, output_cls: Any, prompt: Any, llm_kwargs: Any = None, **_: Any) -> Any:
        return self.said


def scores(pairs: Sequence[tuple[Any, Any]]) -> Scores:
    each = [DocumentScore.model_construct(number=number, score=score) for number, score in pairs]
    return Scores.model_construct(scores=each)


def spoken(pairs: Sequence[tuple[int, float]]) -> str:
    return "say:" + json.dumps({"scores": [{"number": number, "score": score} for number, score in pairs]})


def resources(llm: LLM) -> Resources:
    return Resources(store=cast(Any, None), embedding=cast(Any, None), llm=llm)


def rerank(llm: LLM, documents: Sequence[RetrievedDocument] = FOUND, question: str = "When?") -> tuple[str, Step]:
    step = Step("rerank")
    found = ModelScored(top_k=5).rerank(Query(question, Scope("reader")), documents, resources(llm), step)
    return " ".join(document.id for document in found), step


def test_scores_move_a_document_as_far_as_the_search_lets_them(served: LLM, shared_server: Server) -> None:
    shared_server.behave(spoken(RIGHT))
    order, step = rerank(served)
    assert (order, step.llm_calls, step.notes) == ("2 1 4 3", 1, [])
    assert len(shared_server.requests) == 1


def test_scores_count_for_the_document_they_name_in_whatever_order(served: LLM, shared_server: Server) -> None:
    shared_server.behave(spoken(RIGHT[::-1]))
    assert rerank(served)[0] == "2 1 4 3"


@pytest.mark.parametrize(
    "behaviour",
    [
        spoken([(1, 3), (2, 3), (3, 3), (4, 3)]),
        spoken([]),
        spoken([*RIGHT[:3], (3, 9)]),
        spoken([*RIGHT, (5, 9)]),
        spoken([*RIGHT[:3], (4, 11)]),
        spoken([*RIGHT[:3], (4, -1)]),
        spoken(RIGHT)[:-20],
        "say:The second document is best.",
        "say:[9, 8, 7, 6]",
        "say:null",
        'say:{"scores": {"1": 3}}',
        "empty",
        "cut",
        "html",
        "truncated",
        "no_choices",
        "error",
        "too_many",
    ],
    ids=lambda text: text[-40:],
)
def test_scores_that_cannot_be_used_leave_the_order(served: LLM, shared_server: Server, behaviour: str) -> None:
    shared_server.behave(behaviour)
    order, step = rerank(served)
    assert order == "1 2 3 4"
    assert step.notes


def test_a_failed_model_is_not_said_to_be_replaced(served: LLM, shared_server: Server) -> None:
    shared_server.behave("error")
    (note,) = rerank(served)[1].notes
    assert note.endswith("went on without it")


@given(st.one_of(st.none(), st.text(), st.lists(st.tuples(NUMBERS, SCORES), max_size=7).map(scores)))
def test_whatever_is_scored_the_same_documents_come_out(said: Any) -> None:
    order, step = rerank(Says(said=said))
    assert sorted(order.split()) == ["1", "2", "3", "4"]
    usable = isinstance(said, Scores) and _usable([(each.number, each.score) for each in said.scores])
    assert usable or (order == "1 2 3 4" and step.notes)


@given(st.permutations(RIGHT))
def test_complete_scores_give_the_same_order_however_they_are_listed(pairs: list[tuple[int, float]]) -> None:
    assert rerank(Says(said=scores(pairs)))[0] == "2 1 4 3"


def _usable(pairs: list[tuple[int, float]]) -> bool:
    in_range = all(not math.isnan(score) and 0 <= score <= 10 for _, score in pairs)
    numbers = [number for number, _ in pairs]
    judged = len(pairs) < 3 or len({score for _, score in pairs}) > 1
    return bool(pairs) and in_range and judged and len(set(numbers)) == len(numbers) and set(numbers) <= {1, 2, 3, 4}


@pytest.mark.parametrize("count", [0, 1])
def test_nothing_to_choose_from_costs_no_call(count: int) -> None:
    order, step = rerank(OfflineLLM(), FOUND[:count])
    assert (order, step.llm_calls) == (" ".join("1"[:count]), 0)


@given(st.text())
def test_a_document_cannot_leave_its_quotation(text: str) -> None:
    lines = quoted([RetrievedDocument("a", text, 1.0, "a.md"), FOUND[0]]).split("\n")
    assert [json.loads(line)["number"] for line in lines] == [1, 2]
    assert json.loads(lines[0])["text"] == text


def test_a_document_of_several_pages_names_the_first_and_the_last() -> None:
    several = RetrievedDocument("a", "One.\n\nTwo.", 1.0, "a.pdf", {"page_number": 1, "page_starts": [[0, 1], [6, 2]]})
    shown = [json.loads(quoted([each]))["page"] for each in (several, several.shortened("Two."))]
    assert shown == ["1–2", 2]


def test_a_document_that_is_not_named_has_no_score(served: LLM, shared_server: Server) -> None:
    shared_server.behave(spoken([(3, 9), (2, 4)]))
    assert rerank(served)[0] == "3 2 1 4"


def test_among_equals_of_the_search_the_model_decides() -> None:
    alike = [document.with_score(1.0) for document in FOUND]
    assert rerank(Says(said=scores([(1, 1), (2, 3), (3, 9), (4, 0)])), alike)[0] == "3 2 1 4"


def test_scores_that_hardly_differ_do_not_undo_what_the_search_is_sure_of() -> None:
    sure = [FOUND[0], *(document.with_score(0.1) for document in FOUND[1:])]
    order = rerank(Says(said=scores([(1, 5), (2, 6), (3, 5), (4, 6)])), sure)[0]
    assert order.startswith("1 ")


def test_as_many_are_kept_as_without_a_reranker_though_the_model_names_fewer() -> None:
    many = [replace(FOUND[0], id=str(number), score=1 - number / 20) for number in range(15)]
    query = Query("When?", Scope("reader"), top_k=10)
    found = ModelScored().rerank(query, many, resources(Says(said=scores([(12, 9)]))), Step("rerank"))
    assert len(found) == 10
    assert "11" in {document.id for document in found}
    assert [document.score for document in found] == sorted((document.score for document in found), reverse=True)


def test_a_long_document_is_shown_where_it_speaks_of_the_question() -> None:
    long = "Seats cost 6 dollars. " * 400 + "Refunds take 14 days. " + "Seats cost 6 dollars. " * 400
    (shown,) = shown_to(OfflineLLM(), [RetrievedDocument("a", long, 1.0, "a.md")], "How long do refunds take?")
    assert "Refunds take 14 days." in shown.content
    assert len(shown.content) <= settings().rerank_chars


def test_fifteen_candidates_fit_a_small_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "context_window", 2_000)
    table = "".join(f"2024년 {n}분기 매출 {n},{n}31.5억 원, 영업이익 {n}7.25억 원. " for n in range(90))
    shown = shown_to(OfflineLLM(), [RetrievedDocument(str(n), table, 1.0, "a.md") for n in range(15)], "매출은?")
    budget = Budget.of(OfflineLLM())
    assert budget.counter.count(quoted(shown)) <= budget.room(relevance_prompt("매출은?").template, "매출은?")
    assert all(document.content for document in shown)


def shown_to(llm: LLM, documents: list[RetrievedDocument], question: str) -> list[RetrievedDocument]:
    return excerpts(question, documents, llm, relevance_prompt(question))


def test_the_model_is_asked_in_the_language_of_the_question() -> None:
    assert "Name the best" in relevance_prompt("When are refunds paid?").template
    assert "점수" in relevance_prompt("환불은 언제 되나요?").template


def test_a_follow_up_is_scored_as_the_question_that_stands_alone() -> None:
    asked: list[str] = []

    class Spelt:
        def transform(self, queries: list[str], *_: Any) -> list[str]:
            return ["When are refunds paid?", "refund date"]

    class Finds:
        def search(self, *_: Any) -> list[RetrievedDocument]:
            return FOUND

    class Listens:
        def rerank(self, query: Query, documents: Sequence[RetrievedDocument], *_: Any) -> list[RetrievedDocument]:
            asked.append(query.text)
            return list(documents)

    pipeline = Pipeline(retriever=Finds(), query=(Spelt(),), reranker=Listens())
    pipeline.run(Query("and refunds?", Scope("reader")), resources(OfflineLLM()), Trace())
    assert asked == ["When are refunds paid?"]


def test_the_stage_is_smart_search_with_a_reranker_and_its_candidates() -> None:
    smart, reranked = stage_named("smart"), stage_named("reranked")
    assert reranked == smart.but("reranked", retriever=reranked.retriever, reranker=ModelScored(top_k=5))
    assert (reranked.retriever.top_k, reranked.retriever.threshold) == (15, 0.2)
