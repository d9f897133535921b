"""What a model call used: what the server reports, else counted; and what that costs."""

from typing import Any, TypeGuard

from llama_index.core.llms import LLM
from llama_index.core.prompts import BasePromptTemplate

from lessons.models.keyless import OfflineLLM
from lessons.models.llm import name_of
from lessons.models.tokens import ExactTokenCounter
from lessons.settings import settings
from lessons.trace import Step

KEYLESS = "keyless model"


def book(step: Step, llm: LLM, asked: str, answered: str, reported: dict[str, Any] | None = None) -> None:
    """Add one call to the step, with the tokens that the server reported or, without a report, those of the texts.

    The keyless model is booked with the tokens that a paid model would have charged, at no cost; so is one on record.
    """
    counter = ExactTokenCounter(llm.metadata.model_name if not isinstance(llm, OfflineLLM) else settings().llm_model)
    said_in, said_out = ((reported or {}).get(name) for name in ("prompt_tokens", "completion_tokens"))
    tokens_in = said_in if _is_count(said_in) and said_in else counter.count(asked)
    free = isinstance(llm, OfflineLLM) or bool(getattr(llm, "recorded", ""))
    tokens_out = said_out if _is_count(said_out) else counter.count(answered)
    step.add_llm_call(tokens_in, tokens_out, 0.0 if free else price(tokens_in, tokens_out))


def _is_count(said: Any) -> TypeGuard[int]:
    """Whether what a server reports can be a number of tokens."""
    return type(said) is int and 0 <= said < 1_000_000_000


def price(tokens_in: int, tokens_out: int) -> float:
    """US dollars, by the prices of the settings."""
    chosen = settings()
    return (
        tokens_in * chosen.price_per_million_input_tokens + tokens_out * chosen.price_per_million_output_tokens
    ) / 1_000_000


def used(step: Step, llm: LLM) -> None:
    """Note whose output the step goes on with."""
    step.answered[KEYLESS if isinstance(llm, OfflineLLM) else name_of(llm)] += 1


def sent(prompt: BasePromptTemplate, variables: dict[str, Any]) -> str:
    """The prompt as sent, for counting. KeyError if a variable is missing, which LlamaIndex would leave as `{name}`."""
    if missing := set(prompt.template_vars) - set(variables) - set(prompt.kwargs):
        raise KeyError(f"the prompt lacks {', '.join(sorted(missing))}")
    return "\n".join(message.content or "" for message in prompt.format_messages(**variables))
