"""One token budget over everything that a model is sent.

When it does not all fit, turns of the conversation go first, then documents, then the oldest messages of a tool loop.
The system prompt and the question always stay.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms import LLM

from lessons.errors import LessonsError
from lessons.models.keyless import OfflineLLM
from lessons.models.tokens import ExactTokenCounter, TokenCounter, TokenEstimator
from lessons.settings import settings
from lessons.tables import html_table

MESSAGE_TOKENS = 4
"""Around every message: its role and the marks that set it apart from the next."""

Item = TypeVar("Item")


def text_tokens(text: str, counter: TokenCounter) -> int:
    """The tokens of a text sent as a message; nothing for none."""
    return counter.count(text) + MESSAGE_TOKENS if text else 0


def first_fitting(items: Iterable[Item], tokens_of: Callable[[Item], int], room: int) -> list[Item]:
    """The items from the first on, up to the first that would pass the room."""
    kept: list[Item] = []
    for item in items:
        room -= tokens_of(item)
        if room < 0:
            break
        kept.append(item)
    return kept


def last_fitting(items: Sequence[Item], tokens_of: Callable[[Item], int], room: int) -> list[Item]:
    """The items up to the last, without the oldest that do not fit; in the order given."""
    return first_fitting(reversed(items), tokens_of, room)[::-1]


def too_long(window: int, output: int = 0) -> LessonsError:
    """The system prompt and the question alone take more than there is."""
    kept = f", of which {output:,} are kept for its answer" if output else ""
    return LessonsError(
        f"The question does not fit: the model may be sent {window:,} tokens{kept}. "
        "Ask something shorter, or raise LESSONS_CONTEXT_WINDOW if the model reads more."
    )


Round = list[ChatMessage]
"""A message; one that calls tools together with all their results."""


def trim(messages: Sequence[ChatMessage], tokens: int, counter: TokenCounter) -> list[ChatMessage]:
    """The messages without the oldest rounds that do not fit.

    System messages and the question stay, and so does what the user said after the results of tools, such as that no
    call is left. LessonsError if what has to stay does not fit.
    """
    found = rounds(messages)
    staying = _staying(found)
    room = tokens - sum(round_tokens(found[number], counter) for number in staying)
    if room < 0:
        raise too_long(tokens)
    others = [number for number in range(len(found)) if number not in staying]
    kept = staying | set(last_fitting(others, lambda number: round_tokens(found[number], counter), room))
    return [message for number, one in enumerate(found) if number in kept for message in one]


def rounds(messages: Iterable[ChatMessage]) -> list[Round]:
    """The messages in rounds: the results of tools belong to the message before them that called the tools."""
    found: list[Round] = []
    for message in messages:
        if message.role == MessageRole.TOOL and found and found[-1][0].role == MessageRole.ASSISTANT:
            found[-1].append(message)
        else:
            found.append([message])
    return found


def round_tokens(messages: Iterable[ChatMessage], counter: TokenCounter) -> int:
    """The tokens of messages with the tool calls that they carry."""
    return sum(counter.count(_written(message)) + MESSAGE_TOKENS for message in messages)


def _staying(found: Sequence[Round]) -> set[int]:
    """The numbers of the rounds that are never dropped."""
    staying = {number for number, one in enumerate(found) if one[0].role == MessageRole.SYSTEM}
    for number in range(len(found) - 1, -1, -1):
        if found[number][0].role == MessageRole.USER:
            staying.add(number)
            if number == 0 or found[number - 1][-1].role not in (MessageRole.TOOL, MessageRole.USER):
                break
    return staying


def _written(message: ChatMessage) -> str:
    """The text of a message and its tool calls, which stand in blocks or, as older code has it, beside the text."""
    blocks = [block.model_dump_json() for block in message.blocks if isinstance(block, ToolCallBlock)]
    return "\n".join(
        [message.content or "", *(blocks or map(_json, message.additional_kwargs.get("tool_calls") or []))]
    )


def _json(call: Any) -> str:
    return json.dumps(call.model_dump() if hasattr(call, "model_dump") else call, ensure_ascii=False, default=str)


Message = tuple[str, str]  # role and content


@dataclass(frozen=True)
class Piece:
    """One part of what is sent: its tokens, and the tokens of what was left out of it."""

    name: str
    tokens: int
    dropped: int = 0


@dataclass(frozen=True, repr=False)
class Plan:
    """What fits of everything, and how large each part of it is, in the order in which it is sent."""

    system: str
    documents: tuple[str, ...]
    memory: str
    history: tuple[Message, ...]
    question: str
    traffic: tuple[ChatMessage, ...]
    pieces: tuple[Piece, ...]
    window: int

    @property
    def tokens(self) -> int:
        """Of all pieces, with what is reserved for the answer; never more than the window."""
        return sum(piece.tokens for piece in self.pieces)

    def __repr__(self) -> str:
        lines = [f"{piece.name}: {piece.tokens:,} tokens, {piece.dropped:,} left out" for piece in self.pieces]
        return "\n".join([*lines, f"{self.tokens:,} of {self.window:,} tokens"])

    def _repr_html_(self) -> str:
        rows = [[piece.name, f"{piece.tokens:,}", f"{piece.dropped:,}"] for piece in self.pieces]
        return html_table(["", "tokens", "left out"], [*rows, [f"of {self.window:,}", f"{self.tokens:,}", ""]])


@dataclass(frozen=True)
class Budget:
    """Tokens in all (`window`), of the documents at most (`context`), and reserved for the answer (`output`).

    `margin` is the share that the model's own tokenizer may count more than the counter does.
    """

    window: int = field(default_factory=lambda: settings().context_window)
    context: int = field(default_factory=lambda: settings().context_tokens)
    output: int = field(default_factory=lambda: reserved(settings().context_window))
    counter: TokenCounter = field(default_factory=TokenEstimator, compare=False)
    margin: float = 0.0

    @classmethod
    def of(cls, llm: LLM) -> Self:
        """The budget of a model: the window that it has, and for a served one exact counts with a margin.

        The estimate by scripts is up to 2.7 times too low for a page of figures in Korean, tiktoken's count at most 1.4
        times for the tokenizer of Qwen 2.5, which takes each digit by itself.
        """
        window = llm.metadata.context_window
        if isinstance(llm, OfflineLLM):
            return cls(window, output=reserved(window))
        counter = ExactTokenCounter(llm.metadata.model_name)
        return cls(window, output=reserved(window), counter=counter, margin=settings().token_margin)

    def room(self, *texts: str) -> int:
        """The tokens that are left beside these texts and the answer. LessonsError if they do not fit."""
        left = int((self.window - self.output) / (1 + self.margin)) - sum(map(self._text, texts))
        if left < 0:
            raise too_long(self.window, self.output)
        return left

    def conversation(self, memory: str, history: Iterable[Message], room: int) -> tuple[str, tuple[Message, ...]]:
        """What is known from earlier, whole or not at all, and beside it the newest turns that fit."""
        known = "".join(first_fitting([memory], self._text, room))
        return known, self.turns(history, room - self._text(known))

    def turns(self, history: Iterable[Message], room: int) -> tuple[Message, ...]:
        """The newest turns that fit, each whole: a question and what was said to it."""
        kept = last_fitting(_turns(history), lambda turn: sum(self._text(content) for _, content in turn), room)
        return tuple(message for turn in kept for message in turn)

    def plan(
        self,
        system: str,
        question: str,
        *,
        documents: Sequence[str] = (),
        memory: str = "",
        history: Sequence[Message] = (),
        traffic: Sequence[ChatMessage] = (),
    ) -> Plan:
        """What fits. `documents` come best first, `history` and the messages of a tool loop (`traffic`) oldest first.

        `memory`, what is known from earlier in the conversation, is kept whole or not at all.
        LessonsError if the system prompt and the question alone do not fit.
        """
        left = self.room(system, question)
        sent = last_fitting(rounds(traffic), lambda one: round_tokens(one, self.counter), left)
        loop = tuple(message for one in sent for message in one)
        left -= round_tokens(loop, self.counter)
        read = tuple(first_fitting(documents, self._text, min(self.context, left)))
        left -= sum(map(self._text, read))
        known, turns = self.conversation(memory, history, left)
        pieces = (
            Piece("system prompt", self._text(system)),
            self._piece("context", documents, read),
            self._piece("memory", [memory], [known]),
            self._piece("history", _contents(history), _contents(turns)),
            Piece("question", self._text(question)),
            Piece("tool traffic", *self._sizes(traffic, loop)),
            Piece("answer", self.output),
        )
        return Plan(system, read, known, turns, question, loop, pieces, self.window)

    def _text(self, text: str) -> int:
        return text_tokens(text, self.counter)

    def _piece(self, name: str, given: Iterable[str], kept: Iterable[str]) -> Piece:
        tokens = sum(map(self._text, kept))
        return Piece(name, tokens, sum(map(self._text, given)) - tokens)

    def _sizes(self, given: Sequence[ChatMessage], kept: Sequence[ChatMessage]) -> tuple[int, int]:
        tokens = round_tokens(kept, self.counter)
        return tokens, round_tokens(given, self.counter) - tokens


def reserved(window: int) -> int:
    """The tokens of a window that are kept free for the reply."""
    return min(settings().reserved_output_tokens, window // 4)


def _contents(history: Iterable[Message]) -> list[str]:
    return [content for _, content in history]


def _turns(history: Iterable[Message]) -> list[list[Message]]:
    """The history cut before every question."""
    turns: list[list[Message]] = []
    for message in history:
        if message[0] == "user" or not turns:
            turns.append([])
        turns[-1].append(message)
    return turns
