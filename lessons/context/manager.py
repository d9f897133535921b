"""The context manager: each part of what a model is sent has its share, and what matters most comes first.

The question is never cut. When there is less than all shares together, documents, history, profile and long-term
memory are served in this order from what is left.
"""

import sys
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lessons.budget import Piece
from lessons.context.device import Device, follow
from lessons.errors import LessonsError
from lessons.models.tokens import ExactTokenCounter, TokenCounter
from lessons.rag.context import ContextBuilder
from lessons.rag.stages import AnswerStream, Stage
from lessons.rag.types import Builder, Query, Resources, RetrievedDocument
from lessons.settings import settings
from lessons.tables import html_table
from lessons.text import cut_sentences
from lessons.trace import Step, Trace


@dataclass(frozen=True)
class TokenManager:
    """`total` tokens, of which `prompts` are kept for the instructions to the model."""

    total: int = field(default_factory=lambda: settings().managed_tokens)
    prompts: int = field(default_factory=lambda: settings().managed_prompt_tokens)
    counter: TokenCounter = field(
        default_factory=lambda: ExactTokenCounter(settings().llm_model), repr=False, compare=False
    )

    @property
    def available(self) -> int:
        """What is left for everything but the instructions."""
        return max(0, self.total - self.prompts)

    def count(self, text: str) -> int:
        return self.counter.count(text)

    def beginning(self, text: str, tokens: int) -> str:
        """The text up to the last sentence that fits; of a first sentence that is too long, the words that fit."""
        if self.count(text) <= tokens:
            return text
        return self._most(cut_sentences(text), tokens) or self._most(_words(text), tokens)

    def end(self, lines: Sequence[str], tokens: int) -> list[str]:
        """The last of the lines that fit together, one below the other."""
        first = len(lines)
        while first and self.count("\n".join(lines[first - 1 :])) <= tokens:
            first -= 1
        return list(lines[first:])

    def _most(self, pieces: Sequence[str], tokens: int) -> str:
        kept = ""
        for piece in pieces:
            if self.count((kept + piece).rstrip()) > tokens:
                break
            kept += piece
        return kept.rstrip()


def _words(text: str) -> list[str]:
    return [word if number == 0 else f" {word}" for number, word in enumerate(text.split())]


Message = tuple[str, str]  # role and content


@dataclass(frozen=True)
class Shares:
    """The most that each part may take, in exact tokens, in the order in which they are served."""

    question: int = field(default_factory=lambda: settings().share_question)
    documents: int = field(default_factory=lambda: settings().share_documents)
    history: int = field(default_factory=lambda: settings().share_history)
    profile: int = field(default_factory=lambda: settings().share_profile)
    long_term: int = field(default_factory=lambda: settings().share_long_term)


@dataclass(frozen=True, repr=False)
class ManagedContext:
    """What is sent, part by part, and the `pieces` that say how much of each part was taken and left out."""

    question: str
    documents: tuple[str, ...]
    history: tuple[Message, ...]
    profile: str
    long_term: str
    pieces: tuple[Piece, ...]
    available: int

    @property
    def tokens(self) -> int:
        """Of all parts; never more than are available."""
        return sum(piece.tokens for piece in self.pieces)

    def out_of(self, name: str, tokens: int) -> "ManagedContext":
        """The same when there were so many tokens of a part, some of which had been left out before."""
        pieces = [
            replace(piece, dropped=max(0, tokens - piece.tokens)) if piece.name == name else piece
            for piece in self.pieces
        ]
        return replace(self, pieces=tuple(pieces))

    @property
    def buffer(self) -> int:
        """What is left over."""
        return self.available - self.tokens

    def __repr__(self) -> str:
        lines = [f"{piece.name}: {piece.tokens} tokens, {piece.dropped} left out" for piece in self.pieces]
        return "\n".join([*lines, f"buffer: {self.buffer} of {self.available} tokens"])

    def _repr_html_(self) -> str:
        texts = (self.question, "\n".join(self.documents), _written(self.history), self.profile, self.long_term)
        rows = [
            [piece.name, str(piece.tokens), str(piece.dropped), text if len(text) < 80 else f"{text[:80]}…"]
            for piece, text in zip(self.pieces, texts, strict=True)
        ]
        return html_table(["", "tokens", "left out", "begins"], [*rows, ["buffer", str(self.buffer), "", ""]])


@dataclass(frozen=True)
class ContextManager:
    """Divides the tokens that there are. `top` documents are taken, of each the first `chars` characters."""

    tokens: TokenManager = field(default_factory=TokenManager)
    shares: Shares = field(default_factory=Shares)
    top: int = field(default_factory=lambda: settings().managed_documents)
    chars: int = field(default_factory=lambda: settings().managed_document_chars)

    def fit(
        self,
        question: str,
        documents: Sequence[str] = (),
        history: Sequence[Message] = (),
        profile: str = "",
        long_term: str = "",
    ) -> ManagedContext:
        """What fits. Documents come best first, the history oldest first. LessonsError if the question does not fit."""
        left = self.room(question)
        read = self._documents(documents, min(left, self.shares.documents))
        left -= self._count(read)
        said = self._history(history, min(left, self.shares.history))
        left -= self.tokens.count(_written(said))
        known = self.tokens.beginning(profile, min(left, self.shares.profile))
        left -= self.tokens.count(known)
        older = self.tokens.beginning(long_term, min(left, self.shares.long_term))
        pieces = (
            self._piece("question", question, question),
            Piece("documents", self._count(read), self._count(documents) - self._count(read)),
            self._piece("history", _written(history), _written(said)),
            self._piece("profile", profile, known),
            self._piece("long-term", long_term, older),
        )
        return ManagedContext(question, read, said, known, older, pieces, self.tokens.available)

    def room(self, question: str) -> int:
        """The tokens beside the question, which may be longer than its share at the cost of all others."""
        left = self.tokens.available - self.tokens.count(question)
        if left < 0:
            raise LessonsError(
                f"The question is longer than the {self.tokens.available:,} tokens there are for it. "
                "Ask something shorter, or raise LESSONS_MANAGED_TOKENS."
            )
        return left

    def _documents(self, documents: Sequence[str], room: int) -> tuple[str, ...]:
        """Whole documents while they fit, then the beginning of the next one."""
        read: list[str] = []
        for document in documents[: self.top]:
            text = self.tokens.beginning(document[: self.chars], room)
            room -= self.tokens.count(text)
            if text:
                read.append(text)
            if text != document[: self.chars]:
                break
        return tuple(read)

    def _history(self, history: Sequence[Message], room: int) -> tuple[Message, ...]:
        kept = len(self.tokens.end([_line(message) for message in history], room))
        return tuple(history[len(history) - kept :])

    def _piece(self, name: str, given: str, kept: str) -> Piece:
        tokens = self.tokens.count(kept)
        return Piece(name, tokens, max(0, self.tokens.count(given) - tokens))

    def _count(self, texts: Sequence[str]) -> int:
        return sum(map(self.tokens.count, texts))


def _written(history: Sequence[Message]) -> str:
    return "\n".join(map(_line, history))


def _line(message: Message) -> str:
    return f"{message[0]}: {message[1]}"


@dataclass(frozen=True)
class Beginnings:
    """The plainest compression: the first documents, and of each its beginning."""

    top: int = field(default_factory=lambda: settings().managed_documents)
    chars: int = field(default_factory=lambda: settings().managed_document_chars)

    def compress(
        self, query: Query, documents: Sequence[RetrievedDocument], builder: Builder, resources: Resources, step: Step
    ) -> list[RetrievedDocument]:
        cut = [replace(document, content=document.content[: self.chars]) for document in documents[: self.top]]
        return list(builder.build(cut).documents)


@dataclass(frozen=True)
class Managed(Device):
    """Gives history, memory and documents their shares; `output` of the step 'manage' says what was sent of each.

    Documents that do not fit are cut to their beginnings, unless the stage has a compressor of its own.
    """

    manager: ContextManager = field(default_factory=ContextManager)

    def _pieces(self, stream: AnswerStream, question: str, scope: dict[str, Any]) -> Generator[Any, None, None]:
        history = tuple(scope.get("history", ()))
        profile, long_term = parted(scope.get("memory", ""))
        with stream.answer.trace.step("manage", question) as step:
            step.output = said = self.manager.fit(question, (), history, profile, long_term)
        room = min(self.manager.shares.documents, self.manager.room(question))
        memory = "\n".join(filter(None, (said.profile, said.long_term)))
        within = self.on_stage(lambda stage: self._narrow(stage, room)).inner
        yield from follow(stream, within.stream(question, **scope | {"history": said.history, "memory": memory}))
        text = stream.answer.context.text
        whole = replace(self.manager, top=1, chars=len(text))
        found = ContextBuilder(sys.maxsize, self.manager.tokens.counter).build(found_documents(stream.answer.trace))
        sent = whole.fit(question, [text], history, profile, long_term)
        step.output = sent.out_of("documents", found.total_tokens)

    def _narrow(self, stage: Stage, room: int) -> Stage:
        builder = ContextBuilder(room, self.manager.tokens.counter)
        plain = Beginnings(self.manager.top, self.manager.chars)
        return stage.but(stage.name, context=builder, compressor=stage.compressor or plain)


def found_documents(trace: Trace) -> list[RetrievedDocument]:
    """The documents of a trace before any of them was shortened or left out for want of room."""
    return next((step.input for step in trace if step.name in ("compress", "context")), [])


def parted(memory: str) -> tuple[str, str]:
    """What is noted as facts, '- key: value' under its title, and the rest of what is known from before."""
    lines = memory.splitlines()
    facts = [number for number, line in enumerate(lines) if line.startswith("- ")]
    titles = [number - 1 for number in facts if number and number - 1 not in facts and lines[number - 1].endswith(":")]
    noted = {*facts, *titles}
    profile = [line for number, line in enumerate(lines) if number in noted]
    rest = [line for number, line in enumerate(lines) if number not in noted]
    return "\n".join(profile), "\n".join(rest)
