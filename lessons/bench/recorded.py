"""What `lessons bench` measured for this repository: whole searches, from a thousand chunks to a million."""

import json
from functools import cache

from matplotlib.figure import Figure

from lessons.bench.bench import HEADLINE, Size
from lessons.bench.filtered import Filtered
from lessons.bench.pairs import Pair
from lessons.evaluate.canvas import canvas
from lessons.settings import ROOT

MEASURED = ROOT / "data" / "bench" / "searches.json"
LEGS = {"vector": "#4c78a8", "keyword": "#f58518", "hybrid": "#54a24b", HEADLINE: "#e45756"}


@cache
def sizes() -> tuple[Size, ...]:
    """The searches over each number of chunks, smallest first."""
    found = json.loads(MEASURED.read_text(encoding="utf-8"))["sizes"]
    return tuple(
        Size(
            each["chunks"],
            tuple(Pair(**pair) for pair in each["searches"]),
            each["stages"],
            each["memory_mb"],
            tuple(Filtered(**search) for search in each["filtered"]),
        )
        for each in found
    )


def plot_searches() -> Figure:
    """Time of each search against the number of chunks, solid, and of its SQL alone, dotted."""
    figure, axes = canvas(6.5, 4)
    chunks = [size.chunks for size in sizes()]
    for leg, colour in LEGS.items():
        axes.plot(chunks, [size[leg].ms for size in sizes()], "o-", color=colour, label=leg)
        axes.plot(chunks, [size[leg].floor_ms for size in sizes()], ":", color=colour)
    axes.set(xscale="log", yscale="log", xlabel="chunks", ylabel="median time (ms)")
    axes.set_title("A search, and its SQL alone (dotted)")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.legend(frameon=False)
    return figure
