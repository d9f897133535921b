"""What was measured, as tables for a terminal: stages with their gains and gates, and memories."""

import math
from collections.abc import Callable, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lessons.evaluate.compare import RULE
from lessons.evaluate.dialogues import AGES, SHARE, TOKENS, Dialogue, by_kind
from lessons.evaluate.evaluation import (
    JUDGED,
    METRICS,
    OUTCOMES,
    UNANSWERABLE,
    WITH_EVIDENCE,
    Evaluation,
    Summary,
    mean,
    summarise,
)
from lessons.evaluate.gates import gate_report
from lessons.language import _

HEADLINE = ("recall@5", "ndcg@10", "all@10", "correctness", "right", "wrong", UNANSWERABLE)
GROUPED = ("recall@5", "correctness")
FOUR_OUTCOMES = "right · half · refused · wrong in percent, by category and language"


def report(evaluation: Evaluation) -> RenderableType:
    """Every stage with its metrics, categories and languages, what changed between stages, promises, notes."""
    tables = [_stages(evaluation), *(_groups(evaluation, metric) for metric in GROUPED)]
    tables.append(_outcomes(evaluation))
    lines = []
    if evaluation.with_evidence:
        given = summarise(evaluation.with_evidence)
        values = ", ".join(f"{_(metric)} {given.with_interval(metric)}" for metric in JUDGED)
        told = "What is wrong there, a better search alone does not put right."
        lines = [f"{_(WITH_EVIDENCE)}: {values}, n = {given.n}. {_(told)}"]
    lines += [RULE] if len(evaluation.stages) > 1 else []
    lines += [str(gain) for gain in evaluation.gains(HEADLINE) if gain.n]
    lines += [str(result) for result in gate_report(evaluation) if result.number]
    lines += [f"Note: {remark}" for remark in evaluation.remarks]
    if warned := [record for record in evaluation.records if record.warnings]:
        lines.append(f"Note: {len(warned)} answers came with a warning, the first: {warned[0].warnings[0]}")
    return Group(*tables, *(Text(_(line)) for line in lines))


def _stages(evaluation: Evaluation) -> Table:
    title = f"{evaluation.data}, {evaluation.split}: {evaluation.questions} questions, means with 95 % intervals"
    table, summaries = _table(title, evaluation.stages), [evaluation.summary(stage) for stage in evaluation.stages]
    for metric in METRICS:
        label = _(evaluation.label(metric)).replace(" (", "(").replace("(", "\n(") + _with_evidence(evaluation, metric)
        table.add_row(label, *(_with_interval(summary, metric) for summary in summaries))
    table.add_section()
    for label, value in PLAIN.items():
        table.add_row(_(label), *(_(value(summary)) for summary in summaries))
    return table


# The rows below the metrics: how each is written, here and in the app.
PLAIN: dict[str, Callable[[Summary], str]] = {
    "p50 (ms)": lambda of: f"{of.p50_ms:,.0f}",
    "p95 (ms)": lambda of: f"{of.p95_ms:,.0f}",
    "steps by": lambda of: of.shares,
    "model calls": lambda of: f"{of.llm_calls:.1f}",
    "tokens": lambda of: f"{of.tokens:,.0f}",
    "US$ per 1,000": lambda of: f"{1_000 * of.cost:.2f}",
}


def _groups(evaluation: Evaluation, metric: str) -> Table:
    table = _table(f"{evaluation.label(metric)} by category and language", evaluation.stages)
    for by in ("category", "language"):
        for name in evaluation.groups(by):
            summaries = [evaluation.summary(stage, **{by: name}) for stage in evaluation.stages]
            label = f"{_(name)} ({summaries[0].n}){_with_evidence(evaluation, metric, **{by: name})}"
            table.add_row(label, *(_with_interval(summary, metric) for summary in summaries))
        table.add_section()
    return table


def _outcomes(evaluation: Evaluation) -> Table:
    """The four shares of each stage for the groups whose questions have an answer."""
    table = _table(FOUR_OUTCOMES, evaluation.stages)
    for by in ("category", "language"):
        for name in evaluation.groups(by):
            shares = [evaluation.summary(stage, **{by: name}).outcomes for stage in evaluation.stages]
            if {*shares} != {"–"}:
                table.add_row(_(name), *shares)
        table.add_section()
    return table


def _with_evidence(evaluation: Evaluation, metric: str, **group: str) -> str:
    mean = evaluation.mean_with_evidence(metric, **group)
    return "" if math.isnan(mean) else "\n" + _(f"given the evidence {mean:.2f}")


def _with_interval(summary: Summary, metric: str) -> str:
    """The mean, and its interval in the line below, narrow enough for five stages side by side."""
    mean, (low, high) = summary.means[metric], summary.intervals[metric]
    ends = "–" if math.isnan(low) else f"{low:.2f}–{high:.2f}"
    return "–" if math.isnan(mean) else f"{mean:.2f}\n{ends}"


def dialogue_report(evaluation: Evaluation, dialogues: Sequence[Dialogue]) -> Table:
    """Correctness under each memory, by distance, kind and language, and the tokens that each handed over."""
    table = _table(f"golden dialogues, {evaluation.split}: correctness with 95 % intervals", evaluation.stages)
    _means(table, "all", evaluation, "correctness")
    for outcome in OUTCOMES:
        _means(table, outcome, evaluation, outcome)
    for of, by in ((evaluation, "category"), (by_kind(evaluation, dialogues), "category"), (evaluation, "language")):
        table.add_section()
        for group in sorted(of.groups(by)):
            _means(table, group, of, "correctness", **{by: group})
    table.add_section()
    return _with_tokens(table, evaluation)


def locomo_report(evaluation: Evaluation) -> Table:
    """The share of old facts that each memory still hands over, by their age, and the tokens that it takes."""
    table = _table("old facts still handed over, with 95 % intervals", evaluation.stages)
    _means(table, "all", evaluation, SHARE)
    for age in AGES.values():
        if age in evaluation.groups("category"):
            _means(table, age, evaluation, SHARE, category=age)
    return _with_tokens(table, evaluation)


def _table(title: str, columns: Sequence[str]) -> Table:
    table = Table(title=_(title))
    table.add_column(no_wrap=True)
    for name in columns:
        table.add_column(_(name), justify="right")
    return table


def _means(table: Table, label: str, evaluation: Evaluation, metric: str, **group: str) -> None:
    summaries = [summarise(evaluation.of(name, **group), [metric]) for name in evaluation.stages]
    table.add_row(f"{_(label)} ({summaries[0].n})", *(each.with_interval(metric) for each in summaries))


def _with_tokens(table: Table, evaluation: Evaluation) -> Table:
    table.add_row(_("tokens handed over"), *(f"{mean(evaluation.of(name), TOKENS):,.0f}" for name in evaluation.stages))
    return table
