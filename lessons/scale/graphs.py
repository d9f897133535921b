"""What an HNSW index costs and finds at each precision: float32, half the bits, one bit with re-ranking.

The table keeps every vector in full; only the index differs. Of bits, the distances are coarse, so more candidates are
taken and compared in full. A bit says on which side of the mean a coordinate lies: around zero, where these vectors
are not, most bits would be the same for all.
"""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter

import numpy as np
from pgvector.psycopg import register_vector
from psycopg import Connection, sql
from rich.table import Table
from sqlalchemy import Engine

from lessons.database import ensure_schema
from lessons.evaluate.run import Watcher
from lessons.evaluate.throwaway import PREFIX, claimed, drop_leftovers
from lessons.scale.benchmark import table
from lessons.scale.made_up import BATCH, OWNER, copy_rows, mean_vector, vectors
from lessons.settings import settings

NEIGHBOURS = 10
QUESTIONS = 100
BREADTHS = (100, 200, 400, 800)  # candidates that a search keeps; of bits as many are compared in full
COMPARED = 10  # questions for which every vector is compared: that takes a second each among a million
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


_NEAREST = "SELECT id FROM {table} ORDER BY embedding <=> %(asked)s::vector LIMIT {wanted}"
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


def compared(engine: Engine, sizes: Sequence[int], watch: Watcher) -> list[Graph]:
    """Every precision over so many made-up vectors; nothing stays in the database, even of a run that was killed."""
    found: list[Graph] = []
    searches = (1 + len(BREADTHS) * (len(PRECISIONS) - 1)) * len(set(sizes))
    drop_leftovers(engine, OWNER)
    ensure_schema(engine, lambda connection: None)
    for number in sorted(set(sizes)):
        name = f"chunks_{PREFIX}{secrets.token_hex(3)}"
        with claimed(name, engine, OWNER), engine.connect() as connection:
            raw = connection.execution_options(isolation_level="AUTOCOMMIT").connection.driver_connection
            for graph in _compared(raw, name, number):  # type: ignore[arg-type]
                found.append(graph)
                watch("Building and searching", len(found), searches)
            connection.invalidate()  # its settings are not for others
    return found


def _compared(connection: Connection, table: str, number: int) -> Iterator[Graph]:
    """Fill a new table of this name by COPY, and search it at each precision and breadth. The caller drops it."""
    asked = vectors(QUESTIONS, seed=7)
    nearest = _fill(connection, table, number, asked)
    values = {"table": sql.Identifier(table), "d": sql.Literal(asked.shape[1]), "wanted": sql.Literal(NEIGHBOURS)}
    values |= {"mean": sql.Literal(str(mean_vector().tolist())) + sql.SQL("::vector")}
    values |= {"index": sql.Identifier(f"{table}_hnsw")}
    _set(connection, {"maintenance_work_mem": MEMORY})
    for precision, (indexed, search) in PRECISIONS.items():
        began = perf_counter()
        if indexed:
            connection.execute(sql.SQL(f"CREATE INDEX {{index}} ON {{table}} USING hnsw ({indexed})").format(**values))
        seconds = perf_counter() - began
        size = _sizes(connection, table)
        for breadth in BREADTHS if indexed else (0,):
            _set(connection, {"hnsw.ef_search": breadth or settings().hnsw_ef_search})
            statement = sql.SQL(search).format(**values, candidates=sql.Literal(breadth))
            found = _searched(connection, statement, asked if indexed else asked[:COMPARED], nearest)
            yield Graph(number, precision, breadth, *size, size[1] / number, round(seconds, 1), *found)
        connection.execute(sql.SQL("DROP INDEX IF EXISTS {index}").format(**values))


def _fill(connection: Connection, table: str, number: int, asked: np.ndarray) -> np.ndarray:
    """Write the vectors, and return the ids (questions, NEIGHBOURS) of the true neighbours."""
    name, dimension = sql.Identifier(table), sql.Literal(asked.shape[1])
    columns = sql.SQL("CREATE TABLE {} (id bigint PRIMARY KEY, embedding vector({}) NOT NULL)").format(name, dimension)
    connection.execute(columns)
    connection.execute(sql.SQL("ALTER TABLE {} ALTER embedding SET STORAGE MAIN").format(name))
    register_vector(connection)
    ids, scores = np.empty((len(asked), 0), int), np.empty((len(asked), 0), np.float32)
    for first in range(0, number, BATCH):
        batch = vectors(min(BATCH, number - first), 1_000_000 + first)
        own = range(first, first + len(batch))
        copy_rows(connection, table, {"id": "int8", "embedding": "vector"}, zip(own, batch, strict=True))
        scores = np.hstack([scores, asked @ batch.T])
        ids = np.hstack([ids, np.broadcast_to(own, (len(asked), len(batch)))])
        best = np.argsort(-scores, axis=1)[:, :NEIGHBOURS]
        ids, scores = np.take_along_axis(ids, best, axis=1), np.take_along_axis(scores, best, axis=1)
    connection.execute(sql.SQL("VACUUM ANALYZE {}").format(name))
    return ids


def _searched(
    connection: Connection, statement: sql.Composed, asked: np.ndarray, nearest: np.ndarray
) -> tuple[float, float, float]:
    """Recall, and the median and 95th percentile of the milliseconds of a prepared search."""
    hits, times = 0, []
    for vector, true in zip(asked, nearest, strict=False):
        began = perf_counter()
        rows = connection.execute(statement, {"asked": str(vector.tolist())}, prepare=True).fetchall()
        times.append((perf_counter() - began) * 1000)
        hits += len({row[0] for row in rows} & set(true.tolist()))
    middle, late = np.percentile(times, [50, 95]).round(2).tolist()
    return round(hits / (NEIGHBOURS * len(asked)), 4), middle, late


def _sizes(connection: Connection, table: str) -> tuple[int, int]:
    """Bytes of the table and of its HNSW index, 0 if there is none."""
    sizes = "SELECT pg_table_size(to_regclass(%s)), coalesce(pg_relation_size(to_regclass(%s)), 0)"
    row = connection.execute(sizes, (f'"{table}"', f'"{table}_hnsw"')).fetchone()
    assert row
    return row[0], row[1]


def _set(connection: Connection, values: dict[str, object]) -> None:
    for name, value in values.items():
        connection.execute("SELECT set_config(%s, %s, false)", (name, str(value)))


def graph_report(graphs: Sequence[Graph]) -> Table:
    """What the indexes cost and find."""
    return table("HNSW by precision; `none` compares every vector", [asdict(each) for each in graphs])
