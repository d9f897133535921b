"""What is sent of a prompt, part by part, where not all of it fits; the most important part comes first."""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from lessons.language import _
from lessons.models.tokens import TokenCounter
from lessons.tables import html_table
from lessons.text import cut_sentences

Message = tuple[str, str]  # role (`user`, `assistant`) and content


@dataclass(frozen=True)
class Part:
    """A part of a prompt: its items in the order in which they are sent, and which of them stay if not all fit.

    `all` of them always do. `first` and `last` are the items from that end, `beginning` the
    first ones and of the next one the sentences or words that fit. `text` writes an item as it is sent, and `joint`
    stands between two in one text; without it each item is a text, and is counted, by itself.
    """

    name: str
    items: Sequence[Any]
    limit: int = sys.maxsize
    keep: Literal["all", "first", "last", "beginning"] = "first"
    text: Callable[[Any], str] = str
    joint: str | None = None

    def count(self, items: Sequence[Any], counter: TokenCounter) -> int:
        """Count the tokens of some of its items."""
        texts = [self.text(item) for item in items]
        return sum(map(counter.count, texts)) if self.joint is None else counter.count(self.joint.join(texts))

    def within(self, room: int, counter: TokenCounter) -> tuple[Any, ...]:
        """Return the items that stay."""
        if self.keep == "all" or self.count(self.items, counter) <= room:
            return tuple(self.items)
        fitting: tuple[Any, ...] = ()
        for item in reversed(self.items) if self.keep == "last" else self.items:
            longer = (item, *fitting) if self.keep == "last" else (*fitting, item)
            if self.count(longer, counter) > room:
                break
            fitting = longer
        if self.keep == "beginning":
            cut = beginning(self.items[len(fitting)], room - self.count(fitting, counter), counter)
            fitting = (*fitting, cut) if cut else fitting
        return fitting


def beginning(text: str, tokens: int, counter: TokenCounter) -> str:
    """Cut a text after the last sentence that fits; within the first sentence, after the last word."""
    for pieces in (cut_sentences(text), [f" {word}" for word in text.split()]):
        fitting = ""
        for piece in pieces:
            if counter.count((fitting + piece).strip()) > tokens:
                break
            fitting += piece
        if fitting:
            break
    return fitting.strip()


@dataclass(frozen=True)
class FittedPart:
    """What stays of a part: its tokens, those left out, the most it could have taken, and its items."""

    name: str
    tokens: int
    dropped: int = 0
    limit: int = 0
    items: tuple[Any, ...] = ()
    text: str = ""


@dataclass(frozen=True, repr=False)
class Plan:
    """What is sent, part by part, of at most `room` tokens."""

    pieces: tuple[FittedPart, ...]
    room: int

    def __getitem__(self, name: str) -> FittedPart:
        return next(piece for piece in self.pieces if piece.name == name)

    @property
    def tokens(self) -> int:
        """Of all parts; never more than the room."""
        return sum(piece.tokens for piece in self.pieces)

    @property
    def buffer(self) -> int:
        """What is left over."""
        return self.room - self.tokens

    def with_original_size(self, name: str, tokens: int) -> Self:
        """Return a copy in which part `name` had so many tokens before it came into the plan."""
        dropped = max(0, tokens - self[name].tokens)
        pieces = (replace(piece, dropped=dropped) if piece.name == name else piece for piece in self.pieces)
        return replace(self, pieces=tuple(pieces))

    def __repr__(self) -> str:
        lines = [_("{0}: {1} tokens, {2} left out").format(_(p.name), p.tokens, p.dropped) for p in self.pieces]
        return "\n".join([*lines, _("buffer: {0} of {1} tokens").format(self.buffer, self.room)])

    def _repr_html_(self) -> str:
        rows = [
            [_(piece.name), str(piece.tokens), str(piece.dropped), piece.text[:80] + "…" * (len(piece.text) >= 80)]
            for piece in self.pieces
        ]
        return html_table(["", "tokens", "left out", "begins"], [*rows, [_("buffer"), str(self.buffer), "", ""]])


def history_part(history: Iterable[Message], limit: int = sys.maxsize) -> Part:
    """Make a part of the turns of a conversation, of which the newest stay, each whole: a question and its answer."""
    turns: list[list[Message]] = []
    for message in history:
        if message[0] == "user" or not turns:
            turns.append([])
        turns[-1].append(message)
    return Part("turns", turns, limit, "last", lambda turn: "\n".join(map(line, turn)))


def messages_of(piece: FittedPart) -> tuple[Message, ...]:
    """Return the messages of the turns that stayed."""
    return tuple(message for turn in piece.items for message in turn)


def line(message: Message) -> str:
    """Write a message as it stands in a prompt."""
    return f"{message[0]}: {message[1]}"
