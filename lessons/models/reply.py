"""What a served model wrote: the objects and tool calls that stand in its text, and the text without them."""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import reduce
from typing import Any, TypeVar

from llama_index.core.base.llms.types import ChatResponse, ToolCallBlock
from pydantic import BaseModel, ValidationError

from lessons.models.thoughts import without_code, without_thoughts
from lessons.text import normalize

Schema = TypeVar("Schema", bound=BaseModel)


class NoObjectError(ValueError):
    """A reply without a JSON object where one was asked for."""


_LOOP = 80  # characters
_FUNCTION = re.compile(r"<function=[\"']?([\w.-]+)[\"']?>(.*?)(?:</function>|\Z)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([\w.-]+)>(.*?)</parameter>", re.DOTALL)
_TAGGED = re.compile(
    r"<\|?(tool_?\w*|function)\b[^>\n]*>\s*(?=[{\[<]|[\w:.-]+\s*[{<\n]).*?(?:<(?:[|/]+\1\b[^>\n]*|\1\|)>|\Z)"
    r"|(?:<\|python_tag\|>|\[TOOL_CALLS\]|<｜tool).*",
    re.DOTALL,
)
_EMPTY_FENCE = re.compile(r"```\w*\s*```")
_CALL_MARKS = ("<tool", "<|tool", "<function", "<|python_tag|>", "[TOOL_CALLS]", "<｜tool", "```json", "{")
_MAY_BEGIN = re.compile(
    "|".join(
        reduce(lambda rest, char: rf"{re.escape(char)}(?:\Z|{rest})", m[-2::-1], re.escape(m[-1])) for m in _CALL_MARKS
    )
)  # a mark, or the beginning of one at the end of the text
_ARGUMENTS = ("arguments", "parameters", "args", "input")


def repeats(text: str) -> bool:
    """Whether a model has begun to write the same words again and again, as small ones do until they are stopped."""
    end = text[-_LOOP:]
    return len(text) > 4 * _LOOP and text.count(end) > 2


def ending(response: ChatResponse) -> str | None:
    """Why a reply or a piece of it ended, such as `stop`, or `length` at its token limit; None if it does not say."""
    choices = getattr(response.raw, "choices", None)
    return getattr(choices[0], "finish_reason", None) if choices else None


def objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects in a text, in their order, whatever stands around them: prose, code fences, `<tool_call>`."""
    return [written for _, _, written in _objects(without_thoughts(text))]


def _objects(text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    decoder, at = json.JSONDecoder(strict=False), 0
    while (start := text.find("{", at)) >= 0:
        try:
            value, at = decoder.raw_decode(text, start)
            yield start, at, normalized(value)
        except ValueError:
            at = start + 1


def normalized(value: Any) -> Any:
    """The same value with each of its texts as `normalize` leaves it: JSON may escape what no page can show."""
    if isinstance(value, dict):
        return {normalize(key): normalized(part) for key, part in value.items()}
    if isinstance(value, list):
        return [normalized(part) for part in value]
    return normalize(value) if isinstance(value, str) else value


def tool_calls(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Name and arguments of the calls that a model wrote as text: `{"name": …, "arguments": {…}}`."""
    calls = []
    for name, body in _FUNCTION.findall(text := without_thoughts(text) or text):
        parameters = {key: value.strip() for key, value in _PARAMETER.findall(body)}
        calls.append((name, normalized(parameters) or next(iter(objects(body)), {})))
    return calls + [call for written in objects(_FUNCTION.sub("", text)) for call in _calls(written)]


def _calls(written: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for each in written.get("tool_calls") or [written]:
        inner = each.get("function") if isinstance(each.get("function"), dict) else each
        if isinstance(name := inner.get("name"), str) and (arguments := _arguments(inner)) is not None:
            yield name, arguments


def without_calls(text: str) -> str:
    """The text without the tool calls in it, which are not for the reader."""
    masked = without_code(text)
    for tag in reversed([*_TAGGED.finditer(masked)]):
        text = text[: tag.start()] + text[tag.end() :]
    for start, end, written in reversed([*_objects(text)]):
        if any(_calls(written)):
            text = text[:start] + text[end:]
    return _EMPTY_FENCE.sub("", text)


def prose(pieces: Iterable[str]) -> Iterator[str]:
    """A streamed text without the tool calls in it: from where one may begin, it is held back to its end."""
    held = ""
    for piece in pieces:
        held += piece
        may_begin = _MAY_BEGIN.search(held)
        at = may_begin.start() if may_begin else len(held)
        if held[:at]:
            yield held[:at]
        held = held[at:]
    if (rest := without_calls(held)).strip():
        yield rest


def instance(schema: type[Schema], response: ChatResponse) -> Schema:
    """The object of a reply, from its tool calls or its text. NoObjectError or ValidationError without one."""
    called = [block.tool_kwargs for block in response.message.blocks if isinstance(block, ToolCallBlock)]
    written = objects(response.message.content or "")
    candidates = [*filter(None, map(_as_object, called)), *filter(None, map(_arguments, written)), *written]
    if not candidates:
        raise NoObjectError("it wrote no JSON object")
    for candidate in candidates[:-1]:
        with suppress(ValidationError):
            return schema.model_validate(candidate)
    return schema.model_validate(candidates[-1])


def _arguments(written: dict[str, Any]) -> dict[str, Any] | None:
    """The arguments of a written call, which some models write as a text of JSON; None if there are none."""
    return next((_as_object(written[name]) for name in _ARGUMENTS if name in written), None)


def _as_object(value: Any) -> dict[str, Any] | None:
    if isinstance(value, str):
        value = next(iter(objects(value)), None)
    return value if isinstance(value, dict) else None
