"""From an answer to its ranking, and from the ranking to the metrics of the question's evidence."""

from collections.abc import Sequence

from lessons.evaluate.golden import Evidence, Golden
from lessons.evaluate.metrics import Hits, all_found, ndcg, recall, reciprocal_rank
from lessons.models.tokens import ExactTokenCounter
from lessons.rag.answer import Answer
from lessons.rag.types import RetrievedDocument

TOKEN_BUDGET = 2_500
RETRIEVAL_METRICS = ("recall@5", "mrr@10", "ndcg@10", "all@10", "doc_recall@5", f"recall@{TOKEN_BUDGET}tok")


def ranking(answer: Answer) -> list[RetrievedDocument]:
    """What the stage found, best first, before the context's token budget cut the list.

    Its length is the stage's own: a stage that returns 5 chunks has 5 places at @10 as well, as its reader has.
    Without exactly one context step the documents of the context themselves are taken.
    """
    handed = [step.input for step in answer.trace if step.name == "context"]
    return list(handed[0]) if len(handed) == 1 and handed[0] else list(answer.context.documents)


def retrieval_metrics(question: Golden, documents: Sequence[RetrievedDocument]) -> dict[str, float]:
    """Every metric of `RETRIEVAL_METRICS`, each from 0 to 1; none for a question without evidence.

    Items are facts, ranks are chunks: a fact is found where the first chunk holds a passage that states it. Where the
    evidence is whole documents, each ranks where its best chunk does.
    """
    if not question.evidence:
        return {}
    evidence = question.evidence
    files = list(dict.fromkeys(each.files for each in evidence))
    by_file = hits(_distinct(documents), files)
    by_passage = by_file if not any(each.quote for each in evidence) else hits(documents, evidence)
    affordable = hits(documents[: _within(documents, TOKEN_BUDGET)], evidence)
    return {
        "recall@5": recall(by_passage, len(evidence), 5),
        "mrr@10": reciprocal_rank(by_passage, 10),
        "ndcg@10": ndcg(by_passage, [each.grade for each in evidence], 10),
        "all@10": all_found(by_passage, len(evidence), 10),
        "doc_recall@5": recall(by_file, len(files), 5),
        f"recall@{TOKEN_BUDGET}tok": recall(affordable, len(evidence), len(affordable)),
    }


def hits(documents: Sequence[RetrievedDocument], evidence: Sequence[Evidence]) -> Hits:
    """For each document the numbers of the facts that it covers in any of their places."""
    return [
        {number for number, each in enumerate(evidence) if each.covered_by(document.source, document.content)}
        for document in documents
    ]


def _distinct(documents: Sequence[RetrievedDocument]) -> list[RetrievedDocument]:
    """The first chunk of each document, in their order."""
    best: dict[str, RetrievedDocument] = {}
    for document in documents:
        best.setdefault(document.source, document)
    return list(best.values())


def _within(documents: Sequence[RetrievedDocument], tokens: int) -> int:
    """How many documents from the top fit whole into `tokens`, counted exactly; the first that does not ends it."""
    counter, total = ExactTokenCounter(), 0
    for number, document in enumerate(documents):
        total += counter.count(document.content)
        if total > tokens:
            return number
    return len(documents)
