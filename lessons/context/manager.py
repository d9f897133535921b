"""The context manager (row D5): each part of what a model is sent has its share, and what matters most comes first.

The question is never cut. When there is less than all shares together, documents, history, profile and long-term
memory are served in this order from what is left.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from lessons.budget import Piece
from lessons.context.tokens import TokenManager
from lessons.errors import LessonsError
from lessons.settings import settings
from lessons.tables import html_table

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
