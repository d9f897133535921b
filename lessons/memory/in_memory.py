"""Conversations in the memory of this process: safe from several threads, bounded, gone with the process."""

from collections import OrderedDict, deque
from threading import Lock

from lessons.memory.types import Message, newest_within
from lessons.models.tokens import TokenCounter
from lessons.rag.types import Scope
from lessons.settings import settings


class SessionMessages:
    """The newest messages of one session (row A2)."""

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
    """The sessions used last; the one that nobody has used for longest is dropped beyond the limit (row A3)."""

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
