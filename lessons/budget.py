"""One token budget over everything that a model is sent.

A prompt is planned from its parts, the most important first: each takes what is left, up to a limit of its own. The
system prompt and the question are never cut. In a tool loop the oldest calls go, each together with its results.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms import LLM

from lessons.errors import LessonsError
from lessons.models.keyless import OfflineLLM
from lessons.models.tokens import ExactTokenCounter, TokenCounter, TokenEstimator
from lessons.plan import FittedPart, Part, Plan
from lessons.settings import settings

TOKEN_MARGIN = 0.4  # that a served model's tokenizer may count more than ours
MESSAGE_TOKENS = 4  # around every message: its role and the marks that set it apart from the next


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
        """Return the budget of a model: its window, and for a served one exact counts with a margin.

        The estimate by scripts is up to 2.7 times too low for a page of figures in Korean, tiktoken's count at most 1.4
        times for the tokenizer of Qwen 2.5, which takes each digit by itself.
        """
        window = llm.metadata.context_window
        if isinstance(llm, OfflineLLM):
            return cls(window)
        return cls(window, None, ExactTokenCounter(llm.metadata.model_name), TOKEN_MARGIN)

    @property
    def available(self) -> int:
        """The tokens that may be spent."""
        return max(0, int((self.window - (self.reserved or 0)) / (1 + self.margin)))

    def room(self, *texts: str) -> int:
        """Count the tokens that are left beside these texts, each a message. LessonsError if they do not fit."""
        left = self.available - sum(self.counter.count(text) + MESSAGE_TOKENS for text in texts)
        if left < 0:
            raise self._too_long()
        return left

    def plan(self, parts: Iterable[Part], room: int | None = None) -> Plan:
        """Fit the parts, the most important first, into all that is available or into so much `room`.

        LessonsError if a part that stays whole does not fit.
        """
        left = room = self.available if room is None else room
        pieces = []
        for part in parts:
            limit = min(part.limit, left)
            items = part.within(limit, self.counter)
            tokens = part.count(items, self.counter)
            if (left := left - tokens) < 0:
                raise self._too_long()
            dropped, text = part.count(part.items, self.counter) - tokens, "\n".join(map(part.text, items))
            pieces.append(FittedPart(part.name, tokens, max(0, dropped), max(limit, tokens), items, text))
        return Plan(tuple(pieces), room)

    def trim(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """Drop the oldest tool calls that do not fit; a call goes with all of its results.

        The system prompt and the question, before the first call, always stay; LessonsError if these do not fit.
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


def message_tokens(messages: Iterable[ChatMessage], counter: TokenCounter) -> int:
    """Count the tokens of messages with the tool calls that they carry."""
    total = 0
    for message in messages:
        calls = [block.model_dump_json() for block in message.blocks if isinstance(block, ToolCallBlock)]
        total += counter.count("\n".join([message.content or "", *calls])) + MESSAGE_TOKENS
    return total
