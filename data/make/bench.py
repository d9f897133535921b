"""Time searches, answers and memory over made-up chunks, as in `data/bench/searches.json`; or HNSW indexes.

    uv run python -m data.make.bench 10000 1000000
    uv run python -m data.make.bench graphs 10000 1000000

Beside each search stands its floor: the SQL that it sends, prepared, on an open connection. Both are timed in turns, so
what slows the machine down for a while slows both. The chunks fill a throw-away index, loaded by COPY; their words are
as unevenly frequent as those of any language (Zipf's law).
"""

import json
import secrets
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from itertools import product
from statistics import fmean, median
from time import perf_counter
from typing import Any

import numpy as np
import psutil
import psycopg
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters
from pgvector.psycopg import register_vector
from sqlalchemy import Engine, event, insert

from data.make.graphs import BATCH, NEIGHBOURS, OWNER, compared, copy_rows, mean_vector, vectors
from lessons.database.owners import owner_transaction
from lessons.database.schema import protect
from lessons.evaluate.throwaway import PREFIX, claimed, drop_leftovers
from lessons.models.keyless import OfflineLLM
from lessons.models.keyless_embedding import ThreadedEmbedding
from lessons.rag.retrievers import KeywordRetriever, VectorRetriever
from lessons.rag.store import ChunkStore
from lessons.rag.tables import DocumentRow, term_table_name
from lessons.rag.types import Query, Resources, Retriever
from lessons.rag.workspace import Workspace, workspace
from lessons.scale.recorded import HEADLINE
from lessons.search.hybrid import HybridRetriever
from lessons.search.materials import chunk_range, statistics
from lessons.settings import settings
from lessons.stages import stages

MODEL = "made_up"
ROUNDS = 20  # of a search
QUESTIONS = 1_000  # over which memory is watched
SETTLING = 100  # questions before, for what is loaded and remembered first
ANSWERS = 3  # of a stage
WARM_UP = 3  # rounds that do not count
MATERIAL = f"{0:10}"
RANGE = 10  # chunks
REMEMBERED = 256  # questions; making one up takes longer than to search for it
PERCENT = 1, 3, 10, 30, 100

CHUNKS_PER_DOCUMENT = 100
SHARES = 100  # chunks are numbered 0–99 over and over, so that a filter can leave any per cent of them
WORDS_PER_CHUNK = 20
_SYLLABLES = ["".join(pair) for pair in product("bdgkmprtvz", "aou")]
WORDS = np.array(["".join(word) for word in product(_SYLLABLES, repeat=3)])
_HEAD = 10  # Mandelbrot's correction: the first words are not quite as frequent as 1 / rank says

_CHUNKS = {"id": "int8", "node_id": "text", "document_id": "int8", "user_id": "text", "chunk_index": "int4"}
_CHUNKS |= {"text": "text", "length": "int4", "metadata_": "jsonb", "embedding": "vector"}
_TERMS = {"user_id": "text", "term": "text", "chunk_id": "int8", "frequency": "int4", "length": "int4"}
"""Columns with their types, in the order in which they are copied."""


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


def benchmark(workspace: Workspace, sizes: Sequence[int]) -> Iterator[Size]:
    """Measure on made-up chunks, which are dropped afterwards."""
    for chunks in sorted(set(sizes)):
        with made_up_store(workspace.engine, chunks) as store:
            filtered = tuple(filtered_searches(store, ROUNDS)) if chunks > settings().exact_search_chunks else ()
            pairs = tuple(search_pairs(store))
            yield Size(chunks, pairs, _answer_times(store, workspace), _memory_growth(store), filtered)


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
            statement, values = store.vector_search([vector], NEIGHBOURS, condition, "exact")
            nearest = store.rows(statement.bindparams(**values), OWNER)
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


def _memory_growth(store: ChunkStore) -> float:
    """Return by how many MB this process grows over `QUESTIONS` searches."""
    resources, process, start = Resources(store, MadeUpEmbedding(), OfflineLLM()), psutil.Process(), 0
    for number in range(SETTLING + QUESTIONS):
        if number == SETTLING:
            start = process.memory_info().rss
        queries = phrasings(number)[:1]
        HybridRetriever().search(queries, Query(queries[0], OWNER), resources)
    return (process.memory_info().rss - start) / 1e6


# Made-up chunks


def words(number: int, seed: int) -> np.ndarray:
    """Draw the words of so many chunks (number, WORDS_PER_CHUNK), common ones first; a word may come twice in a row."""
    share = 1 / (np.arange(len(WORDS)) + _HEAD)
    chance = np.random.default_rng(seed).random((number, WORDS_PER_CHUNK))
    return WORDS[np.sort(np.searchsorted(np.cumsum(share / share.sum()), chance).clip(max=len(WORDS) - 1), axis=1)]


def question(seed: int) -> str:
    """Draw a few words that stand together in some text, common ones and rare ones."""
    row = np.unique(words(1, seed))
    return " ".join(np.random.default_rng(seed).choice(row, min(6, len(row)), replace=False))


@contextmanager
def empty_store(engine: Engine, dimension: int) -> Iterator[ChunkStore]:
    """Make a store without chunks, dropped when the block ends; what a killed run has left is dropped first."""
    drop_leftovers(engine, OWNER)
    store = ChunkStore(engine, PREFIX + secrets.token_hex(3)[:5], MODEL, dimension)
    with claimed(store.table_name, engine, OWNER):
        store.documents(OWNER)  # creates the tables
        yield store


@contextmanager
def made_up_store(engine: Engine, number: int) -> Iterator[ChunkStore]:
    """Make a store with so many chunks of one owner, indexed and vacuumed, until the block ends."""
    with empty_store(engine, len(mean_vector())) as store:
        tables, documents = (store.table_name, term_table_name(store.table_name)), _new_documents(store, number)
        with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            for table in tables:
                protect(connection, table, force=False)  # COPY cannot write under it
            raw: psycopg.Connection = connection.connection.driver_connection  # type: ignore[assignment]
            register_vector(raw)
            for start in range(0, number, BATCH):
                end = min(start + BATCH, number)
                _copy_chunks(raw, tables, range(start, end), documents)
            for table in tables:
                protect(connection, table)
            connection.invalidate()  # it reads vectors as arrays now, which is not for others
        store.optimize(number)
        yield store


def _new_documents(store: ChunkStore, number: int) -> list[int]:
    """Insert documents, enough for so many chunks, and return their ids."""
    row = {"index_table": store.table_name, "user_id": OWNER.user_id, "sha256": "", "pages": 1}
    row["chunks"] = CHUNKS_PER_DOCUMENT
    rows = [row | {"source_file": f"{file:10}"} for file in range(-(-number // CHUNKS_PER_DOCUMENT))]
    with owner_transaction(store.engine, OWNER.user_id) as connection:
        return list(connection.scalars(insert(DocumentRow).returning(DocumentRow.id), rows))


def _copy_chunks(raw: psycopg.Connection, tables: tuple[str, str], ids: Sequence[int], documents: list[int]) -> None:
    owner, seed = OWNER.user_id, 1_000_000 + ids[0]
    texts = words(len(ids), seed).tolist()

    def chunk(chunk_id: int, text: list[str], vector: np.ndarray) -> tuple:
        file, position = chunk_id // CHUNKS_PER_DOCUMENT % len(documents), chunk_id % CHUNKS_PER_DOCUMENT
        metadata: dict[str, object] = {
            "source_file": f"{file:10}",
            "user_id": owner,
            "language": "en" if file % 2 else "ko",
        }
        metadata |= {"chunk_index": position, "share": chunk_id * 37 % SHARES}
        keys = chunk_id, f"{chunk_id:032}", documents[file], owner, position
        return *keys, " ".join(text), WORDS_PER_CHUNK, metadata, vector

    copy_rows(raw, tables[0], _CHUNKS, map(chunk, ids, texts, vectors(len(ids), seed)))
    postings = ((term, chunk_id) for chunk_id, text in zip(ids, texts, strict=True) for term in set(text))
    copy_rows(raw, tables[1], _TERMS, ((owner, *posting, 1, WORDS_PER_CHUNK) for posting in postings))


if __name__ == "__main__":
    what, *numbers = sys.argv[1:]
    if what == "graphs":
        rows = {"graphs": [asdict(graph) for graph in compared(workspace().engine, [*map(int, numbers)])]}
    else:
        rows = {"sizes": [asdict(size) for size in benchmark(workspace(), [*map(int, [what, *numbers])])]}
    print(json.dumps(rows, indent=1))
