"""Ask the language model: the keyless one, or any server that speaks OpenAI's chat protocol.

Every call goes through `predict`, `stream`, `structured` or `choose_tools`, which record what it used and let the
keyless model answer when it fails.
"""

from collections.abc import Generator, Mapping, Sequence
from functools import partial
from json import dumps
from typing import Any, TypeGuard, cast

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import LLM, ChatMessage
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.prompts import BasePromptTemplate, PromptTemplate
from llama_index.core.tools import FunctionTool

from lessons.models import served_call
from lessons.models.keyless import OfflineLLM
from lessons.models.recorded import NotRecordedError
from lessons.models.replies import Schema
from lessons.models.served_call import name_of
from lessons.models.tokens import ExactTokenCounter
from lessons.settings import Settings, settings
from lessons.trace import Step

KEYLESS = "keyless model"
CHOSEN_INSTEAD = "the keyless model chooses the tools"


def language_model(settings: Settings, embedding: BaseEmbedding | None = None) -> LLM:
    """Return `LESSONS_LLM_MODEL` at its server; without a key or a base URL replies on record, or the keyless model."""
    keyless = OfflineLLM(embedding=embedding)
    if not settings.is_served and not settings.recorded:
        return keyless
    from lessons.models.served import ServedLLM, replayed  # the client takes a second to import, and most need none

    return ServedLLM(settings, keyless) if settings.is_served else replayed(settings, keyless)


def keyless_of(llm: LLM) -> OfflineLLM:
    """Return the keyless model that stands in for a model, or the model itself if it is keyless."""
    return llm if isinstance(llm, OfflineLLM) else getattr(llm, "keyless", None) or OfflineLLM()


def describe(llm: LLM) -> str:
    """Name the model in words: 'gpt-4o-mini at api.openai.com', 'qwen3:8b (recorded 2026-11-23)'."""
    if isinstance(llm, OfflineLLM):
        return "keyless model (extractive, no network)"
    if recorded := getattr(llm, "recorded", ""):
        return f"{getattr(llm, 'model', '')} (recorded {recorded})"
    from lessons.models.server import host  # takes a second to import

    return f"{name_of(llm)} at {host(getattr(llm, 'api_base', None))}"


def predict(llm: LLM, prompt: BasePromptTemplate, step: Step, **variables: Any) -> str:
    """Return the model's text for the prompt. ModelError if the key or the model is wrong."""
    sent = render_prompt(prompt, variables)
    if not isinstance(llm, OfflineLLM):
        record = partial(record_usage, step, llm, sent)
        if text := served_call.predict(llm, prompt, step, variables, record):
            return text
    text = keyless_of(llm).predict(prompt, **variables)
    _record_keyless(step, llm, sent, text)
    return text


def stream(llm: LLM, prompt: BasePromptTemplate, step: Step, **variables: Any) -> Generator[str, None, None]:
    """Yield the text in pieces; closing the iterator closes the connection. A failure after the first piece ends it."""
    sent = render_prompt(prompt, variables)
    if not isinstance(llm, OfflineLLM):
        record = partial(record_usage, step, llm, sent)
        if (yield from served_call.stream(llm, prompt, step, variables, record)):
            return
    text = ""
    try:
        for piece in keyless_of(llm).stream(prompt, **variables):
            text += piece
            yield piece
    finally:
        _record_keyless(step, llm, sent, text)


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
    """Return the model's answer as an instance of `schema`. ModelError if the key or the model is wrong.

    With `otherwise`, that is returned when a served model fails, and the keyless model is not asked in its place.
    `items` says how many each list of the schema has here, at least and at most, so that a model fills and ends it.
    """
    sent = render_prompt(prompt, variables)
    if not isinstance(llm, OfflineLLM):
        record = partial(record_usage, step, llm, sent)
        result = served_call.structured(llm, schema, prompt, step, variables, record, otherwise, items or {})
        if result is not None:
            return result
    result = cast(Schema, keyless_of(llm).structured_predict(schema, prompt, **variables))
    _record_keyless(step, llm, sent, result.model_dump_json())
    return result


def choose_tools(
    llm: LLM,
    tools: Sequence[FunctionTool],
    messages: Sequence[ChatMessage],
    step: Step,
    prompt: BasePromptTemplate | None = None,
) -> list[ToolSelection] | None:
    """Return the calls that the model wants next: [] if it wants no more, None if it failed or is not on record.

    ModelError if the key or the model is wrong. `prompt` is what the first message was made of.
    """
    try:
        response, calls = served_call.call_tools(llm, tools, messages, prompt)
    except Exception as error:
        if isinstance(llm, OfflineLLM):
            raise
        served_call.handle_failure(step, llm, error, CHOSEN_INSTEAD)
        if isinstance(error, NotRecordedError):
            step.notes.append(f"not on record; {CHOSEN_INSTEAD}")
        return None
    as_json = partial(dumps, ensure_ascii=False)
    text = response.message.content or as_json([call.tool_kwargs for call in calls])
    sent = [*map(as_json, served_call.openai_tools(tools)), *(message.content or "" for message in messages)]
    record_usage(step, llm, "\n".join(sent), text, response.additional_kwargs)
    record_model(step, llm)
    return calls


def render_prompt(prompt: BasePromptTemplate, variables: dict[str, Any]) -> str:
    """Return the prompt as sent. KeyError if a variable is missing, which LlamaIndex would leave as `{name}`."""
    if missing := set(prompt.template_vars) - set(variables) - set(prompt.kwargs):
        raise KeyError(f"the prompt lacks {', '.join(sorted(missing))}")
    return "\n".join(message.content or "" for message in prompt.format_messages(**variables))


def record_usage(step: Step, llm: LLM, sent: str, reply: str, reported: dict[str, Any] | None = None) -> None:
    """Add one call to the step, with the tokens that the server reported or, without a report, those of the texts.

    The keyless model is charged the tokens that a paid model would have used, at no cost; so is one on record.
    """
    counter = ExactTokenCounter(llm.metadata.model_name if not isinstance(llm, OfflineLLM) else settings().llm_model)
    reported_in, reported_out = ((reported or {}).get(name) for name in ("prompt_tokens", "completion_tokens"))
    tokens_in = reported_in if _is_count(reported_in) and reported_in else counter.count(sent)
    tokens_out = reported_out if _is_count(reported_out) else counter.count(reply)
    is_free = isinstance(llm, OfflineLLM) or bool(getattr(llm, "recorded", ""))
    cost = 0.0 if is_free else price(tokens_in, tokens_out)
    step.add(Step("", llm_calls=1, tokens_in=tokens_in, tokens_out=tokens_out, cost=cost))
    step.prompts.append(sent)


def record_model(step: Step, llm: LLM) -> None:
    """Note whose output the step goes on with."""
    step.answered[KEYLESS if isinstance(llm, OfflineLLM) else name_of(llm)] += 1


def _record_keyless(step: Step, llm: LLM, sent: str, reply: str) -> None:
    record_usage(step, keyless_of(llm), sent, reply)
    record_model(step, keyless_of(llm))


def _is_count(value: Any) -> TypeGuard[int]:
    return type(value) is int and 0 <= value < 1_000_000_000


def price(tokens_in: float, tokens_out: float, *prices: float) -> float:
    """Return US dollars at these two prices for a million tokens in and out, or at those of the settings."""
    defaults = settings().price_per_million_input_tokens, settings().price_per_million_output_tokens
    per_in, per_out = prices or defaults
    return (tokens_in * per_in + tokens_out * per_out) / 1_000_000
