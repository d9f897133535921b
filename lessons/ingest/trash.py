"""Deleted documents, kept aside for a while, so that a deletion is undone without embedding anything again.

A deleted document's rows are moved to tables of their own. No search looks there, so none needs a condition that
leaves them out. Once the time is over the words go for good; only the name stays, by which a shipped document that was
deleted is told from one that was never loaded.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from sqlalchemy import (
    BIGINT,
    Column,
    Connection,
    DateTime,
    Engine,
    ForeignKeyConstraint,
    Index,
    PrimaryKeyConstraint,
    Select,
    Table,
    UniqueConstraint,
    and_,
    column,
    delete,
    func,
    insert,
    select,
    tuple_,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.dialects.postgresql import insert as insert_or
from sqlalchemy.orm import Mapped, Session, mapped_column

from lessons.database import explained
from lessons.database.owned import ensure_owned
from lessons.database.replicas import remember_write
from lessons.database.row_security import scoped
from lessons.errors import LessonsError
from lessons.rag.store import ChunkStore
from lessons.rag.tables import Base, DocumentRow, term_table
from lessons.rag.types import Scope
from lessons.settings import settings

_DOCUMENT = "user_id", "document_id"


class TrashedDocument(Base):
    """A row of `documents` as it was, with its number, and when it was deleted."""

    __tablename__ = "trashed_documents"
    __table_args__ = (
        PrimaryKeyConstraint("user_id", "id"),
        UniqueConstraint("index_table", "user_id", "source_file"),
    )

    id: Mapped[int] = mapped_column(BIGINT)
    index_table: Mapped[str]
    user_id: Mapped[str]
    source_file: Mapped[str]
    sha256: Mapped[str]
    pages: Mapped[int]
    chunks: Mapped[int]
    ingested_at: Mapped[datetime]
    deleted_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


class TrashedChunk(Base):
    """A chunk as it was, its vector included, and the terms that find it."""

    __tablename__ = "trashed_chunks"
    __table_args__ = (
        PrimaryKeyConstraint("user_id", "id"),
        ForeignKeyConstraint(_DOCUMENT, [TrashedDocument.user_id, TrashedDocument.id], ondelete="CASCADE"),
        Index("trashed_chunks_document", *_DOCUMENT),
    )

    id: Mapped[int] = mapped_column(BIGINT, autoincrement=True)
    document_id: Mapped[int] = mapped_column(BIGINT)
    user_id: Mapped[str]
    chunk: Mapped[dict[str, Any]] = mapped_column(JSONB)
    terms: Mapped[list[dict[str, Any]]] = mapped_column(JSONB)


_COPIED = [each.name for each in DocumentRow.__table__.columns]


class Trash:
    """The deleted documents of some indexes. Every method raises DatabaseError if the database cannot be used."""

    def __init__(self, engine: Engine, stores: Sequence[ChunkStore]) -> None:
        self._database, self._stores = engine, {store.table_name: store for store in stores}

    @cached_property
    def _engine(self) -> Engine:
        """The engine, once the tables are there."""
        ensure_owned(self._database, DocumentRow.__table__)
        # Owners see their own through the wall. Purging is everybody's business, hence no FORCE on the trash.
        ensure_owned(self._database, TrashedDocument.__table__, TrashedChunk.__table__, force=False)
        return self._database

    def delete(self, scope: Scope, source_file: str) -> bool:
        """Move an owner's document out of every index, in one transaction; False if none of them has it."""
        self.purge()
        wanted = select(DocumentRow).where(*self._named(DocumentRow, scope, source_file)).with_for_update()
        with scoped(self._engine, scope.user_id) as connection, Session(connection) as session:
            found = list(session.scalars(wanted))
            session.execute(delete(TrashedDocument).where(*self._named(TrashedDocument, scope, source_file)))
            for row in found:
                session.execute(insert(TrashedDocument).values({name: getattr(row, name) for name in _COPIED}))
                session.execute(insert(TrashedChunk).from_select(*self._taken(row)))
                session.execute(delete(DocumentRow).where(DocumentRow.user_id == row.user_id, DocumentRow.id == row.id))
            session.commit()
        remember_write(self._engine)
        return bool(found)

    def restore(self, scope: Scope, source_file: str) -> bool:
        """Put a deleted document back as it was; False if there is none, or no longer.

        LessonsError if a document of that name has been ingested since.
        """
        wanted = select(TrashedDocument).where(*self._named(TrashedDocument, scope, source_file), _kept())
        with scoped(self._engine, scope.user_id) as connection, Session(connection) as session:
            found = list(session.scalars(wanted.with_for_update()))
            for row in found:
                self._put_back(connection, row)
                mine = TrashedDocument.user_id == row.user_id, TrashedDocument.id == row.id
                session.execute(delete(TrashedDocument).where(*mine))
            session.commit()
        remember_write(self._engine)
        return bool(found)

    def names(self, scope: Scope) -> set[str]:
        """The names of all documents that the owner ever deleted and did not bring back."""
        with scoped(self._engine, scope.user_id) as connection:
            return set(
                connection.scalars(select(TrashedDocument.source_file).where(*self._named(TrashedDocument, scope)))
            )

    def deleted(self, scope: Scope) -> dict[str, datetime]:
        """What an owner can bring back, and when it was deleted, the latest first."""
        self.purge()
        latest = func.max(TrashedDocument.deleted_at).label("latest")
        found = select(TrashedDocument.source_file, latest).where(*self._named(TrashedDocument, scope), _kept())
        found = found.group_by(TrashedDocument.source_file).order_by(latest.desc(), TrashedDocument.source_file)
        with scoped(self._engine, scope.user_id) as connection:
            return dict(connection.execute(found).tuples().all())

    def purge(self) -> None:
        """Forget, for every owner, the words of what was deleted too long ago."""
        with explained(), self._engine.begin() as connection:
            old = select(TrashedDocument.user_id, TrashedDocument.id).where(~_kept())
            of_old = tuple_(TrashedChunk.user_id, TrashedChunk.document_id).in_(old)
            connection.execute(delete(TrashedChunk).where(of_old))

    def _named(
        self, row: type[DocumentRow] | type[TrashedDocument], scope: Scope, source_file: str | None = None
    ) -> list:
        conditions = [row.index_table.in_(list(self._stores)), row.user_id == scope.user_id]
        return conditions if source_file is None else [*conditions, row.source_file == source_file]

    def _taken(self, row: DocumentRow) -> tuple[list[str], Select]:
        """The chunks of a document as rows of the trash."""
        chunks: Table = self._stores[row.index_table].chunks
        postings = term_table(chunks)
        listed = func.coalesce(func.jsonb_agg(func.to_jsonb(postings.table_valued())), func.jsonb_build_array())
        own = postings.c.user_id == row.user_id, postings.c.chunk_id == chunks.c.id
        terms = select(listed).where(*own).scalar_subquery()
        mine = chunks.c.user_id == row.user_id, chunks.c.document_id == row.id
        columns = chunks.c.document_id, chunks.c.user_id, func.to_jsonb(chunks.table_valued()), terms
        return ["document_id", "user_id", "chunk", "terms"], select(*columns).where(*mine)

    def _put_back(self, connection: Connection, row: TrashedDocument) -> None:
        statement = insert_or(DocumentRow).values({name: getattr(row, name) for name in _COPIED})
        if connection.scalar(statement.on_conflict_do_nothing().returning(DocumentRow.id)) is None:
            raise LessonsError(f"{row.source_file} has been ingested again since; delete that version first.")
        chunks: Table = self._stores[row.index_table].chunks
        postings = term_table(chunks)
        mine = and_(TrashedChunk.user_id == row.user_id, TrashedChunk.document_id == row.id)
        again = select(*_columns(chunks, TrashedChunk.chunk)).where(mine)
        connection.execute(insert(chunks).from_select(list(chunks.c), again))
        term = func.jsonb_array_elements(TrashedChunk.terms).table_valued(column("value", JSONB)).lateral()
        found = select(*_columns(postings, term.c.value)).select_from(TrashedChunk).join(term, mine)
        connection.execute(insert(postings).from_select(list(postings.c), found))


def _columns(table: Table, row: Any) -> list[Column]:
    """The columns of a table, read from a row of it that was kept as JSON."""
    return [row[each.name].astext.cast(each.type) for each in table.c]


def _kept() -> Any:
    return TrashedDocument.deleted_at > func.now() - timedelta(days=settings().trash_days)
