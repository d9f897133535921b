"""The picture of a budget: which parts of a prompt take how many tokens, and what was left out of each."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from lessons.budget import Piece
from lessons.evaluate.plots.canvas import canvas
from lessons.evaluate.plots.labels import wrapped

PART_COLOURS = {
    "system prompt": "#79706e",
    "context": "#4c78a8",
    "documents": "#4c78a8",
    "memory": "#b279a2",
    "profile": "#b279a2",
    "long-term": "#ff9da6",
    "history": "#f58518",
    "question": "#54a24b",
    "tool traffic": "#eeca3b",
    "answer": "#bab0ac",
}
"""One colour for each part, the same wherever a budget is drawn."""

_LABEL_WIDTH = 30  # columns of a line
_NARROWEST = 0.05  # of the width, of a part that has its number written in it


def plot_budget(budgets: Mapping[str, Sequence[Piece]], total: int) -> Figure:
    """A bar for each budget, its parts side by side; what was left out is hatched, and a line marks the total."""
    figure, axes = canvas(7.5, 0.7 * len(budgets) + 1.6)
    width = max((sum(piece.tokens + piece.dropped for piece in pieces) for pieces in budgets.values()), default=1)
    for row, pieces in enumerate(budgets.values()):
        left = 0
        for piece in pieces:
            axes.barh(row, piece.tokens, left=left, color=PART_COLOURS[piece.name], label=piece.name)
            if piece.tokens > _NARROWEST * width:
                axes.text(left + piece.tokens / 2, row, f"{piece.tokens:,}", ha="center", va="center", fontsize=8)
            left += piece.tokens
        for piece in pieces:
            edge = PART_COLOURS[piece.name]
            axes.barh(row, piece.dropped, left=left, color="white", edgecolor=edge, hatch="///")
            left += piece.dropped
    if total <= 1.5 * width:
        axes.axvline(total, color="black", linewidth=1)
    axes.set_xlim(0, 1.02 * (max(total, width) if total <= 1.5 * width else width))
    axes.set_yticks(range(len(budgets)), [wrapped(name, _LABEL_WIDTH) for name in budgets])
    axes.set_ylim(len(budgets) - 0.5, -0.5)
    axes.set_xlabel(f"tokens (of {total:,}); hatched: left out")
    axes.set_title("What a model is sent")
    shown = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    used = {piece.name for pieces in budgets.values() for piece in pieces if piece.tokens or piece.dropped}
    shown = {name: handle for name, handle in shown.items() if name in used}
    axes.legend(shown.values(), shown, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5), fontsize=8)
    return figure
