"""The two simplest memories: none, and the last turns word for word."""

from dataclasses import dataclass

from lessons.memory.types import Messages, Recollection
from lessons.settings import settings


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
