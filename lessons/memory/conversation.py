"""One conversation that goes on: its last turns before an answer, and the new turn after it (row A5)."""

import logging

from sqlalchemy import Engine

from lessons.errors import LessonsError
from lessons.ingest.scope import Scope
from lessons.memory.messages import StoredMessages
from lessons.settings import settings

logger = logging.getLogger(__name__)


class Conversation:
    """A session of an owner. A store that fails is logged and never costs the answer."""

    def __init__(self, engine: Engine, scope: Scope, session_id: str) -> None:
        self._messages, self._scope, self._session = StoredMessages(engine), scope, session_id

    def history(self, turns: int | None = None) -> tuple[tuple[str, str], ...]:
        """(role, content) of the last turns, oldest first; empty if the store cannot be read.

        None takes as many turns as a stage is handed.
        """
        try:
            return self._messages.last(self._scope, self._session, 2 * (turns or settings().history_turns))
        except LessonsError:
            logger.exception("the conversation could not be read")
            return ()

    def remember(self, question: str, answer: str) -> None:
        """Store a turn that succeeded."""
        try:
            self._messages.add(self._scope, self._session, ("user", question), ("assistant", answer))
        except LessonsError:
            logger.exception("the conversation could not be stored")

    def forget(self) -> None:
        """Delete what was said; LessonsError if it could not be deleted."""
        self._messages.remove(self._scope, self._session)
