"""A conversation: a memory and the stages that answer in it.

What was said reaches the next answer, and an answer reaches the memory once, however its stream ends. A memory that
fails is logged and never costs an answer; it is told of the turn again with the next one.
"""

import logging
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock
from typing import Any, Protocol

from lessons.errors import LessonsError
from lessons.memory.types import Memory, Recollection
from lessons.plan import Message
from lessons.rag.answer import Answer
from lessons.rag.pipeline import AnswerStream
from lessons.settings import settings
from lessons.trace import Step

logger = logging.getLogger(__name__)


class Answerer(Protocol):
    """A stage, or a wrapper around one."""

    @property
    def stream(self) -> Callable[..., AnswerStream]: ...


class Conversation:
    """Questions to stages, each answered from what this memory recalls, or from `history`."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._untold: deque[tuple[str, str]] = deque(maxlen=max(1, settings().history_turns))
        self._telling = Lock()

    def ask(self, stage: Answerer, question: str, **scope: Any) -> Answer:
        """The whole answer; the arguments are those of `stream`."""
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
        """The answer piece by piece, remembered if that is wanted when the last was read, or reading stopped."""
        known = self.recall(question) if history is None else Recollection(tuple(history))
        stream = stage.stream(question, history=known.history, memory=known.memory, **scope)
        if remember:
            stream.pieces = self._remembered(stream, stream.pieces)
        return stream

    def recall(self, question: str) -> Recollection:
        """What the memory hands over for a question, and the turns that it could not take up yet."""
        turns, found = self._tell(), Recollection()
        with log_failure("the conversation could not be recalled"):
            found = self._memory.recall(question)
        untold = [message for turn in turns for message in zip(("user", "assistant"), turn, strict=True)]
        return replace(found, history=(*found.history, *untold))

    def remember(self, question: str, answer: str) -> None:
        """Take up a turn; an answer without a word is none."""
        if answer:
            self._tell((question, answer))

    def _tell(self, *new: tuple[str, str]) -> list[tuple[str, str]]:
        """Tell the memory, in their order, of the turns that it does not know; what it cannot take up stays, a copy."""
        with self._telling:
            self._untold.extend(new)
            with log_failure("the conversation could not be remembered"):
                while self._untold:
                    self._memory.remember(*self._untold[0])
                    self._untold.popleft()
            return [*self._untold]

    def _remembered(self, stream: AnswerStream, pieces: Iterator[str | Step]) -> Generator[str | Step, None, None]:
        """The pieces. The answer is remembered once, as it then stands, unless it, or the search for it, failed.

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
def log_failure(what: str) -> Iterator[None]:
    """Log what goes wrong in the block: a known problem as a sentence, anything else with where it came from."""
    try:
        yield
    except Exception as error:
        logger.warning("%s: %s", what, error, exc_info=not isinstance(error, LessonsError))
