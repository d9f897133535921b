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
Search = Callable[[int], object]


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


def benchmark(workspace: Workspace, sizes: Sequence[int], watch: Watcher) -> Iterator[Size]:
    """Measure on made-up chunks, which are dropped afterwards. `watch(label, count, total)` gets the progress."""
    for chunks in sorted(set(sizes)):
        with made_up_store(workspace.engine, chunks, partial(watch, f"{chunks:,} chunks")) as store:
            filtered = tuple(filtered_searches(store, ROUNDS)) if chunks > settings().exact_search_chunks else ()
            pairs = []
            for pair in search_pairs(store):
                pairs.append(pair)
                watch(f"Searching {chunks:,} chunks", len(pairs), SEARCHES)
            yield Size(chunks, tuple(pairs), _answer_times(store, workspace), _memory_growth(store, watch), filtered)


def as_document(sizes: Sequence[Size]) -> dict[str, Any]:
    """Return all of it, headed by the ratio of smart search to its floor.

    `growth`: how much longer smart search takes in the largest index than in the first of at least `BASE` chunks.
    """
    last = sizes[-1][HEADLINE]
    base = next((size for size in sizes if size.chunks >= BASE), sizes[-1])[HEADLINE]
    return {"search_ratio": last.ratio, "growth": last.ms / base.ms, "sizes": [asdict(size) for size in sizes]}


def report(sizes: Sequence[Size]) -> Group:
    """Show every search at each size beside its floor, and the stages with the memory they take."""
    pairs = [{"chunks": size.chunks, **asdict(pair)} for size in sizes for pair in size.searches]
    filtered = [{"chunks": size.chunks, **asdict(search)} for size in sizes for search in size.filtered]
    answers = [{"chunks": size.chunks, **size.stages, "memory_mb": size.memory_mb} for size in sizes]
    return Group(
        table("Searches: medians in milliseconds, and the median ratio to the floor with its quartiles", pairs),
        *([table("Under filters: how many per cent are left, and what is found", filtered)] if filtered else []),
        table(f"Milliseconds of an answer, keyless, and MB added by {QUESTIONS:,} searches", answers),
    )


def table(title: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    """Show rows under the names in them."""
    shown = Table(*rows[0], title=title)
    for row in rows:
        shown.add_row(*(value if isinstance(value, str) else f"{value:,.10g}" for value in row.values()))
    return shown


class MadeUpEmbedding(ThreadedEmbedding):
    """A vector for every text at once, the same for the same text. It means nothing."""

    model_name: str = MODEL

    def _get_query_embedding(self, query: str) -> list[float]:
        return list(_made_up(query))

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_query_embedding(text)


@lru_cache(REMEMBERED)
def _made_up(query: str) -> tuple[float, ...]:
    return tuple(vectors(1, zlib.crc32(query.encode()))[0].tolist())


@lru_cache(REMEMBERED)
def phrasings(number: int) -> list[str]:
    """Return a question in as many phrasings as smart search has."""
    first = 1000 * (number + WARM_UP)
    return [question(seed) for seed in range(first, first + 1 + settings().query_variants)]


def searches(resources: Resources) -> dict[str, Search]:
    """Return each search of the store by its name, for another question every time."""
    store = resources.store

    def retrieving(retriever: Retriever, count: int = 1) -> Search:
        return lambda n: retriever.search(phrasings(n)[:count], Query(phrasings(n)[0], OWNER), resources)

    return {
        "vector": retrieving(VectorRetriever()),
        "keyword": retrieving(KeywordRetriever()),
        "hybrid": retrieving(HybridRetriever()),
        HEADLINE: retrieving(HybridRetriever(), count=len(phrasings(0))),
        "range": lambda n: chunk_range(store, OWNER, MATERIAL, n % RANGE, n % RANGE + RANGE),
        "statistics": lambda n: statistics(store, OWNER, [MATERIAL]),
    }


def search_pairs(store: ChunkStore) -> Iterator[Pair]:
    """Time each search of the store against the statements that it sends, prepared, in one transaction of the owner."""
    with owner_transaction(store.engine, OWNER.user_id) as connection:
        raw: psycopg.Connection = connection.connection.driver_connection  # type: ignore[assignment]
        for name, search in searches(Resources(store, MadeUpEmbedding(), OfflineLLM())).items():
            statements = {number: _sent(store.engine, raw, search, number) for number in range(-WARM_UP, ROUNDS)}
            yield _timed_in_turns(name, search, partial(_fetch, raw, statements))


def _timed_in_turns(name: str, search: Search, floor: Search) -> Pair:
    """Time `search(round)` and `floor(round)`, each first every other time, after `WARM_UP` rounds."""
    times = np.empty((2, ROUNDS))
    for number in range(-WARM_UP, ROUNDS):
        for which in (0, 1) if number % 2 else (1, 0):
            began = perf_counter()
            (search, floor)[which](number)
            if number >= 0:
                times[which, number] = (perf_counter() - began) * 1000
    low, middle, high = np.percentile(times[0] / times[1], [25, 50, 75])
    values = np.median(times[0]), np.percentile(times[0], 95), np.median(times[1]), middle, low, high
    return Pair(name, *(round(float(value), 3) for value in values))


def _sent(engine: Engine, raw: psycopg.Connection, search: Search, number: int) -> Statements:
    """Return what a search asks the database once it is warm. What it sets holds for the transaction of `raw`."""
    sent: list[tuple[str, dict[str, Any]]] = []

    def record(connection: Any, cursor: Any, statement: str, values: Any, *_: Any) -> None:
        sent.append((statement, values))

    search(number)
    event.listen(engine, "before_cursor_execute", record)
    try:
        search(number)
    finally:
        event.remove(engine, "before_cursor_execute", record)
    for statement, values in sent:
        if "set_config" in statement:
            raw.execute(statement, values)
    return [(statement, values) for statement, values in sent if "set_config" not in statement]


def _fetch(raw: psycopg.Connection, statements: Mapping[int, Statements], number: int) -> None:
    for statement, values in statements[number]:
        raw.execute(statement, values, prepare=True).fetchall()


def filtered_searches(store: ChunkStore, rounds: int) -> Iterator[Filtered]:
    """Search the HNSW index under filters. It knows none, so it drops what they rule out and walks on."""
    for percent in PERCENT:
        filters = MetadataFilters(filters=[MetadataFilter(key="share", operator=FilterOperator.LT, value=percent)])
        condition = store.where(OWNER, filters)
        plans, hits, times = set(), [], []
        for vector in vectors(rounds, seed=4711).tolist():
            began = perf_counter()
            result = store.query_each([vector], NEIGHBOURS, OWNER, filters)[0]
            searched = perf_counter()
            nearest = store.rows(store.vector_search([vector], NEIGHBOURS, condition, "exact"), OWNER)
            times.append((searched - began, perf_counter() - searched))
            right = {row.chunk_id for row in nearest}
            hits.append(len(right & set(map(int, result.ids))) / len(right))
            plans.add(result.search_plan)
        ms, exact_ms = (round(1000 * median(seconds), 2) for seconds in zip(*times, strict=True))
        yield Filtered(percent, " or ".join(sorted(plans)), fmean(hits), ms, exact_ms)


def _answer_times(store: ChunkStore, workspace: Workspace) -> dict[str, float]:
    made_up = Workspace(workspace.settings, workspace.engine, MadeUpEmbedding(), OfflineLLM())
    name = store.table_name.split("_made_up")[0].removeprefix("chunks_")
    times = {}
    for stage in stages().values():
        on_made_up = stage.but(stage.name, index=replace(stage.index, name=name), workspace=made_up)
        times[stage.name] = median(on_made_up.ask(phrasings(n)[0], user=OWNER).trace.ms for n in range(ANSWERS))
    return times


def _memory_growth(store: ChunkStore, watch: Watcher) -> float:
    """Return by how many MB this process grows over `QUESTIONS` searches."""
    resources, process, start = Resources(store, MadeUpEmbedding(), OfflineLLM()), psutil.Process(), 0
    for number in range(SETTLING + QUESTIONS):
        if number == SETTLING:
            start = process.memory_info().rss
        queries = phrasings(number)[:1]
        HybridRetriever().search(queries, Query(queries[0], OWNER), resources)
        watch("Questions, for memory", number + 1, SETTLING + QUESTIONS)
    return (process.memory_info().rss - start) / 1e6
