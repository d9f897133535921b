"""A conversation: what a memory is, the two simplest ones, and stages that answer with one.

What was said reaches the next answer, and an answer reaches the memory once, however its stream ends. A memory that
fails is logged and never costs an answer; it gets the turn again with the next one.
"""

import logging
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, Protocol

from lessons.errors import LessonsError
from lessons.memory.messages import Session
from lessons.models.keyless import asks_for_first
from lessons.models.tokens import TokenEstimator
from lessons.plan import Message
from lessons.rag.answer import Answer
from lessons.rag.pipeline import AnswerStream
from lessons.settings import settings
from lessons.trace import Step

logger = logging.getLogger(__name__)


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
    """Split a memory's text into its facts, '- key: value' under their title, and the rest."""
    parts: tuple[list[str], list[str]] = [], []
    lines = memory.splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        is_fact = line.startswith("- ") or (line.endswith(":") and following.startswith("- "))
        parts[not is_fact].append(line)
    facts, others = map("\n".join, parts)
    return facts, others


def as_lines(messages: Iterable[Message]) -> str:
    """Write messages as text, a line each, as the lines of a summary are."""
    return "\n".join(f"{role}: {' '.join(text.split())}" for role, text in messages)


class Memory(Protocol):
    """What is recalled before an answer and remembered after it; bound to one owner's session when it is built."""

    def recall(self, question: str) -> Recollection:
        """Return what matters for this question."""

    def remember(self, question: str, answer: str) -> None:
        """Remember a turn that succeeded."""


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
        first = self.messages.history()[:1] if asks_for_first(question) else ()
        return Recollection(self.messages.history(2 * turns), as_lines(first))

    def remember(self, question: str, answer: str) -> None:
        self.messages.add(("user", question), ("assistant", answer))


class Answerer(Protocol):
    """A stage, or a wrapper around one."""

    @property
    def stream(self) -> Callable[..., AnswerStream]: ...


class Conversation:
    """Put questions to stages, each with what this memory recalls, or with `history`."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._pending: deque[tuple[str, str]] = deque(maxlen=max(1, settings().history_turns))
        self._flush_lock = Lock()

    def ask(self, stage: Answerer, question: str, **scope: Any) -> Answer:
        """Answer a question; the arguments are those of `stream`."""
        return self.stream(stage, question, **scope).read()

    def stream(
        self,
        stage: Answerer,
        question: str,
        *,
        history: Sequence[Message] | None = None,
        remember: bool = True,
        **scope: Any,
    ) -> AnswerStream:
        """Stream an answer; with `remember` it is remembered once its last piece was read, or reading stopped."""
        recollection = self.recall(question) if history is None else Recollection(tuple(history))
        stream = stage.stream(question, history=recollection.history, memory=recollection.memory, **scope)
        if remember:
            stream.pieces = self._remember_at_end(stream, stream.pieces)
        return stream

    def recall(self, question: str) -> Recollection:
        """Return what the memory recalls for a question, and the turns that it could not take up yet."""
        pending, recollection = self._flush(), Recollection()
        with log_failure("the conversation could not be recalled: %s"):
            recollection = self._memory.recall(question)
        pending_messages = [message for turn in pending for message in zip(("user", "assistant"), turn, strict=True)]
        return replace(recollection, history=(*recollection.history, *pending_messages))

    def remember(self, question: str, answer: str) -> None:
        """Remember a turn; an empty answer is none."""
        if answer:
            self._flush((question, answer))

    def _flush(self, *new: tuple[str, str]) -> list[tuple[str, str]]:
        """Hand the memory the pending turns in order; return a copy of those that it could not take up."""
        with self._flush_lock:
            self._pending.extend(new)
            with log_failure("the conversation could not be remembered: %s"):
                while self._pending:
                    self._memory.remember(*self._pending[0])
                    self._pending.popleft()
            return [*self._pending]

    def _remember_at_end(self, stream: AnswerStream, pieces: Iterator[str | Step]) -> Generator[str | Step, None, None]:
        """Pass the pieces on, then remember the answer as it stands, unless it or the search for it failed.

        A reader who stops early, a cancelled task and a timeout end an answer without making it a failure.
        """
        failed = False
        try:
            yield from pieces
        except Exception as error:
            failed = not isinstance(error, TimeoutError)
            raise
        finally:
            answer = stream.answer
            if (answer.searched or answer.found) and not failed:
                self.remember(answer.question, answer.text)


@contextmanager
def log_failure(message: str) -> Iterator[None]:
    """Log what goes wrong in the block: a known problem as a sentence, anything else with where it came from."""
    try:
        yield
    except Exception as error:
        logger.warning(message, error, exc_info=not isinstance(error, LessonsError))
