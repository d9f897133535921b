"""The messages of a tool loop, trimmed from the oldest on, never a tool call without its results."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock

from lessons.budget.fitting import MESSAGE_TOKENS, last_fitting, too_long
from lessons.models.tokens import TokenCounter

Round = list[ChatMessage]
"""A message; one that calls tools together with all their results."""


def trim(messages: Sequence[ChatMessage], tokens: int, counter: TokenCounter) -> list[ChatMessage]:
    """The messages without the oldest rounds that do not fit.

    System messages and the question stay, and so does what the user said after the results of tools, such as that no
    call is left. LessonsError if what has to stay does not fit.
    """
    found = rounds(messages)
    staying = _staying(found)
    room = tokens - sum(round_tokens(found[number], counter) for number in staying)
    if room < 0:
        raise too_long(tokens)
    others = [number for number in range(len(found)) if number not in staying]
    kept = staying | set(last_fitting(others, lambda number: round_tokens(found[number], counter), room))
    return [message for number, one in enumerate(found) if number in kept for message in one]


def rounds(messages: Iterable[ChatMessage]) -> list[Round]:
    """The messages in rounds: the results of tools belong to the message before them that called the tools."""
    found: list[Round] = []
    for message in messages:
        if message.role == MessageRole.TOOL and found and found[-1][0].role == MessageRole.ASSISTANT:
            found[-1].append(message)
        else:
            found.append([message])
    return found


def round_tokens(messages: Iterable[ChatMessage], counter: TokenCounter) -> int:
    """The tokens of messages with the tool calls that they carry."""
    return sum(counter.count(_written(message)) + MESSAGE_TOKENS for message in messages)


def _staying(found: Sequence[Round]) -> set[int]:
    """The numbers of the rounds that are never dropped."""
    staying = {number for number, one in enumerate(found) if one[0].role == MessageRole.SYSTEM}
    for number in range(len(found) - 1, -1, -1):
        if found[number][0].role == MessageRole.USER:
            staying.add(number)
            if number == 0 or found[number - 1][-1].role != MessageRole.TOOL:
                break
    return staying


def _written(message: ChatMessage) -> str:
    """The text of a message and its tool calls, which stand in blocks or, as older code has it, beside the text."""
    blocks = [block.model_dump_json() for block in message.blocks if isinstance(block, ToolCallBlock)]
    return "\n".join(
        [message.content or "", *(blocks or map(_json, message.additional_kwargs.get("tool_calls") or []))]
    )


def _json(call: Any) -> str:
    return json.dumps(call.model_dump() if hasattr(call, "model_dump") else call, ensure_ascii=False, default=str)
