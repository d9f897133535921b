"""What each stage promises, and whether the numbers of an evaluation keep the promise."""

from dataclasses import dataclass
from math import isnan
from typing import Literal, NamedTuple

from lessons.evaluate.evaluation import Evaluation, compare_records
from lessons.settings import settings
from lessons.tables import html_table

Status = Literal["passed", "not shown", "missed", "not reachable", "too few questions", "not yet measurable"]

GROUNDED = 0.90
P95_MS = 10_000.0
SIMPLE = ("fact", "identifier")
MULTI_PART = "multi-part"


class Measured(NamedTuple):
    """The value that a gate looks at, the same in words, whether it passes, and how many questions it comes from.

    `shown` is whether the difference is more than chance, by the rule of `compare`. `needed` is the mean that it takes
    to pass, `ceiling` what the model answers when the evidence is given to it.
    """

    value: float
    number: str
    passed: bool
    n: int
    shown: bool = True
    needed: float = float("nan")
    ceiling: float = float("nan")


@dataclass(frozen=True)
class Gate:
    """A promise about a stage, its status, and its number in words."""

    stage: str
    promise: str
    status: Status = "not yet measurable"
    number: str = ""

    def __str__(self) -> str:
        return f"{self.status}: {self.promise}" + (f" – {self.number}" if self.number else "")


class GateReport(list[Gate]):
    """All gates, a line each; in a notebook a table."""

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(("promise", "measured", ""), [(each.promise, each.number, each.status) for each in self])


def gate_report(evaluation: Evaluation) -> GateReport:
    """Every gate with its number. A gate whose stages or questions are missing is not yet measurable.

    One with fewer than `gate_questions` questions is measured and not judged. One that the mean reaches, but a
    difference is not shown by the rule of `compare`, is not shown. One that asks for more correct answers than the
    model gives from the evidence itself is not reachable by a better search. '+10 %' is read as a share of the stage
    before, not as ten points.
    """
    gates = [
        _gain(evaluation, "naive", "enhanced", "recall@5", 0.10),
        _gain(evaluation, "enhanced", "smart", "recall@5", 0.15),
        _gain(evaluation, "smart", "reranked", "correctness", 0.10),
        _share_correct(evaluation, "agentic", MULTI_PART, 0.80),
        _no_worse(evaluation, "reranked", "agentic", SIMPLE),
    ]
    each_stage = [check(evaluation, stage) for stage in evaluation.stages for check in (_grounded, _fast)]
    return GateReport([*gates, *each_stage])


def _gate(stage: str, promise: str, measured: Measured | None) -> Gate:
    if measured is None or isnan(measured.value):
        return Gate(stage, promise)
    out_of_reach = not measured.passed and measured.needed > measured.ceiling
    number = measured.number
    if out_of_reach:
        number += f"; it would take {measured.needed:.3f}, the ceiling is {measured.ceiling:.3f}"
    if measured.n < settings().gate_questions:
        return Gate(stage, promise, "too few questions", number)
    if measured.passed:
        return Gate(stage, promise, "passed" if measured.shown else "not shown", number)
    return Gate(stage, promise, "not reachable" if out_of_reach else "missed", number)


def _gain(evaluation: Evaluation, before: str, after: str, metric: str, least: float) -> Gate:
    """`after` must raise the mean of `metric` by at least the share `least` of the mean of `before`."""
    promise = f"{after}: {metric} at least {least:.0%} above {before}"
    if not {before, after} <= set(evaluation.stages):
        return Gate(after, promise)
    gain = compare_records(evaluation.of(before), evaluation.of(after), metric, before, after)
    means = f"{gain.mean_before:.3f} → {gain.mean_after:.3f}"
    number = f"{gain.relative:+.1%}: {means}, difference {gain.with_interval}, n = {gain.n}: {gain.verdict}"
    needed, ceiling = (1 + least) * gain.mean_before, evaluation.ceiling_mean(metric)
    passed, shown = gain.relative >= least, gain.verdict == "better"
    return _gate(after, promise, Measured(gain.relative, number, passed, gain.n, shown, needed, ceiling))


def _share_correct(evaluation: Evaluation, stage: str, category: str, least: float) -> Gate:
    promise = f"{stage}: at least {least:.0%} correct on {category} questions"
    if not (n := len(evaluation.of(stage, category=category))):
        return Gate(stage, promise)
    summary = evaluation.summary(stage, category=category)
    value, (low, high) = summary.means["correctness"], summary.intervals["correctness"]
    number = f"{value:.1%} [{low:.1%}, {high:.1%}], {summary.means['strict']:.1%} fully right, n = {n}"
    ceiling = evaluation.ceiling_mean("correctness", category=category)
    return _gate(stage, promise, Measured(value, number, value >= least, n, needed=least, ceiling=ceiling))


def _no_worse(evaluation: Evaluation, before: str, after: str, categories: tuple[str, ...]) -> Gate:
    """Passes where the interval excludes a loss larger than the `choice_margin`; misses where `after` is worse."""
    old, new = ([each for each in evaluation.of(stage) if each.category in categories] for stage in (before, after))
    gain, margin = compare_records(old, new, "correctness", before, after), settings().choice_margin
    number = f"{gain.with_interval}, n = {gain.n}; a loss of {margin:.2f} would be minded"
    measured = Measured(gain.delta, number, gain.verdict != "worse", gain.n, gain.ci_low >= -margin)
    return _gate(after, f"{after}: no worse than {before} on simple questions ({', '.join(categories)})", measured)


def _grounded(evaluation: Evaluation, stage: str) -> Gate:
    value = evaluation.summary(stage).means["groundedness"]
    told = [record for record in evaluation.of(stage) if not isnan(record.value("groundedness"))]
    measured = Measured(value, f"{value:.1%}", value >= GROUNDED, len(told))
    return _gate(stage, f"{stage}: groundedness at least {GROUNDED:.0%}", measured)


def _fast(evaluation: Evaluation, stage: str) -> Gate:
    found = evaluation.summary(stage)
    measured = Measured(found.p95_ms, f"{found.p95_ms:,.0f} ms", found.p95_ms < P95_MS, found.n)
    return _gate(stage, f"{stage}: p95 latency below {P95_MS / 1000:.0f} s", measured)
