"""Retrieval metrics for one question, in the definitions of trec_eval where it has them.

Everything is computed from `hits`: for each rank, best first, the numbers of the gold items that the document there
covers. An item is a fact; any of the passages that state it will do. Several chunks may cover the same item; only the
first one counts.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
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
