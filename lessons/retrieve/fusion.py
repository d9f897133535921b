"""Fusion: two ranked lists of scored documents become one, trusting for each question the list that stands out.

Fusing ranks throws away how sure a list is. Scores keep it, but those of two searches have different scales, so each
list is standardised first (Bruch et al., An Analysis of Fusion Functions for Hybrid Retrieval, 2022, arXiv 2210.11934,
show why scores beat ranks). The weight of a list is then measured on the list itself: how far its first hit stands
above the nine that follow. An identifier lets one document tower in the keyword list; a paraphrase, in the other.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from math import fsum, sqrt

from lessons.settings import settings

FIRST_HITS = 10

_ROUNDING = 1e-12  # of a score, which is no difference

Scores = Mapping[str, float]


def fuse(
    lists: Sequence[Scores], missing: Callable[[int, str], float | None] = lambda number, id_: None
) -> dict[str, float]:
    """The fused score of every id in any of the lists (id → score), best first; 0 is an average hit.

    What a list does not hold counts there as its last hit, or as what `missing(list number, id)` says.
    """
    standard = [standardise(scores) for scores in lists]
    weights = [sqrt(standout(scores)) for scores in lists]
    last = [min(scores.values(), default=0.0) for scores in standard]

    def value(number: int, id_: str) -> float:
        """What a list says of a document, or what is taken to be said where it does not hold it."""
        if id_ in standard[number]:
            return standard[number][id_]
        return last[number] if (otherwise := missing(number, id_)) is None else otherwise

    counting = [number for number, scores in enumerate(standard) if scores]
    fused = {
        id_: sum(weights[number] * value(number, id_) for number in counting)
        for id_ in dict.fromkeys(id_ for scores in lists for id_ in scores)
    }
    return dict(sorted(fused.items(), key=lambda item: -item[1]))


def reciprocal_rank_fusion(lists: Sequence[Scores]) -> dict[str, float]:
    """The fused score of every id by rank alone, 1 / (k + rank) summed over the lists, best first.

    Source: Cormack et al., Reciprocal Rank Fusion outperforms Condorcet, SIGIR 2009, which found k = 60.
    """
    fused: dict[str, float] = {}
    for scores in lists:
        for rank, id_ in enumerate(sorted(scores, key=lambda id_: -scores[id_]), start=1):
            fused[id_] = fused.get(id_, 0.0) + 1 / (settings().rank_fusion_k + rank)
    return dict(sorted(fused.items(), key=lambda item: -item[1]))


def standardise(scores: Scores) -> dict[str, float]:
    """Scores in standard deviations from their mean."""
    mean, spread = _mean(scores.values()), _spread(scores.values())
    return {id_: (score - mean) / spread if spread else 0.0 for id_, score in scores.items()}


def standout(scores: Scores) -> float:
    """How far the first hit lies above the nine after it, in standard deviations of the list; 1 where all are equal."""
    spread = _spread(scores.values())
    if not spread:
        return 1.0
    first, *others = sorted(scores.values(), reverse=True)[:FIRST_HITS]
    return max(0.0, first - _mean(others)) / spread  # rounded, a mean of equals may exceed them


def _mean(values: Collection[float]) -> float:
    """The mean of an exact sum, which is the same on every machine."""
    return fsum(values) / len(values) if values else 0.0


def _spread(values: Collection[float]) -> float:
    """The standard deviation; 0 where the values differ by rounding alone."""
    mean = _mean(values)
    spread = sqrt(_mean([(value - mean) ** 2 for value in values]))
    return spread if spread > _ROUNDING * max(map(abs, values), default=0.0) else 0.0
