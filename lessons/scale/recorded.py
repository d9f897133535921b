"""Measurements of this repository: searches, indexes, other frameworks; and what indexes take at other sizes."""

import json
from functools import cache
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame, json_normalize  # type: ignore[import-untyped]  # Streamlit brings it

from lessons.evaluate.plots import canvas
from lessons.language import N_, _
from lessons.settings import ROOT
from lessons.tables import Table

CANDIDATES = 200  # of a search, unless a plot is about them: the default of `hnsw_ef_search`
GB = 1_000_000_000  # bytes
MACHINE = 64  # GB
INDEXES = {"float32": "#4c78a8", "halfvec": "#54a24b", "bits": "#e45756"}
PRECISIONS = {"none": "#7f7f7f", **INDEXES}
HEADLINE = "hybrid, all phrasings"  # the search that every stage from smart search on makes
LEGS = {"vector": "#4c78a8", "keyword": "#f58518", "hybrid": "#54a24b", HEADLINE: "#e45756"}
HEAD = "", "nDCG@10", N_("in Korean"), N_("ours is better by"), N_("lines of code")
OURS = N_("this workbook"), N_("hybrid"), N_("fused by ranks"), N_("words only"), N_("vectors only")  # in result.json


def _read(name: str) -> Any:
    return json.loads((ROOT / "data" / name).read_text(encoding="utf-8"))


@cache
def sizes() -> list[dict[str, Any]]:
    """Return what `data/make/bench.py` measured over each number of chunks, smallest first: each a `Size`."""
    return _read("bench/searches.json")["sizes"]


@cache
def measured() -> DataFrame:
    """Return the searches that `data/make/graphs.py` measured, a row for each size, precision and breadth."""
    return DataFrame(_read("bench/graphs.json")["graphs"])


def bytes_a_chunk(precision: str) -> float:
    """Return the bytes of the index for each chunk at the largest size measured; for `none` those of the table.

    An index grows linearly, as each node has as many links (Malkov, 2018).
    """
    largest = measured().query("precision == @precision").nlargest(1, "chunks").iloc[0]
    return float(largest.index_bytes_per_chunk or largest.table_bytes / largest.chunks)


def plot_searches() -> Figure:
    """Plot the time of each search against the number of chunks, solid, and of its SQL alone, dotted."""
    figure, axes = canvas(6.5, 4)
    searches = json_normalize(sizes(), "searches", "chunks")
    for value, style in {"floor_ms": ":", "ms": "o-"}.items():
        searches.pivot(index="chunks", columns="name", values=value)[[*LEGS]].plot(ax=axes, style=style, color=LEGS)
    axes.set(ylabel="median time (ms)", title="A search, and its SQL alone (dotted)")
    return _over_chunks(figure, axes, log=True)


def plot_memory() -> Figure:
    """Plot memory against the number of chunks for each precision; dots are measured, lines are the formula."""
    figure, axes = canvas(6.5, 4)
    numbers = [10**power for power in range(4, 10)]
    dots = measured().pivot_table(index="chunks", columns="precision", values="index_bytes")[[*INDEXES]] / GB
    dots.plot(ax=axes, style="o", color=INDEXES)
    lines = {precision: [number * bytes_a_chunk(precision) / GB for number in numbers] for precision in INDEXES}
    DataFrame(lines, index=numbers).plot(ax=axes, color=INDEXES)
    axes.axhline(MACHINE, color="black", linestyle=":")
    axes.annotate(f"memory of a machine, {MACHINE} GB", (1e4, MACHINE * 1.2))
    axes.set(ylabel="memory of the index (GB)", title="What an HNSW index takes")
    return _over_chunks(figure, axes, log=True)


def plot_measured(value: str, label: str) -> Figure:
    """Plot one column of what was measured, as `recall`, against the number of chunks, with `CANDIDATES` candidates."""
    figure, axes = canvas(6.5, 3.5)
    graphs = measured().query("breadth in (0, @CANDIDATES)").pivot(index="chunks", columns="precision", values=value)
    graphs[[*PRECISIONS]].plot(ax=axes, style="o-", color=PRECISIONS)
    axes.set(ylabel=label, title=f"{label} as measured")
    return _over_chunks(figure, axes, log=value.endswith("_ms"))


def plot_breadths(chunks: int) -> Figure:
    """Plot recall against the time of a search of so many chunks; the number of candidates stands beside each dot."""
    figure, axes = canvas(6.5, 3.5)
    for precision, colour in INDEXES.items():
        graphs = measured().query("precision == @precision and chunks == @chunks")
        graphs.plot("p50_ms", "recall", ax=axes, style="o-", color=colour, label=precision)
        for graph in graphs.itertuples():
            dot = graph.p50_ms, graph.recall
            axes.annotate(str(graph.breadth), dot, xytext=(4, -12), textcoords="offset points", color=colour)
    axes.set(xlabel="median time of a search (ms)", ylabel="recall@10", title=f"{chunks:,} chunks", ylim=(0, 1.05))
    axes.legend(frameon=False)
    return figure


def _over_chunks(figure: Figure, axes: Axes, log: bool) -> Figure:
    if log:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
    else:
        axes.set_ylim(bottom=0)
    axes.set(xscale="log", xlabel="chunks")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    labels = {text: line for line, text in zip(*axes.get_legend_handles_labels(), strict=True)}
    axes.legend(labels.values(), labels.keys(), frameon=False)
    return figure


def frameworks() -> Table:
    """Compare our hybrid search with those of other frameworks, as `data/rivals/compare.py` measured them.

    The differences are paired, with 95 % intervals.
    """
    result = _read("rivals/result.json")
    about = _("{questions} questions, {korean} of them in Korean, {chunks:,} chunks", **result)
    rows = []
    for search in result["searches"]:
        ndcg = "{:.2f} [{:.2f}, {:.2f}]".format(search["ndcg@10"], *search["interval"])
        gain = "–"  # of ours against itself
        if search is not result["searches"][0]:
            gain = "{:+.2f} [{:+.2f}, {:+.2f}]".format(search["ours_is_better_by"], *search["gain_interval"])
        name = ", ".join(map(_, search["name"].split(", ")))
        rows.append([name, ndcg, f"{search['korean']:.2f}", gain, str(search["lines"])])
    return Table([*map(_, HEAD)], rows, about)
