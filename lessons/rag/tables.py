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

import sqlalchemy as sa
from pgvector.sqlalchemy import Vector
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.sql.ddl import DDL

# PostgreSQL moves long values out of the row; comparing every vector of a table is three times faster without.
_VECTOR_IN_PLACE = DDL("ALTER TABLE %(fullname)s ALTER embedding SET STORAGE MAIN")


def term_table_name(chunks: str) -> str:
    return chunks.replace("chunks", "terms", 1)


def hnsw_name(chunks: str) -> str:
    return f"{chunks}_hnsw"


class Base(DeclarativeBase):
    """The tables of documents and what belongs to them."""


class DocumentRow(Base):
    """A file as it was when it was ingested. Its chunks go when it goes. `content` is a PDF's, read only on demand."""

    __tablename__ = "documents"
    __table_args__ = (
        sa.PrimaryKeyConstraint("user_id", "id"),
        sa.UniqueConstraint("index_table", "user_id", "source_file"),
    )

    id: Mapped[int] = mapped_column(sa.BIGINT, autoincrement=True)
    index_table: Mapped[str]
    user_id: Mapped[str]
    source_file: Mapped[str]
    sha256: Mapped[str]
    pages: Mapped[int]
    chunks: Mapped[int]
    ingested_at: Mapped[datetime] = mapped_column(server_default=sa.func.now())
    content: Mapped[bytes | None] = mapped_column(sa.LargeBinary, deferred=True)


Defining = TypeVar("Defining", bound=Callable[..., sa.Table])


def _once(define: Defining) -> Defining:
    """Define each table once, even when two workers need it at the same moment."""
    cached_definition, lock = cache(define), Lock()

    def defined(*arguments: Any) -> sa.Table:
        with lock:
            return cached_definition(*arguments)

    return cast(Defining, defined)


@_once
def chunk_table(name: str, dimension: int) -> sa.Table:
    """Define the chunks of an index. `length` is in terms; the primary key carries it for an owner's average."""
    table = sa.Table(
        name,
        Base.metadata,
        sa.Column("id", sa.BIGINT, autoincrement=True),
        sa.Column("node_id", sa.String, nullable=False),
        sa.Column("document_id", sa.BIGINT, nullable=False),
        sa.Column("user_id", sa.String, nullable=False),
        sa.Column("chunk_index", sa.Integer, nullable=False),
        sa.Column("text", sa.TEXT, nullable=False),
        sa.Column("length", sa.Integer, nullable=False),
        sa.Column("metadata_", JSONB, nullable=False),
        sa.Column("embedding", Vector(dimension), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "id", postgresql_include=["length"]),
        sa.UniqueConstraint("user_id", "node_id"),
        sa.ForeignKeyConstraint(["user_id", "document_id"], [DocumentRow.user_id, DocumentRow.id], ondelete="CASCADE"),
        sa.Index(f"{name}_place", "document_id", "chunk_index"),
    )
    sa.event.listen(cast(Any, table), "after_create", _VECTOR_IN_PLACE)
    return table


@_once
def term_table(chunks: sa.Table) -> sa.Table:
    """Define the terms of a table of chunks. The key carries all that a ranking needs: a search reads only the key."""
    chunk = "user_id", "chunk_id"
    return sa.Table(
        term_table_name(chunks.name),
        Base.metadata,
        sa.Column("user_id", sa.String, nullable=False),
        sa.Column("term", sa.String(collation="C"), nullable=False),
        sa.Column("chunk_id", sa.BIGINT, nullable=False),
        sa.Column("frequency", sa.Integer, nullable=False),
        sa.Column("length", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "term", "chunk_id", postgresql_include=["frequency", "length"]),
        sa.ForeignKeyConstraint(chunk, [chunks.c.user_id, chunks.c.id], ondelete="CASCADE"),
        sa.Index(f"{term_table_name(chunks.name)}_chunk", *chunk),
    )


def drop_tables(connection: sa.Connection, name: str) -> None:
    """Drop a table of chunks with its terms; the rows of its documents stay."""
    names = {"terms": f'"{term_table_name(name)}"', "chunks": f'"{name}"'}
    connection.execute(DDL("DROP TABLE IF EXISTS %(terms)s, %(chunks)s", context=names))
