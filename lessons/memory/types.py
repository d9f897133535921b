"""What a conversation is kept as, what of it is handed to the next answer, and the two simplest memories."""

from dataclasses import dataclass
from typing import Protocol

from lessons.models.tokens import TokenCounter, TokenEstimator
from lessons.rag.types import Scope
from lessons.settings import settings

Message = tuple[str, str]
"""Role (`user`, `assistant`) and content."""


@dataclass(frozen=True)
class Recollection:
    """What a memory hands to the next answer: messages word for word, oldest first, and what else is known, as text."""

    history: tuple[Message, ...] = ()
    memory: str = ""

    @property
    def tokens(self) -> int:
        """An estimate of what it adds to the prompt."""
        count = TokenEstimator().count
        return sum(count(content) for _, content in self.history) + count(self.memory)


class Memory(Protocol):
    """What is recalled before an answer and remembered after it; bound to one owner's session when it is built."""

    def recall(self, question: str) -> Recollection:
        """What matters for this question."""
        ...

    def remember(self, question: str, answer: str) -> None:
        """Take up a turn that succeeded."""
        ...


class Messages(Protocol):
    """The messages of one session. Beyond its limit the oldest are dropped."""

    def add(self, *messages: Message) -> None:
        """Messages added by one call stay side by side."""
        ...

    def history(self, last: int | None = None) -> tuple[Message, ...]:
        """The `last` messages, or all, oldest first."""
        ...

    def within(self, tokens: int, counter: TokenCounter) -> tuple[Message, ...]:
        """The newest messages that fit in `tokens` together, oldest first."""
        ...

    def clear(self) -> None:
        """Forget what was said."""
        ...


class MessageStore(Protocol):
    """The sessions of all owners. The same id under another owner is another session."""

    def get(self, scope: Scope, session_id: str) -> Messages | None:
        """A session in which something was said, or None."""
        ...

    def get_or_create(self, scope: Scope, session_id: str) -> Messages: ...

    def add(self, scope: Scope, session_id: str, *messages: Message) -> None: ...

    def remove(self, scope: Scope, session_id: str) -> bool:
        """Forget a session; whether there was one."""
        ...

    def clear(self, scope: Scope) -> int:
        """Forget all sessions of an owner; how many there were."""
        ...


def newest_within(messages: tuple[Message, ...], tokens: int, counter: TokenCounter) -> tuple[Message, ...]:
    """Messages from the newest back to the first that no longer fits, oldest first."""
    kept = len(messages)
    while kept and (tokens := tokens - counter.count(messages[kept - 1][1])) >= 0:
        kept -= 1
    return messages[kept:]


class NoMemory:
    """Every question is the first one."""

    def recall(self, question: str) -> Recollection:
        return Recollection()

    def remember(self, question: str, answer: str) -> None:
        pass


@dataclass(frozen=True)
class Window:
    """The last turns of a session; a question and its answer are one turn. None takes the default of the settings."""

    messages: Messages
    turns: int | None = None

    def recall(self, question: str) -> Recollection:
        turns = settings().history_turns if self.turns is None else self.turns
        return Recollection(self.messages.history(2 * turns))

    def remember(self, question: str, answer: str) -> None:
        self.messages.add(("user", question), ("assistant", answer))
