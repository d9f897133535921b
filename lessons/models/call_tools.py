"""Asking a model which tools it wants to call, through LlamaIndex's function calling."""

import json
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.llms import LLM
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.prompts import BasePromptTemplate
from llama_index.core.tools import FunctionTool

from lessons.errors import ModelError
from lessons.models.keyless import OfflineLLM
from lessons.models.llm import book, used
from lessons.models.recorded import NotRecordedError
from lessons.models.reply import normalized, tool_calls
from lessons.models.served_call import check_patience, fall_back
from lessons.trace import Step

INSTEAD = "the keyless model chooses the tools"


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
        asked = llm.for_prompt(prompt, described(tools)) if prompt and hasattr(llm, "for_prompt") else llm
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
