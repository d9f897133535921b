"""Every search of the workbook against the least it can take: its SQL alone, prepared, on an open connection.

Both are timed in turns, so what slows the machine down for a while slows both.
"""

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from statistics import fmean, median
from time import perf_counter
from typing import Any, cast

import numpy as np
import psycopg
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters
from sqlalchemy import Connection, Select, TextClause, select

from lessons.database.row_security import scoped
from lessons.models.keyless import OfflineLLM
from lessons.models.threaded_embedding import ThreadedEmbedding
from lessons.rag.retrievers import KeywordRetriever, VectorRetriever
from lessons.rag.store import ChunkStore
from lessons.rag.tables import DocumentRow
from lessons.rag.types import Query, Resources, Retriever
from lessons.scale.hnsw import set_up_walk
from lessons.scale.made_up import MODEL, OWNER, question, vectors
from lessons.search.filters import also
from lessons.search.hybrid import HybridRetriever
from lessons.search.materials import chunk_range, statistics
from lessons.settings import settings
from lessons.text import terms

WARM_UP = 3  # rounds that do not count
MATERIAL = f"{0:10}"
RANGE = 10  # chunks
REMEMBERED = 256  # questions; making one up takes longer than to search for it
LANGUAGES = "en", "ko"  # of the made-up chunks, in turn; each is searched on its own
PERCENT = 1, 3, 10, 30, 100
NEIGHBOURS = 10

Statements = Sequence[Select | TextClause]


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
    way: str
    recall: float
    ms: float
    exact_ms: float


class MadeUpEmbedding(ThreadedEmbedding):
    """A vector for every text at once, the same for the same text. It means nothing."""

    model_name: str = MODEL

    def _get_query_embedding(self, query: str) -> list[float]:
        return list(_made_up(query))

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_query_embedding(text)


def in_pairs(name: str, ours: Callable[[int], object], floor: Callable[[int], object], rounds: int) -> Pair:
    """Time `ours(round)` and `floor(round)`, each first every other time, after `WARM_UP` rounds."""
    times = np.empty((2, rounds))
    for number in range(-WARM_UP, rounds):
        for which in (0, 1) if number % 2 else (1, 0):
            began = perf_counter()
            (ours, floor)[which](number)
            if number >= 0:
                times[which, number] = (perf_counter() - began) * 1000
    return summarised(name, *times)


def summarised(name: str, ours: np.ndarray, floor: np.ndarray) -> Pair:
    """The summary of times (n,) of both in milliseconds."""
    low, middle, high = np.percentile(ours / floor, [25, 50, 75])
    values = np.median(ours), np.percentile(ours, 95), np.median(floor), middle, low, high
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
        "hybrid, all phrasings": retrieving(HybridRetriever(), phrasings=len(asked(0))),
        "range": lambda n: chunk_range(store, OWNER, MATERIAL, n % RANGE, n % RANGE + RANGE),
        "statistics": lambda n: statistics(store, OWNER, [MATERIAL]),
    }


def search_pairs(store: ChunkStore, rounds: int) -> Iterator[Pair]:
    """Each search of the store against its statements, which are built beforehand, in one transaction of the owner."""
    with scoped(store.engine, OWNER.user_id) as connection:
        statements = _statements(store, connection)
        raw: psycopg.Connection = connection.connection.driver_connection  # type: ignore[assignment]
        for name, search in searches(Resources(store, MadeUpEmbedding(), OfflineLLM())).items():
            numbers = range(-WARM_UP, rounds)
            ready = {n: [_compiled(connection, each) for each in statements[name](n)] for n in numbers}
            yield in_pairs(name, search, partial(_fetch, raw, ready), rounds)


def _statements(store: ChunkStore, connection: Connection) -> dict[str, Callable[[int], Statements]]:
    """The statements of each search for a question by its number."""
    top, wide, embedding = settings().top_k, settings().fusion_candidates, MadeUpEmbedding()

    def by_vector(text: str, limit: int, language: str | None = None) -> TextClause:
        where = store.where(OWNER, also("language", language, None) if language else None)
        way = store.way(connection, where)
        if way == "hnsw":
            set_up_walk(connection)
        return store.vector_search([embedding.get_query_embedding(text)], limit, where, way)

    def by_words(text: str, limit: int) -> TextClause:
        return store.ranking(connection, [terms(text)], limit, store.where(OWNER))

    def hybrid(texts: Sequence[str]) -> Statements:
        both = ([*(by_vector(text, wide, each) for each in LANGUAGES), by_words(text, wide)] for text in texts)
        return [statement for statements in both for statement in statements]

    return {
        "vector": lambda n: [by_vector(asked(n)[0], top)],
        "keyword": lambda n: [by_words(asked(n)[0], top)],
        "hybrid": lambda n: hybrid(asked(n)[:1]),
        "hybrid, all phrasings": lambda n: hybrid(asked(n)),
        "range": lambda n: [_range(store, n % RANGE)],
        "statistics": lambda n: [_state(store)],
    }


def _range(store: ChunkStore, start: int) -> Select:
    chunks = store.chunks.c
    within = chunks.chunk_index >= start, chunks.chunk_index < start + RANGE
    found = select(chunks.node_id, chunks.text, chunks.metadata_).where(store.within(OWNER.only([MATERIAL])), *within)
    return found.order_by(chunks.chunk_index)


def _state(store: ChunkStore) -> Select:
    named = DocumentRow.index_table == store.table_name, DocumentRow.source_file == MATERIAL
    return select(DocumentRow.chunks, DocumentRow.pages).where(DocumentRow.user_id == OWNER.user_id, *named)


def _compiled(connection: Connection, statement: Select | TextClause) -> tuple[str, dict[str, Any]]:
    compiled = statement.compile(dialect=connection.dialect, compile_kwargs={"render_postcompile": True})
    convert = cast(dict[str, Callable[[Any], Any]], compiled._bind_processors)
    return str(compiled), {name: convert.get(name, lambda each: each)(value) for name, value in compiled.params.items()}


def _fetch(raw: psycopg.Connection, ready: Mapping[int, Sequence[tuple[str, dict[str, Any]]]], number: int) -> None:
    for sql, values in ready[number]:
        raw.execute(sql, values, prepare=True).fetchall()


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
            ways.add(found.way)
        ms, exact_ms = (round(1000 * median(each), 2) for each in zip(*times, strict=True))
        yield Filtered(percent, " or ".join(sorted(ways)), fmean(hits), ms, exact_ms)


@lru_cache(REMEMBERED)
def _made_up(query: str) -> tuple[float, ...]:
    return tuple(vectors(1, zlib.crc32(query.encode()))[0].tolist())


@lru_cache(REMEMBERED)
def asked(number: int) -> list[str]:
    """A question in as many phrasings as smart search has."""
    return [question(1000 * (number + WARM_UP) + each) for each in range(1 + settings().query_variants)]
