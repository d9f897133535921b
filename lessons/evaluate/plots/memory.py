"""What a memory costs as a conversation grows."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from lessons.evaluate.colours import stage_colours
from lessons.evaluate.plots.canvas import canvas


def plot_growth(tokens: Mapping[str, Sequence[int]]) -> Figure:
    """The tokens that each memory hands over, turn by turn."""
    figure, axes = canvas(6.5, 3.5)
    colours = stage_colours(tokens)
    for name, column in tokens.items():
        axes.plot(range(1, len(column) + 1), column, label=name, color=colours[name])
    axes.set_xlabel("turn of the conversation")
    axes.set_ylabel("tokens handed over (estimate)")
    axes.set_title("What a memory adds to each prompt")
    axes.legend(frameon=False)
    return figure
