"""Search by vector among very many chunks: the HNSW index, when it is built and when it is walked.

HNSW (Malkov & Yashunin, 2018) walks a graph towards the nearest vectors. It knows no owner and no filter: what they
rule out is dropped from what the walk found, so under a selective filter little is left, though the walk goes on a
while (`hnsw.iterative_scan`). Comparing everything that a scope and its filters leave has no such gap.

The graph holds vectors in half precision: it takes little more than half the memory and finds as much (notebook 14),
and vectors of up to 4,000 dimensions fit, not only 2,000. What it finds is scored in full precision.
"""

from typing import Any, Literal, cast

from pgvector.sqlalchemy import Vector
from sqlalchemy import Connection, Engine, Table, text
from sqlalchemy.sql.ddl import DDL

from lessons.database import explained
from lessons.rag.tables import hnsw_name, term_table_name
from lessons.rag.types import WhereClause
from lessons.settings import settings

SearchPlan = Literal["exact", "hnsw"]

INDEX_MEMORY = "2047MB"  # of the database to build the index in, at most; Windows takes no more
IF_FEW = (  # PostgreSQL decides it once, before it reads a chunk, so an owner of few is searched by one statement
    "(to_regclass(:hnsw) IS NULL OR (SELECT coalesce(sum(chunks), 0) FROM documents"
    " WHERE index_table = :index_table AND user_id = :user_id) <= :few)"
)
_MANY_LEFT = "SELECT EXISTS (SELECT 1 FROM {chunks} WHERE {within} OFFSET :limit LIMIT 1)"  # counting stops there
# For this transaction only, since behind a pooler another one may be another client's. A walk that a filter leaves with
# too little goes on, which pgvector before 0.8 cannot do.
_SET = text("""
SELECT set_config('hnsw.ef_search', :breadth, true), set_config('enable_sort', 'off', true),
    (SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true) FROM pg_extension
     WHERE extname = 'vector' AND cast(string_to_array(extversion, '.') AS int[]) >= '{0,8}')
""")
_ROWS = text("SELECT reltuples FROM pg_class WHERE oid = to_regclass(:table)")
_MISSING = text("SELECT to_regtype('halfvec') IS NOT NULL AND to_regclass(:index) IS NULL")  # pgvector from 0.7 on
# Several processes would build it in shared memory, of which a container has 64 MB.
_LOCK = text(
    "SELECT pg_advisory_xact_lock(hashtextextended(:index, 0)), set_config('maintenance_work_mem', :memory, true),"
    " set_config('max_parallel_maintenance_workers', '0', true)"
)
_HNSW = "CREATE INDEX %(index)s ON %(table)s USING hnsw ((embedding::halfvec(%(dimension)s)) halfvec_cosine_ops)"
_MOST_DIMENSIONS = 4_000  # that pgvector indexes


def has_many_chunks(connection: Connection, where: WhereClause) -> bool:
    """Return True if the `IF_FEW` of a condition fails for its owner."""
    return not connection.scalar(text(f"SELECT {IF_FEW}"), where.values)


def choose_search_plan(connection: Connection, table: str, within: str, values: dict[str, Any]) -> SearchPlan:
    """Choose for an owner of many chunks: 'hnsw' if many of them meet all conditions, else 'exact'."""
    statement = text(_MANY_LEFT.format(chunks=f'"{table}"', within=within))
    return "hnsw" if connection.scalar(statement, {**values, "limit": settings().exact_filtered_chunks}) else "exact"


def configure_hnsw_search(connection: Connection) -> None:
    """Configure the transaction for a search through the index."""
    connection.execute(_SET, {"breadth": str(settings().hnsw_ef_search)})


def vacuum_after(engine: Engine, chunks: Table, written: int) -> None:
    """Vacuum and analyze both tables if at least a tenth of the chunks is new; PostgreSQL does the rest in time.

    Searching 20,000 chunks by keyword takes 140 ms before and 11 ms after.
    """
    with explained(), engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if written and written * 10 >= _rows(connection, chunks):
            for name in (chunks.name, term_table_name(chunks.name)):
                connection.execute(DDL("VACUUM (ANALYZE, SKIP_LOCKED) %(table)s", context={"table": f'"{name}"'}))


def index_when_large(engine: Engine, chunks: Table) -> None:
    """Build the HNSW index once there are more chunks than are compared one by one; a second process waits for it.

    Readers go on meanwhile, writers wait. The number of chunks is PostgreSQL's estimate: nobody may count all owners'.
    A graph that does not fit into memory is built several times slower, so much of it is allowed.
    Without half precision, or with more dimensions than can be indexed, every chunk is compared, however many.
    """
    dimension = cast(Vector, chunks.c.embedding.type).dim or 0
    names = {"index": f'"{hnsw_name(chunks.name)}"', "table": f'"{chunks.name}"', "dimension": str(dimension)}
    with explained(), engine.begin() as connection:
        if _rows(connection, chunks) <= settings().exact_search_chunks or dimension > _MOST_DIMENSIONS:
            return
        connection.execute(_LOCK, {"index": hnsw_name(chunks.name), "memory": INDEX_MEMORY})
        if connection.scalar(_MISSING, {"index": names["index"]}):
            connection.execute(DDL(_HNSW, context=names))


def _rows(connection: Connection, chunks: Table) -> float:
    return connection.scalar(_ROWS, {"table": f'"{chunks.name}"'}) or 0
