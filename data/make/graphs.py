"""Cost and recall of an HNSW index at each precision: float32, half the bits, one bit with re-ranking.

The table keeps every vector in full; only the index differs. Of bits, the distances are coarse, so more candidates are
taken and compared in full. A bit says on which side of the mean a coordinate lies: around zero, where these vectors
are not, most bits would be the same for all.
"""

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from time import perf_counter

import numpy as np
from pgvector.psycopg import register_vector
from psycopg import Connection
from sqlalchemy import Engine

from lessons.database import ensure_schema
from lessons.evaluate.throwaway import PREFIX, claimed, drop_leftovers
from lessons.models.embedding_cache import SHIPPED
from lessons.rag.types import Scope
from lessons.settings import settings

OWNER = Scope("bench")
BATCH = 10_000  # vectors that are drawn at a time
NEIGHBOURS = 10
QUESTIONS = 100
BREADTHS = (100, 200, 400, 800)  # candidates that a search keeps; of bits as many are compared in full
MEMORY = "4GB"  # enough to build the graph of a million vectors in


@dataclass(frozen=True)
class Graph:
    """An index over so many vectors, searched with `breadth` candidates (`hnsw.ef_search`; 0 without an index).

    Sizes in bytes. `recall` is the share of the ten nearest that a search finds.
    """

    chunks: int
    precision: str
    breadth: int
    table_bytes: int
    index_bytes: int
    index_bytes_per_chunk: float
    build_seconds: float
    recall: float
    p50_ms: float
    p95_ms: float


_NEAREST = "SELECT id FROM {table} ORDER BY embedding <=> %(asked)s::vector LIMIT {limit}"
_HALF = "embedding::halfvec({d})"
_BITS = "binary_quantize(embedding - {mean})::bit({d})"
_ASKED_BITS = "binary_quantize(%(asked)s::vector - {mean})::bit({d})"
_BY_BITS = f"SELECT id, embedding FROM {{table}} ORDER BY {_BITS} <~> {_ASKED_BITS} LIMIT {{candidates}}"  # noqa: S608

PRECISIONS: dict[str, tuple[str | None, str]] = {
    "none": (None, _NEAREST),
    "float32": ("embedding vector_cosine_ops", _NEAREST),
    "halfvec": (f"({_HALF}) halfvec_cosine_ops", _NEAREST.replace("embedding", _HALF).replace("::vector", "::halfvec")),
    "bits": (f"({_BITS}) bit_hamming_ops", _NEAREST.replace("{table}", f"({_BY_BITS}) AS near")),
}
"""What is indexed and how it is searched. `none` has no index: every vector is compared."""


def compared(engine: Engine, sizes: Sequence[int]) -> list[Graph]:
    """Compare every precision over made-up vectors, which are dropped afterwards, even those of a killed run."""
    graphs: list[Graph] = []
    drop_leftovers(engine, OWNER)
    ensure_schema(engine, lambda connection: None)
    for number in sorted(set(sizes)):
        name = f"chunks_{PREFIX}{secrets.token_hex(3)}"
        with claimed(name, engine, OWNER), engine.connect() as connection:
            raw = connection.execution_options(isolation_level="AUTOCOMMIT").connection.driver_connection
            graphs += _compared(raw, name, number)  # type: ignore[arg-type]
            connection.invalidate()  # its settings are not for others
    return graphs


def _compared(connection: Connection, table: str, number: int) -> Iterator[Graph]:
    """Fill a new table of this name by COPY, and search it at each precision and breadth. The caller drops it."""
    questions, nearest = vectors(QUESTIONS, seed=7), list[set[int]]()
    _fill(connection, table, number, questions.shape[1])
    values = {"table": f'"{table}"', "d": questions.shape[1], "mean": f"'{mean_vector().tolist()}'::vector"}
    _set(connection, "maintenance_work_mem", MEMORY)
    for precision, (indexed, search) in PRECISIONS.items():
        began = perf_counter()
        if indexed:
            connection.execute(f'CREATE INDEX "{table}_hnsw" ON "{table}" USING hnsw ({indexed.format(**values)})')
        seconds = round(perf_counter() - began, 1)
        size = _sizes(connection, table)
        for breadth in BREADTHS if indexed else (0,):
            _set(connection, "hnsw.ef_search", breadth or settings().hnsw_ef_search)
            statement = search.format(**values, limit=NEIGHBOURS, candidates=breadth)
            results, times = _search(connection, statement, questions)
            nearest = nearest or results  # the first search compares every vector
            hits = sum(len(ids & true) for ids, true in zip(results, nearest, strict=True))
            recall = round(hits / (NEIGHBOURS * len(questions)), 4)
            ms = np.percentile(times, [50, 95]).round(2).tolist()
            yield Graph(number, precision, breadth, *size, size[1] / number, seconds, recall, *ms)
        connection.execute(f'DROP INDEX IF EXISTS "{table}_hnsw"')


def _fill(connection: Connection, table: str, number: int, dimension: int) -> None:
    connection.execute(f'CREATE TABLE "{table}" (id bigint PRIMARY KEY, embedding vector({dimension}) NOT NULL)')
    connection.execute(f'ALTER TABLE "{table}" ALTER embedding SET STORAGE MAIN')
    register_vector(connection)
    for first in range(0, number, BATCH):
        batch = vectors(min(BATCH, number - first), 1_000_000 + first)
        copy_rows(connection, table, {"id": "int8", "embedding": "vector"}, enumerate(batch, start=first))
    connection.execute(f'VACUUM ANALYZE "{table}"')


def _search(connection: Connection, statement: str, questions: np.ndarray) -> tuple[list[set[int]], list[float]]:
    """Return the ids that each prepared search finds, and the milliseconds that it takes."""
    results, times = [], []
    for vector in questions:
        began = perf_counter()
        rows = connection.execute(statement, {"asked": str(vector.tolist())}, prepare=True).fetchall()
        times.append((perf_counter() - began) * 1000)
        results.append({row[0] for row in rows})
    return results, times


def _sizes(connection: Connection, table: str) -> tuple[int, int]:
    """Return the bytes of the table and of its HNSW index, 0 if there is none."""
    sizes = "SELECT pg_table_size(to_regclass(%s)), coalesce(pg_relation_size(to_regclass(%s)), 0)"
    (row,) = connection.execute(sizes, (f'"{table}"', f'"{table}_hnsw"')).fetchall()
    return row[0], row[1]


def _set(connection: Connection, name: str, value: object) -> None:
    connection.execute("SELECT set_config(%s, %s, false)", (name, str(value)))


# Independent random directions are all equally far from each other, which no embedding is: an approximate index finds
# little among them. So the vectors take over the mean and the covariance of the shipped ones.


@cache
def _shape() -> tuple[np.ndarray, np.ndarray]:
    """Return the mean (d,) and a root (d, d) of the covariance of the shipped vectors."""
    with np.load(next(SHIPPED.glob("*.npz")), allow_pickle=False) as file:
        shipped = file["vectors"].astype(np.float32)
    values, axes = np.linalg.eigh(np.cov(shipped.T))
    return shipped.mean(axis=0), (axes * np.sqrt(values.clip(0))).T.astype(np.float32)


def mean_vector() -> np.ndarray:
    """Return the mean of the vectors (d,)."""
    return _shape()[0]


def vectors(number: int, seed: int) -> np.ndarray:
    """Draw unit vectors (number, d) float32; the same seed gives the same ones."""
    mean, root = _shape()
    drawn = np.random.default_rng(seed).standard_normal((number, len(mean)), dtype=np.float32) @ root + mean
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def copy_rows(connection: Connection, table: str, columns: Mapping[str, str], rows: Iterable[Sequence]) -> None:
    """Append rows to a table by binary COPY; `columns` are their names and types."""
    statement = f'COPY "{table}" ({", ".join(columns)}) FROM STDIN (FORMAT BINARY)'
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(list(columns.values()))
        for row in rows:
            copy.write_row(row)
