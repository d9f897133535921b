"""What each stage promises, and whether the numbers of an evaluation keep the promise."""

from dataclasses import dataclass, replace
from math import nan
from typing import Literal

from lessons.evaluate.compare import mean_with_interval
from lessons.evaluate.evaluation import Evaluation, compare_records, measured
from lessons.language import _
from lessons.settings import settings
from lessons.tables import Table

Status = Literal["passed", "not shown", "missed", "not reachable", "too few questions", "not yet measurable"]

GROUNDED = 0.90
P95_MS = 10_000.0
SIMPLE = ("fact", "identifier")
MULTI_PART = "multi-part"


@dataclass(frozen=True)
class Gate:
    """A promise about a stage, its status, its number in words, and which result confirms or refutes it."""

    stage: str
    promise: str
    status: Status = "not yet measurable"
    number: str = ""
    decided_by: str = ""

    def __str__(self) -> str:
        return f"{_(self.status)}: {_(self.promise)}" + (f" – {_(self.number)}" if self.number else "")


class GateReport(list[Gate]):
    """All gates, a line each; in a notebook a table."""

    def __repr__(self) -> str:
        return "\n".join(map(str, self))

    def _repr_html_(self) -> str:
        rows = [(_(each.promise), _(each.number), _(each.status)) for each in self]
        return Table((_("promise"), _("measured"), ""), rows)._repr_html_()


def gate_report(evaluation: Evaluation) -> GateReport:
    """Every gate with its number. '+10 %' is read as a share of the stage before, not as ten points."""
    gates = [
        _gain(evaluation, "naive", "enhanced", "recall@5", 0.10),
        _gain(evaluation, "enhanced", "smart", "recall@5", 0.15),
        _gain(evaluation, "smart", "reranked", "correctness", 0.10),
        _share_correct(evaluation, "agentic", MULTI_PART, 0.80),
        _no_worse(evaluation, "reranked", "agentic", SIMPLE),
    ]
    for stage in evaluation.stages:
        found = evaluation.summary(stage)
        value, claimed = found.means["groundedness"], measured(evaluation.of(stage), "groundedness")
        grounded = Gate(
            stage,
            f"{stage}: groundedness at least {GROUNDED:.0%}",
            number=f"{value:.1%}",
            decided_by=f"Confirmed by a mean of at least {GROUNDED:.0%} over the answers that are no refusals; refuted "
            "by a lower one.",
        )
        fast = Gate(
            stage,
            f"{stage}: p95 latency below {P95_MS / 1000:.0f} s",
            number=f"{found.p95_ms:,.0f} ms",
            decided_by=f"Confirmed if 95 of 100 answers take less than {P95_MS / 1000:.0f} s; refuted if fewer do.",
        )
        timed = 0 if evaluation.replays else found.n
        gates += [_judged(grounded, value >= GROUNDED, claimed), _judged(fast, found.p95_ms < P95_MS, timed)]
    return GateReport(gates)


def _judged(
    gate: Gate,
    passed: bool,
    n: int,
    shown: bool = True,
    mean: float = nan,
    needed: float = nan,
    with_evidence: float = nan,
) -> Gate:
    """As measured on `n` questions. `shown`: a difference is more than chance; `needed`: the mean that it takes."""
    if not n:
        return replace(gate, number="")
    if above := not passed and needed > with_evidence:
        gate = replace(
            gate, number=f"{gate.number}; it would take {needed:.3f}; given the evidence it is {with_evidence:.3f}"
        )
    if n < settings().gate_questions:
        return replace(gate, status="too few questions")
    if passed:
        return replace(gate, status="passed" if shown else "not shown")
    # What needs more than the mean from the evidence itself, no better search reaches.
    return replace(gate, status="not reachable" if above and mean <= with_evidence else "missed")


def _gain(evaluation: Evaluation, before: str, after: str, metric: str, least: float) -> Gate:
    """`after` must raise the mean of `metric` by at least the share `least` of the mean of `before`."""
    promise = f"{after}: {metric} at least {least:.0%} above {before}"
    decided_by = (
        f"Confirmed by a gain of at least {least:.0%} that is more than chance (interval at 95 % above zero, p below "
        "0.05); refuted by a smaller gain."
    )
    gain = compare_records(evaluation.of(before), evaluation.of(after), metric, before, after)
    if not gain.mean_before > 0:
        return Gate(after, promise, decided_by=decided_by)
    relative, means = gain.delta / gain.mean_before, f"{gain.mean_before:.3f} → {gain.mean_after:.3f}"
    low, high = gain.ci_low / gain.mean_before, gain.ci_high / gain.mean_before
    ends = f"[{low:+.1%}, {high:+.1%}] at {gain.level:.0%}"
    number = f"{relative:+.1%} {ends}: {means}, n = {gain.n}: {gain.verdict}"
    needed, shown = (1 + least) * gain.mean_before, gain.verdict == "better"
    gate = Gate(after, promise, number=number, decided_by=decided_by)
    reachable = evaluation.mean_with_evidence(metric)
    return _judged(gate, relative >= least, gain.n, shown, gain.mean_after, needed, reachable)


def _share_correct(evaluation: Evaluation, stage: str, category: str, least: float) -> Gate:
    promise = f"{stage}: at least {least:.0%} correct on {category} questions"
    found, judged = evaluation.summary(stage, category=category), evaluation.of(stage, category=category)
    value, n = found.means["correctness"], measured(judged, "correctness")
    ends = mean_with_interval(value, found.intervals["correctness"], ".1%")
    number = f"{ends}, {found.means['right']:.1%} fully right, n = {n}"
    decided_by = f"Confirmed by a mean of at least {least:.0%} on these questions; refuted by a lower one."
    with_evidence = evaluation.mean_with_evidence("correctness", category=category)
    gate = Gate(stage, promise, number=number, decided_by=decided_by)
    return _judged(gate, value >= least, n, mean=value, needed=least, with_evidence=with_evidence)


def _no_worse(evaluation: Evaluation, before: str, after: str, categories: tuple[str, ...]) -> Gate:
    """Passes where the interval excludes a loss larger than the `choice_margin`; misses where `after` is worse."""
    promise = f"{after}: no worse than {before} on simple questions ({', '.join(categories)})"
    old, new = ([each for each in evaluation.of(stage) if each.category in categories] for stage in (before, after))
    gain, margin = compare_records(old, new, "correctness", before, after), settings().choice_margin
    number = f"{gain.with_interval}, n = {gain.n}; a loss of up to {margin:.2f} would be accepted"
    decided_by = (
        f"Confirmed by an interval at 95 % that excludes a loss of more than {margin:.2f}; refuted by a loss that is "
        "more than chance."
    )
    gate = Gate(after, promise, number=number, decided_by=decided_by)
    return _judged(gate, gain.verdict != "worse", gain.n, gain.ci_low >= -margin)
