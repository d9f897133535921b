"""A wrapper around a stage is asked, and streams, as the stage does. Wrappers nest: `Cached(Intent(stage))`."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self, TypeAlias

from lessons.ingest.index import Index
from lessons.models.llm import describe
from lessons.rag.answer import Answer
from lessons.rag.pipeline import AnswerStream, Stage
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace, workspace


@dataclass(frozen=True)
class Wrapper(ABC):
    """What stands around `inner`. Its name is that of the stage with its own."""

    inner: "Stage | Wrapper"
    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or f"{self.inner.name} + {type(self).__name__.lower()}")

    @abstractmethod
    def _pieces(self, stream: AnswerStream, question: str, scope: dict[str, Any]) -> Generator[Any, None, None]:
        """Do the wrapper's work; `follow` hands on what the stage within it answers."""

    @property
    def stage(self) -> Stage:
        """The innermost stage."""
        return self.inner if isinstance(self.inner, Stage) else self.inner.stage

    @property
    def index(self) -> Index:
        return self.stage.index

    @property
    def workspace(self) -> Workspace:
        """The workspace of the stage, or that of the process."""
        return self.stage.workspace or workspace()

    def scope(self, user: str | Scope | None) -> Scope:
        return Scope.of(user or self.workspace.settings.user)

    def but(self, name: str, **change: Any) -> Self:
        """Return this wrapper under another name with fields changed, its own or those of the stage within."""
        own_fields = {key: change.pop(key) for key in {part.name for part in fields(self)} & change.keys()}
        inner = own_fields.pop("inner", self.inner)
        return replace(self, name=name, inner=inner.but(inner.name, **change) if change else inner, **own_fields)

    def on_stage(self, change: Callable[[Stage], Stage]) -> Self:
        """Return the wrapper with its innermost stage changed."""
        inner = change(self.inner) if isinstance(self.inner, Stage) else self.inner.on_stage(change)
        return replace(self, inner=inner)

    def ask(self, question: str, **scope: Any) -> Answer:
        """Answer a question; the arguments are those of `Stage.stream`."""
        return self.stream(question, **scope).read()

    def stream(self, question: str, **scope: Any) -> AnswerStream:
        """Stream the answer, as a stage does. `.answer` is complete once the pieces are read."""
        answer = Answer(question=question, stage=self.name, model=describe(self.workspace.llm))
        stream = AnswerStream(answer, iter(()))
        stream.pieces = self._pieces(stream, question, scope)
        return stream


Answering: TypeAlias = Stage | Wrapper


def follow(stream: AnswerStream, within: AnswerStream) -> Generator[Any, None, None]:
    """Hand on the pieces of the answer within, which becomes the answer of `stream` below the steps taken so far."""
    outer = stream.answer
    try:
        for piece in within.pieces:
            _adopt(stream, within.answer, outer)  # again, since a wrapper within replaces its answer while it works
            yield piece
    finally:
        within.close()
        _adopt(stream, within.answer, outer)


def _adopt(stream: AnswerStream, answer: Answer, outer: Answer) -> None:
    if stream.answer is answer:
        return
    answer.stage = outer.stage
    answer.warnings[:0] = [warning for warning in outer.warnings if warning not in answer.warnings]
    known_steps = set(map(id, answer.trace))
    answer.trace.steps[:0] = [step for step in outer.trace if id(step) not in known_steps]
    stream.answer = answer
