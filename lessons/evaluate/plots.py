"""What an evaluation shows, a message to a plot; and what every plot is drawn on."""

from collections.abc import Iterable, Sequence
from functools import cache
from io import BytesIO
from textwrap import fill
from typing import Any
from weakref import WeakSet

import matplotlib as mpl
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.text import Text
from rich.cells import cell_len

from lessons.evaluate.evaluation import (
    JUDGED,
    OUTCOMES,
    UNANSWERABLE,
    WITH_EVIDENCE,
    Evaluation,
    Summary,
    compare_records,
    metric_values,
    moved_records,
    summarise,
)
from lessons.language import _
from lessons.settings import ROOT
from lessons.tables import counted

FONT = ROOT / "data" / "fonts" / "NanumGothic.ttf"

STAGE_COLOURS = {  # the first colours of Vega's tableau10 scheme
    "naive": "#4c78a8",
    "enhanced": "#f58518",
    "smart": "#54a24b",
    "reranked": "#b279a2",
    "agentic": "#e45756",
}
_LIKE = {"window": "naive", "tiers": "smart", "recursive summary": "reranked", "everything": "agentic"}
_FIXED = STAGE_COLOURS | {name: STAGE_COLOURS[stage] for name, stage in _LIKE.items()} | {"none": "#bab0ac"}
_FREE = [to_hex(rgb) for name in ("Dark2", "tab20b", "tab20c", "tab20") for rgb in mpl.color_sequences[name]]


class Plot(Figure):
    """A figure that every notebook shows, whatever backend it runs, in the language of the reader."""

    def draw(self, renderer: RendererBase) -> None:
        translate(self)
        super().draw(renderer)

    def _repr_png_(self) -> bytes:
        picture = BytesIO()
        self.savefig(picture, format="png", dpi=100)
        return picture.getvalue()


_translated: WeakSet[Figure] = WeakSet()


def translate(figure: Figure) -> None:
    """Put what is written in a figure into the language of the reader, once: a thread that draws it knows no reader."""
    if figure in _translated:
        return
    _translated.add(figure)
    for text in figure.findobj(Text):
        text.set_text(_(text.get_text()))


def canvas(width: float, height: float) -> tuple[Figure, Axes]:
    """Make a figure outside pyplot, so that none stays open and no window system is needed. Sizes are inches."""
    use_fonts()
    figure = Plot(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", alpha=0.3)
    return figure, axes


@cache
def use_fonts() -> None:
    """Make the shipped font known to matplotlib and put it first; DejaVu Sans has the signs that it lacks."""
    font_manager.fontManager.addfont(FONT)
    mpl.rcParams["font.family"] = [font_manager.FontProperties(fname=str(FONT)).get_name(), "DejaVu Sans"]
    mpl.rcParams["axes.unicode_minus"] = False


def name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Name the rows of a plot, the first on top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(max(len(names), 1) - 0.5, -0.5)


def legend_beside(axes: Axes, **style: Any) -> None:
    """Put the legend to the right of the axes, where it hides nothing."""
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5), **style)


def stage_colour(name: str) -> str:
    """Return the colour of a stage or a memory; one that is made in a notebook gets one that no stage has."""
    return stage_colours([name])[name]


def stage_colours(names: Iterable[str]) -> dict[str, str]:
    """Give each name of one plot its own colour; those of stages and memories are the same in all plots."""
    free = (colour for colour in dict.fromkeys(_FREE) if colour not in _FIXED.values())
    return {name: _FIXED.get(name) or next(free) for name in dict.fromkeys(names)}


def shortened(text: str, columns: int) -> str:
    """Cut the middle of a text longer than `columns`, of which a Latin letter takes one, a Korean one two."""
    if cell_len(text) <= columns:
        return text
    longest = min(len(text), columns)  # hardly any character is narrower than a column
    cuts = (f"{text[: size - size // 2]}…{text[len(text) - size // 2 :]}" for size in range(longest, -1, -1))
    return next(cut for cut in cuts if cell_len(cut) <= columns)


def wrapped(text: str, columns: int) -> str:
    """Break a text into lines of about `columns`."""
    return fill(text, max(1, columns * len(text) // max(1, cell_len(text))))


# What an evaluation shows

MOVED_AT_MOST = 30  # questions that a plot can name and stay readable
_DASHED: dict[str, Any] = {"color": "black", "linestyle": "--", "linewidth": 1}


def plot_metric(evaluation: Evaluation, metric: str = "recall@5") -> Figure:
    """Draw one metric of every stage with its 95 % interval."""
    figure, axes = canvas(5.5, 0.6 * len(evaluation.stages) + 1.4)
    for row, (stage, colour) in enumerate(stage_colours(evaluation.stages).items()):
        _mark(axes, summarise(evaluation.of(stage), [metric]), metric, row=row, color=colour)
    name_rows(axes, evaluation.stages)
    if not np.isnan(with_evidence := evaluation.mean_with_evidence(metric)):
        axes.axvline(with_evidence, label=WITH_EVIDENCE, **_DASHED)
        axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1.06), fontsize=8)
    title = f"{metric} by stage ({evaluation.data}, {evaluation.split})"
    axes.set(xlim=(-0.02, 1.02), xlabel=f"{evaluation.label(metric)}, mean with 95 % interval", title=title)
    return figure


# Equally light, so that white words can be read on each, and that all are still equal where the app inverts lightness.
OUTCOME_COLOURS = {"right": "#238350", "half": "#9a6b00", "refused": "#767676", "wrong": "#cc4444"}
_LEAST_WRITTEN = 0.06  # of a bar, which has its number written in it


def plot_outcomes(evaluation: Evaluation) -> Figure:
    """Draw a bar a stage: the shares of the four outcomes, and beside it those where the documents do not say."""
    columns = evaluation.columns()
    figure, axes = canvas(8.5, 0.5 * len(columns) + 1.6)
    figure.set_layout_engine("constrained", wspace=0.08)
    axes.remove()
    answerable, unanswerable = figure.subplots(1, 2, sharey=True, width_ratios=(3, 1))
    for row, summary in enumerate(columns.values()):
        _stack(answerable, row, {outcome: summary.means[outcome] for outcome in OUTCOMES})
        wrong = summary.means[UNANSWERABLE]
        _stack(unanswerable, row, {"refused": 1 - wrong, "wrong": wrong}, 3 * _LEAST_WRITTEN)  # a third as wide
    name_rows(answerable, [_(name) for name in columns])
    for panel, metric, title in (
        (answerable, "right", "documents have the answer"),
        (unanswerable, UNANSWERABLE, "they do not"),
    ):
        panel.spines[["top", "right"]].set_visible(False)
        n = len(metric_values(evaluation.of(evaluation.stages[0]), metric))
        panel.set(xlim=(0, 1), title=_(title), xlabel=_("share of {n} questions", n=n))
    handles = [Patch(color=colour, label=_(outcome)) for outcome, colour in OUTCOME_COLOURS.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False)
    return figure


def _stack(axes: Axes, row: int, shares: dict[str, float], least: float = _LEAST_WRITTEN) -> None:
    """Draw a bar from left to right, with the numbers in its larger parts; nothing where a share is unknown."""
    left = 0.0
    for outcome, share in shares.items():
        if np.isnan(share):
            return
        bar = axes.barh(row, share, left=left, color=OUTCOME_COLOURS[outcome], edgecolor="white")
        if share >= least:
            axes.bar_label(bar, [f"{share:.2f}"], label_type="center", fontsize=8, color="white")
        left += share


def plot_groups(evaluation: Evaluation, metric: str = "recall@5", by: str = "category") -> Figure:
    """Draw one metric of every stage for each `category` or `language`, with 95 % intervals and question counts."""
    stages, colours, rows = evaluation.stages, stage_colours(evaluation.stages), list[str]()
    figure, axes = canvas(6.5, 0.19 * len(evaluation.groups(by)) * (len(stages) + 1) + 1.4)
    for group in evaluation.groups(by):
        summaries = [evaluation.summary(stage, **{by: group}) for stage in stages]
        if np.isnan([summary.means[metric] for summary in summaries]).all():
            continue
        for number, (stage, summary) in enumerate(zip(stages, summaries, strict=True)):
            # Two groups are twice as far apart as two stages of one.
            row = len(rows) + (number - (len(stages) - 1) / 2) / (len(stages) + 1)
            _mark(axes, summary, metric, row=row, color=colours[stage])
        if not np.isnan(with_evidence := evaluation.mean_with_evidence(metric, **{by: group})):
            axes.plot([with_evidence, with_evidence], [len(rows) - 0.4, len(rows) + 0.4], **_DASHED)
        count = len(metric_values(evaluation.of(stages[0], **{by: group}), metric))
        rows.append(f"{_(group)} (n = {count})")
    name_rows(axes, rows)
    label = f"{evaluation.label(metric)}, mean with 95 % interval"
    axes.set(xlim=(-0.02, 1.02), xlabel=label, title=f"{metric} by {by}")
    for stage, colour in colours.items():
        axes.plot([], [], "o", color=colour, label=stage)
    if evaluation.with_evidence and metric in JUDGED:
        axes.plot([], [], label=WITH_EVIDENCE, **_DASHED)
    legend_beside(axes)
    return figure


def plot_cost(evaluation: Evaluation, metric: str = "correctness") -> Figure:
    """Plot quality against money: US dollars for 1,000 questions at the prices of the settings."""
    figure, axes = canvas(6, 4)
    for stage, colour in stage_colours(evaluation.stages).items():
        summary = evaluation.summary(stage)
        _mark(axes, summary, metric, x=1_000 * summary.cost, color=colour, label=stage)
    if not np.isnan(with_evidence := evaluation.mean_with_evidence(metric)):
        axes.axhline(with_evidence, label=WITH_EVIDENCE, **_DASHED)
    axes.set(xlim=(0, None), ylim=(0, 1.02), title=f"What a better {metric} costs in money")
    axes.set(xlabel="cost of 1,000 questions (US$)", ylabel=f"{evaluation.label(metric)}, mean with 95 % interval")
    legend_beside(axes)
    return figure


def plot_moved(evaluation: Evaluation, baseline: str, candidate: str, metric: str = "recall@5") -> Figure:
    """Draw an arrow for each question whose metric changed between two stages, the largest gains on top."""
    records = evaluation.of(baseline), evaluation.of(candidate)
    pairs = moved_records(*records, metric)
    up = sum(new.value(metric) > old.value(metric) for old, new in pairs)
    same = compare_records(*records, metric, baseline, candidate).n - len(pairs)
    rows = pairs if len(pairs) <= MOVED_AT_MOST else pairs[: MOVED_AT_MOST // 2] + pairs[-MOVED_AT_MOST // 2 :]
    figure, axes = canvas(8, 0.28 * len(rows) + 1.6)
    colours = stage_colours([baseline, candidate])
    for row, (old, new) in enumerate(rows):
        start, end = old.value(metric), new.value(metric)
        arrow = {"arrowstyle": "->", "color": colours[candidate if end > start else baseline]}
        axes.annotate("", xy=(end, row), xytext=(start, row), arrowprops=arrow)
    axes.set(xlim=(-0.05, 1.05), xlabel=f"{_(evaluation.label(metric))}: {baseline} → {candidate}")
    name_rows(axes, [f"{old.question_id}  {shortened(old.question, 60)}" for old, _new in rows])
    counts = f"{counted(up, 'question')} up, {len(pairs) - up} down, {same} unmoved"
    figure.suptitle(f"{counts} from {baseline} to {candidate}")
    return figure


def _mark(axes: Axes, summary: Summary, metric: str, row: float = 0.0, x: float | None = None, **style: Any) -> None:
    """Draw a dot at the mean with its interval, if any: lying in a row, or standing at `x`."""
    mean, (low, high) = summary.means[metric], summary.intervals[metric]
    if np.isnan(mean):
        return
    errors = np.maximum(0.0, [[mean - low], [high - mean]])  # rounding must not make one negative
    if x is None:
        axes.errorbar(mean, row, xerr=errors, fmt="o", capsize=3, **style)
    else:
        axes.errorbar(x, mean, yerr=errors, fmt="o", capsize=3, **style)
