"""The tables of one index: its chunks, and the terms that find them."""

from functools import cache
from typing import Any, cast

from pgvector.sqlalchemy import Vector
from sqlalchemy import (
    BIGINT,
    TEXT,
    Column,
    Connection,
    ForeignKeyConstraint,
    Index,
    Integer,
    PrimaryKeyConstraint,
    String,
    Table,
    UniqueConstraint,
    delete,
    event,
    inspect,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.sql.ddl import DDL

from lessons.database.owned import create_owned
from lessons.ingest.documents import Base, DocumentRow
from lessons.ingest.postings import postings_name, postings_table

# PostgreSQL moves long values out of the row; comparing every vector of a table is three times faster without.
_VECTOR_IN_PLACE = DDL("ALTER TABLE %(fullname)s ALTER embedding SET STORAGE MAIN")


@cache
def chunk_table(name: str, dimension: int) -> Any:
    """The class of a table of chunks: what `PGVectorStore` expects, plus owner, document and place in it.

    `length` is counted in terms. The primary key carries it, so that an owner's average needs no chunk.
    """
    document = DocumentRow.user_id, DocumentRow.id
    columns = {
        "__tablename__": name,
        "__table_args__": (
            PrimaryKeyConstraint("user_id", "id", postgresql_include=["length"]),
            UniqueConstraint("user_id", "node_id"),
            ForeignKeyConstraint(["user_id", "document_id"], document, ondelete="CASCADE"),
            Index(f"{name}_place", "document_id", "chunk_index"),
        ),
        "id": Column(BIGINT, autoincrement=True),
        "node_id": Column(String, nullable=False),
        "document_id": Column(BIGINT, nullable=False),
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
    create_owned(connection, DocumentRow.__table__, chunks, postings_table(chunks))


def drop_tables(connection: Connection, name: str) -> None:
    """Drop a table of chunks with its terms; the rows of its documents stay."""
    names = {"terms": f'"{postings_name(name)}"', "chunks": f'"{name}"'}
    connection.execute(DDL("DROP TABLE IF EXISTS %(terms)s, %(chunks)s", context=names))
