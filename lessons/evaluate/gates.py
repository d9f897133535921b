"""What each stage promises, and whether the numbers of an evaluation keep the promise."""

from collections.abc import Callable
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

    @property
    def reachable(self) -> bool:
        """Whether better evidence could be enough; so where no ceiling is known."""
        return not self.needed > self.ceiling


@dataclass(frozen=True)
class Gate:
    """A promise about one stage. `measure` gives None where data is missing."""

    stage: str
    promise: str
    measure: Callable[[Evaluation], Measured | None]


@dataclass(frozen=True)
class GateResult:
    """A gate with its status, and its number in words."""

    gate: Gate
    status: Status
    value: float = float("nan")
    number: str = ""

    def __str__(self) -> str:
        return f"{self.status}: {self.gate.promise}" + (f" – {self.number}" if self.number else "")


class GateReport(list[GateResult]):
    """The results of all gates, a line each; in a notebook a table."""

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [(result.gate.promise, result.number, result.status) for result in self]
        return html_table(("promise", "measured", ""), rows)


def gate_report(evaluation: Evaluation) -> GateReport:
    """Every gate with its number. A gate whose stages or questions are missing is not yet measurable.

    One with fewer than `gate_questions` questions is measured and not judged. One that the mean reaches, but a
    difference is not shown by the rule of `compare`, is not shown. One that asks for more correct answers than the
    model gives from the evidence itself is not reachable by a better search.
    """
    return GateReport(_result(gate, evaluation) for gate in [*GAIN_GATES, *(_each_stage(evaluation))])


def _result(gate: Gate, evaluation: Evaluation) -> GateResult:
    measured = gate.measure(evaluation)
    if measured is None or isnan(measured.value):
        return GateResult(gate, "not yet measurable")
    return GateResult(gate, _status(measured), measured.value, measured.number + _out_of_reach(measured))


def _status(measured: Measured) -> Status:
    if measured.n < settings().gate_questions:
        return "too few questions"
    if measured.passed:
        return "passed" if measured.shown else "not shown"
    return "missed" if measured.reachable else "not reachable"


def _out_of_reach(measured: Measured) -> str:
    if measured.passed or measured.reachable:
        return ""
    return f"; it would take {measured.needed:.3f}, the ceiling is {measured.ceiling:.3f}"


def relative_gain(before: str, after: str, metric: str, least: float) -> Gate:
    """`after` must raise the mean of `metric` by at least the share `least` of the mean of `before`."""

    def measure(evaluation: Evaluation) -> Measured | None:
        if not {before, after} <= set(evaluation.stages):
            return None
        gain = compare_records(evaluation.of(before), evaluation.of(after), metric, before, after)
        means = f"{gain.mean_before:.3f} → {gain.mean_after:.3f}"
        number = f"{gain.relative:+.1%}: {means}, difference {gain.with_interval}, n = {gain.n}: {gain.verdict}"
        needed, ceiling = (1 + least) * gain.mean_before, evaluation.ceiling_mean(metric)
        shown = gain.verdict == "better"
        return Measured(gain.relative, number, gain.relative >= least, gain.n, shown, needed, ceiling)

    return Gate(after, f"{after}: {metric} at least {least:.0%} above {before}", measure)


def _share_correct(stage: str, category: str, least: float) -> Gate:
    def measure(evaluation: Evaluation) -> Measured | None:
        records = evaluation.of(stage, category=category)
        if not records:
            return None
        summary = evaluation.summary(stage, category=category)
        value, (low, high) = summary.means["correctness"], summary.intervals["correctness"]
        number = f"{value:.1%} [{low:.1%}, {high:.1%}], {summary.means['strict']:.1%} fully right, n = {len(records)}"
        ceiling = evaluation.ceiling_mean("correctness", category=category)
        return Measured(value, number, value >= least, len(records), needed=least, ceiling=ceiling)

    return Gate(stage, f"{stage}: at least {least:.0%} correct on {category} questions", measure)


def _no_worse(before: str, after: str, categories: tuple[str, ...]) -> Gate:
    """Passes where the interval excludes a loss larger than the `choice_margin`; misses where `after` is worse."""

    def measure(evaluation: Evaluation) -> Measured | None:
        old, new = (
            [record for record in evaluation.of(stage) if record.category in categories] for stage in (before, after)
        )
        gain = compare_records(old, new, "correctness", before, after)
        margin = settings().choice_margin
        number = f"{gain.with_interval}, n = {gain.n}; a loss of {margin:.2f} would be minded"
        return Measured(gain.delta, number, gain.verdict != "worse", gain.n, gain.ci_low >= -margin)

    return Gate(after, f"{after}: no worse than {before} on simple questions ({', '.join(categories)})", measure)


def _each_stage(evaluation: Evaluation) -> list[Gate]:
    return [gate for stage in evaluation.stages for gate in (_grounded(stage), _fast(stage))]


def _grounded(stage: str) -> Gate:
    def measure(evaluation: Evaluation) -> Measured:
        value = evaluation.summary(stage).means["groundedness"]
        told = [record for record in evaluation.of(stage) if not isnan(record.value("groundedness"))]
        return Measured(value, f"{value:.1%}", value >= GROUNDED, len(told))

    return Gate(stage, f"{stage}: groundedness at least {GROUNDED:.0%}", measure)


def _fast(stage: str) -> Gate:
    def measure(evaluation: Evaluation) -> Measured:
        found = evaluation.summary(stage)
        return Measured(found.p95_ms, f"{found.p95_ms:,.0f} ms", found.p95_ms < P95_MS, found.n)

    return Gate(stage, f"{stage}: p95 latency below {P95_MS / 1000:.0f} s", measure)


GAIN_GATES = [
    relative_gain("naive", "enhanced", "recall@5", 0.10),
    relative_gain("enhanced", "smart", "recall@5", 0.15),
    relative_gain("smart", "reranked", "correctness", 0.10),
    _share_correct("agentic", MULTI_PART, 0.80),
    _no_worse("reranked", "agentic", SIMPLE),
]
"""The promises from stage to stage. '+10 %' is read as a share of the stage before, not as ten points."""
