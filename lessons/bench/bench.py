"""The whole benchmark: searches at each size, ingestion, stages, memory."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from statistics import median
from typing import Any

import psutil

from lessons.bench.corpus import OWNER, made_up_store
from lessons.bench.filtered import Filtered, filtered
from lessons.bench.ingesting import Ingestion, ingestion, storing
from lessons.bench.pairs import Pair
from lessons.bench.searches import MadeUpEmbedding, asked, search_legs
from lessons.evaluate.run import Watcher
from lessons.models.keyless import OfflineLLM
from lessons.rag.stages import stages
from lessons.rag.store import ChunkStore
from lessons.rag.types import Query, Resources
from lessons.search.hybrid import HybridRetriever
from lessons.settings import settings
from lessons.workspace import Workspace

HEADLINE = "hybrid, all phrasings"
"""The search that every stage from smart search on makes."""

BASE = 10_000  # chunks, from which on growth is counted: below, most of a search is not the database's
ROUNDS = 20  # of a search
FILES = 4  # that are ingested
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


@dataclass(frozen=True)
class Benchmark:
    """What was measured. Times are milliseconds."""

    sizes: tuple[Size, ...]
    ingestion: Ingestion
    storing: Pair

    @property
    def search_ratio(self) -> float:
        """Smart search over its SQL alone, in the largest index."""
        return self.sizes[-1][HEADLINE].ratio

    @property
    def growth(self) -> float:
        """How much longer smart search takes in the largest index than in the first of at least `BASE` chunks."""
        base = next((size for size in self.sizes if size.chunks >= BASE), self.sizes[-1])
        return self.sizes[-1][HEADLINE].ms / base[HEADLINE].ms

    def as_dict(self) -> dict[str, Any]:
        found = {"search_ratio": self.search_ratio, "ingest_ratio": self.ingestion.whole.ratio, "growth": self.growth}
        return found | {"store_ratio": self.storing.ratio} | asdict(self)


def benchmark(place: Workspace, chunks: Sequence[int], watch: Watcher) -> Benchmark:
    """Measure on made-up chunks, and a few texts that are really embedded; nothing stays in the database.

    `watch(what, done, total)` hears what is going on.
    """
    sizes = tuple(_size(place, number, watch) for number in sorted(set(chunks)))
    return Benchmark(sizes, ingestion(place, FILES, watch), storing(place.engine, ROUNDS))


def _size(place: Workspace, number: int, watch: Watcher) -> Size:
    with made_up_store(place.engine, number, partial(watch, f"{number:,} chunks")) as store:
        walked = tuple(filtered(store, ROUNDS)) if number > settings().exact_search_chunks else ()
        searches = tuple(_searches(store, number, watch))
        return Size(number, searches, _answers(store, place), _memory(store, watch), walked)


def _searches(store: ChunkStore, number: int, watch: Watcher) -> Iterator[Pair]:
    for done, pair in enumerate(search_legs(store, ROUNDS), start=1):
        watch(f"Searching {number:,} chunks", done, SEARCHES)
        yield pair


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
        HybridRetriever().retrieve(phrasings, Query(phrasings[0], OWNER), resources)
        watch("Questions, for memory", number + 1, SETTLING + QUESTIONS)
    return (process.memory_info().rss - before) / 1e6
