"""Something and its floor, timed in turns: what slows the machine down for a while slows both."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np

WARM_UP = 3  # rounds that do not count


@dataclass(frozen=True)
class Pair:
    """Medians in milliseconds, and the median of the ratios pair by pair with its quartiles."""

    name: str
    ms: float
    p95_ms: float
    floor_ms: float
    ratio: float
    low: float
    high: float


def in_pairs(name: str, ours: Callable[[int], object], floor: Callable[[int], object], rounds: int) -> Pair:
    """Time `ours(round)` and `floor(round)`, each first every other time, after some rounds that do not count."""
    times = np.empty((2, rounds))
    for number in range(-WARM_UP, rounds):
        order = (0, 1) if number % 2 else (1, 0)
        for which in order:
            began = perf_counter()
            (ours, floor)[which](number)
            if number >= 0:
                times[which, number] = (perf_counter() - began) * 1000
    return summarised(name, times[0], times[1])


def summarised(name: str, ours: np.ndarray, floor: np.ndarray) -> Pair:
    """The summary of times (n,) of both in milliseconds."""
    low, middle, high = np.percentile(ours / floor, [25, 50, 75])
    values = np.median(ours), np.percentile(ours, 95), np.median(floor), middle, low, high
    return Pair(name, *(round(float(value), 3) for value in values))
