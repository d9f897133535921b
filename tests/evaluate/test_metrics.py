"""Retrieval metrics agree with trec_eval, and are those of the question's evidence."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.evaluate.golden import Evidence, Golden, golden_questions
from lessons.evaluate.metrics import all_found, ndcg, ranking, recall, reciprocal_rank, retrieval_metrics
from lessons.evaluate.question_sets import read_beir
from lessons.evaluate.run import measure
from lessons.evaluate.throwaway import throwaway_stages
from lessons.ingest.read import read
from lessons.library import CORPUS
from lessons.rag.answer import Answer
from lessons.rag.types import Context, RetrievedDocument, Scope
from lessons.rag.workspace import Workspace
from lessons.search.hybrid import HybridRetriever
from lessons.settings import Settings
from lessons.stages import stage_named
from lessons.trace import Trace
from tests.evaluate.test_beir import make

GRADES = st.lists(st.integers(1, 3), min_size=1, max_size=8)
CUTS = st.integers(1, 15)


@st.composite
def rankings(draw: st.DrawFn) -> tuple[list[set[int]], list[int]]:
    """Hits of a ranking of distinct documents, each at most one gold item, and the grades of the items."""
    grades = draw(GRADES)
    documents = draw(st.permutations([*range(len(grades)), *[None] * draw(st.integers(0, 12))]))
    shown = documents[: draw(st.integers(1, len(documents)))]
    return [set() if item is None else {item} for item in shown], grades


@st.composite
def covering(draw: st.DrawFn) -> tuple[list[set[int]], list[int]]:
    """Hits of chunks that may cover several passages, and cover the same ones again."""
    grades = draw(GRADES)
    chunk = st.sets(st.integers(0, len(grades) - 1))
    return draw(st.lists(chunk, max_size=12)), grades


def by_trec_eval(hits: list[set[int]], grades: list[int], k: int) -> dict[str, float]:
    """The measures of a ranking that is cut at `k`; trec_eval itself has no cut for the reciprocal rank."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    judged = {"q": {f"gold{item}": grade for item, grade in enumerate(grades)}}
    names = [f"gold{next(iter(covered))}" if covered else f"other{rank}" for rank, covered in enumerate(hits[:k])]
    run = {"q": {name: float(-rank) for rank, name in enumerate(names)}}
    return pytrec_eval.RelevanceEvaluator(judged, {f"recall.{k}", f"ndcg_cut.{k}", "recip_rank"}).evaluate(run)["q"]


@given(rankings(), CUTS)
def test_recall_ndcg_and_reciprocal_rank_are_those_of_trec_eval(
    ranked: tuple[list[set[int]], list[int]], k: int
) -> None:
    hits, grades = ranked
    theirs = by_trec_eval(hits, grades, k)
    ours = {f"recall_{k}": recall(hits, len(grades), k), f"ndcg_cut_{k}": ndcg(hits, grades, k)}
    assert ours | {"recip_rank": reciprocal_rank(hits, k)} == pytest.approx(theirs, abs=1e-6)
    assert all_found(hits, len(grades), k) == (theirs[f"recall_{k}"] == 1)


@given(covering(), CUTS)
def test_no_metric_leaves_the_range_from_0_to_1(ranked: tuple[list[set[int]], list[int]], k: int) -> None:
    hits, grades = ranked
    values = [recall(hits, len(grades), k), all_found(hits, len(grades), k), reciprocal_rank(hits, k)]
    assert all(0 <= value <= 1 for value in values)
    assert 0 <= ndcg(hits, grades, k) <= 1 + 1e-12


@given(covering(), CUTS)
def test_covering_a_passage_again_gains_nothing(ranked: tuple[list[set[int]], list[int]], k: int) -> None:
    hits, grades = ranked
    seen: set[int] = set()
    once = []
    for covered in hits:
        once.append(covered - seen)
        seen |= covered
    assert ndcg(hits, grades, k) == pytest.approx(ndcg(once, grades, k))
    assert recall(hits, len(grades), k) == recall(once, len(grades), k)


@given(covering(), CUTS, st.data())
def test_covering_a_passage_at_another_rank_too_never_lowers_a_metric(
    ranked: tuple[list[set[int]], list[int]], k: int, data: st.DataObject
) -> None:
    hits, grades = ranked
    items = len(grades)
    extra = data.draw(st.sets(st.tuples(st.integers(0, 11), st.integers(0, items - 1)), max_size=6))
    more = [covered | {item for rank, item in extra if rank == number} for number, covered in enumerate(hits)]
    for metric in (recall, all_found):
        assert metric(hits, items, k) <= metric(more, items, k)
    assert reciprocal_rank(hits, k) <= reciprocal_rank(more, k)
    assert ndcg(hits, [1] * items, k) <= ndcg(more, [1] * items, k) + 1e-12


def test_a_chunk_with_nothing_new_takes_no_place_from_what_follows() -> None:
    assert ndcg([{0, 1}, {1}, {2}], [1, 1, 1], 10) == ndcg([{0, 1}, set(), {2}], [1, 1, 1], 10) == 1


def test_one_chunk_with_every_passage_is_a_perfect_ranking() -> None:
    assert ndcg([{0, 1, 2}], [1, 1, 1], 10) == 1
    assert all_found([{0, 1, 2}], 3, 1) == 1


MEASURES = {"doc_recall@5": "recall_5", "ndcg@10": "ndcg_cut_10", "mrr@10": "recip_rank", "recall@5": "recall_5"}
QUESTIONS = 4


def documents_by_trec_eval(question: Golden, sources: Sequence[str]) -> dict[str, float]:
    """The measures of a list of chunks, given by their documents, in which a document has its best chunk's score."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    scores: dict[str, float] = {}
    for rank, source in enumerate(sources, start=1):
        scores[source] = max(1 / rank, scores.get(source, 0.0))
    kept = dict(sorted(scores.items(), key=lambda item: -item[1])[:10])
    judged = {question.id: {each.source_file: each.grade for each in question.evidence}}
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"recall.5", "ndcg_cut.10", "recip_rank"})
    found = evaluator.evaluate({question.id: kept}).get(question.id, {})
    return {ours: found.get(theirs, 0.0) for ours, theirs in MEASURES.items()}


def assert_agrees(question: Golden, documents: Sequence[RetrievedDocument], values: dict[str, float]) -> None:
    expected = documents_by_trec_eval(question, [document.source for document in documents])
    assert {name: values[name] for name in MEASURES} == pytest.approx(expected, abs=1e-6)


@given(
    st.lists(st.sampled_from("abcdefghijkl"), max_size=40),
    st.dictionaries(st.sampled_from("abcxyz"), st.integers(1, 3), min_size=1),
)
def test_any_list_of_chunks_is_worth_what_trec_eval_says(sources: list[str], grades: dict[str, int]) -> None:
    documents = [RetrievedDocument(str(place), "words", 0.5, source) for place, source in enumerate(sources)]
    question = Golden(
        "q", "?", "en", "fact", evidence=tuple(Evidence(name, grade=grade) for name, grade in grades.items())
    )
    assert_agrees(question, documents, retrieval_metrics(question, documents))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents of the corpus as a set in BEIR layout, judged as wholes: those that some questions rest on."""
    asked = [each for each in golden_questions("test") if each.evidence and not each.history][::10][:QUESTIONS]
    names = sorted({evidence.source_file for each in asked for evidence in each.evidence})
    texts = {name: "\n\n".join(page.text for page in read(CORPUS / name, name)) for name in names}
    corpus = [{"_id": name, "text": text} for name, text in texts.items()]
    queries = [{"_id": each.id, "text": each.question} for each in asked]
    pairs = sorted({(each.id, evidence.source_file) for each in asked for evidence in each.evidence})
    lines = "".join(f"{name}\t{source}\t1\n" for name, source in pairs)
    return make(tmp_path_factory.mktemp("beir"), corpus, queries, lines)


def test_a_whole_run_has_the_metrics_of_trec_eval(database: Settings, folder: Path) -> None:
    found, stage = read_beir(folder), stage_named("enhanced").but("deep", retriever=HybridRetriever(top_k=20))
    place, repeated = Workspace.open(database), 0
    with throwaway_stages([stage], found.documents, Scope("trec"), place, lambda done, total: None) as (there,):
        for question in found.questions:
            answer: Answer = there.ask(question.question, user="trec")
            documents = ranking(answer)
            repeated += len(documents) - len({document.source for document in documents})
            assert_agrees(question, documents, measure(question, answer).metrics)
    assert repeated > 0


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
    for metric in ("recall@5", "mrr@10", "ndcg@10", "all@10", "all@2500tok"):
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
    assert values["all@2500tok"] == 0
    near = retrieval_metrics(TWO, [chunk("1", "first fact " * 400), *found[2:]])
    assert (near["all@1000tok"], near["all@2500tok"]) == (1, 1)
    far = retrieval_metrics(TWO, [chunk("1", "first fact " * 700), *found[2:]])
    assert (far["all@1000tok"], far["all@2500tok"]) == (0, 1)


def test_a_document_ranks_where_its_first_chunk_does_though_a_passage_of_it_is_asked_for() -> None:
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
