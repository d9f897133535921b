"""One token budget over everything that a model is sent.

A prompt is planned from its parts, the most important first: each takes what is left, up to a limit of its own. The
system prompt and the question are never cut. In a tool loop the oldest calls go, each together with its results.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self

from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms import LLM

from lessons.errors import LessonsError
from lessons.models.keyless import OfflineLLM
from lessons.models.tokens import ExactTokenCounter, TokenCounter, TokenEstimator
from lessons.settings import settings
from lessons.tables import html_table
from lessons.text import cut_sentences

MESSAGE_TOKENS = 4
"""Around every message: its role and the marks that set it apart from the next."""

Message = tuple[str, str]
"""Role (`user`, `assistant`) and content."""


@dataclass(frozen=True)
class Part:
    """A part of a prompt: its items in the order in which they are sent, and which of them stay if not all fit.

    `all` of them always do, and `whole` is all or none. `first` and `last` are the items from that end, `beginning` the
    first ones and of the next one the sentences or words that fit. `text` writes an item as it is sent, and `joint`
    stands between two in one text; without it each item is a text, and is counted, by itself.
    """

    name: str
    items: Sequence[Any]
    limit: int = sys.maxsize
    keep: Literal["all", "whole", "first", "last", "beginning"] = "first"
    text: Callable[[Any], str] = str
    joint: str | None = None

    def count(self, items: Sequence[Any], counter: TokenCounter) -> int:
        """The tokens of some of its items."""
        texts = [self.text(item) for item in items]
        return sum(map(counter.count, texts)) if self.joint is None else counter.count(self.joint.join(texts))

    def within(self, room: int, counter: TokenCounter) -> tuple[Any, ...]:
        """The items that stay."""
        if self.keep == "all" or self.count(self.items, counter) <= room:
            return tuple(self.items)
        kept: tuple[Any, ...] = ()
        for item in () if self.keep == "whole" else reversed(self.items) if self.keep == "last" else self.items:
            longer = (item, *kept) if self.keep == "last" else (*kept, item)
            if self.count(longer, counter) > room:
                break
            kept = longer
        if self.keep == "beginning":
            cut = beginning(self.items[len(kept)], room - self.count(kept, counter), counter)
            kept = (*kept, cut) if cut else kept
        return kept


def beginning(text: str, tokens: int, counter: TokenCounter) -> str:
    """Of a text that does not fit, what ends with the last sentence that does; of a first sentence, the words."""
    for pieces in (cut_sentences(text), [f" {word}" for word in text.split()]):
        kept = ""
        for piece in pieces:
            if counter.count((kept + piece).strip()) > tokens:
                break
            kept += piece
        if kept:
            break
    return kept.strip()


@dataclass(frozen=True)
class Piece:
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

    pieces: tuple[Piece, ...]
    room: int

    def __getitem__(self, name: str) -> Piece:
        return next(piece for piece in self.pieces if piece.name == name)

    @property
    def tokens(self) -> int:
        """Of all parts; never more than the room."""
        return sum(piece.tokens for piece in self.pieces)

    @property
    def buffer(self) -> int:
        """What is left over."""
        return self.room - self.tokens

    def out_of(self, name: str, tokens: int) -> Self:
        """The same where there were so many tokens of a part before it came into the plan."""
        given = [
            replace(piece, dropped=max(0, tokens - piece.tokens)) if piece.name == name else piece
            for piece in self.pieces
        ]
        return replace(self, pieces=tuple(given))

    def __repr__(self) -> str:
        lines = [f"{piece.name}: {piece.tokens} tokens, {piece.dropped} left out" for piece in self.pieces]
        return "\n".join([*lines, f"buffer: {self.buffer} of {self.room} tokens"])

    def _repr_html_(self) -> str:
        rows = [
            [piece.name, str(piece.tokens), str(piece.dropped), piece.text[:80] + "…" * (len(piece.text) >= 80)]
            for piece in self.pieces
        ]
        return html_table(["", "tokens", "left out", "begins"], [*rows, ["buffer", str(self.buffer), "", ""]])


@dataclass(frozen=True)
class Budget:
    """`window` tokens, of which `reserved` may not be spent; without a number those that the answer needs.

    `margin` is the share that the model's own tokenizer may count more than the counter does.
    """

    setting: ClassVar[str] = "LESSONS_CONTEXT_WINDOW"
    window: int = field(default_factory=lambda: settings().context_window)
    reserved: int | None = None
    counter: TokenCounter = field(default_factory=TokenEstimator, repr=False, compare=False)
    margin: float = 0.0

    def __post_init__(self) -> None:
        if self.reserved is None:
            object.__setattr__(self, "reserved", min(settings().reserved_output_tokens, self.window // 4))

    @classmethod
    def of(cls, llm: LLM) -> Self:
        """The budget of a model: the window that it has, and for a served one exact counts with a margin.

        The estimate by scripts is up to 2.7 times too low for a page of figures in Korean, tiktoken's count at most 1.4
        times for the tokenizer of Qwen 2.5, which takes each digit by itself.
        """
        window = llm.metadata.context_window
        if isinstance(llm, OfflineLLM):
            return cls(window)
        return cls(window, None, ExactTokenCounter(llm.metadata.model_name), settings().token_margin)

    @property
    def available(self) -> int:
        """The tokens that may be spent."""
        return max(0, int((self.window - (self.reserved or 0)) / (1 + self.margin)))

    def room(self, *texts: str) -> int:
        """The tokens that are left beside these texts, each a message. LessonsError if they do not fit."""
        left = self.available - sum(self.counter.count(text) + MESSAGE_TOKENS for text in texts)
        if left < 0:
            raise self._too_long()
        return left

    def plan(self, parts: Iterable[Part], room: int | None = None) -> Plan:
        """What fits of each part, the most important first, in all that is available or in so much `room`.

        LessonsError if a part that stays whole does not fit.
        """
        left = room = self.available if room is None else room
        pieces = []
        for part in parts:
            limit = min(part.limit, left)
            kept = part.within(limit, self.counter)
            tokens = part.count(kept, self.counter)
            if (left := left - tokens) < 0:
                raise self._too_long()
            dropped, text = part.count(part.items, self.counter) - tokens, "\n".join(map(part.text, kept))
            pieces.append(Piece(part.name, tokens, max(0, dropped), max(limit, tokens), kept, text))
        return Plan(tuple(pieces), room)

    def trim(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """The messages without the oldest calls of tools that do not fit; a call goes with all of its results.

        What comes before the first call always stays: the system prompt and the question. LessonsError if even that
        does not fit.
        """
        roles = [message.role for message in messages]
        begins = roles.index(MessageRole.ASSISTANT) if MessageRole.ASSISTANT in roles else len(roles)
        head, loop = [*messages[:begins]], [*messages[begins:]]
        while message_tokens([*head, *loop], self.counter) > self.available:
            if not loop:
                raise self._too_long()
            del loop[0]
            while loop and loop[0].role == MessageRole.TOOL:
                del loop[0]
        return [*head, *loop]

    def _too_long(self) -> LessonsError:
        return LessonsError(
            f"The question does not fit: the model may be sent {self.window:,} tokens, of which {self.reserved:,} are "
            f"kept free. Ask something shorter, or raise {self.setting} if the model reads more."
        )


def history_part(history: Iterable[Message], limit: int = sys.maxsize) -> Part:
    """The turns of a conversation, of which the newest stay, each whole: a question and what was said to it."""
    turns: list[list[Message]] = []
    for message in history:
        if message[0] == "user" or not turns:
            turns.append([])
        turns[-1].append(message)
    return Part("turns", turns, limit, "last", lambda turn: "\n".join(map(line, turn)))


def messages_of(piece: Piece) -> tuple[Message, ...]:
    """The messages of the turns that stayed."""
    return tuple(message for turn in piece.items for message in turn)


def line(message: Message) -> str:
    """A message as it stands in a prompt."""
    return f"{message[0]}: {message[1]}"


def message_tokens(messages: Iterable[ChatMessage], counter: TokenCounter) -> int:
    """The tokens of messages with the tool calls that they carry."""
    total = 0
    for message in messages:
        calls = [block.model_dump_json() for block in message.blocks if isinstance(block, ToolCallBlock)]
        total += counter.count("\n".join([message.content or "", *calls])) + MESSAGE_TOKENS
    return total
