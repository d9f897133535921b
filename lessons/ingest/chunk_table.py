"""The tables of one index: its chunks, and the terms that find them."""

from functools import cache
from typing import Any, cast

from pgvector.sqlalchemy import Vector
from sqlalchemy import (
    BIGINT,
    TEXT,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    delete,
    event,
    inspect,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.sql.ddl import DDL

from lessons.database.row_security import protect
from lessons.ingest.documents import Base, DocumentRow
from lessons.ingest.postings import postings_name, postings_table

# PostgreSQL moves long values out of the row; comparing every vector of a table is three times faster without.
_VECTOR_IN_PLACE = DDL("ALTER TABLE %(fullname)s ALTER embedding SET STORAGE MAIN")


@cache
def chunk_table(name: str, dimension: int) -> Any:
    """The class of a table of chunks: what `PGVectorStore` expects, plus owner, document and place in it.

    `length` is counted in terms. The owner's index carries it, so that an average needs no chunk.
    """
    columns = {
        "__tablename__": name,
        "__table_args__": (
            Index(f"{name}_place", "document_id", "chunk_index"),
            Index(f"{name}_owner", "user_id", postgresql_include=["length"]),
        ),
        "id": Column(BIGINT, primary_key=True),
        "node_id": Column(String, nullable=False, unique=True),
        "document_id": Column(ForeignKey(DocumentRow.id, ondelete="CASCADE"), nullable=False),
        "user_id": Column(String, nullable=False),
        "chunk_index": Column(Integer, nullable=False),
        "text": Column(TEXT, nullable=False),
        "length": Column(Integer, nullable=False),
        "metadata_": Column(JSONB, nullable=False),
        "embedding": Column(Vector(dimension), nullable=False),
    }
    made = type(f"Chunk_{name}", (Base,), columns)
    event.listen(cast(Any, made).__table__, "after_create", _VECTOR_IN_PLACE)
    return made


def create_tables(connection: Connection, chunks: Table) -> None:
    """Create what is missing and protect it, within `ensure_schema`.

    An index that was made before its terms were kept cannot be searched by them: it is dropped, to be filled anew.
    """
    if inspect(connection).has_table(chunks.name) and not inspect(connection).has_table(postings_name(chunks.name)):
        drop_tables(connection, chunks.name)
        connection.execute(delete(DocumentRow).where(DocumentRow.index_table == chunks.name))
    tables = [cast(Table, DocumentRow.__table__), chunks, postings_table(chunks)]
    Base.metadata.create_all(connection, tables)
    for table in tables:
        protect(connection, table.name)


def drop_tables(connection: Connection, name: str) -> None:
    """Drop a table of chunks with its terms; the rows of its documents stay."""
    names = {"terms": f'"{postings_name(name)}"', "chunks": f'"{name}"'}
    connection.execute(DDL("DROP TABLE IF EXISTS %(terms)s, %(chunks)s", context=names))
