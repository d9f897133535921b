"""What an evaluation shows, a message to a plot. Every function returns a Figure and opens no window."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter

from lessons.evaluate.canvas import Point, canvas, name_points, shortened, stage_colours
from lessons.evaluate.evaluation import CEILED, CEILING, Evaluation, Summary

MOVED_AT_MOST = 30  # questions that a plot can name and stay readable
_DASHED: dict[str, Any] = {"color": "black", "linestyle": "--", "linewidth": 1}


def plot_metric(evaluation: Evaluation, metric: str = "recall@5") -> Figure:
    """One metric of every stage with its 95 % interval."""
    figure, axes = canvas(5.5, 0.6 * len(evaluation.stages) + 1.4)
    for place, (stage, colour) in enumerate(stage_colours(evaluation.stages).items()):
        _point(axes, place, evaluation.summary(stage), metric, colour)
    _name_rows(axes, evaluation.stages)
    if not np.isnan(ceiling := evaluation.ceiling_mean(metric)):
        axes.axvline(ceiling, label=CEILING, **_DASHED)
        axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1.06), fontsize=8)
    axes.set_xlabel(f"{evaluation.label(metric)}, mean with 95 % interval")
    axes.set_title(f"{metric} by stage ({evaluation.data}, {evaluation.split})")
    return figure


def plot_groups(evaluation: Evaluation, metric: str = "recall@5", by: str = "category") -> Figure:
    """One metric of every stage for each `category` or `language`, with 95 % intervals and numbers of questions."""
    stages, colours = evaluation.stages, stage_colours(evaluation.stages)
    groups = [
        group
        for group in evaluation.groups(by)
        if not np.isnan([evaluation.summary(stage, **{by: group}).means[metric] for stage in stages]).all()
    ]
    figure, axes = canvas(6.5, 0.19 * len(groups) * (len(stages) + 1) + 1.4)
    for row, group in enumerate(groups):
        for place, (stage, colour) in enumerate(colours.items()):
            summary = evaluation.summary(stage, **{by: group})
            _point(axes, row + _offset(place, len(stages)), summary, metric, colour)
        if not np.isnan(ceiling := evaluation.ceiling_mean(metric, **{by: group})):
            axes.plot([ceiling, ceiling], [row - 0.4, row + 0.4], **_DASHED)
    _name_rows(axes, [f"{group} (n = {len(evaluation.of(stages[0], **{by: group}))})" for group in groups])
    axes.set(xlabel=f"{evaluation.label(metric)}, mean with 95 % interval", title=f"{metric} by {by}")
    _legend(axes, colours, bool(evaluation.ceiling) and metric in CEILED)
    return figure


def plot_latency(evaluation: Evaluation, metric: str = "correctness") -> Figure:
    """Quality against time: the dot stands at the median latency, the line ends at the 95th percentile."""
    figure, axes = canvas(6, 4)
    axes.set_xscale("log")
    for stage, colour in stage_colours(evaluation.stages).items():
        summary = evaluation.summary(stage)
        quality = summary.means[metric]
        axes.plot([summary.p50_ms, summary.p95_ms], [quality, quality], color=colour, alpha=0.5)
        _dot(axes, summary.p50_ms, summary, metric, colour)
    axes.xaxis.set_major_formatter(LogFormatter())
    axes.xaxis.set_minor_formatter(LogFormatter())
    axes.set_xlabel("latency of an answer, median to 95th percentile (ms, logarithmic)")
    return _quality(figure, axes, evaluation, metric, "time", lambda summary: summary.p50_ms)


def plot_cost(evaluation: Evaluation, metric: str = "correctness") -> Figure:
    """Quality against money: US dollars for 1,000 questions at the prices of the settings."""
    figure, axes = canvas(6, 4)
    for stage, colour in stage_colours(evaluation.stages).items():
        summary = evaluation.summary(stage)
        _dot(axes, 1_000 * summary.cost, summary, metric, colour)
    axes.set_xlim(left=0)
    axes.set_xlabel("cost of 1,000 questions (US$)")
    return _quality(figure, axes, evaluation, metric, "money", lambda summary: 1_000 * summary.cost)


def plot_moved(evaluation: Evaluation, before: str, after: str, metric: str = "recall@5") -> Figure:
    """The questions whose metric changed between two stages, the largest gains on top, an arrow each."""
    later = {record.question_id: record for record in evaluation.of(after)}
    pairs = [(record, later[record.question_id]) for record in evaluation.of(before) if record.question_id in later]
    moved = []
    for old, new in pairs:
        change, label = new.value(metric) - old.value(metric), f"{old.question_id}  {shortened(old.question, 60)}"
        if change and not np.isnan(change):
            moved.append((change, label, old.value(metric)))
    moved.sort(reverse=True)
    up, down = sum(change > 0 for change, *_ in moved), sum(change < 0 for change, *_ in moved)
    shown = moved if len(moved) <= MOVED_AT_MOST else moved[: MOVED_AT_MOST // 2] + moved[-MOVED_AT_MOST // 2 :]
    figure, axes = canvas(8, 0.28 * len(shown) + 1.6)
    colours = stage_colours([before, after])
    for row, (change, _, start) in enumerate(shown):
        colour = colours[after if change > 0 else before]
        arrow = {"arrowstyle": "->", "color": colour}
        axes.annotate("", xy=(start + change, row), xytext=(start, row), arrowprops=arrow)
    axes.set_xlim(-0.05, 1.05)
    _name_rows(axes, [label for _, label, _ in shown])
    axes.set_xlabel(f"{evaluation.label(metric)}, from {before} to {after}")
    figure.suptitle(f"{up} questions up, {down} down, {len(pairs) - up - down} unmoved from {before} to {after}")
    return figure


def _point(axes: Axes, row: float, summary: Summary, metric: str, colour: str) -> None:
    mean = summary.means[metric]
    if not np.isnan(mean):
        axes.errorbar(mean, row, xerr=_errors(summary, metric), fmt="o", capsize=3, color=colour)
    axes.set_xlim(-0.02, 1.02)


def _dot(axes: Axes, x: float, summary: Summary, metric: str, colour: str) -> None:
    if not np.isnan(summary.means[metric]):
        axes.errorbar(x, summary.means[metric], yerr=_errors(summary, metric), fmt="o", capsize=3, color=colour)


def _errors(summary: Summary, metric: str) -> list[list[float]]:
    """Distances from the mean down and up, as matplotlib wants them; rounding never makes one negative."""
    mean, (low, high) = summary.means[metric], summary.intervals[metric]
    return [[max(0.0, mean - low)], [max(0.0, high - mean)]]


def _quality(
    figure: Figure, axes: Axes, evaluation: Evaluation, metric: str, price: str, x: Callable[[Summary], float]
) -> Figure:
    """Name the stages, whose dots stand at `x`, and the axis of the metric."""
    if not np.isnan(ceiling := evaluation.ceiling_mean(metric)):
        axes.axhline(ceiling, label=CEILING, **_DASHED)
        axes.legend(frameon=False, loc="upper right", fontsize=8)
    axes.set_ylim(0, 1.02)
    axes.set_ylabel(f"{evaluation.label(metric)}, mean with 95 % interval")
    axes.set_title(f"What a better {metric} costs in {price}")
    summaries = {stage: evaluation.summary(stage) for stage in evaluation.stages}
    points = [
        Point(x(summaries[stage]), summaries[stage].means[metric], stage, colour)
        for stage, colour in stage_colours(evaluation.stages).items()
    ]
    name_points(axes, [point for point in points if not np.isnan(point.y)])
    return figure


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(max(len(names), 1) - 0.5, -0.5)


def _offset(place: int, of: int) -> float:
    """Where a stage stands in its group, in rows: two groups are twice as far apart as two stages of one."""
    return (place - (of - 1) / 2) / (of + 1)


def _legend(axes: Axes, colours: Mapping[str, str], ceiling: bool) -> None:
    for stage, colour in colours.items():
        axes.plot([], [], "o", color=colour, label=stage)
    if ceiling:
        axes.plot([], [], label=CEILING, **_DASHED)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
