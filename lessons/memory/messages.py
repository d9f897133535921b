"""The messages of conversations, kept in PostgreSQL: what was said in a session, in order (row A3)."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from sqlalchemy import BIGINT, Connection, DateTime, Engine, Index, delete, func, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from lessons.database import ensure_schema
from lessons.database.row_security import protect, scoped
from lessons.ingest.scope import Scope
from lessons.settings import settings


class Base(DeclarativeBase):
    """The tables of the memory room."""


class MessageRow(Base):
    """One message. `timestamp` is when it was said, `created_at` when it was stored."""

    __tablename__ = "conversation_messages"
    __table_args__ = (Index("conversation_messages_session", "user_id", "session_id", "id"),)

    id: Mapped[int] = mapped_column(BIGINT, primary_key=True)
    user_id: Mapped[str]
    session_id: Mapped[str]
    role: Mapped[str]
    content: Mapped[str]
    timestamp: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


class StoredMessages:
    """The messages of every owner's sessions; the oldest of a session are dropped beyond the limit."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        ensure_schema(engine, _create)

    def add_turn(self, scope: Scope, session_id: str, question: str, answer: str) -> None:
        """Store a question with its answer, in one transaction, and drop what is too old."""
        now = datetime.now(UTC)
        said = (("user", question), ("assistant", answer))
        with self._session(scope) as session:
            for role, content in said:
                row = {"user_id": scope.user_id, "session_id": session_id, "role": role, "content": content}
                session.add(MessageRow(**row, timestamp=now))
                session.flush()  # so that ids follow the order of the conversation
            kept = _of(scope, session_id).order_by(MessageRow.id.desc()).limit(settings().session_messages)
            kept_ids = kept.with_only_columns(MessageRow.id)
            session.execute(delete(MessageRow).where(*_conditions(scope, session_id), MessageRow.id.not_in(kept_ids)))

    def history(self, scope: Scope, session_id: str, turns: int) -> tuple[tuple[str, str], ...]:
        """(role, content) of the last `turns` turns, oldest first."""
        statement = _of(scope, session_id).order_by(MessageRow.id.desc()).limit(2 * turns)
        with self._session(scope) as session:
            return tuple((row.role, row.content) for row in session.scalars(statement))[::-1]

    def clear(self, scope: Scope, session_id: str) -> int:
        """Forget a session; the number of messages that were forgotten."""
        with self._session(scope) as session:
            return session.execute(delete(MessageRow).where(*_conditions(scope, session_id))).rowcount  # type: ignore[attr-defined]

    @contextmanager
    def _session(self, scope: Scope) -> Iterator[Session]:
        """A transaction that reaches the owner's messages only."""
        with scoped(self._engine, scope.user_id) as connection, Session(connection) as session:
            yield session
            session.flush()


def _create(connection: Connection) -> None:
    """The clean-up of old sessions has business with every owner's, hence no FORCE."""
    Base.metadata.create_all(connection)
    protect(connection, MessageRow.__tablename__, force=False)


def _of(scope: Scope, session_id: str):
    return select(MessageRow).where(*_conditions(scope, session_id))


def _conditions(scope: Scope, session_id: str) -> tuple:
    return MessageRow.user_id == scope.user_id, MessageRow.session_id == session_id
