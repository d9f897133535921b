"""The language model that answers: the keyless one, or any server that speaks OpenAI's chat protocol.

Every call of a model goes through `predict`, `structured`, `stream` or `chosen_tools`, which book what it used. What
follows when a served model fails is in `served_call`.
"""

import json
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, TypeGuard, cast

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers.base import BaseEventHandler
from llama_index.core.instrumentation.events.base import BaseEvent
from llama_index.core.instrumentation.events.llm import LLMChatEndEvent
from llama_index.core.llms import LLM
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.prompts import BasePromptTemplate, PromptTemplate
from llama_index.core.tools import FunctionTool

from lessons.errors import ModelError
from lessons.models import served_call
from lessons.models.keyless import OfflineLLM
from lessons.models.recorded import NotRecordedError
from lessons.models.reply import Schema, normalized, repeats, spoken, tool_calls, without_thoughts
from lessons.models.served_call import name_of
from lessons.models.tokens import ExactTokenCounter
from lessons.settings import Settings, settings
from lessons.trace import Step

KEYLESS = "keyless model"
CUT_OFF = "the answer was cut off at the longest that it may be; raise LESSONS_MAX_OUTPUT_TOKENS"

_as_json = partial(json.dumps, ensure_ascii=False)
_listening: ContextVar[list[ChatResponse] | None] = ContextVar("responses of the calls below", default=None)


def language_model(settings: Settings, embedding: BaseEmbedding | None = None) -> LLM:
    """`LESSONS_LLM_MODEL` at its server; without a key and a base URL the replies on record, or the keyless model."""
    keyless = OfflineLLM(embedding=embedding)
    if not (served := settings.openai_api_key or settings.openai_base_url) and not settings.recorded:
        return keyless
    from lessons.models.served import ServedLLM, replayed  # the client takes a second to import, and most need none

    return ServedLLM(settings, keyless) if served else replayed(settings, keyless)


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
    asked = sent(prompt, variables)
    if not isinstance(llm, OfflineLLM):
        try:
            with heard(llm, step, asked):
                said = without_thoughts(served_call.for_task(llm, prompt).predict(prompt, **variables))
            if said.strip():
                used(step, llm)
                return said
            served_call.note_failure(step, ModelError("it said nothing"))
        except Exception as error:
            served_call.fall_back(step, llm, error)
    keyless = keyless_of(llm)
    said = keyless.predict(prompt, **variables)
    book(step, keyless, asked, said)
    used(step, keyless)
    return said


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
    asked, found = sent(prompt, variables), otherwise
    if not isinstance(llm, OfflineLLM):
        try:
            with heard(llm, step, asked):
                model = served_call.for_task(llm, prompt, schema.model_json_schema())
                found = model.structured_predict(served_call.bounded(schema, items or {}), prompt, **variables)
            used(step, llm)
        except NotRecordedError:
            found = None
        except Exception as error:
            served_call.fall_back(step, llm, error, served_call.INSTEAD if otherwise is None else "went on without it")
        if found is not None:
            return found
    keyless = keyless_of(llm)
    result = keyless.structured_predict(schema, prompt, **variables)
    book(step, keyless, asked, result.model_dump_json())
    used(step, keyless)
    return cast(Schema, result)


def stream(llm: LLM, prompt: BasePromptTemplate, step: Step, **variables: Any) -> Generator[str, None, None]:
    """The model's text piece by piece; closing the iterator closes the connection.

    A failure before the first piece lets the keyless model answer; a later one ends the text with a note on the step.
    """
    asked = sent(prompt, variables)
    if not isinstance(llm, OfflineLLM) and (yield from _streamed(llm, prompt, step, asked, variables)):
        return
    keyless, said = keyless_of(llm), ""
    try:
        for piece in keyless.stream(prompt, **variables):
            said += piece
            yield piece
    finally:
        book(step, keyless, asked, said)
        used(step, keyless)


def _streamed(
    llm: LLM, prompt: BasePromptTemplate, step: Step, asked: str, variables: dict[str, Any]
) -> Generator[str, None, str]:
    """Yield the pieces of a served model and return the whole text, empty if it failed before the first piece."""
    said, seen = "", _Seen()
    try:
        model = served_call.for_task(llm, prompt)
        with closing(model.stream_chat(prompt.format_messages(llm=llm, **variables))) as chunks:
            for piece in spoken(seen.deltas(chunks, llm)):
                said += piece
                yield piece
                if repeats(said):
                    raise ModelError("it repeated itself")
        if not said:
            served_call.note_failure(step, ModelError("it said nothing"))
        elif seen.ended != "stop":
            step.notes.append(CUT_OFF if seen.ended == "length" else "the answer broke off (its end did not arrive)")
    except Exception as error:
        if not said:
            served_call.fall_back(step, llm, error)
        else:
            step.notes.append(f"the answer broke off ({served_call.explained(error, llm)})")
    finally:
        if seen.written or seen.usage:
            book(step, llm, asked, seen.written, seen.usage)
        if said:
            used(step, llm)
    return said


@dataclass
class _Seen:
    """What a streamed reply says besides its text: the tokens it used and why it ended."""

    usage: dict[str, Any] = field(default_factory=dict)
    ended: str | None = "stop"
    written: str = ""  # everything, also thoughts and what was held back

    def deltas(self, chunks: Iterable[ChatResponse], llm: LLM) -> Iterator[str]:
        for chunk in chunks:
            served_call.check_patience(llm)
            self.usage |= {key: value for key, value in chunk.additional_kwargs.items() if value is not None}
            choices = getattr(chunk.raw, "choices", None)
            self.ended = choices[0].finish_reason if choices else self.ended
            if chunk.delta:
                self.written += chunk.delta
                yield chunk.delta


def chosen_tools(
    llm: LLM,
    tools: Sequence[FunctionTool],
    messages: Sequence[ChatMessage],
    step: Step,
    prompt: BasePromptTemplate | None = None,
) -> list[ToolSelection] | None:
    """The calls that the model wants next; an empty list if it wants no more.

    None, with a note on the step, if it cannot call tools, failed, or is not on record. ModelError if the key or the
    model is wrong. `prompt` is what the first message was made of.
    """
    try:
        if not isinstance(llm, FunctionCallingLLM) or not llm.metadata.is_function_calling_model:
            raise ModelError("it cannot call tools")
        asked = served_call.for_task(llm, prompt, described(tools))
        response = asked.chat_with_tools(tools, chat_history=list(messages), allow_parallel_tool_calls=True)
        calls = llm.get_tool_calls_from_response(response, error_on_no_tool_call=False) or [
            ToolSelection(tool_id="", tool_name=name, tool_kwargs=arguments)
            for name, arguments in tool_calls(response.message.content or "")
        ]
        for call in calls:
            call.tool_kwargs = normalized(call.tool_kwargs)
    except Exception as error:
        if isinstance(llm, OfflineLLM):
            raise
        served_call.fall_back(step, llm, error, served_call.CHOSEN_INSTEAD)
        if isinstance(error, NotRecordedError):
            step.notes.append(f"not on record; {served_call.CHOSEN_INSTEAD}")
        return None
    said = response.message.content or _as_json([call.tool_kwargs for call in calls])
    read = [*map(_as_json, described(tools)), *(message.content or "" for message in messages)]
    book(step, llm, "\n".join(read), said, response.additional_kwargs)
    used(step, llm)
    return calls


def described(tools: Sequence[FunctionTool]) -> list[dict[str, Any]]:
    """The tools as a server is told of them."""
    return [tool.metadata.to_openai_tool() for tool in tools]


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


class _Listener(BaseEventHandler):
    """Hands each chat response to whoever listens in this thread: `predict` and the like return only its text."""

    @classmethod
    def class_name(cls) -> str:
        return "UsageListener"

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:
        responses = _listening.get()
        if responses is not None and isinstance(event, LLMChatEndEvent) and event.response is not None:
            responses.append(event.response)


_listen = cache(lambda: get_dispatcher().add_event_handler(_Listener()))  # from the first call on


@contextmanager
def heard(llm: LLM, step: Step, asked: str) -> Iterator[None]:
    """Book the calls inside the block that were answered; one that never was costs nothing."""
    _listen()
    responses: list[ChatResponse] = []
    token = _listening.set(responses)
    try:
        yield
    finally:
        _listening.reset(token)
        for response in responses:
            book(step, llm, asked, response.message.content or "", response.additional_kwargs)
