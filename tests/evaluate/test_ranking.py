"""From what a stage found to the metrics of the question's evidence."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lessons.evaluate.golden import Evidence, Golden
from lessons.evaluate.ranking import ranking, retrieval_metrics
from lessons.rag.answer import Answer
from lessons.rag.types import Context, RetrievedDocument
from lessons.trace import Trace


def chunk(name: str, content: str, source: str = "a.pdf") -> RetrievedDocument:
    return RetrievedDocument(name, content, 0.5, source)


def question(*evidence: Evidence) -> Golden:
    return Golden("q", "?", "en", "fact", evidence=evidence)


TWO = question(Evidence("a.pdf", "first fact"), Evidence("b.pdf", "second fact"))


def test_passages_are_found_where_the_first_chunk_that_holds_them_ranks() -> None:
    found = [chunk("1", "noise"), chunk("2", "the first fact"), chunk("3", "the first fact again"),
             chunk("4", "the second fact", "b.pdf")]  # fmt: skip
    values = retrieval_metrics(TWO, found)
    assert (values["recall@5"], values["all@10"], values["mrr@10"]) == (1, 1, 0.5)
    assert values["ndcg@10"] == pytest.approx((0.6309298 + 0.4306766) / 1.6309298)


ELSEWHERE = question(
    Evidence("a.pdf", "first fact", any_of=(Evidence("c.pdf", "the same fact"),)), Evidence("b.pdf", "second fact")
)


def test_a_fact_is_found_in_any_of_its_places() -> None:
    found = [chunk("1", "the same fact", "c.pdf"), chunk("2", "second fact", "b.pdf")]
    assert set(retrieval_metrics(ELSEWHERE, found).values()) == {1}
    assert retrieval_metrics(TWO, found)["recall@5"] == 0.5


def test_a_fact_that_is_found_in_two_places_counts_once_at_the_better_rank() -> None:
    found = [chunk("1", "the same fact", "c.pdf"), chunk("2", "noise"), chunk("3", "first fact")]
    values = retrieval_metrics(ELSEWHERE, found)
    assert (values["recall@5"], values["doc_recall@5"], values["all@10"]) == (0.5, 0.5, 0)
    assert values["ndcg@10"] == pytest.approx(1 / 1.6309298)


PLACES = [(source, f"fact {number}") for source in ("a.pdf", "b.md", "c.html") for number in range(4)]
CHUNKS = st.lists(st.lists(st.sampled_from(PLACES), max_size=3), max_size=10)
FACTS = st.lists(st.lists(st.sampled_from(PLACES), min_size=1, max_size=3, unique=True), min_size=1, max_size=4)


@settings(deadline=None)
@given(CHUNKS, FACTS, st.data())
def test_another_place_of_a_fact_never_lowers_a_passage_metric(
    drawn: list[list[tuple[str, str]]], facts: list[list[tuple[str, str]]], data: st.DataObject
) -> None:
    sources = [data.draw(st.sampled_from(["a.pdf", "b.md", "c.html"])) for _ in drawn]
    found = [chunk(str(number), " ".join(words for _, words in each), source)
             for number, (each, source) in enumerate(zip(drawn, sources, strict=True))]  # fmt: skip
    firsts = question(*(Evidence(*fact[0]) for fact in facts))
    every = question(*(Evidence(*fact[0], any_of=tuple(Evidence(*place) for place in fact[1:])) for fact in facts))
    before, after = retrieval_metrics(firsts, found), retrieval_metrics(every, found)
    for metric in ("recall@5", "mrr@10", "ndcg@10", "all@10", "recall@2500tok"):
        assert before[metric] <= after[metric] + 1e-12 <= 1 + 1e-9


def test_a_passage_beyond_the_cut_is_not_found() -> None:
    found = [chunk(str(number), "noise") for number in range(5)] + [chunk("6", "first fact")]
    values = retrieval_metrics(TWO, found)
    assert (values["recall@5"], values["all@10"]) == (0, 0)
    assert values["mrr@10"] == pytest.approx(1 / 6)


def test_the_right_document_with_the_wrong_chunk_counts_for_the_document_only() -> None:
    values = retrieval_metrics(TWO, [chunk("1", "noise"), chunk("2", "more noise"), chunk("3", "noise", "b.pdf")])
    assert (values["doc_recall@5"], values["recall@5"]) == (1, 0)


def test_a_token_budget_counts_only_the_chunks_that_fit_whole() -> None:
    long = "word " * 1_500
    found = [chunk("1", long), chunk("2", f"first fact {long}"), chunk("3", "second fact", "b.pdf")]
    values = retrieval_metrics(TWO, found)
    assert values["recall@5"] == 1
    assert values["recall@2500tok"] == 0


def test_whole_documents_rank_where_their_best_chunk_does() -> None:
    wanted = question(Evidence("b"), Evidence("c"))
    found = [
        chunk("1", "x", "a"),
        chunk("2", "y", "a"),
        chunk("3", "z", "b"),
        chunk("4", "z", "b"),
        chunk("5", "u", "c"),
    ]
    values = retrieval_metrics(wanted, found)
    assert values["mrr@10"] == 0.5
    assert values["ndcg@10"] == pytest.approx((0.6309298 + 0.5) / 1.6309298)


def test_a_document_whose_later_chunk_ranks_low_still_ranks_where_its_first_chunk_does() -> None:
    found = [chunk("1", "x", "b"), chunk("2", "y", "a"), chunk("3", "z", "b")]
    values = retrieval_metrics(question(Evidence("b")), found)
    assert (values["mrr@10"], values["ndcg@10"]) == (1, 1)
    many = [chunk(str(number), "x", source) for number, source in enumerate("bacdefb")]
    assert retrieval_metrics(question(Evidence("b", "quoted")), many)["doc_recall@5"] == 1


def test_a_question_without_evidence_has_no_retrieval_metrics() -> None:
    assert retrieval_metrics(question(), [chunk("1", "x")]) == {}


def test_nothing_found_is_worth_nothing() -> None:
    assert set(retrieval_metrics(TWO, []).values()) == {0}


def test_the_ranking_is_what_was_found_before_the_budget_cut_it() -> None:
    found, trace = [chunk("1", "x"), chunk("2", "y")], Trace()
    with trace.step("context", found):
        pass
    answer = Answer("?", "naive", "model", context=Context("x", (found[0],), 1), trace=trace)
    assert ranking(answer) == found


def test_without_a_context_step_the_ranking_is_the_context() -> None:
    found = chunk("1", "x")
    assert ranking(Answer("?", "agentic", "model", context=Context("x", (found,), 1))) == [found]
