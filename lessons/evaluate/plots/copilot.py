"""Two pictures of the copilot: what fills its prompt, and what it costs a month."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from lessons.copilot.cost import CostModel
from lessons.copilot.layout import Layout
from lessons.evaluate.plots.canvas import canvas

COLOURS = {"retrieval": "#4c78a8", "answer": "#54a24b", "update": "#f58518"}
NAMES = {"retrieval": "retrieval and judging", "answer": "answers", "update": "memory updates"}


def plot_layout(layout: Layout) -> Figure:
    """Each part of the prompt: the pale bar is what it may take, the dark one what it takes."""
    figure, axes = canvas(6, 3)
    names = [part.name for part in layout.parts]
    axes.barh(names, [part.limit for part in layout.parts], color="#4c78a8", alpha=0.25)
    axes.barh(names, [part.tokens for part in layout.parts], color="#4c78a8")
    axes.invert_yaxis()
    axes.set_xlabel("tokens (estimate)")
    axes.set_title(f"{layout.tokens:,} of {layout.limit:,} tokens, in the order in which they are sent")
    return figure


def plot_monthly(
    model: CostModel, sessions_a_day: int, turns: Sequence[int], prices: tuple[float, float] | None = None
) -> Figure:
    """The monthly cost by the length of a session, part upon part."""
    figure, axes = canvas(6, 3.2)
    costs = [model.monthly(sessions_a_day, count, *(prices or ())) for count in turns]
    parts = [[cost[name] for cost in costs] for name in COLOURS]
    axes.stackplot(turns, parts, labels=list(NAMES.values()), colors=list(COLOURS.values()), alpha=0.85)
    axes.set_xlabel("turns in a session")
    axes.set_ylabel("US dollars a month")
    axes.set_title(f"{sessions_a_day:,} sessions a day")
    axes.legend(loc="upper left", frameon=False)
    return figure
