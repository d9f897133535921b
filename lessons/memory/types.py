"""What a conversation is kept as, what of it is handed to the next answer, and the two simplest memories."""

from dataclasses import dataclass
from typing import Protocol

from lessons.memory.messages import Session
from lessons.models.tokens import TokenEstimator
from lessons.plan import Message
from lessons.settings import settings


@dataclass(frozen=True)
class Recollection:
    """What a memory hands to the next answer: messages word for word, oldest first, and what else is known, as text."""

    history: tuple[Message, ...] = ()
    memory: str = ""

    @property
    def tokens(self) -> int:
        """An estimate of what it adds to the prompt."""
        return sum(map(TokenEstimator().count, [self.memory, *(content for _, content in self.history)]))


def split_memory(memory: str) -> tuple[str, str]:
    """A memory's text in two: the facts that it notes, '- key: value' under their title, and the rest."""
    parts: tuple[list[str], list[str]] = [], []
    lines = memory.splitlines()
    for line, after in zip(lines, [*lines[1:], ""], strict=False):
        is_fact = line.startswith("- ") or (line.endswith(":") and after.startswith("- "))
        parts[not is_fact].append(line)
    facts, rest = map("\n".join, parts)
    return facts, rest


class Memory(Protocol):
    """What is recalled before an answer and remembered after it; bound to one owner's session when it is built."""

    def recall(self, question: str) -> Recollection:
        """What matters for this question."""

    def remember(self, question: str, answer: str) -> None:
        """Take up a turn that succeeded."""


class NoMemory:
    """Every question is the first one."""

    def recall(self, question: str) -> Recollection:
        return Recollection()

    def remember(self, question: str, answer: str) -> None:
        pass


@dataclass(frozen=True)
class Window:
    """The last turns of a session; a question and its answer are one turn. None takes the default of the settings."""

    messages: Session
    turns: int | None = None

    def recall(self, question: str) -> Recollection:
        turns = settings().history_turns if self.turns is None else self.turns
        return Recollection(self.messages.history(2 * turns))

    def remember(self, question: str, answer: str) -> None:
        self.messages.add(("user", question), ("assistant", answer))
