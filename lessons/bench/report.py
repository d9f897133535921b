"""A benchmark as tables."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table

from lessons.bench.bench import QUESTIONS, Benchmark, Size
from lessons.bench.graphs import Graph
from lessons.bench.pairs import Pair


def report(found: Benchmark) -> RenderableType:
    """Every search at each size, ingestion, stages and memory, each beside its floor where there is one."""
    title = "Medians; the floor is the SQL alone, prepared, the model alone, or COPY alone. Quartiles in brackets."
    pairs = Table("", "chunks", "ms", "floor", "ratio", title=title)
    for size in found.sizes:
        for pair in size.searches:
            _add(pairs, f"{size.chunks:,}", pair)
        pairs.add_section()
    for pair in (found.ingestion.whole, found.storing):
        _add(pairs, "", pair)
    steps = Table(*found.ingestion.steps, title="Ingestion: milliseconds a chunk")
    steps.add_row(*(f"{ms:.1f}" for ms in found.ingestion.steps.values()))
    walked = (_under_filters(size) for size in found.sizes if size.filtered)
    return Group(pairs, *walked, steps, _answers(found.sizes))


def graph_report(graphs: Sequence[Graph]) -> RenderableType:
    """What the indexes cost and find."""
    head = ("chunks", "index", "candidates", "bytes a chunk", "built in s", "recall@10", "p50 ms", "p95 ms")
    table = Table(*head, title="HNSW by precision; `none` compares every vector")
    for each in graphs:
        times = f"{each.p50_ms:.1f}", f"{each.p95_ms:.1f}"
        size = f"{each.index_bytes_per_chunk:,.0f}", f"{each.build_seconds:.1f}", f"{each.recall:.3f}"
        table.add_row(f"{each.chunks:,}", each.precision, str(each.breadth or ""), *size, *times)
    return table


def _answers(sizes: Sequence[Size]) -> Table:
    title = f"Milliseconds of an answer, keyless, and MB added by {QUESTIONS:,} searches"
    table = Table("chunks", *sizes[0].stages, "memory", title=title)
    for size in sizes:
        times = (f"{ms:.0f}" for ms in size.stages.values())
        table.add_row(f"{size.chunks:,}", *times, f"{size.memory_mb:+.1f}")
    return table


def _under_filters(size: Size) -> Table:
    table = Table(
        "left by a filter", "searched", "recall@10", "ms", "all compared, ms", title=f"{size.chunks:,} chunks"
    )
    for each in size.filtered:
        table.add_row(f"{each.percent} %", each.way, f"{each.recall:.3f}", f"{each.ms:,.1f}", f"{each.exact_ms:,.1f}")
    return table


def _add(table: Table, chunks: str, pair: Pair) -> None:
    ratio = f"{pair.ratio:.2f} [{pair.low:.2f}, {pair.high:.2f}]"
    table.add_row(pair.name, chunks, f"{pair.ms:,.1f}", f"{pair.floor_ms:,.1f}", ratio.replace("[", "\\["))
