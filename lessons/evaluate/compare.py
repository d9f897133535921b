"""Is a difference more than chance? One rule, for reports, gates, the Scoreboard and the notebooks.

Two stages answer the same questions, so the questions are resampled, never the stages apart: that a question is hard
for both cancels out.

One criterion: a difference is 'better' or 'worse' where its interval excludes zero and p agrees. A comparison that is
made alone, and the primary metric of a stage (`PRIMARY`), is judged at 95 %. A run of all stages looks at five
differences of each further metric; judged at 95 % each, one such run in five would show a difference where there is
none. So these are judged as one of five (Bonferroni's correction): at 99 %, with p multiplied by five.

Where nothing is shown there are two reasons. 'no room': the stage before left next to nothing to gain. Or the questions
are too few: then the smallest difference is told that would have shown.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import isnan
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lessons.language import _, language
from lessons.tables import Markup, Table

RESAMPLES = 10_000
LEVEL = 0.95
COMPARISONS = 5  # of each metric in a run of all stages: each against the one before, and Agentic against Smart
GAIN_LEVEL = 1 - (1 - LEVEL) / COMPARISONS
SEED = 20_240_601
FEWEST = 5  # values that an interval is drawn from
_BLOCK = 2_000_000  # numbers drawn at a time, which bounds the memory
_CACHED_SIZE = 150  # questions; draws for as many or fewer are cached, at most 12 MB each

PRIMARY = {
    ("naive", "enhanced"): "recall@5",
    ("enhanced", "smart"): "recall@5",
    ("smart", "reranked"): "correctness",
    ("smart", "agentic"): "all@10",
}
"""The metric by which each stage is judged against one before it, named before anything was measured (SPEC B11)."""
RULE = (
    f"The primary metric of a stage is judged at {100 * LEVEL:.0f} %. Each other difference is judged as one of "
    f"{COMPARISONS}: its interval is that of {100 * GAIN_LEVEL:.0f} %, its p is multiplied by {COMPARISONS}. It is "
    f"shown where the interval excludes zero and p is below {1 - LEVEL:.2f}."
)
LOWER_IS_BETTER = frozenset({"wrong", "wrong_unanswerable"})
Verdict = Literal["better", "worse", "no difference shown", "no room"]
Interval = tuple[float, float]


@dataclass(frozen=True)
class Gain:
    """What one metric did from one stage to another."""

    baseline: str
    candidate: str
    metric: str
    n: int  # questions that both have a value for
    baseline_mean: float
    candidate_mean: float
    delta: float
    ci_low: float  # of the interval of `level`
    ci_high: float
    p: float  # corrected for `comparisons`
    moved: int = 0  # questions that have another value
    room: int = 0  # questions on which the baseline left something to gain
    comparisons: int = 1  # that are looked at together

    @property
    def level(self) -> float:
        """Confidence of the interval: 0.95 alone, 0.99 as one of five."""
        return 1 - (1 - LEVEL) / self.comparisons

    @property
    def verdict(self) -> Verdict:
        """'better' or 'worse' where the interval excludes zero and the p value agrees; else why nothing is shown."""
        if self.p >= 1 - LEVEL or self.ci_low <= 0 <= self.ci_high:
            return "no room" if self.room < FEWEST <= self.n else "no difference shown"
        return "better" if (self.ci_low > 0) != (self.metric in LOWER_IS_BETTER) else "worse"

    @property
    def detectable(self) -> float:
        """The smallest difference that would have been shown: half the width of the interval."""
        return (self.ci_high - self.ci_low) / 2

    @property
    def outcome(self) -> str:
        """The verdict in the language of the reader, and the least difference that would show where none does."""
        if self.verdict != "no difference shown" or not self.detectable >= 0.005:  # NaN, or where no question moved
            return _(self.verdict)
        if not self.ci_low <= 0 <= self.ci_high:
            return _("no difference shown (the interval excludes zero, but p does not agree)")
        return _("no difference shown (one of at least {0} would show)").format(f"{self.detectable:.2f}")

    @property
    def change(self) -> str:
        """For example `+0.071 [-0.012, +0.148]`."""
        return f"{self.delta:+.3f} [{self.ci_low:+.3f}, {self.ci_high:+.3f}]"

    @property
    def with_interval(self) -> str:
        """For example `+0.071 [-0.012, +0.148] (95 %)`, or `(95%)`, as Korean writes it."""
        return f"{self.change} ({100 * self.level:.0f}{'' if language() == 'ko' else ' '}%)"

    @property
    def p_text(self) -> str:
        """For example `0.031`, or `< 0.001`: random draws never show that chance is ruled out."""
        return f"{self.p:.3f}" if self.p >= 0.001 else "< 0.001"

    def __str__(self) -> str:
        sentence = _("{0}: {1} against {2} {3}, p {4}, {5} of {6} questions moved: {7}")
        compared = _(self.metric), self.candidate, self.baseline, self.with_interval
        p = self.p_text if self.p_text.startswith("<") else f"= {self.p_text}"
        return sentence.format(*compared, p, self.moved, self.n, self.outcome)

    def as_dict(self) -> dict[str, object]:
        """Return the form of `lessons evaluate --json`."""
        names = ("metric", "delta", "ci_low", "ci_high", "p", "n", "moved", "room", "verdict")
        values = {name: getattr(self, name) for name in names}
        return {"from": self.baseline, "to": self.candidate, **values, "level": round(self.level, 4)}


class Gains(list[Gain]):
    """Gains, a line each; in a notebook a table with a bar and an interval for each."""

    def __repr__(self) -> str:
        return "\n".join(map(str, self))

    def _repr_html_(self) -> str:
        widest = max((abs(end) for gain in self for end in (gain.ci_low, gain.ci_high) if not isnan(end)), default=0.0)
        head = [_("metric"), _("against"), "", _("difference"), _("moved"), ""]
        rows = [
            [
                f"{gain.candidate}: {_(gain.metric)}",
                gain.baseline,
                Markup(_bar(gain, widest)),
                gain.with_interval,
                f"{gain.moved} / {gain.n}",
                gain.outcome,
            ]
            for gain in self
        ]
        return Table(head, rows)._repr_html_()


_WIDTH, _HEIGHT = 160, 14  # pixels of a bar
_COLOURS = {"better": "#54a24b", "worse": "#e45756"}


def _bar(gain: Gain, widest: float) -> str:
    """Draw the difference as a bar from zero in the middle and its interval as a line, scaled to the widest one."""
    if isnan(gain.ci_low) or not widest:
        return ""
    zero, scale, middle = _WIDTH / 2, (_WIDTH / 2 - 2) / widest, _HEIGHT / 2
    low, high, end = (zero + scale * value for value in (gain.ci_low, gain.ci_high, gain.delta))
    colour = _COLOURS.get(gain.verdict, "#999")
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="{gain.change}">'
        f'<rect x="{min(zero, end):.1f}" y="3" width="{abs(end - zero):.1f}" height="{_HEIGHT - 6}" fill="{colour}"/>'
        f'<path d="M{low:.1f} {middle}H{high:.1f}M{zero} 0V{_HEIGHT}" stroke="currentColor" stroke-width="1"/></svg>'
    )


def interval(values: ArrayLike, level: float = LEVEL, fewest: int = FEWEST) -> Interval:
    """Draw the percentile bootstrap interval of the mean without NaN (Efron & Tibshirani, 1993, chapter 13); seeded."""
    numbers = np.asarray(values, dtype=float)
    numbers = numbers[~np.isnan(numbers)]
    if numbers.size < fewest:  # drawn from so few it looks exact
        return float("nan"), float("nan")
    means = _resampled(numbers, _draw_counts) / numbers.size
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def mean_with_interval(mean: float, ends: Interval, form: str = ".2f") -> str:
    """Format as `0.62 [0.51, 0.73]`, or `0.50 [–]` if there are too few values for an interval; `–` without any."""
    low, high = ends
    bounds = "–" if isnan(low) else f"{low:{form}}, {high:{form}}"
    return "–" if isnan(mean) else f"{mean:{form}} [{bounds}]"


def room_left(metric: str, values: ArrayLike) -> int:
    """Count the values that could be better; every metric runs from 0 to 1."""
    numbers = np.asarray(values, dtype=float)
    return int(np.count_nonzero(numbers > 0 if metric in LOWER_IS_BETTER else numbers < 1))


def paired_gain(
    baseline: str, candidate: str, metric: str, old: ArrayLike, new: ArrayLike, comparisons: int = 1
) -> Gain:
    """Compare `old` and `new`, values of the same questions in the same order; NaN on either side drops the pair.

    `comparisons` are looked at together, so that interval and p value are corrected for as many. The p value is
    two-sided, from random sign flips of the differences (Fisher's randomisation test, which Smucker, Allan &
    Carterette, 2007, recommend for retrieval).
    """
    pairs = np.array([old, new], dtype=float)
    pairs = pairs[:, ~np.isnan(pairs).any(axis=0)]
    n, differences, missing = pairs.shape[1], pairs[1] - pairs[0], float("nan")
    if not n:
        return Gain(baseline, candidate, metric, 0, missing, missing, missing, missing, missing, 1.0, 0, 0, comparisons)
    sums = abs(_resampled(differences, _draw_signs))
    p = ((sums >= abs(differences.sum()) - 1e-9).sum() + 1) / (RESAMPLES + 1)
    old_mean, new_mean = map(float, pairs.mean(axis=1))
    low, high = interval(differences, 1 - (1 - LEVEL) / comparisons, fewest=1)  # p says that so few show nothing
    moved, room = int(np.count_nonzero(differences)), room_left(metric, pairs[0])
    delta, p = float(differences.mean()), min(1.0, comparisons * float(p))
    return Gain(baseline, candidate, metric, n, old_mean, new_mean, delta, low, high, p, moved, room, comparisons)


Draw = Callable[[np.random.Generator, int, int], NDArray[np.float64]]  # weights for each question: (rows, size)


def _draw_counts(rng: np.random.Generator, rows: int, size: int) -> NDArray[np.float64]:
    """Count how often each of `size` questions is drawn, in `rows` draws of as many with replacement."""
    positions = rng.integers(0, size, (rows, size)) + size * np.arange(rows)[:, None]
    return np.bincount(positions.ravel(), minlength=rows * size).reshape(rows, size).astype(float)


def _draw_signs(rng: np.random.Generator, rows: int, size: int) -> NDArray[np.float64]:
    return rng.choice([-1.0, 1.0], (rows, size))


def _resampled(values: NDArray[np.float64], draw: Draw) -> NDArray[np.float64]:
    """Sum the values weighted by each of the `RESAMPLES` rows of `draw`, in blocks of bounded memory."""
    size = len(values)
    if size <= _CACHED_SIZE:  # a report needs these draws hundreds of times
        return _cached_draws(draw, size) @ values
    rng, rows = np.random.default_rng(SEED), max(1, _BLOCK // size)
    blocks = [draw(rng, min(rows, RESAMPLES - start), size) @ values for start in range(0, RESAMPLES, rows)]
    return np.concatenate(blocks)


@lru_cache(maxsize=48)
def _cached_draws(draw: Draw, size: int) -> NDArray[np.float64]:
    return draw(np.random.default_rng(SEED), RESAMPLES, size)
