"""The turns of a session that a long-term memory works on, and what it made of them so far.

A turn is written before anything is made of it, and `upto` says which turns went into a state. So a crash in between
loses nothing, and a state that somebody else has moved on meanwhile is not overwritten.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from pgvector.sqlalchemy import Vector
from sqlalchemy import Connection, DateTime, Engine, ForeignKeyConstraint
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.sql import delete, func, insert, literal, select, text, update

from lessons.database import explained
from lessons.database.owners import owner_transaction
from lessons.errors import DatabaseError
from lessons.memory import messages
from lessons.models.keyless import same_key
from lessons.plan import Message
from lessons.rag.tables import Base
from lessons.rag.types import Scope
from lessons.settings import settings

_SESSION = ["user_id", "session_id"]
_SESSION_KEY = [f"memory_sessions.{name}" for name in _SESSION]


class SessionRow(Base):
    """A session that a long-term memory serves. It takes its turns and states with it when it is deleted."""

    __tablename__ = "memory_sessions"

    user_id: Mapped[str] = mapped_column(primary_key=True)
    session_id: Mapped[str] = mapped_column(primary_key=True)
    turns: Mapped[int] = mapped_column(server_default="1")
    used_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now(), index=True)


class TurnRow(Base):
    """A question with its answer. `learned` says that the profile knows what its user states in it."""

    __tablename__ = "memory_turns"
    __table_args__ = (ForeignKeyConstraint(_SESSION, _SESSION_KEY, ondelete="CASCADE"),)

    user_id: Mapped[str] = mapped_column(primary_key=True)
    session_id: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    question: Mapped[str]
    answer: Mapped[str]
    learned: Mapped[bool] = mapped_column(server_default="false")
    embedded_by: Mapped[str | None]
    embedding: Mapped[list[float] | None] = mapped_column(Vector())


class StateRow(Base):
    """What one kind of memory made of the turns up to a number."""

    __tablename__ = "memory_states"
    __table_args__ = (ForeignKeyConstraint(_SESSION, _SESSION_KEY, ondelete="CASCADE"),)

    user_id: Mapped[str] = mapped_column(primary_key=True)
    session_id: Mapped[str] = mapped_column(primary_key=True)
    memory: Mapped[str] = mapped_column(primary_key=True)
    upto: Mapped[int]
    summary: Mapped[str]
    entities: Mapped[list[dict]] = mapped_column(JSONB)


class SlotRow(Base):
    """Something that a user stated about themselves. `meaning` is what its key means in any language."""

    __tablename__ = "profile_slots"

    user_id: Mapped[str] = mapped_column(primary_key=True)
    meaning: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str]
    value: Mapped[str]
    said: Mapped[str]  # the message in which it was stated
    updated_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())


def with_tables(engine: Engine) -> Engine:
    return messages.with_tables(engine, SessionRow, TurnRow, StateRow, SlotRow)


def transaction(engine: Engine, scope: Scope) -> AbstractContextManager[Connection]:
    """Open a transaction that sees only this owner's rows. DatabaseError if the database cannot be used."""
    return owner_transaction(with_tables(engine), scope.user_id)


def drop_expired_sessions(engine: Engine) -> int:
    """Delete every owner's sessions that have expired by the settings; return their number."""
    unused = SessionRow.used_at < func.now() - timedelta(hours=settings().memory_ttl_hours)
    with explained(), with_tables(engine).begin() as connection:
        return connection.execute(delete(SessionRow).where(unused)).rowcount


LONGEST_KEY, LONGEST_VALUE = 40, 120  # characters


@dataclass(frozen=True)
class Entity:
    """A value under its key, and the turn in which it was said."""

    key: str
    value: str
    turn: int = 0


def merge_entities(entities: Iterable[Entity], new: Iterable[Entity]) -> tuple[Entity, ...]:
    """Append new entities; an empty value removes its key, and the oldest beyond the limit go."""
    by_meaning = {same_key(entity.key): entity for entity in entities}
    for entity in new:
        key, value = (" ".join(text.split()) for text in (entity.key, entity.value))
        tidy = Entity(key[:LONGEST_KEY], value[:LONGEST_VALUE], entity.turn)
        by_meaning.pop(same_key(tidy.key), None)
        if tidy.key and tidy.value:
            by_meaning[same_key(tidy.key)] = tidy
    merged = tuple(by_meaning.values())
    return merged[max(0, len(merged) - settings().entities_kept) :]


LOCKS = 726_005  # first key of the advisory locks of long-term memories; the second stands for the session


@dataclass(frozen=True)
class Turn:
    """The turn `number` of a session, counted from 1."""

    number: int
    question: str
    answer: str

    @property
    def messages(self) -> tuple[Message, Message]:
        return ("user", self.question), ("assistant", self.answer)


@dataclass(frozen=True)
class State:
    """What is known of the turns up to number `upto`."""

    upto: int = 0
    summary: str = ""
    entities: tuple[Entity, ...] = ()


@dataclass(frozen=True)
class Turns:
    """The turns of one session of an owner. Every method raises DatabaseError if the database cannot be used."""

    engine: Engine
    scope: Scope
    session_id: str

    def add(self, question: str, answer: str) -> None:
        """Store a turn. The row of its session numbers it, which one writer at a time can update."""
        session = upsert(SessionRow).values(self._key)
        moved = {"turns": SessionRow.turns + 1, "used_at": func.now()}
        counted = session.on_conflict_do_update(index_elements=list(self._key), set_=moved).returning(SessionRow.turns)
        number = counted.cte("counted")
        columns = [*self._key, "number", "question", "answer"]
        row = select(*map(literal, self._key.values()), number.c.turns, literal(question), literal(answer))
        with transaction(self.engine, self.scope) as connection:
            connection.execute(insert(TurnRow).from_select(columns, row))

    def last(self, count: int) -> list[Turn]:
        """Return the newest turns, oldest first."""
        newest = select(SessionRow.turns).where(*self._in_session(SessionRow)).scalar_subquery()
        return self.read(TurnRow.number > newest - count)

    def nearest(self, vector: list[float], embedded_by: str, before_number: int, limit: int) -> list[Turn]:
        """Return the turns before a number that are nearest to a vector, nearest first."""
        distance = TurnRow.embedding.cosine_distance(vector)
        conditions = TurnRow.embedded_by == embedded_by, TurnRow.number < before_number
        return self.read(*conditions, order=(distance, TurnRow.number.desc()), limit=limit)

    def read(self, *conditions: Any, order: tuple = (TurnRow.number,), limit: int | None = None) -> list[Turn]:
        """Return the turns for which these conditions on `TurnRow` hold, by default oldest first."""
        columns = TurnRow.number, TurnRow.question, TurnRow.answer
        query = select(*columns).where(*self._in_session(TurnRow), *conditions).order_by(*order).limit(limit)
        with transaction(self.engine, self.scope) as connection:
            return [Turn(*row) for row in connection.execute(query)]

    def set_columns(self, changes: Mapping[int, Mapping[str, Any]]) -> None:
        """Set columns of turns, by their numbers."""
        with transaction(self.engine, self.scope) as connection:
            for number, values in changes.items():
                this_turn = *self._in_session(TurnRow), TurnRow.number == number
                connection.execute(update(TurnRow).where(*this_turn).values(values))

    def drop_before(self, number: int) -> None:
        """Delete the turns before a number, except for the first: somebody may ask how the conversation began."""
        with transaction(self.engine, self.scope) as connection:
            old = *self._in_session(TurnRow), TurnRow.number.between(2, number - 1)
            connection.execute(delete(TurnRow).where(*old))

    def state(self, memory: str) -> State:
        """Return the state of a memory; an empty one before its first update."""
        with transaction(self.engine, self.scope) as connection:
            query = select(StateRow.upto, StateRow.summary, StateRow.entities)
            row = connection.execute(query.where(*self._in_session(StateRow), StateRow.memory == memory)).one_or_none()
        return State(row.upto, row.summary, tuple(Entity(**entity) for entity in row.entities)) if row else State()

    def replace_state(self, memory: str, previous: State, following: State) -> bool:
        """Replace the state that the new one was made from; False if that is gone or somebody was faster."""
        values = asdict(following)
        with transaction(self.engine, self.scope) as connection:
            if previous.upto:
                this_state = *self._in_session(StateRow), StateRow.memory == memory, StateRow.upto == previous.upto
                return connection.execute(update(StateRow).where(*this_state).values(values)).rowcount == 1
            session = select(SessionRow.turns).where(*self._in_session(SessionRow)).with_for_update(read=True)
            if not connection.scalar(session):
                return False  # forgotten meanwhile
            added = upsert(StateRow).values(**self._key, memory=memory, **values).on_conflict_do_nothing()
            return connection.scalar(added.returning(StateRow.upto)) is not None

    def forget(self) -> None:
        """Delete the session with everything that was made of it."""
        with transaction(self.engine, self.scope) as connection:
            connection.execute(delete(SessionRow).where(*self._in_session(SessionRow)))

    @contextmanager
    def try_lock(self) -> Iterator[bool]:
        """Lock the session for the block, across processes; yield whether the lock was free."""
        with explained():
            connection = with_tables(self.engine).connect()  # its transaction holds the lock, so that a crash frees it
            try:
                session = func.hashtext(f"{self.scope.user_id}\x1f{self.session_id}")
                is_free = connection.scalar(select(func.pg_try_advisory_xact_lock(LOCKS, session)))
                connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
                yield bool(is_free)
            finally:
                with suppress(SQLAlchemyError, DatabaseError):
                    connection.close()

    @property
    def _key(self) -> dict[str, str]:
        return {"user_id": self.scope.user_id, "session_id": self.session_id}

    def _in_session(self, row: Any) -> tuple:
        return row.user_id == self.scope.user_id, row.session_id == self.session_id
