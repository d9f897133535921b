"""What the long-term memories share: a turn is written down at once, and what it means is worked out after the answer.

An update takes the turns up in windows, each in one piece and once, however many processes serve the session: a lock
keeps two from working on it at a time, and the state only moves on from the one that was read. Whatever a crash left
undone is done with the next turn.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import LLM
from sqlalchemy import Engine

from lessons.errors import LessonsError
from lessons.memory.profile import Profile
from lessons.memory.turns import State, Turn, Turns
from lessons.memory.types import Message, Recollection
from lessons.rag.citations import CITATION
from lessons.rag.types import Scope
from lessons.settings import settings
from lessons.text import normalize
from lessons.trace import Step
from lessons.workspace import Workspace

logger = logging.getLogger(__name__)

_WORKERS = 2


def hand_over(work: Callable[[], None]) -> Future[None]:
    """Do the work soon. What goes wrong is logged: it is done with the next turn."""
    return _pool().submit(_done_or_logged, work)


def _done_or_logged(work: Callable[[], None]) -> None:
    try:
        work()
    except Exception as error:
        known = isinstance(error, LessonsError)
        logger.warning("a memory could not be updated and is with the next turn: %s", error, exc_info=not known)


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_WORKERS, "memory")


@dataclass
class LongTerm(ABC):
    """A memory of one session that works in the background. `spent` counts the model calls of its updates.

    With `knows_user` it also hands over the profile of the user, and learns what its turns add to it.
    """

    name: ClassVar[str]
    """Under which its state is kept."""

    engine: Engine
    llm: LLM
    embedding: BaseEmbedding
    scope: Scope
    session_id: str
    knows_user: bool = True
    spent: Step = field(default_factory=lambda: Step("memory"), repr=False)
    _updates: list[Future[None]] = field(default_factory=list, init=False, repr=False)

    @classmethod
    def of(cls, place: Workspace, scope: Scope, session_id: str, knows_user: bool = True):
        """The memory of a session, with the resources of a workspace."""
        return cls(place.engine, place.llm, place.embedding, scope, session_id, knows_user)

    @property
    def turns(self) -> Turns:
        return Turns(self.engine, self.scope, self.session_id)

    @property
    def profile(self) -> Profile:
        return Profile(self.engine, self.scope)

    @property
    def state(self) -> State:
        """What is known of the turns that have left the window."""
        return self.turns.state(self.name)

    def recall(self, question: str) -> Recollection:
        """The last turns, and what is known from before them; turns that await their update are among the former."""
        window, state = settings().memory_window, self.state
        last = self.turns.last(2 * window)
        first = min(state.upto, last[-1].number - window) if last else 0
        verbatim = [turn for turn in last if turn.number > first]
        parts = [*self._about_user(), *self.known(question, state)]
        return Recollection(_messages(verbatim), "\n".join(parts))

    def remember(self, question: str, answer: str) -> None:
        """Write the turn down and leave the rest to the background."""
        plain = CITATION.sub("", answer).replace(" .", ".").strip()
        self.turns.add(normalize(question), normalize(plain))
        self._updates = [update for update in self._updates if not update.done()] + [hand_over(self.update)]

    def settle(self) -> None:
        """Wait until the updates that were handed over are done."""
        wait(self._updates)

    def update(self) -> None:
        """Take up every turn that awaits it, unless somebody else is doing so."""
        while self.awaits_update():
            with self.turns.alone() as mine:
                if not mine:
                    return
                self._learn()
                while window := self._overflow():
                    self._fold(window)

    def forget(self) -> None:
        """Delete the session's turns and what was made of them; the profile is the user's and stays."""
        self.turns.forget()

    @abstractmethod
    def known(self, question: str, state: State) -> list[str]:
        """What is handed over besides the last turns, line by line."""

    @abstractmethod
    def folded(self, state: State, window: list[Turn]) -> State:
        """The state with a window of turns taken up."""

    @abstractmethod
    def needed_from(self, state: State) -> int:
        """The number of the first turn that is still needed; those before it are deleted."""

    def awaits_update(self) -> bool:
        """Whether there are turns that were not taken up yet."""
        return bool(self._overflow() or (self.knows_user and self.turns.unlearned()))

    def _overflow(self) -> list[Turn]:
        """The oldest window of turns, once there is a turn behind it that is in no summary."""
        size, open_turns = settings().memory_window, self.turns.after(self.state.upto)
        return open_turns[:size] if len(open_turns) > size else []

    def _fold(self, window: list[Turn]) -> None:
        before = self.state
        after = self.folded(before, window)
        if self.turns.advance(self.name, before, after):
            self.turns.drop_before(min(self.needed_from(after), window[-1].number + 2 - settings().memory_window))

    def _learn(self) -> None:
        if not self.knows_user:
            return
        for turn in self.turns.unlearned():
            before = self.turns.before(turn.number)
            self.profile.learn(self.llm, turn.question, before.question if before else "", self.spent)
            self.turns.learned(turn.number)

    def _about_user(self) -> list[str]:
        slots = self.profile.slots() if self.knows_user else []
        return (
            ["What the user said about themselves:", *(f"- {slot.key}: {slot.value}" for slot in slots)]
            if slots
            else []
        )


def _messages(turns: list[Turn]) -> tuple[Message, ...]:
    return tuple(message for turn in turns for message in turn.messages)
