"""From an answer to its ranking, and from the ranking to retrieval metrics, as trec_eval defines them where it does."""

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import accumulate, takewhile
from math import log2, nan

from lessons.evaluate.golden import Evidence, Golden, holds
from lessons.evaluate.judge.judge import statements, states
from lessons.models.tokens import ExactTokenCounter
from lessons.rag.answer import Answer
from lessons.rag.types import RetrievedDocument

BUDGETS = {"all@1000tok": 1_000, "all@2500tok": 2_500}
"""Tokens within which all the evidence has to stand: a score of the stages that needs no reader."""
RETRIEVAL_METRICS = ("recall@5", "mrr@10", "ndcg@10", "all@10", "doc_recall@5", *BUDGETS)

Hits = Sequence[Set[int]]  # for each rank, best first, the numbers of the gold items, the facts, that it covers


def ranking(answer: Answer) -> list[RetrievedDocument]:
    """What the stage found, best first, before the token budget cut the list; without one context step, the context."""
    handed = [step.input for step in answer.trace if step.name == "context"]
    return list(handed[0]) if len(handed) == 1 and handed[0] else list(answer.context.documents)


def retrieval_metrics(question: Golden, documents: Sequence[RetrievedDocument]) -> dict[str, float]:
    """Every metric of `RETRIEVAL_METRICS`, each from 0 to 1; none for a question without evidence."""
    if not (evidence := question.evidence):
        return {}
    files = list(dict.fromkeys(each.files for each in evidence))
    first_chunks: dict[str, RetrievedDocument] = {}
    for document in documents:  # where the evidence is whole documents, each ranks where its best chunk does
        first_chunks.setdefault(document.source, document)
    by_file = hits(list(first_chunks.values()), files)
    by_chunk = hits(documents, evidence)
    by_passage = by_chunk if any(each.quote for each in evidence) else by_file
    totals = [*accumulate(ExactTokenCounter().count(document.content) for document in documents)]
    within = {name: sum(1 for _ in takewhile(budget.__ge__, totals)) for name, budget in BUDGETS.items()}
    return {
        "recall@5": recall(by_passage, len(evidence), 5),
        "mrr@10": reciprocal_rank(by_passage, 10),
        "ndcg@10": ndcg(by_passage, [each.grade for each in evidence], 10),
        "all@10": all_found(by_passage, len(evidence), 10),
        "doc_recall@5": recall(by_file, len(files), 5),
        **{name: all_found(by_chunk, len(evidence), ranks) for name, ranks in within.items()},
    }


def belonging(question: Golden, text: str) -> float:
    """The share of an answer's sentences that belong to the answer that was looked for.

    A sentence, without its citations, belongs if it holds a wording of a key fact, if it stands in the quote of an
    evidence passage, or if such a quote stands in it. Refusals are left out. NaN if no sentence is left, and if the
    question has neither key facts nor quotes.
    """
    quotes = [place.quote for each in question.evidence for place in each.places if place.quote]
    parts = statements(text) if question.key_facts or quotes else []
    stated = [any(states(fact, part) for fact in question.key_facts) for part in parts]
    bare = [part.rstrip(" .!?") for part in parts]  # a quote of half a sentence has no full stop
    quoted = [any(holds(quote, part) or holds(part, quote) for quote in quotes) for part in bare]
    return sum(map(max, stated, quoted)) / len(parts) if parts else nan


def hits(documents: Sequence[RetrievedDocument], evidence: Sequence[Evidence]) -> Hits:
    """For each document the numbers of the facts that it covers in any of their places."""
    return [
        {number for number, each in enumerate(evidence) if each.covered_by(document.source, document.content)}
        for document in documents
    ]


def recall(hits: Hits, items: int, k: int) -> float:
    """The share of the `items` gold items that the first k ranks cover."""
    return len(set().union(*hits[:k])) / items


def all_found(hits: Hits, items: int, k: int) -> float:
    """1.0 if the first k ranks cover every gold item, else 0.0."""
    return float(len(set().union(*hits[:k])) == items)


def reciprocal_rank(hits: Hits, k: int) -> float:
    """1 / the first rank that covers a gold item; 0.0 if none of the first k does."""
    return next((1 / rank for rank, covered in enumerate(hits[:k], start=1) if covered), 0.0)


def ndcg(hits: Hits, grades: Sequence[float], k: int) -> float:
    """Discounted cumulative gain over the best possible one: gain is the grade, discount log2(1 + place).

    An item counts once, at the first rank that covers it; where a chunk covers several new items, they take the next
    free places one after the other, so that one chunk with everything is a perfect ranking and the value never passes
    1. Where each rank covers at most one item, this is trec_eval's `ndcg_cut` (Järvelin & Kekäläinen, 2002, with linear
    gain).
    """
    ideal = enumerate(sorted(grades, reverse=True)[:k], start=1)
    found = [(place, grade) for place, grade in _placed(hits[:k], grades) if place <= k]
    return _discounted(found) / _discounted(ideal)


def _placed(hits: Hits, grades: Sequence[float]) -> Iterator[tuple[int, float]]:
    """Every item that is found: its place and its grade."""
    seen: set[int] = set()
    place = 0
    for rank, covered in enumerate(hits, start=1):
        for grade in sorted((grades[item] for item in covered - seen), reverse=True):
            place = max(rank, place + 1)
            yield place, grade
        seen |= covered


def _discounted(gains: Iterable[tuple[int, float]]) -> float:
    return sum(grade / log2(1 + place) for place, grade in gains)
