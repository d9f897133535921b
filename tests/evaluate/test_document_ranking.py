"""Where whole documents are judged, every metric is what trec_eval makes of each document's best chunk."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lessons.evaluate.beir import read_beir
from lessons.evaluate.evaluate import measure
from lessons.evaluate.golden import Evidence, Golden, golden_questions
from lessons.evaluate.ranking import ranking, retrieval_metrics
from lessons.evaluate.throwaway import throwaway_stages
from lessons.ingest.read import read
from lessons.library import CORPUS
from lessons.rag.answer import Answer
from lessons.rag.stages import stage_named
from lessons.rag.types import RetrievedDocument, Scope
from lessons.search.hybrid import HybridRetriever
from lessons.settings import Settings
from lessons.workspace import Workspace
from tests.evaluate.test_beir import make

MEASURES = {"doc_recall@5": "recall_5", "ndcg@10": "ndcg_cut_10", "mrr@10": "recip_rank", "recall@5": "recall_5"}
QUESTIONS = 8


def by_trec_eval(question: Golden, sources: Sequence[str]) -> dict[str, float]:
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
    expected = by_trec_eval(question, [document.source for document in documents])
    assert {name: values[name] for name in MEASURES} == pytest.approx(expected, abs=1e-6)


@settings(deadline=None)
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
    """Documents of the corpus as a set in BEIR layout, judged as wholes: those that eight questions rest on."""
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
