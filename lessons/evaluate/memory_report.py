"""What was measured of memories, as compact tables."""

from collections.abc import Mapping, Sequence

import numpy as np
from rich.table import Table

from lessons.evaluate.compare import interval
from lessons.evaluate.dialogue_run import TOKENS, by_kind
from lessons.evaluate.dialogues import Dialogue
from lessons.evaluate.evaluation import Evaluation
from lessons.evaluate.locomo import Recalled

AGES = (5, 20, 100)
"""Turns; the ages of old facts are grouped by them."""


def dialogue_report(evaluation: Evaluation, dialogues: Sequence[Dialogue]) -> Table:
    """Correctness under each memory, by distance, kind and language, and the tokens that each handed over."""
    kinds = by_kind(evaluation, dialogues)
    table = _table(f"golden dialogues, {evaluation.split}: correctness with 95 % intervals", evaluation.stages)
    _row(table, "all", {name: _correct(evaluation, name) for name in evaluation.stages})
    _row(table, "fully right", {name: _correct(evaluation, name, "strict") for name in evaluation.stages})
    for grouped, by in ((evaluation, "category"), (kinds, "category"), (evaluation, "language")):
        table.add_section()
        for group in sorted(grouped.groups(by)):
            _row(
                table,
                group,
                {name: _correct(grouped, name, "correctness", **{by: group}) for name in evaluation.stages},
            )
    table.add_section()
    tokens = [np.mean([record.metrics[TOKENS] for record in evaluation.of(name)]) for name in evaluation.stages]
    table.add_row("tokens handed over", *(f"{mean:,.0f}" for mean in tokens))
    return table


def locomo_report(found: Sequence[Recalled]) -> Table:
    """The share of old facts that each memory still hands over, by their age, and the tokens that it takes."""
    names = list(dict.fromkeys(each.memory for each in found))
    table = _table("old facts still handed over, with 95 % intervals", names)
    _row(table, "all", {name: [each.share for each in found if each.memory == name] for name in names})
    for least, most in zip((0, *AGES), (*AGES, 10**9), strict=True):
        own = [each for each in found if least < each.age <= most]
        if own:
            label = f"{least + 1}–{most} turns old" if most in AGES else f"older than {least} turns"
            _row(table, label, {name: [each.share for each in own if each.memory == name] for name in names})
    tokens = [np.mean([each.tokens for each in found if each.memory == name]) for name in names]
    table.add_row("tokens handed over", *(f"{mean:,.0f}" for mean in tokens))
    return table


def _correct(evaluation: Evaluation, name: str, metric: str = "correctness", **group: str) -> list[float]:
    return [record.metrics[metric] for record in evaluation.of(name, **group)]


def _table(title: str, memories: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column(no_wrap=True)
    for name in memories:
        table.add_column(name, justify="right")
    return table


def _row(table: Table, label: str, values: Mapping[str, Sequence[float]]) -> None:
    count = len(next(iter(values.values())))
    shown = [(float(np.mean(column)), *interval(column)) for column in values.values()]
    table.add_row(f"{label} ({count})", *(f"{mean:.2f} [{low:.2f}, {high:.2f}]" for mean, low, high in shown))
