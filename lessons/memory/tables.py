"""The tables of the long-term memories, and the end of what nobody used for a day (row E3)."""

from datetime import datetime, timedelta
from weakref import WeakSet

from pgvector.sqlalchemy import Vector
from sqlalchemy import Connection, DateTime, Engine, ForeignKeyConstraint, delete, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from lessons.database import ensure_schema, explained
from lessons.database.owned import create_owned
from lessons.memory.messages import Base
from lessons.settings import settings


class SessionRow(Base):
    """A session that a long-term memory serves. It takes its turns and states with it when it is deleted."""

    __tablename__ = "memory_sessions"

    user_id: Mapped[str] = mapped_column(primary_key=True)
    session_id: Mapped[str] = mapped_column(primary_key=True)
    turns: Mapped[int] = mapped_column(server_default="1")
    used_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now(), index=True)


def _of_session() -> ForeignKeyConstraint:
    columns = ["user_id", "session_id"]
    return ForeignKeyConstraint(columns, [f"memory_sessions.{name}" for name in columns], ondelete="CASCADE")


class TurnRow(Base):
    """A question with its answer. `learned` says that the profile knows what its user states in it."""

    __tablename__ = "memory_turns"
    __table_args__ = (_of_session(),)

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
    __table_args__ = (_of_session(),)

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
    said: Mapped[str]
    updated_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())


_opened: WeakSet[Engine] = WeakSet()


def opened(engine: Engine) -> Engine:
    """The engine, once the tables are there. Sessions that were not used for long are dropped on the way."""
    if engine not in _opened:
        ensure_schema(engine, _create)
        drop_unused(engine, timedelta(hours=settings().memory_ttl_hours))
        _opened.add(engine)
    return engine


def drop_unused(engine: Engine, longer_than: timedelta) -> int:
    """Drop every owner's sessions without a turn for so long; how many there were."""
    with explained(), engine.begin() as connection:
        stale = delete(SessionRow).where(SessionRow.used_at < func.now() - longer_than)
        return connection.execute(stale).rowcount


def _create(connection: Connection) -> None:
    """The clean-up has business with every owner's sessions, hence no FORCE."""
    create_owned(connection, *(row.__table__ for row in (SessionRow, TurnRow, StateRow, SlotRow)), force=False)
