"""What fits the window of everything that a model is sent.

When it does not all fit, turns of the conversation go first, then documents, then the oldest messages of a tool loop.
The system prompt and the question always stay.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms import LLM

from lessons.budget.fitting import first_fitting, last_fitting, text_tokens, too_long
from lessons.budget.traffic import round_tokens, rounds
from lessons.models.keyless import OfflineLLM
from lessons.models.tokens import ExactTokenCounter, TokenCounter, TokenEstimator
from lessons.settings import settings
from lessons.tables import html_table

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
