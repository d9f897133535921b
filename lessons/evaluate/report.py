"""An evaluation as a compact table, and its gains in words."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from lessons.evaluate.compare import RULE
from lessons.evaluate.evaluation import CEILED, CEILING, METRICS, Evaluation, Summary, summarise
from lessons.evaluate.gates import gate_report

HEADLINE = ("recall@5", "ndcg@10", "all@10", "correctness", "strict")
GROUPED = ("recall@5", "correctness", "strict")


def report(evaluation: Evaluation) -> RenderableType:
    """Every stage with its metrics, categories and languages, what changed between stages, promises, notes."""
    tables = [_stages(evaluation), *(_groups(evaluation, metric) for metric in GROUPED)]
    lines = [_about_ceiling(evaluation)] if evaluation.ceiling else []
    lines += [RULE] if len(evaluation.stages) > 1 else []
    lines += [str(gain) for gain in evaluation.gains(HEADLINE) if gain.n]
    lines += [str(result) for result in gate_report(evaluation) if result.number]
    lines += [f"Note: {remark}" for remark in evaluation.remarks]
    if warned := [record for record in evaluation.records if record.warnings]:
        lines.append(f"Note: {len(warned)} answers came with a warning, the first: {warned[0].warnings[0]}")
    return Group(*tables, *map(Text, lines))


@contextmanager
def bars(console: Console, hidden: bool) -> Iterator[Callable[[str, int, int], None]]:
    """A bar on `console` for each thing that is being done; the yielded function moves them."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=hidden) as shown:
        tasks: dict[str, TaskID] = {}

        def watch(label: str, done: int, total: int) -> None:
            if label not in tasks:
                tasks[label] = shown.add_task(label, total=total)
            shown.update(tasks[label], completed=done)

        yield watch


def _stages(evaluation: Evaluation) -> Table:
    questions = len({record.question_id for record in evaluation.records})
    title = f"{evaluation.data}, {evaluation.split}: {questions} questions, means with 95 % intervals"
    table, summaries = _table(title, evaluation), [evaluation.summary(stage) for stage in evaluation.stages]
    for metric in METRICS:
        table.add_row(_label(evaluation, metric), *(_with_interval(summary, metric) for summary in summaries))
    table.add_section()
    for label, value in PLAIN.items():
        table.add_row(label, *(value(summary) for summary in summaries))
    return table


PLAIN: dict[str, Callable[[Summary], str]] = {
    "refusal prec.": lambda of: _number(of.refusal_precision),
    "refusal recall": lambda of: _number(of.refusal_recall),
    "wrong evidence": lambda of: _number(of.right_answer_wrong_evidence),
    "p50 (ms)": lambda of: f"{of.p50_ms:,.0f}",
    "p95 (ms)": lambda of: f"{of.p95_ms:,.0f}",
    "steps by": lambda of: of.shares,
    "model calls": lambda of: f"{of.llm_calls:.1f}",
    "tokens": lambda of: f"{of.tokens:,.0f}",
    "US$ per 1,000": lambda of: f"{1_000 * of.cost:.2f}",
}
"""The rows below the metrics: how each is written, here and in the app."""


def _groups(evaluation: Evaluation, metric: str) -> Table:
    table = _table(f"{evaluation.label(metric)} by category and language", evaluation)
    for by in ("category", "language"):
        for name in evaluation.groups(by):
            summaries = [evaluation.summary(stage, **{by: name}) for stage in evaluation.stages]
            ceiling = _ceiling(evaluation, metric, **{by: name})
            table.add_row(
                f"{name} ({summaries[0].n}){ceiling}", *(_with_interval(summary, metric) for summary in summaries)
            )
        table.add_section()
    return table


def _label(evaluation: Evaluation, metric: str) -> str:
    """What a metric is called, narrow, and its ceiling below."""
    return evaluation.label(metric).replace(" (", "\n(") + _ceiling(evaluation, metric)


def _ceiling(evaluation: Evaluation, metric: str, **group: str) -> str:
    mean = evaluation.ceiling_mean(metric, **group)
    return "" if math.isnan(mean) else f"\nceiling {mean:.2f}"


def _about_ceiling(evaluation: Evaluation) -> str:
    given = summarise(evaluation.ceiling)
    values = ", ".join(f"{metric} {given.with_interval(metric)}" for metric in CEILED)
    return f"{CEILING}: {values}, n = {given.n}. What is wrong there, a better search alone does not put right."


def _table(title: str, evaluation: Evaluation) -> Table:
    table = Table("", title=title)
    for stage in evaluation.stages:
        table.add_column(stage, justify="right")
    return table


def _with_interval(summary: Summary, metric: str) -> str:
    """The mean, and its interval in the line below, narrow enough for five stages side by side."""
    low, high = summary.intervals[metric]
    return "–" if math.isnan(low) else f"{_number(summary.means[metric])}\n{_number(low)}–{_number(high)}"


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}"
