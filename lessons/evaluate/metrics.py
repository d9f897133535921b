"""From an answer to its ranking, and from the ranking to retrieval metrics, as trec_eval defines them where it does."""

from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import accumulate, takewhile
from math import log2, nan

from lessons.evaluate.golden import Evidence, Golden, holds
from lessons.evaluate.judge import statements, states
from lessons.models.tokens import ExactTokenCounter
from lessons.rag.answer import Answer
from lessons.rag.types import RetrievedDocument

BUDGETS = {"all@1000tok": 1_000, "all@2500tok": 2_500}
"""Tokens within which all the evidence has to stand: a score of the stages that needs no reader."""
RETRIEVAL_METRICS = ("recall@5", "mrr@10", "ndcg@10", "all@10", "doc_recall@5", *BUDGETS)

Hits = Sequence[Set[int]]  # for each rank, best first, the numbers of the gold items, the facts, that it covers


def ranking(answer: Answer) -> list[RetrievedDocument]:
    """Return what the stage retrieved, best first, before the token budget cut it; the context if it is not traced."""
    inputs = [step.input for step in answer.trace if step.name == "context"]
    return list(inputs[0]) if len(inputs) == 1 and inputs[0] else list(answer.context.documents)


_tokens = lru_cache(maxsize=4_096)(ExactTokenCounter().count)  # every question and stage brings the same passages


def retrieval_metrics(question: Golden, documents: Sequence[RetrievedDocument]) -> dict[str, float]:
    """Compute every metric of `RETRIEVAL_METRICS`, from 0 to 1; return none for a question without evidence."""
    if not (evidence := question.evidence):
        return {}
    files = list(dict.fromkeys(fact.files for fact in evidence))
    first_chunks: dict[str, RetrievedDocument] = {}
    for document in documents:  # where the evidence is whole documents, each ranks where its best chunk does
        first_chunks.setdefault(document.source, document)
    by_file = hits(list(first_chunks.values()), files)
    by_chunk = hits(documents, evidence)
    by_passage = by_chunk if any(fact.quote for fact in evidence) else by_file
    totals = [*accumulate(_tokens(document.content) for document in documents)]
    ranks_within = {name: sum(1 for _ in takewhile(budget.__ge__, totals)) for name, budget in BUDGETS.items()}
    return {
        "recall@5": recall(by_passage, len(evidence), 5),
        "mrr@10": reciprocal_rank(by_passage, 10),
        "ndcg@10": ndcg(by_passage, [fact.grade for fact in evidence], 10),
        "all@10": all_found(by_passage, len(evidence), 10),
        "doc_recall@5": recall(by_file, len(files), 5),
        **{name: all_found(by_chunk, len(evidence), ranks) for name, ranks in ranks_within.items()},
    }


def belonging(question: Golden, text: str) -> float:
    """Compute the share of an answer's sentences that belong to the answer that was looked for.

    A sentence, without its citations, belongs if it holds a wording of a key fact, if it stands in the quote of an
    evidence passage, or if such a quote stands in it. Refusals are left out. NaN if no sentence is left, and if the
    question has neither key facts nor quotes.
    """
    quotes = [passage.quote for fact in question.evidence for passage in fact.passages if passage.quote]
    sentences = statements(text) if question.key_facts or quotes else []
    stated = [any(states(fact, sentence) for fact in question.key_facts) for sentence in sentences]
    bare = [sentence.rstrip(" .!?") for sentence in sentences]  # a quote of half a sentence has no full stop
    quoted = [any(holds(quote, sentence) or holds(sentence, quote) for quote in quotes) for sentence in bare]
    return sum(map(max, stated, quoted)) / len(sentences) if sentences else nan


def hits(documents: Sequence[RetrievedDocument], evidence: Sequence[Evidence]) -> Hits:
    """Return for each document the numbers of the facts that it covers in any of their passages."""
    return [
        {number for number, fact in enumerate(evidence) if fact.covered_by(document.source, document.content)}
        for document in documents
    ]


def recall(hits: Hits, items: int, k: int) -> float:
    """Compute the share of the `items` gold items that the first k ranks cover."""
    return len(set().union(*hits[:k])) / items


def all_found(hits: Hits, items: int, k: int) -> float:
    """Return 1.0 if the first k ranks cover every gold item, else 0.0."""
    return float(len(set().union(*hits[:k])) == items)


def reciprocal_rank(hits: Hits, k: int) -> float:
    """Return 1 / the first rank that covers a gold item; 0.0 if none of the first k does."""
    return next((1 / rank for rank, covered in enumerate(hits[:k], start=1) if covered), 0.0)


def ndcg(hits: Hits, grades: Sequence[float], k: int) -> float:
    """Compute the discounted cumulative gain over the best possible one: gain is the grade, discount log2(1 + rank).

    An item counts once, at the first rank that covers it; where a chunk covers several new items, they take the next
    free ranks one after the other, so that one chunk with everything is a perfect ranking and the value never passes
    1. Where each rank covers at most one item, this is trec_eval's `ndcg_cut` (Järvelin & Kekäläinen, 2002, with linear
    gain).
    """
    ideal = enumerate(sorted(grades, reverse=True)[:k], start=1)
    gains = [(rank, grade) for rank, grade in _ranked_grades(hits[:k], grades) if rank <= k]
    return _discounted(gains) / _discounted(ideal)


def _ranked_grades(hits: Hits, grades: Sequence[float]) -> Iterator[tuple[int, float]]:
    """Yield for every covered item the rank at which it counts, and its grade."""
    counted: set[int] = set()
    last = 0
    for rank, covered in enumerate(hits, start=1):
        for grade in sorted((grades[item] for item in covered - counted), reverse=True):
            last = max(rank, last + 1)
            yield last, grade
        counted |= covered


def _discounted(gains: Iterable[tuple[int, float]]) -> float:
    return sum(grade / log2(1 + rank) for rank, grade in gains)
