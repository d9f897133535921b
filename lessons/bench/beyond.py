"""What the measured indexes would take at other sizes."""

import json
from functools import cache

from matplotlib.figure import Figure

from lessons.bench.graphs import Graph
from lessons.evaluate.canvas import canvas
from lessons.settings import ROOT

MEASURED = ROOT / "data" / "bench" / "graphs.json"
CANDIDATES = 200  # of a search, unless a plot is about them: the default of `hnsw_ef_search`
GB = 1_000_000_000  # bytes
INDEXES = {"float32": "#4c78a8", "halfvec": "#54a24b", "bits": "#e45756"}
COLOURS = {"none": "#7f7f7f"} | INDEXES


@cache
def measured() -> tuple[Graph, ...]:
    """The searches that `lessons bench --graphs` measured for this repository, by size, precision and breadth."""
    return tuple(Graph(**each) for each in json.loads(MEASURED.read_text(encoding="utf-8"))["graphs"])


def bytes_a_chunk(precision: str) -> float:
    """Bytes of the index for each chunk at the largest size that was measured; for `none` those of the table."""
    largest = max((each for each in measured() if each.precision == precision), key=lambda each: each.chunks)
    return largest.index_bytes_per_chunk or largest.table_bytes / largest.chunks


def memory_needed(chunks: int, precision: str) -> float:
    """Bytes that have to stay in memory for quick searches: `chunks` times the bytes of a chunk.

    A graph has the same number of links at every node (Malkov & Yashunin, 2018), so its size is linear.
    """
    return chunks * bytes_a_chunk(precision)


def most_chunks(memory: float, precision: str) -> int:
    """How many chunks' index fits into so many bytes."""
    return int(memory / bytes_a_chunk(precision))


def plot_memory(machine: float = 64 * GB) -> Figure:
    """Memory against the number of chunks for each precision; dots are measured, lines are the formula."""
    figure, axes = canvas(6.5, 4)
    for precision, colour in INDEXES.items():
        sizes = [10**power for power in range(4, 10)]
        axes.plot(sizes, [memory_needed(size, precision) / GB for size in sizes], color=colour, label=precision)
        known = [each for each in measured() if each.precision == precision]
        axes.plot([each.chunks for each in known], [each.index_bytes / GB for each in known], "o", color=colour)
    axes.axhline(machine / GB, color="black", linestyle=":")
    axes.annotate(f"memory of a machine, {machine / GB:.0f} GB", (1e4, machine / GB * 1.2))
    axes.set(xscale="log", yscale="log", xlabel="chunks", ylabel="memory of the index (GB)")
    axes.set_title("What an HNSW index takes")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.legend(frameon=False)
    return figure


def plot_measured(value: str, label: str) -> Figure:
    """One column of what was measured, `recall` or `p50_ms` for example, against the number of chunks.

    Each search of an index kept `CANDIDATES` candidates.
    """
    figure, axes = canvas(6.5, 3.5)
    for precision, colour in COLOURS.items():
        known = [each for each in measured() if each.precision == precision and each.breadth in (0, CANDIDATES)]
        values = [getattr(each, value) for each in known]
        axes.plot([each.chunks for each in known], values, "o-", color=colour, label=precision)
    axes.set(xscale="log", xlabel="chunks", ylabel=label, title=f"{label} as measured")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    if value.endswith("_ms"):
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
    else:
        axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    return figure


def plot_breadths(chunks: int) -> Figure:
    """Recall against the time of a search of so many chunks; each dot is the number of candidates written beside it."""
    figure, axes = canvas(6.5, 3.5)
    for precision, colour in INDEXES.items():
        known = [each for each in measured() if each.precision == precision and each.chunks == chunks]
        axes.plot([each.p50_ms for each in known], [each.recall for each in known], "o-", color=colour, label=precision)
        for each in known:
            at = each.p50_ms, each.recall
            axes.annotate(str(each.breadth), at, xytext=(4, -12), textcoords="offset points", color=colour)
    axes.set(xlabel="median time of a search (ms)", ylabel="recall@10", title=f"{chunks:,} chunks")
    axes.set_ylim(0, 1.05)
    axes.legend(frameon=False)
    return figure
