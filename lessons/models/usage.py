"""What a model call used: what the server reports, else counted; and what that costs."""

from typing import Any

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


def used(step: Step, llm: LLM) -> None:
    """Note whose output the step goes on with."""
    step.answered[KEYLESS if isinstance(llm, OfflineLLM) else name_of(llm)] += 1


def sent(prompt: BasePromptTemplate, variables: dict[str, Any]) -> str:
    """The prompt as sent, for counting. KeyError if a variable is missing, which LlamaIndex would leave as `{name}`."""
    if missing := set(prompt.template_vars) - set(variables) - set(prompt.kwargs):
        raise KeyError(f"the prompt lacks {', '.join(sorted(missing))}")
    return "\n".join(message.content or "" for message in prompt.format_messages(**variables))
