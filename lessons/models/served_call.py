"""Calls of a served model, of which any may fail: then the step says why, and the keyless model answers instead.

A refused key or an unknown model is the reader's to fix and raises a ModelError. A prompt's metadata may bound the
reply (`max_tokens`), so that a model that does not find its end costs seconds instead of minutes.
"""

import json
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, partial
from time import monotonic
from typing import Any

from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers.base import BaseEventHandler
from llama_index.core.instrumentation.events.base import BaseEvent
from llama_index.core.instrumentation.events.llm import LLMChatEndEvent
from llama_index.core.llms import LLM, ChatMessage, ChatResponse
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.prompts import BasePromptTemplate, PromptTemplate
from llama_index.core.tools import FunctionTool
from pydantic import Field, create_model

from lessons.errors import ModelError
from lessons.models.keyless import OfflineLLM
from lessons.models.llm import book, name_of, used
from lessons.models.recorded import NotRecordedError
from lessons.models.reply import Schema, ending, normalized, prose, repeats, tool_calls, without_calls
from lessons.models.thoughts import (
    beside,
    is_all_thought,
    is_held,
    is_hidden,
    is_worded,
    learn,
    spoken,
    without_thoughts,
)
from lessons.trace import Step

INSTEAD = "answered by the keyless model"
CHOSEN_INSTEAD = "the keyless model chooses the tools"
CUT_OFF = "the answer was cut off at the longest that it may be; raise LESSONS_MAX_OUTPUT_TOKENS"
THOUGHT_ONLY = "it thought up to its limit; LESSONS_MAX_OUTPUT_TOKENS allows more"
CALLED_ONLY = "it called a tool instead of answering"

_as_json = partial(json.dumps, ensure_ascii=False)
_listening: ContextVar[list[ChatResponse] | None] = ContextVar("responses of the calls below", default=None)


def predict(llm: LLM, prompt: BasePromptTemplate, step: Step, asked: str, variables: dict[str, Any]) -> str:
    """The model's text, empty if it failed."""
    seen = _Seen()
    with _heard(llm, step, asked) as responses:
        try:
            seen.written = for_task(llm, prompt).predict(prompt, **variables)
        except Exception as error:
            fall_back(step, llm, error)
            return ""
    for response in responses:
        seen.notice(response)
    seen.ended = seen.ended or "stop"  # some servers give no reason with a whole reply
    said = "" if is_hidden(llm, seen.written, seen.is_whole()) else without_calls(without_thoughts(seen.written))
    learn(llm, seen.written, seen.is_whole())
    if not said.strip():
        note_failure(step, ModelError(seen.silence()))
        return ""
    used(step, llm)
    return said


def structured(
    llm: LLM,
    schema: type[Schema],
    prompt: PromptTemplate,
    step: Step,
    asked: str,
    variables: dict[str, Any],
    otherwise: Schema | None,
    items: Mapping[str, tuple[int, int]],
) -> Schema | None:
    """The model's object, `otherwise` if it failed, None if it is not on record."""
    form = schema.model_json_schema()
    with _heard(llm, step, asked):
        try:
            found = for_task(llm, prompt, form).structured_predict(bounded(schema, items), prompt, **variables)
        except Exception as error:
            fall_back(step, llm, error, INSTEAD if otherwise is None else "went on without it")
            return None if isinstance(error, NotRecordedError) else otherwise
    used(step, llm)
    return found


def stream(
    llm: LLM, prompt: BasePromptTemplate, step: Step, asked: str, variables: dict[str, Any]
) -> Generator[str, None, str]:
    """Yield the pieces of a served model and return the whole text, empty if it failed before the first piece."""
    said, seen = "", _Seen()
    try:
        with closing(for_task(llm, prompt).stream_chat(prompt.format_messages(llm=llm, **variables))) as chunks:
            for piece in prose(spoken(seen.deltas(chunks, llm), is_held(llm), seen.is_whole)):
                said += piece
                yield piece
        _note_end(step, said, seen)
    except Exception as error:
        if not said:
            fall_back(step, llm, error)
        else:
            step.notes.append(f"the answer broke off ({_explained(error, llm)})")
    finally:
        _book_stream(step, llm, asked, said, seen)
    return said


@dataclass
class _Seen:
    """What a reply says besides the text that is shown: the tokens it used, why it ended, and all that was written."""

    usage: dict[str, Any] = field(default_factory=dict)
    ended: str | None = "stop"
    written: str = ""  # everything, also thoughts and what was held back
    thought: bool = False  # beside the text

    def deltas(self, chunks: Iterable[ChatResponse], llm: LLM) -> Iterator[str]:
        for chunk in chunks:
            check_patience(llm)
            self.usage |= {key: value for key, value in chunk.additional_kwargs.items() if value is not None}
            self.notice(chunk)
            if chunk.delta:
                self.written += chunk.delta
                yield chunk.delta
                if repeats(without_thoughts(self.written)):
                    raise ModelError("it repeated itself")

    def notice(self, response: ChatResponse) -> None:
        self.ended = ending(response) if getattr(response.raw, "choices", None) else self.ended
        self.thought |= beside(response)

    def is_whole(self) -> bool:
        return self.ended not in ("length", None)

    def silence(self) -> str:
        """Why there is no text to show."""
        text = without_thoughts(self.written)
        if is_all_thought(self.written) or (self.thought and not text.strip()):
            return THOUGHT_ONLY
        if text.strip() and not without_calls(text).strip():
            return CALLED_ONLY
        return "its output was cut off" if is_worded(text) else "it said nothing"


def _note_end(step: Step, said: str, seen: _Seen) -> None:
    if not said:
        note_failure(step, ModelError(seen.silence()))
    elif seen.ended != "stop":
        step.notes.append(CUT_OFF if seen.ended == "length" else "the answer broke off (its end did not arrive)")


def _book_stream(step: Step, llm: LLM, asked: str, said: str, seen: _Seen) -> None:
    learn(llm, seen.written, seen.is_whole())
    if seen.written or seen.usage:
        book(step, llm, asked, seen.written, seen.usage)
    if said:
        used(step, llm)


def chosen_tools(
    llm: LLM,
    tools: Sequence[FunctionTool],
    messages: Sequence[ChatMessage],
    step: Step,
    prompt: BasePromptTemplate | None = None,
) -> list[ToolSelection] | None:
    """The calls that the model wants next; an empty list if it wants no more, None if it failed or is not on record.

    ModelError if the key or the model is wrong. `prompt` is what the first message was made of.
    """
    try:
        response, calls = _called(llm, tools, messages, prompt)
    except Exception as error:
        if isinstance(llm, OfflineLLM):
            raise
        fall_back(step, llm, error, CHOSEN_INSTEAD)
        if isinstance(error, NotRecordedError):
            step.notes.append(f"not on record; {CHOSEN_INSTEAD}")
        return None
    said = response.message.content or _as_json([call.tool_kwargs for call in calls])
    read = [*map(_as_json, described(tools)), *(message.content or "" for message in messages)]
    book(step, llm, "\n".join(read), said, response.additional_kwargs)
    used(step, llm)
    return calls


def _called(
    llm: LLM, tools: Sequence[FunctionTool], messages: Sequence[ChatMessage], prompt: BasePromptTemplate | None
) -> tuple[ChatResponse, list[ToolSelection]]:
    if not isinstance(llm, FunctionCallingLLM) or not llm.metadata.is_function_calling_model:
        raise ModelError("it cannot call tools")
    asked = for_task(llm, prompt, described(tools))
    response = asked.chat_with_tools(tools, chat_history=list(messages), allow_parallel_tool_calls=True)
    calls = llm.get_tool_calls_from_response(response, error_on_no_tool_call=False) or [
        ToolSelection(tool_id="", tool_name=name, tool_kwargs=arguments)
        for name, arguments in tool_calls(response.message.content or "")
    ]
    for call in calls:
        call.tool_kwargs = normalized(call.tool_kwargs)
    return response, calls


def described(tools: Sequence[FunctionTool]) -> list[dict[str, Any]]:
    return [tool.metadata.to_openai_tool() for tool in tools]


def fall_back(step: Step, llm: LLM, error: Exception, instead: str = INSTEAD) -> None:
    """Note why the model's answer was not used and what came instead; raise what only the reader can fix."""
    from lessons.models.server import is_for_the_reader, is_out_of_reach, is_timeout  # imports the client: a second

    if isinstance(error, NotRecordedError):
        return
    if is_for_the_reader(error):
        raise _explained(error, llm) from error
    if patience := getattr(llm, "patience", None):
        patience.timeouts += is_timeout(error)
        if is_out_of_reach(error) or patience.timeouts > 1:
            patience.given_up = _explained(error, llm)
    note_failure(step, _explained(error, llm), instead)


def check_patience(llm: LLM) -> None:
    """Raise the error for which a model was given up earlier in the same answer, or that its time is over."""
    patience = getattr(llm, "patience", None)
    if patience and patience.given_up:
        raise patience.given_up
    if patience and monotonic() > patience.until:
        raise ModelError("the answer has taken longer than LESSONS_ANSWER_SECONDS")


def note_failure(step: Step, reason: ModelError, instead: str = INSTEAD) -> None:
    step.notes.append(f"model failed ({reason}); {instead}")


def _explained(error: Exception, llm: LLM) -> ModelError:
    from lessons.models.server import explain

    return explain(error, name_of(llm), getattr(llm, "api_base", None))


def for_task(llm: LLM, prompt: BasePromptTemplate | None, form: Any = None) -> Any:
    """The model with the bound of the prompt on its reply, which has this form. ModelError as from `check_patience`."""
    check_patience(llm)
    return llm.for_prompt(prompt, form) if prompt is not None and hasattr(llm, "for_prompt") else llm


def bounded(schema: type[Schema], items: Mapping[str, tuple[int, int]]) -> type[Schema]:
    """The schema with its lists bounded in what the server is told. One of another length is not refused."""
    fields: dict[str, Any] = {}
    for name, (least, most) in items.items():
        known = schema.model_fields[name]
        bounds: dict[str, Any] = {"minItems": least, "maxItems": most}
        fields[name] = (known.annotation, Field(description=known.description, json_schema_extra=bounds))
    return create_model(schema.__name__, __base__=schema, **fields) if fields else schema


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
def _heard(llm: LLM, step: Step, asked: str) -> Iterator[list[ChatResponse]]:
    """Book the calls inside the block that were answered; one that never was costs nothing."""
    _listen()
    responses: list[ChatResponse] = []
    token = _listening.set(responses)
    try:
        yield responses
    finally:
        _listening.reset(token)
        for response in responses:
            book(step, llm, asked, response.message.content or "", response.additional_kwargs)
