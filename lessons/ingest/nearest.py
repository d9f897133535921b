"""Search by vector: every chunk compared while they are few, an HNSW index when they are many.

HNSW (Malkov & Yashunin, 2018) walks a graph towards the nearest vectors. It knows no owner and no filter: what they
rule out is dropped from what the walk found, so under a selective filter little is left, though the walk goes on a
while (`hnsw.iterative_scan`). Comparing everything that a scope and its filters leave has no such gap.
"""

from collections.abc import Sequence
from typing import Literal

from sqlalchemy import Connection, Select, Table, func, select, text
from sqlalchemy.sql import ColumnElement

from lessons.settings import settings

Way = Literal["exact", "hnsw"]

# For this transaction only, since behind a pooler another one may be another client's. A walk that a filter leaves with
# too little goes on, which pgvector before 0.8 cannot do.
_SET = text("""
SELECT set_config('hnsw.ef_search', :breadth, true), set_config('enable_sort', 'off', true),
    (SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true) FROM pg_extension
     WHERE extname = 'vector' AND cast(string_to_array(extversion, '.') AS int[]) >= '{0,8}')
""")
_READY = text("SELECT to_regclass(:name) IS NOT NULL")


def hnsw_name(chunks: str) -> str:
    """The name of the HNSW index of a table of chunks."""
    return f"{chunks}_hnsw"


def choose_way(connection: Connection, chunks: Table, conditions: Sequence[ColumnElement[bool]]) -> Way:
    """'exact' while the owner's chunks, or those of them that meet all conditions, are few; else 'hnsw'.

    The first condition names the owner, whose chunks an index counts at once; counting stops at the limit.
    The transaction is set up for the way that is chosen.
    """
    chosen = settings()
    for some, limit in ((conditions[:1], chosen.exact_search_chunks), (conditions, chosen.exact_filtered_chunks)):
        counted = select(chunks.c.id).where(*some).limit(limit + 1).subquery()
        if connection.scalar(select(func.count()).select_from(counted)) <= limit:  # type: ignore[operator]
            return "exact"
    if not connection.scalar(_READY, {"name": hnsw_name(chunks.name)}):
        return "exact"
    connection.execute(_SET, {"breadth": str(chosen.hnsw_ef_search)})
    return "hnsw"


def nearest(
    chunks: Table, conditions: Sequence[ColumnElement[bool]], vector: Sequence[float], limit: int, way: Way
) -> Select:
    """The chunks with the smallest cosine distance to a vector, nearest first.

    Adding 0 keeps PostgreSQL from walking the index, and puts what a walk found into exact order.
    """
    distance = chunks.c.embedding.cosine_distance(vector)
    columns = chunks.c.id, chunks.c.node_id, chunks.c.text, chunks.c.metadata_
    if way == "exact":
        compared = select(*columns, (distance + 0).label("distance")).where(*conditions)
        return compared.order_by(text("distance"), chunks.c.id).limit(limit)
    walked = select(*columns, distance.label("distance")).where(*conditions).order_by(text("distance")).limit(limit)
    found = walked.cte("walked").prefix_with("MATERIALIZED", dialect="postgresql")
    return select(found).order_by(found.c.distance + 0, found.c.id)
