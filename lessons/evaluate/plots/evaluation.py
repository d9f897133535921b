"""What an evaluation shows, a message to a plot."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter

from lessons.evaluate.colours import stage_colour
from lessons.evaluate.evaluation import CEILED, CEILING, Evaluation, Summary
from lessons.evaluate.plots.canvas import canvas

MOVED_AT_MOST = 30  # questions that a plot can name and stay readable
_LABEL_LENGTH = 48  # characters
_DASHED: dict[str, Any] = {"color": "black", "linestyle": "--", "linewidth": 1}


def plot_metric(evaluation: Evaluation, metric: str = "recall@5") -> Figure:
    """One metric of every stage with its 95 % interval."""
    figure, axes = canvas(5.5, 0.6 * len(evaluation.stages) + 1.4)
    for place, stage in enumerate(evaluation.stages):
        _point(axes, place, evaluation.summary(stage), metric, stage)
    _name_rows(axes, evaluation.stages)
    if not np.isnan(ceiling := evaluation.ceiling_mean(metric)):
        axes.axvline(ceiling, label=CEILING, **_DASHED)
        axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1.06), fontsize=8)
    axes.set_xlabel(f"{evaluation.label(metric)}, mean with 95 % interval")
    axes.set_title(f"{metric} by stage ({evaluation.data}, {evaluation.split})")
    return figure


def plot_groups(evaluation: Evaluation, metric: str = "recall@5", by: str = "category") -> Figure:
    """One metric of every stage for each `category` or `language`, with 95 % intervals and numbers of questions."""
    stages = evaluation.stages
    groups = [
        group
        for group in evaluation.groups(by)
        if not np.isnan([evaluation.summary(stage, **{by: group}).means[metric] for stage in stages]).all()
    ]
    figure, axes = canvas(6.5, 0.19 * len(groups) * (len(stages) + 1) + 1.4)
    for row, group in enumerate(groups):
        for place, stage in enumerate(stages):
            _point(axes, row + _offset(place, len(stages)), evaluation.summary(stage, **{by: group}), metric, stage)
        if not np.isnan(ceiling := evaluation.ceiling_mean(metric, **{by: group})):
            axes.plot([ceiling, ceiling], [row - 0.4, row + 0.4], **_DASHED)
    _name_rows(axes, [f"{group} (n = {len(evaluation.of(stages[0], **{by: group}))})" for group in groups])
    axes.set_xlabel(f"{evaluation.label(metric)}, mean with 95 % interval")
    axes.set_title(f"{metric} by {by}")
    _legend(axes, stages, bool(evaluation.ceiling) and metric in CEILED)
    return figure


def plot_latency(evaluation: Evaluation, metric: str = "correctness") -> Figure:
    """Quality against time: the dot stands at the median latency, the line ends at the 95th percentile."""
    figure, axes = canvas(6, 4)
    for stage in evaluation.stages:
        summary = evaluation.summary(stage)
        quality = summary.means[metric]
        axes.plot([summary.p50_ms, summary.p95_ms], [quality, quality], color=stage_colour(stage), alpha=0.5)
        _dot(axes, summary.p50_ms, summary, metric, stage)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(LogFormatter())
    axes.xaxis.set_minor_formatter(LogFormatter())
    axes.set_xlabel("latency of an answer, median to 95th percentile (ms, logarithmic)")
    return _quality(figure, axes, evaluation, metric, "time")


def plot_cost(evaluation: Evaluation, metric: str = "correctness") -> Figure:
    """Quality against money: US dollars for 1,000 questions at the prices of the settings."""
    figure, axes = canvas(6, 4)
    for stage in evaluation.stages:
        summary = evaluation.summary(stage)
        _dot(axes, 1_000 * summary.cost, summary, metric, stage)
    axes.set_xlim(left=0)
    axes.set_xlabel("cost of 1,000 questions (US$)")
    return _quality(figure, axes, evaluation, metric, "money")


def plot_moved(evaluation: Evaluation, before: str, after: str, metric: str = "recall@5") -> Figure:
    """The questions whose metric changed between two stages, the largest gains on top, an arrow each."""
    later = {record.question_id: record for record in evaluation.of(after)}
    pairs = [(record, later[record.question_id]) for record in evaluation.of(before) if record.question_id in later]
    changes = [
        (new.value(metric) - old.value(metric), f"{old.question_id}  {_short(old.question)}", old.value(metric))
        for old, new in pairs
    ]
    moved = sorted((change for change in changes if change[0] and not np.isnan(change[0])), reverse=True)
    up, down = sum(change > 0 for change, *_ in moved), sum(change < 0 for change, *_ in moved)
    shown = moved if len(moved) <= MOVED_AT_MOST else moved[: MOVED_AT_MOST // 2] + moved[-MOVED_AT_MOST // 2 :]
    figure, axes = canvas(8, 0.28 * len(shown) + 1.6)
    for row, (change, _, start) in enumerate(shown):
        colour = stage_colour(after if change > 0 else before)
        axes.annotate(
            "", xy=(start + change, row), xytext=(start, row), arrowprops={"arrowstyle": "->", "color": colour}
        )
    axes.set_xlim(-0.05, 1.05)
    _name_rows(axes, [label for _, label, _ in shown])
    axes.set_xlabel(f"{evaluation.label(metric)}, from {before} to {after}")
    figure.suptitle(f"{up} questions up, {down} down, {len(pairs) - up - down} unmoved from {before} to {after}")
    return figure


def _point(axes: Axes, row: float, summary: Summary, metric: str, stage: str) -> None:
    mean = summary.means[metric]
    if not np.isnan(mean):
        axes.errorbar(mean, row, xerr=_errors(summary, metric), fmt="o", capsize=3, color=stage_colour(stage))
    axes.set_xlim(-0.02, 1.02)


def _dot(axes: Axes, x: float, summary: Summary, metric: str, stage: str) -> None:
    quality, colour = summary.means[metric], stage_colour(stage)
    if np.isnan(quality):
        return
    axes.errorbar(x, quality, yerr=_errors(summary, metric), fmt="o", capsize=3, color=colour)
    axes.annotate(stage, (x, quality), xytext=(6, 6), textcoords="offset points", color=colour)


def _errors(summary: Summary, metric: str) -> list[list[float]]:
    """Distances from the mean down and up, as matplotlib wants them; rounding never makes one negative."""
    mean, (low, high) = summary.means[metric], summary.intervals[metric]
    return [[max(0.0, mean - low)], [max(0.0, high - mean)]]


def _quality(figure: Figure, axes: Axes, evaluation: Evaluation, metric: str, price: str) -> Figure:
    if not np.isnan(ceiling := evaluation.ceiling_mean(metric)):
        axes.axhline(ceiling, label=CEILING, **_DASHED)
        axes.legend(frameon=False, loc="upper right", fontsize=8)
    axes.set_ylim(0, 1.02)
    axes.set_ylabel(f"{evaluation.label(metric)}, mean with 95 % interval")
    axes.set_title(f"What a better {metric} costs in {price}")
    return figure


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(max(len(names), 1) - 0.5, -0.5)


def _offset(place: int, of: int) -> float:
    return 0.0 if of == 1 else 0.6 * (place / (of - 1) - 0.5)


def _legend(axes: Axes, stages: Sequence[str], ceiling: bool) -> None:
    for stage in stages:
        axes.plot([], [], "o", color=stage_colour(stage), label=stage)
    if ceiling:
        axes.plot([], [], label=CEILING, **_DASHED)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))


def _short(text: str) -> str:
    return text if len(text) <= _LABEL_LENGTH else text[: _LABEL_LENGTH - 1] + "…"
