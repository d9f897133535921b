"""Is a difference more than chance? One rule, for reports, gates, the Scoreboard and the notebooks.

Two stages answer the same questions, so the questions are resampled, never the stages apart: that a question is hard
for both cancels out.

A run of all stages looks at five differences of each metric. Judged at 95 % each, one such run in five would show a
difference where there is none. So every difference is judged as one of five (Bonferroni's correction), alone as well:
its interval is that of 99 %, and its p value is multiplied by five. It is 'better' or 'worse' where the interval
excludes zero and p is below 0.05. The interval alone would not do: where few questions moved, it is too narrow.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import isnan
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lessons.language import _

RESAMPLES = 10_000
LEVEL = 0.95
COMPARISONS = 5  # of each metric in a run of all stages: each against the one before, and Agentic against Smart
GAIN_LEVEL = 1 - (1 - LEVEL) / COMPARISONS
SEED = 20_240_601
FEWEST = 5  # values that an interval is drawn from
_BLOCK = 2_000_000  # numbers drawn at a time, which bounds the memory
_KEPT = 150  # questions; draws for as many or fewer are kept, at most 12 MB each

RULE = (
    f"Each difference is judged as one of {COMPARISONS}, even where fewer are compared: it is shown where its interval "
    f"at {100 * GAIN_LEVEL:.0f} % excludes zero and p, already multiplied by {COMPARISONS}, is below {1 - LEVEL:.2f}."
)
LOWER_IS_BETTER = frozenset({"wrong", "wrong_unanswerable"})
Verdict = Literal["better", "worse", "no difference shown"]
Interval = tuple[float, float]


@dataclass(frozen=True)
class Gain:
    """What one metric did from one stage to another."""

    before: str
    after: str
    metric: str
    n: int  # questions that both have a value for
    mean_before: float
    mean_after: float
    delta: float
    ci_low: float  # of the interval of `GAIN_LEVEL`
    ci_high: float
    p: float  # corrected for `COMPARISONS`
    moved: int = 0  # questions that have another value

    @property
    def verdict(self) -> Verdict:
        """'better' or 'worse' only where the interval excludes zero and the p value agrees."""
        if self.p >= 1 - LEVEL or self.ci_low <= 0 <= self.ci_high:
            return "no difference shown"
        return "better" if (self.ci_low > 0) != (self.metric in LOWER_IS_BETTER) else "worse"

    def __str__(self) -> str:
        said = _("{0}: {1} against {2} {3}, p = {4}, {5} of {6} questions moved: {7}")
        compared = _(self.metric), self.after, self.before, self.with_interval
        return said.format(*compared, f"{self.p:.3f}", self.moved, self.n, self.outcome)

    @property
    def outcome(self) -> str:
        """The verdict in the language of the reader."""
        return _(self.verdict)

    @property
    def with_interval(self) -> str:
        """For example `+0.071 [-0.012, +0.148] at 99 %`, in the language of the reader."""
        return _("{0} at 99 %").format(self.change)

    @property
    def change(self) -> str:
        """For example `+0.071 [-0.012, +0.148]`."""
        return f"{self.delta:+.3f} [{self.ci_low:+.3f}, {self.ci_high:+.3f}]"

    def as_dict(self) -> dict[str, object]:
        """The form of `lessons evaluate --json`."""
        names = ("metric", "delta", "ci_low", "ci_high", "p", "n", "moved", "verdict")
        values = {name: getattr(self, name) for name in names}
        return {"from": self.before, "to": self.after, **values, "level": GAIN_LEVEL}


def interval(values: ArrayLike, level: float = LEVEL, fewest: int = FEWEST) -> Interval:
    """The percentile bootstrap interval of the mean without NaN (Efron & Tibshirani, 1993, chapter 13); seeded."""
    known = np.asarray(values, dtype=float)
    known = known[~np.isnan(known)]
    if known.size < fewest:  # drawn from so few it looks exact
        return float("nan"), float("nan")
    means = _resampled(known, _draw_counts) / known.size
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def mean_with_interval(mean: float, ends: Interval, form: str = ".2f") -> str:
    """For example `0.62 [0.51, 0.73]`, or `0.50 [–]` if there are too few values for an interval; `–` without any."""
    low, high = ends
    shown = "–" if isnan(low) else f"{low:{form}}, {high:{form}}"
    return "–" if isnan(mean) else f"{mean:{form}} [{shown}]"


def paired_gain(before: str, after: str, metric: str, old: ArrayLike, new: ArrayLike) -> Gain:
    """The gain from `old` to `new`, values of the same questions in the same order; NaN on either side drops the pair.

    The p value is two-sided, from random sign flips of the differences (Fisher's randomisation test, which Smucker,
    Allan & Carterette, 2007, recommend for retrieval).
    """
    pairs = np.array([old, new], dtype=float)
    pairs = pairs[:, ~np.isnan(pairs).any(axis=0)]
    n, differences, missing = pairs.shape[1], pairs[1] - pairs[0], float("nan")
    if not n:
        return Gain(before, after, metric, 0, missing, missing, missing, missing, missing, 1.0)
    sums = abs(_resampled(differences, _draw_signs))
    p = ((sums >= abs(differences.sum()) - 1e-9).sum() + 1) / (RESAMPLES + 1)
    mean_before, mean_after = map(float, pairs.mean(axis=1))
    low, high = interval(differences, GAIN_LEVEL, fewest=1)  # p says that so few show nothing
    moved = int(np.count_nonzero(differences))
    delta, p = float(differences.mean()), min(1.0, COMPARISONS * float(p))
    return Gain(before, after, metric, n, mean_before, mean_after, delta, low, high, p, moved)


Draw = Callable[[np.random.Generator, int, int], NDArray[np.float64]]  # weights for each question: (rows, size)


def _draw_counts(rng: np.random.Generator, rows: int, size: int) -> NDArray[np.float64]:
    """How often each of `size` questions is drawn, in `rows` draws of as many with replacement."""
    drawn = rng.integers(0, size, (rows, size)) + size * np.arange(rows)[:, None]
    return np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size).astype(float)


def _draw_signs(rng: np.random.Generator, rows: int, size: int) -> NDArray[np.float64]:
    return rng.choice([-1.0, 1.0], (rows, size))


def _resampled(values: NDArray[np.float64], draw: Draw) -> NDArray[np.float64]:
    """The sum of the values weighted by each of the `RESAMPLES` rows of `draw`, in blocks of bounded memory."""
    size = len(values)
    if size <= _KEPT:  # a report needs these draws hundreds of times
        return _kept(draw, size) @ values
    rng, rows = np.random.default_rng(SEED), max(1, _BLOCK // size)
    blocks = [draw(rng, min(rows, RESAMPLES - start), size) @ values for start in range(0, RESAMPLES, rows)]
    return np.concatenate(blocks)


@lru_cache(maxsize=48)
def _kept(draw: Draw, size: int) -> NDArray[np.float64]:
    return draw(np.random.default_rng(SEED), RESAMPLES, size)
