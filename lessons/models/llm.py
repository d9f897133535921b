"""The language model that answers: the keyless one, or any server that speaks OpenAI's chat protocol.

What a call of it used are the tokens that the server reports, else those that are counted, and their price.
"""

from typing import Any, TypeGuard

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import LLM
from llama_index.core.prompts import BasePromptTemplate

from lessons.models.keyless import OfflineLLM
from lessons.models.tokens import ExactTokenCounter
from lessons.settings import Settings, settings
from lessons.trace import Step

KEYLESS = "keyless model"


def language_model(settings: Settings, embedding: BaseEmbedding | None = None) -> LLM:
    """`LESSONS_LLM_MODEL` at its server; without a key and a base URL the replies on record, or the keyless model."""
    keyless = OfflineLLM(embedding=embedding)
    if not (served := settings.openai_api_key or settings.openai_base_url) and not settings.recorded:
        return keyless
    from lessons.models.served import ServedLLM, replayed  # the client takes a second to import, and most need none

    return ServedLLM(settings, keyless) if served else replayed(settings, keyless)


def name_of(llm: LLM) -> str:
    """The model's name, without asking its server for anything; of a model on record, it says so."""
    name: str = getattr(llm, "model", None) or llm.metadata.model_name
    return f"{name} (recorded)" if getattr(llm, "recorded", "") else name


def describe(llm: LLM) -> str:
    """Which model answers, in words: 'gpt-4o-mini at api.openai.com', 'qwen3:8b (recorded 2026-11-23)'."""
    if isinstance(llm, OfflineLLM):
        return "keyless model (extractive, no network)"
    if recorded := getattr(llm, "recorded", ""):
        return f"{getattr(llm, 'model', '')} (recorded {recorded})"
    from lessons.models.server import host

    return f"{name_of(llm)} at {host(getattr(llm, 'api_base', None))}"


def book(step: Step, llm: LLM, asked: str, answered: str, reported: dict[str, Any] | None = None) -> None:
    """Add one call to the step, with the tokens that the server reported or, without a report, those of the texts.

    The keyless model is booked with the tokens that a paid model would have charged, at no cost; so is one on record.
    """
    counter = ExactTokenCounter(llm.metadata.model_name if not isinstance(llm, OfflineLLM) else settings().llm_model)
    said_in, said_out = ((reported or {}).get(name) for name in ("prompt_tokens", "completion_tokens"))
    tokens_in = said_in if _is_count(said_in) and said_in else counter.count(asked)
    free = isinstance(llm, OfflineLLM) or bool(getattr(llm, "recorded", ""))
    tokens_out = said_out if _is_count(said_out) else counter.count(answered)
    cost = 0.0 if free else price(tokens_in, tokens_out)
    step.add(Step("", llm_calls=1, tokens_in=tokens_in, tokens_out=tokens_out, cost=cost))
    step.prompts.append(asked)


def _is_count(said: Any) -> TypeGuard[int]:
    """Whether what a server reports can be a number of tokens."""
    return type(said) is int and 0 <= said < 1_000_000_000


def price(tokens_in: float, tokens_out: float, *prices: float) -> float:
    """US dollars at these two prices for a million tokens in and out, or at those of the settings."""
    chosen = settings()
    per_in, per_out = prices or (chosen.price_per_million_input_tokens, chosen.price_per_million_output_tokens)
    return (tokens_in * per_in + tokens_out * per_out) / 1_000_000


def used(step: Step, llm: LLM) -> None:
    """Note whose output the step goes on with."""
    step.answered[KEYLESS if isinstance(llm, OfflineLLM) else name_of(llm)] += 1


def sent(prompt: BasePromptTemplate, variables: dict[str, Any]) -> str:
    """The prompt as sent, for counting. KeyError if a variable is missing, which LlamaIndex would leave as `{name}`."""
    if missing := set(prompt.template_vars) - set(variables) - set(prompt.kwargs):
        raise KeyError(f"the prompt lacks {', '.join(sorted(missing))}")
    return "\n".join(message.content or "" for message in prompt.format_messages(**variables))
