"""Measurements of this repository: searches, indexes, other frameworks; and what indexes take at other sizes."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import TypeAdapter

from lessons.evaluate.plots import canvas
from lessons.scale.graphs import Graph
from lessons.settings import ROOT
from lessons.tables import Table

DATA = ROOT / "data"
CANDIDATES = 200  # of a search, unless a plot is about them: the default of `hnsw_ef_search`
GB = 1_000_000_000  # bytes
MACHINE = 64  # GB
INDEXES = {"float32": "#4c78a8", "halfvec": "#54a24b", "bits": "#e45756"}
HEADLINE = "hybrid, all phrasings"  # the search that every stage from smart search on makes
LEGS = {"vector": "#4c78a8", "keyword": "#f58518", "hybrid": "#54a24b", HEADLINE: "#e45756"}
HEAD = ("", "nDCG@10", "in Korean", "ours is better by", "lines of code")


@dataclass(frozen=True)
class Pair:
    """Something and its floor: medians in milliseconds, and the median of the pairs' ratios with its quartiles."""

    name: str
    ms: float
    p95_ms: float
    floor_ms: float
    ratio: float
    low: float
    high: float


@dataclass(frozen=True)
class Filtered:
    """Searches that a filter leaves so many per cent of the chunks, with the plan by which they were done.

    `recall` is the share of the ten nearest of those chunks; times are medians, `exact_ms` of comparing them all.
    """

    percent: int
    search_plan: str
    recall: float
    ms: float
    exact_ms: float


@dataclass(frozen=True)
class Size:
    """Over so many chunks: the searches, answers, memory, and searches under filters where there is an index to walk.

    `stages` is the median of an answer in milliseconds; `memory_mb` is by how many MB this process grew.
    """

    chunks: int
    searches: tuple[Pair, ...]
    stages: dict[str, float]
    memory_mb: float
    filtered: tuple[Filtered, ...] = ()

    def __getitem__(self, name: str) -> Pair:
        return next(pair for pair in self.searches if pair.name == name)


def _read(name: str) -> Any:
    return json.loads((DATA / name).read_text(encoding="utf-8"))


@cache
def sizes() -> tuple[Size, ...]:
    """Return the searches over each number of chunks that `data/make/bench.py` measured, smallest first."""
    return TypeAdapter(tuple[Size, ...]).validate_python(_read("bench/searches.json")["sizes"])


@cache
def measured() -> tuple[Graph, ...]:
    """Return the searches that `compared` measured, by size, precision and breadth."""
    return tuple(Graph(**graph) for graph in _read("bench/graphs.json")["graphs"])


def bytes_a_chunk(precision: str) -> float:
    """Return the bytes of the index for each chunk at the largest size measured; for `none` those of the table."""
    largest = max((graph for graph in measured() if graph.precision == precision), key=lambda graph: graph.chunks)
    return largest.index_bytes_per_chunk or largest.table_bytes / largest.chunks


def memory_needed(chunks: int, precision: str) -> float:
    """Return the bytes that quick searches keep in memory: linear, as each node has as many links (Malkov, 2018)."""
    return chunks * bytes_a_chunk(precision)


def most_chunks(memory: float, precision: str) -> int:
    """Return how many chunks' index fits into so many bytes."""
    return int(memory / bytes_a_chunk(precision))


def plot_searches() -> Figure:
    """Plot the time of each search against the number of chunks, solid, and of its SQL alone, dotted."""
    figure, axes = canvas(6.5, 4)
    chunks = [size.chunks for size in sizes()]
    for leg, colour in LEGS.items():
        axes.plot(chunks, [size[leg].ms for size in sizes()], "o-", color=colour, label=leg)
        axes.plot(chunks, [size[leg].floor_ms for size in sizes()], ":", color=colour)
    axes.set(ylabel="median time (ms)", title="A search, and its SQL alone (dotted)")
    return _over_chunks(figure, axes, log=True)


def plot_memory() -> Figure:
    """Plot memory against the number of chunks for each precision; dots are measured, lines are the formula."""
    figure, axes = canvas(6.5, 4)
    numbers = [10**power for power in range(4, 10)]
    for precision, colour in INDEXES.items():
        axes.plot(numbers, [memory_needed(number, precision) / GB for number in numbers], color=colour, label=precision)
        graphs = [graph for graph in measured() if graph.precision == precision]
        axes.plot([graph.chunks for graph in graphs], [graph.index_bytes / GB for graph in graphs], "o", color=colour)
    axes.axhline(MACHINE, color="black", linestyle=":")
    axes.annotate(f"memory of a machine, {MACHINE} GB", (1e4, MACHINE * 1.2))
    axes.set(ylabel="memory of the index (GB)", title="What an HNSW index takes")
    return _over_chunks(figure, axes, log=True)


def plot_measured(value: str, label: str) -> Figure:
    """Plot one column of what was measured, as `recall`, against the number of chunks, with `CANDIDATES` candidates."""
    figure, axes = canvas(6.5, 3.5)
    for precision, colour in {"none": "#7f7f7f", **INDEXES}.items():
        graphs = [graph for graph in measured() if graph.precision == precision and graph.breadth in (0, CANDIDATES)]
        values = [getattr(graph, value) for graph in graphs]
        axes.plot([graph.chunks for graph in graphs], values, "o-", color=colour, label=precision)
    axes.set(ylabel=label, title=f"{label} as measured")
    return _over_chunks(figure, axes, log=value.endswith("_ms"))


def plot_breadths(chunks: int) -> Figure:
    """Plot recall against the time of a search of so many chunks; the number of candidates stands beside each dot."""
    figure, axes = canvas(6.5, 3.5)
    for precision, colour in INDEXES.items():
        graphs = [graph for graph in measured() if graph.precision == precision and graph.chunks == chunks]
        dots = [(graph.p50_ms, graph.recall) for graph in graphs]
        axes.plot(*zip(*dots, strict=True), "o-", color=colour, label=precision)
        for graph, dot in zip(graphs, dots, strict=True):
            axes.annotate(str(graph.breadth), dot, xytext=(4, -12), textcoords="offset points", color=colour)
    axes.set(xlabel="median time of a search (ms)", ylabel="recall@10", title=f"{chunks:,} chunks")
    axes.set_ylim(0, 1.05)
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
    axes.legend(frameon=False)
    return figure


@dataclass(frozen=True, repr=False)
class Frameworks(Table):
    """A table of searches over the same chunks and vectors; differences are paired, with 95 % intervals."""

    searches: Sequence[dict[str, Any]] = ()


def frameworks() -> Frameworks:
    """Compare our hybrid search with those of other frameworks, as `data/rivals/compare.py` measured them."""
    result = _read("rivals/result.json")
    about = f"{result['questions']} questions, {result['korean']} of them in Korean, {result['chunks']:,} chunks"
    rows = []
    for search in result["searches"]:
        ndcg = "{:.2f} [{:.2f}, {:.2f}]".format(search["ndcg@10"], *search["interval"])
        gain = "{:+.2f} [{:+.2f}, {:+.2f}]".format(search["ours_is_better_by"], *search["gain_interval"])
        rows.append([search["name"], ndcg, f"{search['korean']:.2f}", gain, str(search["lines"])])
    return Frameworks(HEAD, rows, about, result["searches"])
