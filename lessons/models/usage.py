"""What a model call used: what the server reports, else counted; and what that costs."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from llama_index.core.base.llms.types import ChatResponse
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers.base import BaseEventHandler
from llama_index.core.instrumentation.events.base import BaseEvent
from llama_index.core.instrumentation.events.llm import LLMChatEndEvent
from llama_index.core.llms import LLM

from lessons.models.keyless import OfflineLLM
from lessons.models.tokens import ExactTokenCounter
from lessons.settings import settings
from lessons.trace import Step

_listening: ContextVar[list[ChatResponse] | None] = ContextVar("responses of the calls below", default=None)


class _Listener(BaseEventHandler):
    """Hands each chat response to whoever listens in this thread: `predict` and the like return only its text."""

    @classmethod
    def class_name(cls) -> str:
        return "UsageListener"

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:
        responses = _listening.get()
        if responses is not None and isinstance(event, LLMChatEndEvent) and event.response is not None:
            responses.append(event.response)


get_dispatcher().add_event_handler(_Listener())


@contextmanager
def responses() -> Iterator[list[ChatResponse]]:
    """The chat responses that arrive inside the block."""
    heard: list[ChatResponse] = []
    token = _listening.set(heard)
    try:
        yield heard
    finally:
        _listening.reset(token)


def book(step: Step, llm: LLM, asked: str, answered: str, reported: dict[str, Any] | None = None) -> None:
    """Add one call to the step, with the tokens that the server reported or, without a report, those of the texts.

    The keyless model is booked with the tokens that a paid model would have charged, at no cost.
    """
    reported = reported or {}
    counter = ExactTokenCounter(llm.metadata.model_name if not isinstance(llm, OfflineLLM) else settings().llm_model)
    tokens_in = reported.get("prompt_tokens") or counter.count(asked)
    tokens_out = reported.get("completion_tokens")
    tokens_out = counter.count(answered) if tokens_out is None else tokens_out
    step.add_llm_call(tokens_in, tokens_out, 0.0 if isinstance(llm, OfflineLLM) else price(tokens_in, tokens_out))


def price(tokens_in: int, tokens_out: int) -> float:
    """US dollars, by the prices of the settings."""
    chosen = settings()
    return (
        tokens_in * chosen.price_per_million_input_tokens + tokens_out * chosen.price_per_million_output_tokens
    ) / 1_000_000
