"""Deleted documents, kept aside for a while, so that a deletion is undone without embedding anything again.

A deleted document's rows are moved to tables of their own. No search looks there, so none needs a condition that
leaves them out. Once the time is over the words go for good; only the name stays, by which a shipped document that was
deleted is told from one that was never loaded.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BIGINT, Connection, DateTime, Engine, String, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.schema import Column, ForeignKeyConstraint, Index, PrimaryKeyConstraint, Table, UniqueConstraint

from lessons.database import explained
from lessons.database.owners import owner_transaction
from lessons.database.remote import remember_write
from lessons.database.schema import ensure_owned
from lessons.errors import LessonsError
from lessons.rag.store import ChunkStore
from lessons.rag.tables import Base, DocumentRow, term_table
from lessons.rag.types import Scope
from lessons.settings import settings

_DOCUMENT = ["user_id", "document_id"]

TRASHED_DOCUMENTS = Table(
    "trashed_documents",
    Base.metadata,
    *(Column(column.name, column.type, nullable=column.nullable) for column in DocumentRow.__table__.columns),
    Column("deleted_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    PrimaryKeyConstraint("user_id", "id"),
    UniqueConstraint("index_table", "user_id", "source_file"),
)
"""Rows of `documents` as they were, with their numbers, and when they were deleted."""

TRASHED_CHUNKS = Table(
    "trashed_chunks",
    Base.metadata,
    Column("id", BIGINT, autoincrement=True),
    Column("document_id", BIGINT, nullable=False),
    Column("user_id", String, nullable=False),
    Column("chunk", JSONB, nullable=False),
    Column("terms", JSONB, nullable=False),
    PrimaryKeyConstraint("user_id", "id"),
    ForeignKeyConstraint(_DOCUMENT, ["trashed_documents.user_id", "trashed_documents.id"], ondelete="CASCADE"),
    Index("trashed_chunks_document", *_DOCUMENT),
)
"""Chunks as they were, their vectors included, and the terms that find them."""

_COPIED = ", ".join(DocumentRow.__table__.columns.keys())
_BY_NAME = "index_table = ANY(:tables) AND user_id = :user_id AND (source_file = :name OR CAST(:name AS text) IS NULL)"
_BY_ID = "user_id = :user_id AND id = ANY(:ids)"  # what was locked; the same name may have come in since
_IS_RECENT = "deleted_at > now() - :days * interval '1 day'"

_COPY_DOCUMENTS = f"INSERT INTO trashed_documents ({_COPIED}) SELECT {_COPIED} FROM documents WHERE {_BY_ID}"
_COPY_CHUNKS = """
INSERT INTO trashed_chunks (document_id, user_id, chunk, terms)
SELECT document_id, user_id, to_jsonb(chunks), coalesce((
    SELECT jsonb_agg(to_jsonb(terms)) FROM {terms} terms
    WHERE terms.user_id = :user_id AND terms.chunk_id = chunks.id), '[]')
FROM {chunks} chunks WHERE user_id = :user_id AND document_id = :id"""
_PUT_BACK = """
WITH kept AS (SELECT chunk, terms FROM trashed_chunks WHERE user_id = :user_id AND document_id = :id),
    put_back AS (INSERT INTO {chunks} ({chunk_columns})
        SELECT own.* FROM kept, jsonb_populate_record(NULL::{chunks}, chunk) own)
INSERT INTO {terms} ({term_columns}) SELECT own.* FROM kept, jsonb_populate_recordset(NULL::{terms}, terms) own"""
_PUT_BACK_DOCUMENT = (
    f"INSERT INTO documents ({_COPIED}) SELECT {_COPIED} FROM trashed_documents WHERE user_id = :user_id AND id = :id"
    " ON CONFLICT DO NOTHING"
)
_FORGET = (
    f"UPDATE trashed_documents SET content = NULL WHERE content IS NOT NULL AND NOT {_IS_RECENT}",
    "DELETE FROM trashed_chunks WHERE (user_id, document_id) IN"
    f" (SELECT user_id, id FROM trashed_documents WHERE NOT {_IS_RECENT})",
)


class Trash:
    """The deleted documents of some indexes. Every method raises DatabaseError if the database cannot be used."""

    def __init__(self, engine: Engine, stores: Sequence[ChunkStore]) -> None:
        self._engine, self._tables = engine, {store.table_name: store.chunks for store in stores}
        ensure_owned(engine, DocumentRow.__table__)
        # Owners see their own through the wall. Purging is everybody's business, hence no FORCE on the trash.
        ensure_owned(engine, TRASHED_DOCUMENTS, TRASHED_CHUNKS, force=False)

    def delete(self, scope: Scope, source_file: str) -> bool:
        """Move an owner's document out of every index, in one transaction; False if none of them has it."""
        self.purge()
        values = self._values(scope, source_file)
        with owner_transaction(self._engine, scope.user_id) as connection:
            documents = _rows(connection, f"SELECT id, index_table FROM documents WHERE {_BY_NAME} FOR UPDATE", values)
            if not documents:
                return False
            locked = {"user_id": scope.user_id, "ids": [number for number, _ in documents]}
            connection.execute(text(f"DELETE FROM trashed_documents WHERE {_BY_NAME}"), values)
            connection.execute(text(_COPY_DOCUMENTS), locked)
            for number, table in documents:
                _run(connection, _COPY_CHUNKS, self._tables[table], {"user_id": scope.user_id, "id": number})
            connection.execute(text(f"DELETE FROM documents WHERE {_BY_ID}"), locked)
        remember_write(self._engine)
        return True

    def restore(self, scope: Scope, source_file: str) -> bool:
        """Put a deleted document back; False if there is none any more, LessonsError if its name is taken again."""
        values, condition = self._values(scope, source_file), f"{_BY_NAME} AND {_IS_RECENT}"
        with owner_transaction(self._engine, scope.user_id) as connection:
            query = f"SELECT id, index_table FROM trashed_documents WHERE {condition} FOR UPDATE"
            documents = _rows(connection, query, values)
            for number, table in documents:
                own_values = {"user_id": scope.user_id, "id": number}
                if not connection.execute(text(_PUT_BACK_DOCUMENT), own_values).rowcount:
                    raise LessonsError(f"{source_file} has been ingested again since; delete that version first.")
                _run(connection, _PUT_BACK, self._tables[table], own_values)
            locked = {"user_id": scope.user_id, "ids": [number for number, _ in documents]}
            connection.execute(text(f"DELETE FROM trashed_documents WHERE {_BY_ID}"), locked)
        remember_write(self._engine)
        return bool(documents)

    def deleted_names(self, scope: Scope) -> set[str]:
        """Return the names of what an owner deleted and did not bring back, however long ago."""
        self.purge()
        names = f"SELECT source_file FROM trashed_documents WHERE {_BY_NAME}"
        with owner_transaction(self._engine, scope.user_id) as connection:
            return {name for (name,) in _rows(connection, names, self._values(scope))}

    def purge(self) -> None:
        """Forget, for every owner, the words of what was deleted too long ago."""
        with explained(), self._engine.begin() as connection:
            for statement in _FORGET:
                connection.execute(text(statement), {"days": settings().trash_days})

    def _values(self, scope: Scope, source_file: str | None = None) -> dict[str, Any]:
        days = settings().trash_days
        return {"tables": list(self._tables), "user_id": scope.user_id, "name": source_file, "days": days}


def _rows(connection: Connection, statement: str, values: dict[str, Any]) -> list[Any]:
    return list(connection.execute(text(statement), values))


def _run(connection: Connection, statement: str, chunks: Table, values: dict[str, Any]) -> None:
    terms, quote = term_table(chunks), connection.dialect.identifier_preparer.quote
    names = {"chunks": quote(chunks.name), "terms": quote(terms.name)}
    columns = {"chunk_columns": ", ".join(chunks.columns.keys()), "term_columns": ", ".join(terms.columns.keys())}
    connection.execute(text(statement.format(**names, **columns)), values)
