"""What each stage promises, whether the numbers of an evaluation keep the promise, and reports of all of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Literal

from rich import table as terminal
from rich.console import Group
from rich.text import Text

from lessons.evaluate.compare import RULE, mean_with_interval
from lessons.evaluate.evaluation import UNANSWERABLE, WITH_EVIDENCE, Evaluation, compare_records, metric_values
from lessons.evaluate.golden import SETS, golden_questions, sample
from lessons.evaluate.run import with_known_evidence
from lessons.evaluate.runs import SHIPPED, read_run
from lessons.language import _
from lessons.models.llm import price
from lessons.settings import settings
from lessons.tables import Table, markdown_table, plain_line

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
    decided_by: str
    status: Status = "not yet measurable"
    number: str = ""

    def __str__(self) -> str:
        return f"{_(self.status)}: {_(self.promise)}" + (f" – {_(self.number)}" if self.number else "")


class GateReport(list[Gate]):
    """All gates, a line each; in a notebook a table."""

    def __repr__(self) -> str:
        return "\n".join(map(str, self))

    def _repr_html_(self) -> str:
        rows = [(_(gate.promise), _(gate.number), _(gate.status)) for gate in self]
        return Table((_("promise"), _("measured"), ""), rows)._repr_html_()


def gate_report(evaluation: Evaluation) -> GateReport:
    """Judge every gate. '+10 %' is read as a share of the stage before, not as ten points."""
    gates = [
        _gain(evaluation, "naive", "enhanced", "recall@5", 0.10),
        _gain(evaluation, "enhanced", "smart", "recall@5", 0.15),
        _gain(evaluation, "smart", "reranked", "correctness", 0.10),
        _share_correct(evaluation, "agentic", MULTI_PART, 0.80),
        _no_worse(evaluation, "reranked", "agentic", SIMPLE),
    ]
    for stage in evaluation.stages:
        gates += [_grounded(evaluation, stage), _fast(evaluation, stage)]
    return GateReport(gates)


def _judged(
    gate: Gate,
    number: str,
    n: int,
    passed: bool,
    shown: bool = True,
    mean: float = nan,
    needed: float = nan,
    with_evidence: float = nan,
) -> Gate:
    """Set the status measured on `n` questions.

    A gain is `shown` if it is more than chance. The gate takes a mean of `needed`; what needs more than the mean
    `with_evidence`, given the evidence itself, no better search reaches.
    """
    if not n:
        return gate
    if is_above := not passed and needed > with_evidence:
        number += f"; it would take {needed:.3f}; given the evidence it is {with_evidence:.3f}"
    if n < settings().gate_questions:
        status: Status = "too few questions"
    elif passed:
        status = "passed" if shown else "not shown"
    else:
        status = "not reachable" if is_above and mean <= with_evidence else "missed"
    return replace(gate, status=status, number=number)


def _gain(evaluation: Evaluation, baseline: str, candidate: str, metric: str, least: float) -> Gate:
    """Judge whether `candidate` raises the mean of `metric` by at least the share `least` of that of `baseline`."""
    gate = Gate(
        candidate,
        f"{candidate}: {metric} at least {least:.0%} above {baseline}",
        f"Confirmed by a gain of at least {least:.0%} that is more than chance (interval at 95 % above zero, p below "
        "0.05); refuted by a smaller gain.",
    )
    gain = compare_records(evaluation.of(baseline), evaluation.of(candidate), metric, baseline, candidate)
    mean = gain.baseline_mean
    if not mean > 0:
        return gate
    relative, means = gain.delta / mean, f"{mean:.3f} → {gain.candidate_mean:.3f}"
    ends = f"[{gain.ci_low / mean:+.1%}, {gain.ci_high / mean:+.1%}] at {gain.level:.0%}"
    number = f"{relative:+.1%} {ends}: {means}, n = {gain.n}: {gain.verdict}"
    needed, reachable = (1 + least) * mean, evaluation.mean_with_evidence(metric)
    shown = gain.verdict == "better"
    return _judged(gate, number, gain.n, relative >= least, shown, gain.candidate_mean, needed, reachable)


def _share_correct(evaluation: Evaluation, stage: str, category: str, least: float) -> Gate:
    gate = Gate(
        stage,
        f"{stage}: at least {least:.0%} correct on {category} questions",
        f"Confirmed by a mean of at least {least:.0%} on these questions; refuted by a lower one.",
    )
    summary = evaluation.summary(stage, category=category)
    mean, n = summary.means["correctness"], len(metric_values(evaluation.of(stage, category=category), "correctness"))
    ends = mean_with_interval(mean, summary.intervals["correctness"], ".1%")
    number = f"{ends}, {summary.means['right']:.1%} fully right, n = {n}"
    reachable = evaluation.mean_with_evidence("correctness", category=category)
    return _judged(gate, number, n, mean >= least, mean=mean, needed=least, with_evidence=reachable)


def _no_worse(evaluation: Evaluation, baseline: str, candidate: str, categories: tuple[str, ...]) -> Gate:
    """Pass where the interval excludes a loss beyond the `choice_margin`; miss where `candidate` is worse."""
    margin = settings().choice_margin
    gate = Gate(
        candidate,
        f"{candidate}: no worse than {baseline} on simple questions ({', '.join(categories)})",
        f"Confirmed by an interval at 95 % that excludes a loss of more than {margin:.2f}; refuted by a loss that is "
        "more than chance.",
    )
    old, new = (
        [record for record in evaluation.of(stage) if record.category in categories] for stage in (baseline, candidate)
    )
    gain = compare_records(old, new, "correctness", baseline, candidate)
    number = f"{gain.with_interval}, n = {gain.n}; a loss of up to {margin:.2f} would be accepted"
    return _judged(gate, number, gain.n, gain.verdict != "worse", gain.ci_low >= -margin)


def _grounded(evaluation: Evaluation, stage: str) -> Gate:
    gate = Gate(
        stage,
        f"{stage}: groundedness at least {GROUNDED:.0%}",
        f"Confirmed by a mean of at least {GROUNDED:.0%} over the answers that are no refusals; refuted by a lower "
        "one.",
    )
    values = metric_values(evaluation.of(stage), "groundedness")
    value = evaluation.mean(stage, "groundedness")
    return _judged(gate, f"{value:.1%}", len(values), value >= GROUNDED)


def _fast(evaluation: Evaluation, stage: str) -> Gate:
    gate = Gate(
        stage,
        f"{stage}: p95 latency below {P95_MS / 1000:.0f} s",
        f"Confirmed if 95 of 100 answers take less than {P95_MS / 1000:.0f} s; refuted if fewer do.",
    )
    summary = evaluation.summary(stage)
    timed = 0 if evaluation.replays else summary.n
    return _judged(gate, f"{summary.p95_ms:,.0f} ms", timed, summary.p95_ms < P95_MS)


# In a terminal

HEADLINE = ("recall@5", "ndcg@10", "all@10", "correctness", "right", "wrong", UNANSWERABLE)
GROUPED = ("recall@5", "correctness", "")  # the last are the four outcomes


def report(evaluation: Evaluation) -> Group:
    """Show every stage with its metrics, categories and languages, the gains between stages, gates and notes."""
    tables = [evaluation.table(), *map(evaluation.group_table, GROUPED)]
    lines = []
    if evaluation.with_evidence:
        lines = [f"{_(WITH_EVIDENCE)}: {_('What is wrong there, a better search alone does not put right.')}"]
    lines += [RULE] if len(evaluation.stages) > 1 else []
    lines += [str(gain) for gain in evaluation.gains(HEADLINE) if gain.n]
    lines += [str(gate) for gate in gate_report(evaluation) if gate.number]
    lines += [f"Note: {remark}" for remark in evaluation.remarks]
    if warned := [record for record in evaluation.records if record.warnings]:
        lines.append(f"Note: {len(warned)} answers came with a warning, the first: {warned[0].warnings[0]}")
    return Group(*map(in_terminal, tables), *(Text(_(line)) for line in lines))


def in_terminal(table: Table) -> terminal.Table:
    """Draw a table for a terminal, its texts as they are."""
    drawing = terminal.Table(title=table.caption)
    for number, name in enumerate(table.head):
        drawing.add_column(Text(name), justify="right" if number else "left")
    for row in table.rows:
        drawing.add_row(*map(Text, row))
    return drawing


# To share: what `lessons gates` is expected to cost, and the Markdown that it writes

# On the first the gates are judged, on the second the gains in `ACROSS`. A question of the second takes more tokens:
# as many times those of one of the first, counted with the keyless model.
MEASURED = {"golden": 1.0, "multihop": 1.3}
SPLIT = "test"
ACROSS = "all@10"
REFERENCE = SHIPPED / "keyless-test.jsonl.gz"  # a run of every stage on all questions, with tokens counted as charged


def estimate(
    stages: Sequence[str], limit: int | None = None, sets: Mapping[str, float] = MEASURED, split: str = SPLIT
) -> tuple[int, int, float]:
    """Estimate answers, tokens and US dollars of the stages on question sets, by the means of a shipped run."""
    run, answers, tokens, cost = read_run(REFERENCE), 0, 0.0, 0.0
    for name, weight in sets.items():
        questions = sample(golden_questions(split, SETS[name]), limit)
        counts = dict.fromkeys(stages, len(questions)) | {WITH_EVIDENCE: len(with_known_evidence(questions))}
        for stage, count in counts.items():
            answers += count
            tokens += weight * count * run.mean(stage, "tokens")
            cost += weight * count * run.mean(stage, "cost")
    per_in, per_out = (run.settings[f"price_per_million_{kind}_tokens"] for kind in ("input", "output"))
    written = (1_000_000 * cost - per_in * tokens) / (per_out - per_in)
    return answers, round(tokens), price(tokens - written, written)


def as_markdown(runs: Sequence[Evaluation]) -> str:
    """Write the report of runs on the sets `MEASURED`, or on the first of them, in the language of the reader."""
    return "\n\n".join(_paragraphs(*runs)) + "\n"


def _paragraphs(golden: Evaluation, *further: Evaluation) -> Iterator[str]:
    runs = (golden, *further)
    yield f"# {_('Gates of the stages')}"
    about = {_("Model"): golden.settings["answers"], _("Embedding"): golden.settings["embedding"]}
    about |= {_("Date"): f"{golden.at:%Y-%m-%d}"}
    about |= {f"{run.data}, {run.split}": _(f"{run.questions} questions") for run in runs}
    yield _list(f"{name}: {_(str(value))}" for name, value in about.items())
    yield f"## {_(f'Gates on {golden.data}, {golden.split}')}"
    head = _("promise"), _("measured"), _("status"), _("what confirms or refutes it")
    gates = gate_report(golden)
    yield markdown_table(head, [[_(g.promise), _(g.number), _(g.status), _(g.decided_by)] for g in gates])
    yield plain_line(_(f"A gate of fewer than {settings().gate_questions} questions is measured, not judged."))
    for run in runs:
        yield f"## {_(f'Means on {run.data}, {run.split}, with 95 % intervals')}"
        table = run.table((*HEADLINE, "groundedness"))
        yield markdown_table(table.head, table.rows)
    for run in further:
        yield f"## {_(f'Gains on {run.data}, {run.split}: {ACROSS}')}"
        yield plain_line(
            _("The share of the questions for which all passages of the evidence are among the first ten.")
        )
        yield _list(str(gain) for gain in run.gains([ACROSS]) if gain.n)
        yield plain_line(_(RULE))
    yield f"## {_('Notes')}"
    yield _list(map(_, dict.fromkeys(remark for run in runs for remark in run.remarks)))


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {plain_line(line)}" for line in lines)
