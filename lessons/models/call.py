"""The one place that calls a language model: books what it used, and lets the keyless model answer when it fails.

What a served model may do instead of answering, and what follows from it, is in `served_call`.
"""

import json
from collections.abc import Generator, Mapping, Sequence
from typing import Any, cast

from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.llms import LLM
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.prompts import BasePromptTemplate, PromptTemplate
from llama_index.core.tools import FunctionTool

from lessons.errors import ModelError
from lessons.models import served_call
from lessons.models.keyless import OfflineLLM
from lessons.models.llm import book, sent, used
from lessons.models.recorded import NotRecordedError
from lessons.models.reply import Schema, normalized, tool_calls
from lessons.models.served_call import check_patience, fall_back, for_task
from lessons.trace import Step

INSTEAD = "the keyless model chooses the tools"


def predict(llm: LLM, prompt: BasePromptTemplate, step: Step, **variables: Any) -> str:
    """The model's text for the prompt. ModelError if the key or the model is wrong."""
    asked = sent(prompt, variables)
    if not isinstance(llm, OfflineLLM) and (said := served_call.predict(llm, prompt, step, asked, variables)):
        return said
    keyless = keyless_of(llm)
    said = keyless.predict(prompt, **variables)
    book(step, keyless, asked, said)
    used(step, keyless)
    return said


def stream(llm: LLM, prompt: BasePromptTemplate, step: Step, **variables: Any) -> Generator[str, None, None]:
    """The model's text piece by piece; closing the iterator closes the connection.

    A failure before the first piece lets the keyless model answer; a later one ends the text with a note on the step.
    """
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
        check_patience(llm)
        asked = for_task(llm, prompt, described(tools)) if prompt else llm
        response = asked.chat_with_tools(tools, chat_history=list(messages), allow_parallel_tool_calls=True)
        calls = llm.get_tool_calls_from_response(response, error_on_no_tool_call=False) or _written(response)
        for call in calls:
            call.tool_kwargs = normalized(call.tool_kwargs)
    except Exception as error:
        if isinstance(llm, OfflineLLM):
            raise
        fall_back(step, llm, error, INSTEAD)
        if isinstance(error, NotRecordedError):
            step.notes.append(f"not on record; {INSTEAD}")
        return None
    said = response.message.content or json.dumps([call.tool_kwargs for call in calls], ensure_ascii=False)
    book(step, llm, _asked(messages, tools), said, response.additional_kwargs)
    used(step, llm)
    return calls


def _written(response: ChatResponse) -> list[ToolSelection]:
    """The calls that a model without a format for them wrote as text."""
    written = tool_calls(response.message.content or "")
    return [ToolSelection(tool_id="", tool_name=name, tool_kwargs=arguments) for name, arguments in written]


def _asked(messages: Sequence[ChatMessage], tools: Sequence[FunctionTool]) -> str:
    """What the model reads, for counting."""
    told = [json.dumps(tool, ensure_ascii=False) for tool in described(tools)]
    return "\n".join([*told, *(message.content or "" for message in messages)])


def described(tools: Sequence[FunctionTool]) -> list[dict[str, Any]]:
    """The tools as a server is told of them."""
    return [tool.metadata.to_openai_tool() for tool in tools]
