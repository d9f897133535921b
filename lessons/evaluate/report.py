"""An evaluation as a compact table, and its gains in words."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from lessons.evaluate.evaluation import METRICS, Evaluation, Summary
from lessons.evaluate.gates import gate_report

HEADLINE = ("recall@5", "ndcg@10", "correctness", "groundedness")


def report(evaluation: Evaluation) -> RenderableType:
    """Every stage with its metrics, each category and language, what changed between stages, promises, notes."""
    tables = [_stages(evaluation), *(_groups(evaluation, stage) for stage in evaluation.stages)]
    lines = [str(gain) for gain in evaluation.gains() if gain.n]
    lines += [str(result) for result in gate_report(evaluation) if result.number]
    lines += [f"Note: {note}" for note in evaluation.notes]
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
    table = Table(title=f"{evaluation.data}, {evaluation.split}: {questions} questions, means with 95 % intervals")
    table.add_column("")
    for stage in evaluation.stages:
        table.add_column(stage, justify="right")
    summaries = [evaluation.summary(stage) for stage in evaluation.stages]
    for metric in METRICS:
        table.add_row(metric, *(_with_interval(summary, metric) for summary in summaries))
    for label, value in _COSTS.items():
        table.add_row(label, *(value(summary) for summary in summaries))
    return table


_COSTS: dict[str, Callable[[Summary], str]] = {
    "refusals: precision, recall": lambda of: f"{_number(of.refusal_precision)}, {_number(of.refusal_recall)}",
    "right answer, wrong evidence": lambda of: _number(of.right_answer_wrong_evidence),
    "latency p50, p95 (ms)": lambda of: f"{of.p50_ms:.0f}, {of.p95_ms:.0f}",
    "model calls, tokens a question": lambda of: f"{of.llm_calls:.1f}, {of.tokens:,.0f}",
    "US$ per 1,000 questions": lambda of: f"{1_000 * of.cost:.2f}",
}


def _groups(evaluation: Evaluation, stage: str) -> Table:
    table = Table(title=f"{stage} by category and language")
    table.add_column("")
    table.add_column("n", justify="right")
    for metric in HEADLINE:
        table.add_column(metric, justify="right")
    for by in ("category", "language"):
        for name in evaluation.groups(by):
            summary = evaluation.summary(stage, **{by: name})
            table.add_row(name, str(summary.n), *(_with_interval(summary, metric) for metric in HEADLINE))
        table.add_section()
    return table


def _with_interval(summary: Summary, metric: str) -> str:
    low, high = summary.intervals[metric]
    return f"{_number(summary.means[metric])} [{_number(low)}–{_number(high)}]" if not math.isnan(low) else "–"


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}"
