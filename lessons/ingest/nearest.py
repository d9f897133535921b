"""Search by vector: every chunk compared while they are few, an HNSW index when they are many.

HNSW (Malkov & Yashunin, 2018) walks a graph towards the nearest vectors. It knows no owner and no filter: what they
rule out is dropped from what the walk found, so under a selective filter little is left, though the walk goes on a
while (`hnsw.iterative_scan`). Comparing everything that a scope and its filters leave has no such gap.

The graph holds vectors in half precision: it takes little more than half the memory and finds as much (notebook 14),
and vectors of up to 4,000 dimensions fit, not only 2,000. What it finds is scored in full precision.
"""

from collections.abc import Sequence
from typing import Any, Literal

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import (
    ARRAY,
    TEXT,
    Connection,
    Select,
    Table,
    bindparam,
    case,
    cast,
    exists,
    func,
    literal,
    select,
    text,
    true,
)
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


def hnsw_name(chunks: str) -> str:
    """The name of the HNSW index of a table of chunks."""
    return f"{chunks}_hnsw"


def halved(chunks: Table) -> Any:
    """The embeddings in half precision, as they are indexed."""
    return cast(chunks.c.embedding, HALFVEC(chunks.c.embedding.type.dim))  # type: ignore[attr-defined]


def choose_way(connection: Connection, chunks: Table, conditions: Sequence[ColumnElement[bool]]) -> Way:
    """'exact' while the owner's chunks, or those of them that meet all conditions, are few; else 'hnsw'.

    The first condition names the owner, whose chunks an index counts at once; counting stops at the limit, and does
    not begin where there is no HNSW index.
    """
    chosen = settings()
    walk = case(
        (~indexed(chunks), False),
        (~_more(conditions[:1], chosen.exact_search_chunks), False),
        else_=_more(conditions, chosen.exact_filtered_chunks),
    )
    return "hnsw" if connection.scalar(select(walk)) else "exact"


def indexed(chunks: Table) -> ColumnElement[bool]:
    """Whether a table of chunks has an HNSW index."""
    return func.to_regclass(hnsw_name(chunks.name)).is_not(None)


def set_up(connection: Connection, way: Way) -> None:
    """Prepare the transaction for searches in this way."""
    if way == "hnsw":
        connection.execute(_SET, {"breadth": str(settings().hnsw_ef_search)})


def asking(vectors: Sequence[Sequence[float]]) -> dict[str, list[str]]:
    """The parameters of a `nearest` to these vectors."""
    return {"vectors": [str([float(number) for number in vector]) for vector in vectors]}


def nearest(chunks: Table, conditions: Sequence[ColumnElement[bool]], limit: int, way: Way) -> Select:
    """For each vector the chunks with the smallest cosine distance: `number` from 1, `chunk_id`, and 1 − distance.

    Which vectors, `asking` tells when the statement is executed. Adding 0 keeps PostgreSQL from walking an index of
    full vectors, as earlier versions made it. MATERIALIZED has a vector read once and not for every row.
    """
    texts = bindparam("vectors", type_=ARRAY(TEXT))
    read = func.unnest(texts).table_valued("vector", with_ordinality="number", name="read").render_derived()
    vectors_read = select(cast(read.c.vector, chunks.c.embedding.type).label("vector"), read.c.number)
    asked = vectors_read.cte("asked").prefix_with("MATERIALIZED", dialect="postgresql")
    distance = chunks.c.embedding.cosine_distance(asked.c.vector)
    if way == "exact":
        compared = select(chunks.c.id, (distance + 0).label("distance")).where(*conditions)
        ordered = compared.order_by(text("distance"), chunks.c.id)
    else:
        coarse = halved(chunks).cosine_distance(cast(asked.c.vector, halved(chunks).type))
        ordered = select(chunks.c.id, distance.label("distance")).where(*conditions).order_by(coarse)
    near = ordered.limit(limit).lateral("near")
    columns = asked.c.number, near.c.id.label("chunk_id"), (1 - near.c.distance).label("score")
    return select(*columns).select_from(asked.join(near, true()))


def _more(conditions: Sequence[ColumnElement[bool]], limit: int) -> ColumnElement[bool]:
    """Whether more chunks than the limit meet the conditions. No column is read that they do not name."""
    return exists(select(literal(1)).where(*conditions).offset(limit).limit(1))
