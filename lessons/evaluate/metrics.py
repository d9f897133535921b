"""Retrieval metrics for one question, in the definitions of trec_eval where it has them.

Everything is computed from `hits`: for each rank, best first, the numbers of the gold items that the document there
covers. Several chunks may cover the same item; only the first one counts.
"""

from collections.abc import Sequence, Set
from math import log2

Hits = Sequence[Set[int]]


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
    """Discounted cumulative gain over the best possible one: gain is the grade, discount log2(1 + rank).

    A chunk that covers several new items stands for them one after the other, so that one chunk with everything is
    a perfect ranking and the value never passes 1. Where each rank covers at most one item, this is trec_eval's
    `ndcg_cut` (Järvelin & Kekäläinen, 2002, with linear gain).
    """
    gains: list[float] = []
    seen: set[int] = set()
    for covered in hits[:k]:
        new = set(covered) - seen
        gains += sorted((grades[item] for item in new), reverse=True) or [0.0]
        seen |= new
    return _discounted(gains[:k]) / _discounted(sorted(grades, reverse=True)[:k])


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / log2(1 + rank) for rank, gain in enumerate(gains, start=1))
