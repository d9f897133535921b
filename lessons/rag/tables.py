"""The tables of the path: the documents of all owners, and for each index its chunks and the terms that find them.

    documents        one row for each file of an owner in an index
    chunks_<index>   its chunks: text, metadata and embedding
    terms_<index>    an inverted index: one row for each term of each chunk, with how often it occurs there

Every key begins with the owner, so that a search meets no other owner's rows.
"""

from collections.abc import Callable
from datetime import datetime
from functools import cache
from threading import Lock
from typing import Any, TypeVar, cast

from pgvector.sqlalchemy import Vector
from sqlalchemy import (
    BIGINT,
    TEXT,
    Column,
    Connection,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    String,
    Table,
    UniqueConstraint,
    event,
    func,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.sql.ddl import DDL

from lessons.rag.versions import term_table_name

# PostgreSQL moves long values out of the row; comparing every vector of a table is three times faster without.
_VECTOR_IN_PLACE = DDL("ALTER TABLE %(fullname)s ALTER embedding SET STORAGE MAIN")


class Base(DeclarativeBase):
    """The tables of documents and what belongs to them."""


class DocumentRow(Base):
    """A file as it was when it was ingested. Its chunks go when it goes. `content` is a PDF's, read only on demand."""

    __tablename__ = "documents"
    __table_args__ = (PrimaryKeyConstraint("user_id", "id"), UniqueConstraint("index_table", "user_id", "source_file"))

    id: Mapped[int] = mapped_column(BIGINT, autoincrement=True)
    index_table: Mapped[str]
    user_id: Mapped[str]
    source_file: Mapped[str]
    sha256: Mapped[str]
    pages: Mapped[int]
    chunks: Mapped[int]
    ingested_at: Mapped[datetime] = mapped_column(server_default=func.now())
    content: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)


Defining = TypeVar("Defining", bound=Callable[..., Table])


def _once(define: Defining) -> Defining:
    """Define each table once, even when two workers need it at the same moment."""
    known, lock = cache(define), Lock()

    def defined(*given: Any) -> Table:
        with lock:
            return known(*given)

    return cast(Defining, defined)


@_once
def chunk_table(name: str, dimension: int) -> Table:
    """The chunks of an index. `length` is counted in terms; the primary key carries it for an owner's average."""
    table = Table(
        name,
        Base.metadata,
        Column("id", BIGINT, autoincrement=True),
        Column("node_id", String, nullable=False),
        Column("document_id", BIGINT, nullable=False),
        Column("user_id", String, nullable=False),
        Column("chunk_index", Integer, nullable=False),
        Column("text", TEXT, nullable=False),
        Column("length", Integer, nullable=False),
        Column("metadata_", JSONB, nullable=False),
        Column("embedding", Vector(dimension), nullable=False),
        PrimaryKeyConstraint("user_id", "id", postgresql_include=["length"]),
        UniqueConstraint("user_id", "node_id"),
        ForeignKeyConstraint(["user_id", "document_id"], [DocumentRow.user_id, DocumentRow.id], ondelete="CASCADE"),
        Index(f"{name}_place", "document_id", "chunk_index"),
    )
    event.listen(cast(Any, table), "after_create", _VECTOR_IN_PLACE)
    return table


@_once
def term_table(chunks: Table) -> Table:
    """The terms of a table of chunks. Its key carries all that a ranking needs, so a search reads the key alone."""
    chunk = "user_id", "chunk_id"
    return Table(
        term_table_name(chunks.name),
        Base.metadata,
        Column("user_id", String, nullable=False),
        Column("term", String(collation="C"), nullable=False),
        Column("chunk_id", BIGINT, nullable=False),
        Column("frequency", Integer, nullable=False),
        Column("length", Integer, nullable=False),
        PrimaryKeyConstraint("user_id", "term", "chunk_id", postgresql_include=["frequency", "length"]),
        ForeignKeyConstraint(chunk, [chunks.c.user_id, chunks.c.id], ondelete="CASCADE"),
        Index(f"{term_table_name(chunks.name)}_chunk", *chunk),
    )


def drop_tables(connection: Connection, name: str) -> None:
    """Drop a table of chunks with its terms; the rows of its documents stay."""
    names = {"terms": f'"{term_table_name(name)}"', "chunks": f'"{name}"'}
    connection.execute(DDL("DROP TABLE IF EXISTS %(terms)s, %(chunks)s", context=names))
