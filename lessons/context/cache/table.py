"""Answers in PostgreSQL, found again by the vector of their question."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from weakref import WeakSet

from pgvector.sqlalchemy import Vector
from sqlalchemy import (
    BIGINT,
    Connection,
    DateTime,
    Engine,
    PrimaryKeyConstraint,
    Row,
    UniqueConstraint,
    delete,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from lessons.database import ensure_schema
from lessons.database.owned import create_owned
from lessons.database.row_security import scoped
from lessons.settings import settings

_ready: WeakSet[Engine] = WeakSet()


class Base(DeclarativeBase):
    """The tables of the context room."""


class AnswerRow(Base):
    """An answer under its question. `way` is a digest of all that decides how it came about, the documents aside."""

    __tablename__ = "cached_answers"
    __table_args__ = (PrimaryKeyConstraint("user_id", "id"), UniqueConstraint("user_id", "way", "question_hash"))

    id: Mapped[int] = mapped_column(BIGINT, autoincrement=True)
    user_id: Mapped[str]
    index_table: Mapped[str]
    corpus_version: Mapped[str]
    way: Mapped[str]
    question: Mapped[str]
    question_hash: Mapped[str]
    embedding: Mapped[Any] = mapped_column(Vector())  # of any length: rows of one `way` share a model
    answer: Mapped[dict[str, Any]] = mapped_column(JSONB)
    hits: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())
    used_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


@dataclass(frozen=True)
class Shelf:
    """Where answers that can stand for each other are kept: one owner, one way to answer, one state of the corpus."""

    user_id: str
    way: str
    index_table: str
    corpus_version: str


class AnswerTable:
    """The kept answers of all owners. Rows of an older corpus and expired ones are never found, and soon dropped."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        if engine not in _ready:
            ensure_schema(engine, _create)
            _ready.add(engine)

    def nearest(self, shelf: Shelf, vector: Sequence[float], limit: int) -> Sequence[Row]:
        """(id, question, answer, similarity) of the questions nearest to a vector; similarity is a cosine."""
        distance = AnswerRow.embedding.cosine_distance(vector)
        columns = AnswerRow.id, AnswerRow.question, AnswerRow.answer, (1 - distance).label("similarity")
        with self._owner(shelf) as connection:
            _drop_stale(connection, shelf)
            return connection.execute(
                select(*columns).where(*_on(shelf)).order_by(distance, AnswerRow.id).limit(limit)
            ).all()

    def used(self, shelf: Shelf, number: int) -> None:
        """Count a hit."""
        counted = {AnswerRow.hits: AnswerRow.hits + 1, AnswerRow.used_at: func.now()}
        with self._owner(shelf) as connection:
            mine = AnswerRow.user_id == shelf.user_id, AnswerRow.id == number
            connection.execute(update(AnswerRow).where(*mine).values(counted))

    def put(self, shelf: Shelf, question: str, vector: Sequence[float], answer: dict[str, Any]) -> None:
        """Keep an answer in the place of an earlier one; the least recently used beyond the limit go."""
        key = {"user_id": shelf.user_id, "way": shelf.way, "question_hash": sha256(question.encode()).hexdigest()}
        known = {"index_table": shelf.index_table, "corpus_version": shelf.corpus_version, "question": question}
        values = {**known, "embedding": list(vector), "answer": answer}
        fresh = {**values, "hits": 0, "created_at": func.now(), "used_at": func.now()}
        statement = insert(AnswerRow).values(**key, **values)
        with self._owner(shelf) as connection:
            connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(f"cache/{shelf.user_id}", 0))))
            connection.execute(statement.on_conflict_do_update(index_elements=list(key), set_=fresh))
            kept = select(AnswerRow.id).where(AnswerRow.user_id == shelf.user_id)
            kept = kept.order_by(AnswerRow.used_at.desc(), AnswerRow.id.desc()).limit(settings().cache_answers)
            connection.execute(delete(AnswerRow).where(AnswerRow.user_id == shelf.user_id, AnswerRow.id.not_in(kept)))

    def counts(self, user_id: str) -> tuple[int, int]:
        """How many answers of an owner are kept, and how often they have been reused."""
        counted = select(func.count(), func.coalesce(func.sum(AnswerRow.hits), 0)).where(AnswerRow.user_id == user_id)
        with scoped(self._engine, user_id) as connection:
            kept, hits = connection.execute(counted).one()
            return kept, int(hits)

    def clear(self, user_id: str) -> int:
        """Forget every kept answer of an owner; how many there were."""
        with scoped(self._engine, user_id) as connection:
            return connection.execute(delete(AnswerRow).where(AnswerRow.user_id == user_id)).rowcount

    def _owner(self, shelf: Shelf) -> AbstractContextManager[Connection]:
        return scoped(self._engine, shelf.user_id)


def _create(connection: Connection) -> None:
    create_owned(connection, AnswerRow.__table__)


def _on(shelf: Shelf) -> tuple:
    return (
        AnswerRow.user_id == shelf.user_id,
        AnswerRow.way == shelf.way,
        AnswerRow.corpus_version == shelf.corpus_version,
        AnswerRow.created_at > _oldest(),
    )


def _oldest():
    return func.now() - timedelta(hours=settings().cache_hours)


def _drop_stale(connection: Connection, shelf: Shelf) -> None:
    """Rows that another transaction is at work on are left to it, so that no two wait for each other."""
    older = AnswerRow.index_table == shelf.index_table, AnswerRow.corpus_version != shelf.corpus_version
    stale = or_(AnswerRow.created_at <= _oldest(), older[0] & older[1])
    mine = AnswerRow.user_id == shelf.user_id
    locked = select(AnswerRow.id).where(mine, stale).with_for_update(skip_locked=True)
    connection.execute(delete(AnswerRow).where(mine, AnswerRow.id.in_(locked)))
