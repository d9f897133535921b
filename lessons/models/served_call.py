"""Call a served model, which may fail: then the step notes why, and the caller goes on with the keyless model.

A refused key or an unknown model is the reader's to fix and raises a ModelError. A prompt's metadata may bound the
reply (`max_tokens`), so that a model that does not find its end costs seconds instead of minutes.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from llama_index.core.llms import LLM, ChatMessage, ChatResponse
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.prompts import BasePromptTemplate, PromptTemplate
from llama_index.core.tools import FunctionTool
from pydantic import Field, create_model

from lessons.errors import ModelError
from lessons.models import replies
from lessons.models.recorded import NotRecordedError
from lessons.models.replies import Schema
from lessons.trace import Step

INSTEAD = "answered by the keyless model"
CUT_OFF = "the answer was cut off at the longest that it may be; raise LESSONS_MAX_OUTPUT_TOKENS"
REASONING_ONLY = "it thought up to its limit; LESSONS_MAX_OUTPUT_TOKENS allows more"
CALL_ONLY = "it called a tool instead of answering"

RecordUsage = Callable[[str, dict[str, Any]], None]
"""Adds one call to a step: the text of the reply, and what the server reported of tokens."""


@dataclass
class ServerCapabilities:
    """What the replies of a server have shown of its model, shared by all copies of the model."""

    window: int | None = None
    failed_methods: set[str] = field(default_factory=set)  # of asking for an object, where another one worked
    reasons: bool = False  # before it replies, so that a small limit would end its reply before it begins


@dataclass
class Deadline:
    """Deadline for one answer. The model is given up after `until`, a second time-out, or a lost connection."""

    until: float
    timeouts: int = 0
    given_up: ModelError | None = None


def predict(
    llm: LLM, prompt: BasePromptTemplate, step: Step, variables: dict[str, Any], record_usage: RecordUsage
) -> str:
    """Return the model's text, "" if it failed."""
    reply = _Reply()
    try:
        response = for_task(llm, prompt).chat(prompt.format_messages(llm=llm, **variables))
    except Exception as error:
        handle_failure(step, llm, error)
        return ""
    record_usage(response.message.content or "", response.additional_kwargs)
    reply.written = response.message.content or ""
    reply.add(response)
    text = replies.strip_tool_calls(replies.strip_reasoning(reply.written))
    if not text.strip():
        note_failure(step, reply.why_empty())
        return ""
    step.answered[name_of(llm)] += 1
    return text


def stream(
    llm: LLM, prompt: BasePromptTemplate, step: Step, variables: dict[str, Any], record_usage: RecordUsage
) -> Generator[str, None, str]:
    """Yield the pieces of a served model and return the whole text, "" if it failed before the first piece."""
    text, reply = "", _Reply()
    try:
        with closing(for_task(llm, prompt).stream_chat(prompt.format_messages(llm=llm, **variables))) as chunks:
            deltas = reply.deltas(chunks, llm)
            for piece in replies.stream_without_calls(replies.stream_without_reasoning(deltas)):
                text += piece
                yield piece
        if not text:
            note_failure(step, reply.why_empty())
        elif reply.finish_reason != "stop":
            cut_off = reply.finish_reason == "length"
            step.notes.append(CUT_OFF if cut_off else "the answer broke off (its end did not arrive)")
    except Exception as error:
        if not text:
            handle_failure(step, llm, error)
        else:
            step.notes.append(f"the answer broke off ({_explained(error, llm)})")
    finally:
        if capabilities := getattr(llm, "capabilities", None):
            capabilities.reasons |= reply.written != replies.strip_reasoning(reply.written)
        if reply.written or reply.usage:
            record_usage(reply.written, reply.usage)
        if text:
            step.answered[name_of(llm)] += 1
    return text


@dataclass
class _Reply:
    """A reply with all that it says besides the text that is shown."""

    usage: dict[str, Any] = field(default_factory=dict)
    finish_reason: str | None = "stop"
    written: str = ""  # with its reasoning
    has_reasoning_field: bool = False

    def deltas(self, chunks: Iterable[ChatResponse], llm: LLM) -> Iterator[str]:
        for chunk in chunks:
            check_deadline(llm)
            self.usage |= {key: value for key, value in chunk.additional_kwargs.items() if value is not None}
            self.add(chunk)
            if chunk.delta:
                self.written += chunk.delta
                yield chunk.delta
                if replies.repeats(replies.strip_reasoning(self.written)):
                    raise ModelError("it repeated itself")

    def add(self, response: ChatResponse) -> None:
        if getattr(response.raw, "choices", None):
            self.finish_reason = replies.finish_reason(response)
        self.has_reasoning_field |= replies.has_reasoning_field(response)

    def why_empty(self) -> ModelError:
        """Say why there is no text to show."""
        text = replies.strip_reasoning(self.written)
        if (self.written.strip() or self.has_reasoning_field) and not text.strip():
            return ModelError(REASONING_ONLY)
        if text.strip() and not replies.strip_tool_calls(text).strip():
            return ModelError(CALL_ONLY)
        return ModelError("its output was cut off" if replies.has_words(text) else "it said nothing")


def structured(
    llm: LLM,
    schema: type[Schema],
    prompt: PromptTemplate,
    step: Step,
    variables: dict[str, Any],
    record_usage: RecordUsage,
    default: Schema | None,
    items: Mapping[str, tuple[int, int]],
) -> Schema | None:
    """Return the model's object, `default` if it failed, None if it is not on record."""
    responses: list[ChatResponse] = []
    options = {"responses": responses} if hasattr(llm, "capabilities") else {}
    try:
        model = for_task(llm, prompt, schema.model_json_schema())
        result: Schema = model.structured_predict(with_bounded_lists(schema, items), prompt, **options, **variables)
    except Exception as error:
        handle_failure(step, llm, error, INSTEAD if default is None else "went on without it")
        return None if isinstance(error, NotRecordedError) else default
    finally:
        for reply in responses:  # a useless one was paid for, too
            record_usage(reply.message.content or "", reply.additional_kwargs)
    if not options:
        record_usage(result.model_dump_json(), {})
    step.answered[name_of(llm)] += 1
    return result


def with_bounded_lists(schema: type[Schema], items: Mapping[str, tuple[int, int]]) -> type[Schema]:
    """Bound the lists of a schema in what the server is told. A list of another length is not refused."""
    fields: dict[str, Any] = {}
    for name, (least, most) in items.items():
        original = schema.model_fields[name]
        bounds: dict[str, Any] = {"minItems": least, "maxItems": most}
        fields[name] = (original.annotation, Field(description=original.description, json_schema_extra=bounds))
    return create_model(schema.__name__, __base__=schema, **fields) if fields else schema


def call_tools(
    llm: LLM, tools: Sequence[FunctionTool], messages: Sequence[ChatMessage], prompt: BasePromptTemplate | None
) -> tuple[ChatResponse, list[ToolSelection]]:
    """Return the model's reply and the calls in it, also those that it wrote as text."""
    if not isinstance(llm, FunctionCallingLLM) or not llm.metadata.is_function_calling_model:
        raise ModelError("it cannot call tools")
    model = for_task(llm, prompt, openai_tools(tools))
    response = model.chat_with_tools(tools, chat_history=list(messages), allow_parallel_tool_calls=True)
    calls = llm.get_tool_calls_from_response(response, error_on_no_tool_call=False) or [
        ToolSelection(tool_id="", tool_name=name, tool_kwargs=arguments)
        for name, arguments in replies.tool_calls(response.message.content or "")
    ]
    for call in calls:
        call.tool_kwargs = replies.normalized(call.tool_kwargs)
    return response, calls


def openai_tools(tools: Sequence[FunctionTool]) -> list[dict[str, Any]]:
    """Describe tools as OpenAI's protocol does."""
    return [tool.metadata.to_openai_tool() for tool in tools]


def for_task(llm: LLM, prompt: BasePromptTemplate | None, form: Any = None) -> Any:
    """Return the model with the prompt's bound on its reply, which has this form. ModelError if it was given up."""
    check_deadline(llm)
    return llm.for_prompt(prompt, form) if prompt is not None and hasattr(llm, "for_prompt") else llm


def check_deadline(llm: LLM) -> None:
    """Raise the error for which a model was given up earlier in the same answer, or that its time is over."""
    deadline: Deadline | None = getattr(llm, "deadline", None)
    if deadline and deadline.given_up:
        raise deadline.given_up
    if deadline and monotonic() > deadline.until:
        raise ModelError("the answer has taken longer than LESSONS_ANSWER_SECONDS")


def handle_failure(step: Step, llm: LLM, error: Exception, instead: str = INSTEAD) -> None:
    """Note why the model's reply was not used and what came instead; raise what only the reader can fix."""
    # importing the OpenAI client takes a second, which the keyless model does without
    from lessons.models.server import is_for_the_reader, is_out_of_reach, is_timeout

    if isinstance(error, NotRecordedError):
        return
    explained = _explained(error, llm)
    if is_for_the_reader(error):
        raise explained from error
    if deadline := getattr(llm, "deadline", None):
        deadline.timeouts += is_timeout(error)
        if is_out_of_reach(error) or deadline.timeouts > 1:
            deadline.given_up = explained
    note_failure(step, explained, instead)


def note_failure(step: Step, reason: ModelError, instead: str = INSTEAD) -> None:
    """Note that the model failed, why, and what came instead."""
    step.notes.append(f"model failed ({reason}); {instead}")


def name_of(llm: LLM) -> str:
    """Return the model's name, without asking its server for anything; of a model on record, it says so."""
    name: str = getattr(llm, "model", None) or llm.metadata.model_name
    return f"{name} (recorded)" if getattr(llm, "recorded", "") else name


def _explained(error: Exception, llm: LLM) -> ModelError:
    from lessons.models.server import explain  # takes a second to import

    return explain(error, name_of(llm), getattr(llm, "api_base", None))
