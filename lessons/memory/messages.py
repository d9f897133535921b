"""Messages of conversations: in this process, or in PostgreSQL, where they survive a restart."""

import logging
from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from threading import Lock

from sqlalchemy import (
    BIGINT,
    Connection,
    DateTime,
    Engine,
    Index,
    PrimaryKeyConstraint,
    delete,
    func,
    insert,
    select,
    tuple_,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from lessons.database import engine, explained
from lessons.database.owned import ensure_owned
from lessons.database.row_security import scoped
from lessons.errors import DatabaseError
from lessons.memory.types import Message, MessageStore, newest_within
from lessons.models.tokens import TokenCounter
from lessons.rag.types import Scope
from lessons.settings import Settings, settings


class SessionMessages:
    """The newest messages of one session."""

    def __init__(self, limit: int | None = None) -> None:
        self._messages: deque[Message] = deque(maxlen=limit or settings().conversation_messages)
        self._lock = Lock()  # a deque that grows while it is read raises

    def add(self, *messages: Message) -> None:
        with self._lock:
            self._messages.extend(messages)

    def history(self, last: int | None = None) -> tuple[Message, ...]:
        with self._lock:
            said = tuple(self._messages)
        return said if last is None else said[max(0, len(said) - last) :]

    def within(self, tokens: int, counter: TokenCounter) -> tuple[Message, ...]:
        return newest_within(self.history(), tokens, counter)

    def clear(self) -> None:
        with self._lock:
            self._messages.clear()


class InMemoryStore:
    """The sessions used last; the one that nobody has used for longest is dropped beyond the limit."""

    def __init__(self, sessions: int | None = None, messages: int | None = None) -> None:
        self._limit, self._messages = sessions or settings().sessions_in_memory, messages
        self._sessions: OrderedDict[tuple[str, str], SessionMessages] = OrderedDict()
        self._lock = Lock()

    def get(self, scope: Scope, session_id: str) -> SessionMessages | None:
        with self._lock:
            return self._used((scope.user_id, session_id))

    def get_or_create(self, scope: Scope, session_id: str) -> SessionMessages:
        key = scope.user_id, session_id
        with self._lock:
            found = self._used(key)
            if found is None:
                found = self._sessions[key] = SessionMessages(self._messages)
                if len(self._sessions) > self._limit:
                    self._sessions.popitem(last=False)
            return found

    def add(self, scope: Scope, session_id: str, *messages: Message) -> None:
        self.get_or_create(scope, session_id).add(*messages)

    def remove(self, scope: Scope, session_id: str) -> bool:
        with self._lock:
            return self._sessions.pop((scope.user_id, session_id), None) is not None

    def clear(self, scope: Scope) -> int:
        with self._lock:
            own = [key for key in self._sessions if key[0] == scope.user_id]
            for key in own:
                del self._sessions[key]
            return len(own)

    def _used(self, key: tuple[str, str]) -> SessionMessages | None:
        if key in self._sessions:
            self._sessions.move_to_end(key)
        return self._sessions.get(key)


class Base(DeclarativeBase):
    """The tables of the memory room."""


class MessageRow(Base):
    """One message. `timestamp` is when it was said, `created_at` when it was stored."""

    __tablename__ = "conversation_messages"
    __table_args__ = (
        PrimaryKeyConstraint("user_id", "id"),
        Index("conversation_messages_session", "user_id", "session_id", "id"),
    )

    id: Mapped[int] = mapped_column(BIGINT, autoincrement=True)
    user_id: Mapped[str]
    session_id: Mapped[str]
    role: Mapped[str]
    content: Mapped[str]
    timestamp: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


class StoredMessages:
    """The sessions of all owners. The database is first needed by the first call; DatabaseError if it cannot be used.

    `limit` messages are kept of a session; None takes the default of the settings.
    """

    def __init__(self, engine: Engine, limit: int | None = None) -> None:
        self._engine, self._limit = engine, limit or settings().session_messages
        self._opening, self._open = Lock(), False
        self._turns = [Lock() for _ in range(64)]  # writers of one session wait here, without holding a connection

    def get(self, scope: Scope, session_id: str) -> "StoredSession | None":
        """A session in which something was said, or None."""
        return StoredSession(self, scope, session_id) if self.last(scope, session_id, 1) else None

    def get_or_create(self, scope: Scope, session_id: str) -> "StoredSession":
        """A session, which takes no room until something is said in it."""
        return StoredSession(self, scope, session_id)

    def add(self, scope: Scope, session_id: str, *messages: Message) -> None:
        """Store messages side by side, in one transaction, and drop the oldest beyond the limit."""
        now = datetime.now(UTC)
        named = {"user_id": scope.user_id, "session_id": session_id, "timestamp": now}
        rows = [{"role": role, "content": content, **named} for role, content in messages]
        with self._turns[hash((scope.user_id, session_id)) % len(self._turns)], self._transaction(scope) as connection:
            connection.execute(_one_writer_at_a_time(scope, session_id))
            connection.execute(insert(MessageRow), rows)
            beyond = _newest_first(scope, session_id, MessageRow.id).offset(self._limit).limit(1)
            connection.execute(
                delete(MessageRow).where(*_of(scope, session_id), MessageRow.id <= beyond.scalar_subquery())
            )

    def last(self, scope: Scope, session_id: str, count: int | None = None) -> tuple[Message, ...]:
        """The last messages of a session, or all of them, oldest first."""
        statement = _newest_first(scope, session_id, MessageRow.role, MessageRow.content).limit(count)
        with self._transaction(scope) as connection:
            return tuple((role, content) for role, content in connection.execute(statement))[::-1]

    def remove(self, scope: Scope, session_id: str) -> bool:
        """Forget a session; whether there was one."""
        with self._transaction(scope) as connection:
            return connection.execute(delete(MessageRow).where(*_of(scope, session_id))).rowcount > 0

    def clear(self, scope: Scope) -> int:
        """Forget all sessions of an owner; how many there were."""
        with self._transaction(scope) as connection:
            gone = delete(MessageRow).where(MessageRow.user_id == scope.user_id).returning(MessageRow.session_id)
            return len(set(connection.scalars(gone)))

    def clean_up(self, older_than: timedelta) -> int:
        """Forget every owner's sessions whose last message is older; the number of messages that were forgotten."""
        session = MessageRow.user_id, MessageRow.session_id
        stale = select(*session).group_by(*session).having(func.max(MessageRow.timestamp) < func.now() - older_than)
        self._ensure_open()
        with explained(), self._engine.begin() as connection:
            return connection.execute(delete(MessageRow).where(tuple_(*session).in_(stale))).rowcount

    @contextmanager
    def _transaction(self, scope: Scope) -> Iterator[Connection]:
        """Reaches the owner's messages only."""
        self._ensure_open()
        with scoped(self._engine, scope.user_id) as connection:
            yield connection

    def _ensure_open(self) -> None:
        with self._opening:
            if not self._open:
                # The clean-up of old sessions has business with every owner's, hence no FORCE.
                ensure_owned(self._engine, MessageRow.__table__, force=False)
                self._open = True


@dataclass(frozen=True)
class StoredSession:
    """One session of a store, read anew by every call, since other processes write to it too."""

    store: StoredMessages
    scope: Scope
    session_id: str

    def add(self, *messages: Message) -> None:
        self.store.add(self.scope, self.session_id, *messages)

    def history(self, last: int | None = None) -> tuple[Message, ...]:
        return self.store.last(self.scope, self.session_id, last)

    def within(self, tokens: int, counter: TokenCounter) -> tuple[Message, ...]:
        return newest_within(self.history(), tokens, counter)

    def clear(self) -> None:
        self.store.remove(self.scope, self.session_id)


def _one_writer_at_a_time(scope: Scope, session_id: str):
    """Ids then follow the order of commits, and what one call adds is not torn apart."""
    return select(func.pg_advisory_xact_lock(func.hashtextextended(f"{scope.user_id}/{session_id}", 0)))


def _newest_first(scope: Scope, session_id: str, *columns):
    return select(*columns).where(*_of(scope, session_id)).order_by(MessageRow.id.desc())


def _of(scope: Scope, session_id: str) -> tuple:
    return MessageRow.user_id == scope.user_id, MessageRow.session_id == session_id


logger = logging.getLogger(__name__)


def choose_store(chosen: Settings) -> MessageStore:
    """The store that is configured. The choice is logged where it is not the one that lasts.

    Opening PostgreSQL forgets the sessions that nobody has gone on with for longer than the settings allow.
    """
    if chosen.message_store == "memory":
        return InMemoryStore()
    try:
        store = StoredMessages(engine(chosen))
        store.clean_up(timedelta(days=chosen.session_ttl_days))
    except DatabaseError as error:
        if chosen.message_store == "postgres":
            raise
        logger.warning("conversations are kept until this process ends: %s", error)
        return InMemoryStore()
    return store


@cache
def message_store() -> MessageStore:
    """The store of this process, opened on first use."""
    return choose_store(settings())
