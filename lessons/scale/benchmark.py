"""The whole benchmark at each size: searches beside the least they could take, answers of the stages, memory."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from statistics import median
from typing import Any

import psutil
from rich.console import Group
from rich.table import Table

from lessons.evaluate.run import Watcher
from lessons.models.keyless import OfflineLLM
from lessons.rag.stages import stages
from lessons.rag.store import ChunkStore
from lessons.rag.types import Query, Resources
from lessons.scale.made_up import OWNER, made_up_store
from lessons.scale.searches import Filtered, MadeUpEmbedding, Pair, asked, filtered, search_pairs
from lessons.search.hybrid import HybridRetriever
from lessons.settings import settings
from lessons.workspace import Workspace

HEADLINE = "hybrid, all phrasings"
"""The search that every stage from smart search on makes."""

BASE = 10_000  # chunks, from which on growth is counted: below, most of a search is not the database's
ROUNDS = 20  # of a search
QUESTIONS = 1_000  # over which memory is watched
SETTLING = 100  # questions before, for what is loaded and remembered first
ANSWERS = 3  # of a stage
SEARCHES = 6  # kinds of them


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


def benchmark(place: Workspace, chunks: Sequence[int], watch: Watcher) -> list[Size]:
    """Measure on made-up chunks; nothing stays in the database. `watch(what, done, total)` hears what is going on."""
    return [_size(place, number, watch) for number in sorted(set(chunks))]


def as_document(sizes: Sequence[Size]) -> dict[str, Any]:
    """All of it, headed by the ratio of smart search to its floor.

    `growth`: how much longer smart search takes in the largest index than in the first of at least `BASE` chunks.
    """
    last = sizes[-1][HEADLINE]
    base = next((size for size in sizes if size.chunks >= BASE), sizes[-1])[HEADLINE]
    return {"search_ratio": last.ratio, "growth": last.ms / base.ms, "sizes": [asdict(size) for size in sizes]}


def _size(place: Workspace, number: int, watch: Watcher) -> Size:
    with made_up_store(place.engine, number, partial(watch, f"{number:,} chunks")) as store:
        walked = tuple(filtered(store, ROUNDS)) if number > settings().exact_search_chunks else ()
        pairs = []
        for done, pair in enumerate(search_pairs(store, ROUNDS), start=1):
            watch(f"Searching {number:,} chunks", done, SEARCHES)
            pairs.append(pair)
        return Size(number, tuple(pairs), _answers(store, place), _memory(store, watch), walked)


def _answers(store: ChunkStore, place: Workspace) -> dict[str, float]:
    """The median milliseconds of an answer of each stage, keyless, over the made-up chunks."""
    made_up = Workspace(place.settings, place.engine, MadeUpEmbedding(), OfflineLLM())
    name = store.table_name.split("_made_up")[0].removeprefix("chunks_")
    times = {}
    for stage in stages().values():
        here = stage.but(stage.name, index=replace(stage.index, name=name), workspace=made_up)
        times[stage.name] = median(here.ask(asked(n)[0], user=OWNER).trace.ms for n in range(ANSWERS))
    return times


def _memory(store: ChunkStore, watch: Watcher) -> float:
    """By how many MB this process grows over `QUESTIONS` searches, after `SETTLING` others."""
    resources, process = Resources(store, MadeUpEmbedding(), OfflineLLM()), psutil.Process()
    before = 0
    for number in range(SETTLING + QUESTIONS):
        if number == SETTLING:
            before = process.memory_info().rss
        phrasings = asked(number)[:1]
        HybridRetriever().search(phrasings, Query(phrasings[0], OWNER), resources)
        watch("Questions, for memory", number + 1, SETTLING + QUESTIONS)
    return (process.memory_info().rss - before) / 1e6


def report(sizes: Sequence[Size]) -> Group:
    """Every search at each size beside its floor, which is its SQL alone, and the stages with the memory they take."""
    pairs = [{"chunks": size.chunks, **asdict(pair)} for size in sizes for pair in size.searches]
    filtered = [{"chunks": size.chunks, **asdict(each)} for size in sizes for each in size.filtered]
    answers = [{"chunks": size.chunks, **size.stages, "memory_mb": size.memory_mb} for size in sizes]
    return Group(
        table("Searches: medians in milliseconds, and the median ratio to the floor with its quartiles", pairs),
        *([table("Under filters: how many per cent are left, and what is found", filtered)] if filtered else []),
        table(f"Milliseconds of an answer, keyless, and MB added by {QUESTIONS:,} searches", answers),
    )


def table(title: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    """A table whose head are the names in the rows."""
    shown = Table(*rows[0], title=title)
    for row in rows:
        shown.add_row(*(value if isinstance(value, str) else f"{value:,.10g}" for value in row.values()))
    return shown
