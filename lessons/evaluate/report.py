"""What was measured as compact tables for a terminal: stages with their gains and gates, and memories."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from lessons.evaluate.compare import RULE, interval
from lessons.evaluate.dialogues import TOKENS, Dialogue, by_kind
from lessons.evaluate.evaluation import CEILED, CEILING, METRICS, Evaluation, Summary, summarise
from lessons.evaluate.gates import gate_report
from lessons.evaluate.locomo import Recalled

HEADLINE = ("recall@5", "ndcg@10", "all@10", "correctness", "strict")
GROUPED = ("recall@5", "correctness", "strict")
AGES = (5, 20, 100)  # turns; the ages of old facts are grouped by them


def report(evaluation: Evaluation) -> RenderableType:
    """Every stage with its metrics, categories and languages, what changed between stages, promises, notes."""
    tables = [_stages(evaluation), *(_groups(evaluation, metric) for metric in GROUPED)]
    lines = []
    if evaluation.ceiling:
        given = summarise(evaluation.ceiling)
        values = ", ".join(f"{metric} {given.with_interval(metric)}" for metric in CEILED)
        lines = [f"{CEILING}: {values}, n = {given.n}. What is wrong there, a better search alone does not put right."]
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
    table, summaries = _table(title, evaluation.stages), [evaluation.summary(stage) for stage in evaluation.stages]
    for metric in METRICS:
        label = evaluation.label(metric).replace(" (", "\n(") + _ceiling(evaluation, metric)
        table.add_row(label, *(_with_interval(summary, metric) for summary in summaries))
    table.add_section()
    for label, value in PLAIN.items():
        table.add_row(label, *map(value, summaries))
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
    table = _table(f"{evaluation.label(metric)} by category and language", evaluation.stages)
    for by in ("category", "language"):
        for name in evaluation.groups(by):
            summaries = [evaluation.summary(stage, **{by: name}) for stage in evaluation.stages]
            label = f"{name} ({summaries[0].n}){_ceiling(evaluation, metric, **{by: name})}"
            table.add_row(label, *(_with_interval(summary, metric) for summary in summaries))
        table.add_section()
    return table


def _ceiling(evaluation: Evaluation, metric: str, **group: str) -> str:
    mean = evaluation.ceiling_mean(metric, **group)
    return "" if math.isnan(mean) else f"\nceiling {mean:.2f}"


def _with_interval(summary: Summary, metric: str) -> str:
    """The mean, and its interval in the line below, narrow enough for five stages side by side."""
    low, high = summary.intervals[metric]
    return "–" if math.isnan(low) else f"{_number(summary.means[metric])}\n{_number(low)}–{_number(high)}"


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}"


def dialogue_report(evaluation: Evaluation, dialogues: Sequence[Dialogue]) -> Table:
    """Correctness under each memory, by distance, kind and language, and the tokens that each handed over."""

    def values(of: Evaluation, metric: str, **group: str) -> dict[str, list[float]]:
        return {name: [record.metrics[metric] for record in of.of(name, **group)] for name in of.stages}

    table = _table(f"golden dialogues, {evaluation.split}: correctness with 95 % intervals", evaluation.stages)
    _row(table, "all", values(evaluation, "correctness"))
    _row(table, "fully right", values(evaluation, "strict"))
    for of, by in ((evaluation, "category"), (by_kind(evaluation, dialogues), "category"), (evaluation, "language")):
        table.add_section()
        for group in sorted(of.groups(by)):
            _row(table, group, values(of, "correctness", **{by: group}))
    table.add_section()
    table.add_row("tokens handed over", *(f"{np.mean(each):,.0f}" for each in values(evaluation, TOKENS).values()))
    return table


def locomo_report(found: Sequence[Recalled]) -> Table:
    """The share of old facts that each memory still hands over, by their age, and the tokens that it takes."""
    by_memory = {name: [each for each in found if each.memory == name] for name in [each.memory for each in found]}
    table = _table("old facts still handed over, with 95 % intervals", list(by_memory))
    _row(table, "all", {name: [each.share for each in own] for name, own in by_memory.items()})
    for least, most in zip((0, *AGES), (*AGES, 10**9), strict=True):
        if any(least < each.age <= most for each in found):
            label = f"{least + 1}–{most} turns old" if most in AGES else f"older than {least} turns"
            aged = {name: [each.share for each in own if least < each.age <= most] for name, own in by_memory.items()}
            _row(table, label, aged)
    tokens = [np.mean([each.tokens for each in own]) for own in by_memory.values()]
    table.add_row("tokens handed over", *(f"{mean:,.0f}" for mean in tokens))
    return table


def _table(title: str, columns: Sequence[str]) -> Table:
    table = Table(title=title)
    table.add_column(no_wrap=True)
    for name in columns:
        table.add_column(name, justify="right")
    return table


def _row(table: Table, label: str, values: Mapping[str, Sequence[float]]) -> None:
    """A row of means with their intervals; the label says how many values there are."""
    shown = [
        f"{np.mean(each):.2f} [{low:.2f}, {high:.2f}]" for each in values.values() for low, high in [interval(each)]
    ]
    table.add_row(f"{label} ({len(next(iter(values.values())))})", *shown)
