"""Messages of conversations: in this process, or in PostgreSQL, where they survive a restart."""

import logging
from abc import ABC, abstractmethod
from collections import OrderedDict, deque
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from threading import Lock
from time import monotonic

from sqlalchemy import BIGINT, Connection, DateTime, Engine, Index, PrimaryKeyConstraint
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.sql import delete, func, insert, select, tuple_

from lessons.database import engine, explained
from lessons.database.owners import owner_transaction
from lessons.database.schema import ensure_owned
from lessons.errors import DatabaseError, LessonsError
from lessons.models.tokens import TokenCounter
from lessons.plan import Message, Part
from lessons.rag.tables import Base
from lessons.rag.types import Scope
from lessons.settings import Settings, settings

logger = logging.getLogger(__name__)
CLEANED_EVERY = 3600.0  # seconds after which a process drops old sessions again


class MessageStore(ABC):
    """The sessions of all owners. The same id under another owner is another session; the oldest messages go first."""

    def get(self, scope: Scope, session_id: str) -> "Session | None":
        """Return a session that has messages, or None."""
        return Session(self, scope, session_id) if self.last(scope, session_id, 1) else None

    def get_or_create(self, scope: Scope, session_id: str) -> "Session":
        """Return a session; nothing is stored until a message is added."""
        return Session(self, scope, session_id)

    @abstractmethod
    def add(self, scope: Scope, session_id: str, *messages: Message) -> None:
        """Add messages; those of one call stay side by side."""

    @abstractmethod
    def last(self, scope: Scope, session_id: str, count: int | None = None) -> tuple[Message, ...]:
        """Return the last `count` messages of a session, or all, oldest first."""

    @abstractmethod
    def remove(self, scope: Scope, session_id: str) -> bool:
        """Delete a session; return whether there was one."""

    @abstractmethod
    def clear(self, scope: Scope) -> int:
        """Delete all sessions of an owner; return their number."""


@dataclass
class Session:
    """The messages of one session, read anew by every call, since others may write to it, too."""

    store: MessageStore
    scope: Scope
    session_id: str

    def add(self, *messages: Message) -> None:
        self.store.add(self.scope, self.session_id, *messages)

    def history(self, last: int | None = None) -> tuple[Message, ...]:
        """Return the `last` messages, or all, oldest first."""
        return self.store.last(self.scope, self.session_id, last)

    def within(self, tokens: int, counter: TokenCounter) -> tuple[Message, ...]:
        """Return the newest messages that fit in `tokens` together, oldest first."""
        return Part("history", self.history(), keep="last", text=lambda message: message[1]).within(tokens, counter)

    def clear(self) -> None:
        self.store.remove(self.scope, self.session_id)


class SessionMessages(Session):
    """The newest messages of one session, in this process."""

    def __init__(self, limit: int | None = None) -> None:
        super().__init__(InMemoryStore(1, limit), Scope("reader"), "session")


class InMemoryStore(MessageStore):
    """The sessions used last; the one that nobody has used for longest is dropped beyond the limit."""

    def __init__(self, sessions: int | None = None, messages: int | None = None) -> None:
        self._limit = sessions or settings().sessions_in_memory
        self._messages = messages or settings().conversation_messages
        self._sessions: OrderedDict[tuple[str, str], deque[Message]] = OrderedDict()
        self._lock = Lock()  # a deque that grows while it is read raises

    def add(self, scope: Scope, session_id: str, *messages: Message) -> None:
        key = scope.user_id, session_id
        with self._lock:
            self._sessions.setdefault(key, deque(maxlen=self._messages)).extend(messages)
            self._sessions.move_to_end(key)
            if len(self._sessions) > self._limit:
                self._sessions.popitem(last=False)

    def last(self, scope: Scope, session_id: str, count: int | None = None) -> tuple[Message, ...]:
        key = scope.user_id, session_id
        with self._lock:
            messages = tuple(self._sessions.get(key, ()))
            if messages:
                self._sessions.move_to_end(key)
        return messages if count is None else messages[max(0, len(messages) - count) :]

    def remove(self, scope: Scope, session_id: str) -> bool:
        with self._lock:
            return self._sessions.pop((scope.user_id, session_id), None) is not None

    def clear(self, scope: Scope) -> int:
        with self._lock:
            keys = [key for key in self._sessions if key[0] == scope.user_id]
            return len([self._sessions.pop(key) for key in keys])


@lru_cache(maxsize=32)
def with_tables(engine: Engine, *rows: type[Base], force: bool = False) -> Engine:
    """Create these tables if they are missing; return the engine. Without `force`, a clean-up sees all owners' rows."""
    ensure_owned(engine, *(row.__table__ for row in rows), force=force)
    return engine


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


class StoredMessages(MessageStore):
    """Sessions in PostgreSQL, of each the last `limit` messages. DatabaseError by the first call that cannot use it."""

    def __init__(self, engine: Engine, limit: int | None = None) -> None:
        self._engine, self._limit = engine, limit or settings().session_messages
        self._writers = [Lock() for _ in range(64)]  # writers of one session wait here, without holding a connection

    def add(self, scope: Scope, session_id: str, *messages: Message) -> None:
        """Add messages, one writer at a time: ids follow the commits, and the messages of a call stay together."""
        session = f"{scope.user_id}/{session_id}"
        common = {"user_id": scope.user_id, "session_id": session_id, "timestamp": datetime.now(UTC)}
        rows = [{"role": role, "content": content, **common} for role, content in messages]
        newest = select(MessageRow.id).where(*_in_session(scope, session_id)).order_by(MessageRow.id.desc())
        beyond = newest.offset(self._limit).limit(1).scalar_subquery()
        with self._writers[hash(session) % len(self._writers)], self._transaction(scope) as connection:
            connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(session, 0))))
            connection.execute(insert(MessageRow), rows)
            connection.execute(delete(MessageRow).where(*_in_session(scope, session_id), MessageRow.id <= beyond))
        with suppress(LessonsError):  # the messages are stored; the next ones come with another try
            _clean_up_hourly(self._engine, int(monotonic() // CLEANED_EVERY))

    def last(self, scope: Scope, session_id: str, count: int | None = None) -> tuple[Message, ...]:
        query = select(MessageRow.role, MessageRow.content).where(*_in_session(scope, session_id))
        with self._transaction(scope) as connection:
            newest = connection.execute(query.order_by(MessageRow.id.desc()).limit(count)).all()
        return tuple((role, content) for role, content in reversed(newest))

    def remove(self, scope: Scope, session_id: str) -> bool:
        with self._transaction(scope) as connection:
            return connection.execute(delete(MessageRow).where(*_in_session(scope, session_id))).rowcount > 0

    def clear(self, scope: Scope) -> int:
        with self._transaction(scope) as connection:
            gone = delete(MessageRow).where(MessageRow.user_id == scope.user_id).returning(MessageRow.session_id)
            return len(set(connection.scalars(gone)))

    def clean_up(self, older_than: timedelta) -> int:
        """Delete all owners' sessions whose last message is older; return the number of deleted messages."""
        session = MessageRow.user_id, MessageRow.session_id
        stale = select(*session).group_by(*session).having(func.max(MessageRow.timestamp) < func.now() - older_than)
        with explained(), with_tables(self._engine, MessageRow).begin() as connection:
            return connection.execute(delete(MessageRow).where(tuple_(*session).in_(stale))).rowcount

    def _transaction(self, scope: Scope) -> AbstractContextManager[Connection]:
        return owner_transaction(with_tables(self._engine, MessageRow), scope.user_id)


@lru_cache(maxsize=32)
def _clean_up_hourly(engine: Engine, hour: int) -> int:
    """Delete old sessions, once an hour in each process; return the number of deleted messages."""
    return StoredMessages(engine).clean_up(timedelta(days=settings().session_ttl_days))


def _in_session(scope: Scope, session_id: str) -> tuple:
    return MessageRow.user_id == scope.user_id, MessageRow.session_id == session_id


def choose_store(config: Settings) -> MessageStore:
    """Open the configured store; log a warning if its sessions do not survive this process."""
    if config.message_store != "memory":
        try:
            store = StoredMessages(engine(config))
            store.clean_up(timedelta(days=config.session_ttl_days))  # sessions that nobody has gone on with
            return store
        except DatabaseError as error:
            if config.message_store == "postgres":
                raise
            logger.warning("conversations are kept until this process ends: %s", error)
    return InMemoryStore()


@cache
def message_store() -> MessageStore:
    """Return the store of this process, opened on first use."""
    return choose_store(settings())
