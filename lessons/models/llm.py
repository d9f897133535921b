"""The language model that answers: the keyless one, or any server that speaks OpenAI's chat protocol.

Every call goes through `predict`, `stream` or `structured`, which book what it used and let the keyless model answer
when it fails. What follows from a failure is in `served_call`, which imports this module.
"""

from collections.abc import Generator, Mapping
from typing import Any, TypeGuard, cast

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import LLM
from llama_index.core.prompts import BasePromptTemplate, PromptTemplate

from lessons.models.keyless import OfflineLLM
from lessons.models.reply import Schema
from lessons.models.tokens import ExactTokenCounter
from lessons.settings import Settings, settings
from lessons.trace import Step

KEYLESS = "keyless model"


def language_model(settings: Settings, embedding: BaseEmbedding | None = None) -> LLM:
    """`LESSONS_LLM_MODEL` at its server; without a key and a base URL the replies on record, or the keyless model."""
    keyless = OfflineLLM(embedding=embedding)
    if not settings.is_served and not settings.recorded:
        return keyless
    from lessons.models.served import ServedLLM, replayed  # the client takes a second to import, and most need none

    return ServedLLM(settings, keyless) if settings.is_served else replayed(settings, keyless)


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


def predict(llm: LLM, prompt: BasePromptTemplate, step: Step, **variables: Any) -> str:
    """The model's text for the prompt. ModelError if the key or the model is wrong."""
    from lessons.models import served_call

    asked = sent(prompt, variables)
    if not isinstance(llm, OfflineLLM) and (said := served_call.predict(llm, prompt, step, asked, variables)):
        return said
    keyless = keyless_of(llm)
    said = keyless.predict(prompt, **variables)
    book(step, keyless, asked, said)
    used(step, keyless)
    return said


def stream(llm: LLM, prompt: BasePromptTemplate, step: Step, **variables: Any) -> Generator[str, None, None]:
    """The text piece by piece; closing the iterator closes the connection. A failure after the first piece ends it."""
    from lessons.models import served_call

    asked = sent(prompt, variables)
    if not isinstance(llm, OfflineLLM) and (yield from served_call.stream(llm, prompt, step, asked, variables)):
        return
    keyless, said = keyless_of(llm), ""
    try:
        for piece in keyless.stream(prompt, **variables):
            said += piece
            yield piece
    finally:
        book(step, keyless, asked, said)
        used(step, keyless)


def structured(
    llm: LLM,
    schema: type[Schema],
    prompt: PromptTemplate,
    step: Step,
    *,
    otherwise: Schema | None = None,
    items: Mapping[str, tuple[int, int]] | None = None,
    **variables: Any,
) -> Schema:
    """The model's answer as an instance of `schema`. ModelError if the key or the model is wrong.

    With `otherwise`, that is returned when a served model fails, and the keyless model is not asked in its place.
    `items` says how many each list of the schema has here, at least and at most, so that a model fills and ends it.
    """
    from lessons.models import served_call

    asked = sent(prompt, variables)
    if not isinstance(llm, OfflineLLM):
        found = served_call.structured(llm, schema, prompt, step, asked, variables, otherwise, items or {})
        if found is not None:
            return found
    keyless = keyless_of(llm)
    result = keyless.structured_predict(schema, prompt, **variables)
    book(step, keyless, asked, result.model_dump_json())
    used(step, keyless)
    return cast(Schema, result)


def keyless_of(llm: LLM) -> OfflineLLM:
    """The keyless model that stands in for a model, or the model itself if it is keyless."""
    return llm if isinstance(llm, OfflineLLM) else getattr(llm, "keyless", None) or OfflineLLM()


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
