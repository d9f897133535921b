"""The whole benchmark at each size: searches beside the least they could take, answers of the stages, memory.

The least is the SQL that a search sends, prepared, on an open connection. Both are timed in turns, so what slows the
machine down for a while slows both.
"""

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from statistics import fmean, median
from time import perf_counter
from typing import Any

import numpy as np
import psutil
import psycopg
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters
from rich.console import Group
from rich.table import Table
from sqlalchemy import Engine, event

from lessons.database.owners import owner_transaction
from lessons.evaluate.run import Watcher
from lessons.models.embedding_cache import ThreadedEmbedding
from lessons.models.keyless import OfflineLLM
from lessons.rag.retrievers import KeywordRetriever, VectorRetriever
from lessons.rag.store import ChunkStore
from lessons.rag.types import Query, Resources, Retriever
from lessons.rag.workspace import Workspace
from lessons.scale.made_up import MODEL, OWNER, made_up_store, question, vectors
from lessons.search.hybrid import HybridRetriever
from lessons.search.materials import chunk_range, statistics
from lessons.settings import settings
from lessons.stages import stages

HEADLINE = "hybrid, all phrasings"  # the search that every stage from smart search on makes
BASE = 10_000  # chunks, from which on growth is counted: below, most of a search is not the database's
ROUNDS = 20  # of a search
QUESTIONS = 1_000  # over which memory is watched
SETTLING = 100  # questions before, for what is loaded and remembered first
ANSWERS = 3  # of a stage
SEARCHES = 6  # kinds of them
WARM_UP = 3  # rounds that do not count
MATERIAL = f"{0:10}"
RANGE = 10  # chunks
REMEMBERED = 256  # questions; making one up takes longer than to search for it
PERCENT = 1, 3, 10, 30, 100
NEIGHBOURS = 10

Statements = Sequence[tuple[str, Mapping[str, Any]]]


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
    """Searches that a filter leaves so many per cent of the chunks: how they were done, and what they found.

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


def benchmark(place: Workspace, chunks: Sequence[int], watch: Watcher) -> Iterator[Size]:
    """Measure on made-up chunks; nothing stays in the database. `watch(what, done, total)` hears what is going on."""
    for number in sorted(set(chunks)):
        with made_up_store(place.engine, number, partial(watch, f"{number:,} chunks")) as store:
            walked = tuple(filtered(store, ROUNDS)) if number > settings().exact_search_chunks else ()
            pairs = []
            for done, pair in enumerate(search_pairs(store), start=1):
                watch(f"Searching {number:,} chunks", done, SEARCHES)
                pairs.append(pair)
            yield Size(number, tuple(pairs), _answers(store, place), _memory(store, watch), walked)


def as_document(sizes: Sequence[Size]) -> dict[str, Any]:
    """All of it, headed by the ratio of smart search to its floor.

    `growth`: how much longer smart search takes in the largest index than in the first of at least `BASE` chunks.
    """
    last = sizes[-1][HEADLINE]
    base = next((size for size in sizes if size.chunks >= BASE), sizes[-1])[HEADLINE]
    return {"search_ratio": last.ratio, "growth": last.ms / base.ms, "sizes": [asdict(size) for size in sizes]}


def _answers(store: ChunkStore, place: Workspace) -> dict[str, float]:
    made_up = Workspace(place.settings, place.engine, MadeUpEmbedding(), OfflineLLM())
    name = store.table_name.split("_made_up")[0].removeprefix("chunks_")
    times = {}
    for stage in stages().values():
        here = stage.but(stage.name, index=replace(stage.index, name=name), workspace=made_up)
        times[stage.name] = median(here.ask(asked(n)[0], user=OWNER).trace.ms for n in range(ANSWERS))
    return times


def _memory(store: ChunkStore, watch: Watcher) -> float:
    resources, process, before = Resources(store, MadeUpEmbedding(), OfflineLLM()), psutil.Process(), 0
    for number in range(SETTLING + QUESTIONS):
        if number == SETTLING:
            before = process.memory_info().rss
        phrasings = asked(number)[:1]
        HybridRetriever().search(phrasings, Query(phrasings[0], OWNER), resources)
        watch("Questions, for memory", number + 1, SETTLING + QUESTIONS)
    return (process.memory_info().rss - before) / 1e6


class MadeUpEmbedding(ThreadedEmbedding):
    """A vector for every text at once, the same for the same text. It means nothing."""

    model_name: str = MODEL

    def _get_query_embedding(self, query: str) -> list[float]:
        return list(_made_up(query))

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_query_embedding(text)


def in_pairs(name: str, ours: Callable[[int], object], floor: Callable[[int], object]) -> Pair:
    """Time `ours(round)` and `floor(round)`, each first every other time, after `WARM_UP` rounds."""
    times = np.empty((2, ROUNDS))
    for number in range(-WARM_UP, ROUNDS):
        for which in (0, 1) if number % 2 else (1, 0):
            began = perf_counter()
            (ours, floor)[which](number)
            if number >= 0:
                times[which, number] = (perf_counter() - began) * 1000
    low, middle, high = np.percentile(times[0] / times[1], [25, 50, 75])
    values = np.median(times[0]), np.percentile(times[0], 95), np.median(times[1]), middle, low, high
    return Pair(name, *(round(float(value), 3) for value in values))


def searches(resources: Resources) -> dict[str, Callable[[int], object]]:
    """Each search of the store by its name, for another question every time."""
    store = resources.store

    def retrieving(retriever: Retriever, phrasings: int = 1) -> Callable[[int], object]:
        return lambda n: retriever.search(asked(n)[:phrasings], Query(asked(n)[0], OWNER), resources)

    return {
        "vector": retrieving(VectorRetriever()),
        "keyword": retrieving(KeywordRetriever()),
        "hybrid": retrieving(HybridRetriever()),
        HEADLINE: retrieving(HybridRetriever(), phrasings=len(asked(0))),
        "range": lambda n: chunk_range(store, OWNER, MATERIAL, n % RANGE, n % RANGE + RANGE),
        "statistics": lambda n: statistics(store, OWNER, [MATERIAL]),
    }


def search_pairs(store: ChunkStore) -> Iterator[Pair]:
    """Each search of the store against the statements that it sends, prepared, in one transaction of the owner."""
    with owner_transaction(store.engine, OWNER.user_id) as connection:
        raw: psycopg.Connection = connection.connection.driver_connection  # type: ignore[assignment]
        for name, search in searches(Resources(store, MadeUpEmbedding(), OfflineLLM())).items():
            ready = {number: _sent(store.engine, raw, search, number) for number in range(-WARM_UP, ROUNDS)}
            yield in_pairs(name, search, partial(_fetch, raw, ready))


def _sent(engine: Engine, raw: psycopg.Connection, search: Callable[[int], object], number: int) -> Statements:
    """What a search asks the database once it is warm. What it sets holds for the transaction of `raw`."""
    sent: list[tuple[str, dict[str, Any]]] = []

    def note(connection: Any, cursor: Any, statement: str, values: Any, *_: Any) -> None:
        sent.append((statement, values))

    search(number)
    event.listen(engine, "before_cursor_execute", note)
    try:
        search(number)
    finally:
        event.remove(engine, "before_cursor_execute", note)
    for statement, values in sent:
        if "set_config" in statement:
            raw.execute(statement, values)
    return [each for each in sent if "set_config" not in each[0]]


def _fetch(raw: psycopg.Connection, ready: Mapping[int, Statements], number: int) -> None:
    for statement, values in ready[number]:
        raw.execute(statement, values, prepare=True).fetchall()


def filtered(store: ChunkStore, rounds: int) -> Iterator[Filtered]:
    """Search the HNSW index under filters. It knows none, so it drops what they rule out and walks on."""
    for percent in PERCENT:
        filters = MetadataFilters(filters=[MetadataFilter(key="share", operator=FilterOperator.LT, value=percent)])
        where = store.where(OWNER, filters)
        ways, hits, times = set(), [], []
        for vector in vectors(rounds, seed=4711).tolist():
            began = perf_counter()
            found = store.query_each([vector], NEIGHBOURS, OWNER, filters)[0]
            searched = perf_counter()
            true = store.rows(store.vector_search([vector], NEIGHBOURS, where, "exact"), OWNER)
            times.append((searched - began, perf_counter() - searched))
            right = {row.chunk_id for row in true}
            hits.append(len(right & set(map(int, found.ids))) / len(right))
            ways.add(found.search_plan)
        ms, exact_ms = (round(1000 * median(each), 2) for each in zip(*times, strict=True))
        yield Filtered(percent, " or ".join(sorted(ways)), fmean(hits), ms, exact_ms)


@lru_cache(REMEMBERED)
def _made_up(query: str) -> tuple[float, ...]:
    return tuple(vectors(1, zlib.crc32(query.encode()))[0].tolist())


@lru_cache(REMEMBERED)
def asked(number: int) -> list[str]:
    """A question in as many phrasings as smart search has."""
    return [question(1000 * (number + WARM_UP) + each) for each in range(1 + settings().query_variants)]


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
