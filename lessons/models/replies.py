"""Read what a served model wrote: the text without its reasoning and tool calls, and the objects and calls in it."""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import reduce
from typing import Any, TypeVar

from llama_index.core.base.llms.types import ChatResponse, ToolCallBlock
from pydantic import BaseModel, ValidationError

from lessons.text import normalize

Schema = TypeVar("Schema", bound=BaseModel)


class NoObjectError(ValueError):
    """A reply without a JSON object where one was asked for."""


# Reasoning

_TAG = r"(?:\w+:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection)"
_OPENING = re.compile(rf"\s*(?:<{_TAG}>|<\|channel>\w*)")  # the second is Gemma's
_CLOSING = rf"(?:</{_TAG}>|<channel\|>)"
_REASONING = re.compile(rf"{_OPENING.pattern}.*?(?:{_CLOSING}\s*|\Z)", re.DOTALL)
_UNOPENED = re.compile(rf".*(?:(?<! ){_CLOSING}|{_CLOSING}(?=\s*(?:\n|\Z)))\s*", re.DOTALL)  # chat templates open it
_FINAL = re.compile(r".*(?:<\|channel\|>final[^<]*<\|message\|>|\Aanalysis\S.*?assistantfinal)", re.DOTALL)
_HARMONY = re.compile(r"\s*(?:<\|(?:start|channel)\||analysis(?=\w).*assistantfinal)", re.DOTALL)  # of gpt-oss
_MAY_OPEN = re.compile(r"<[|\w:]*>?|analysis|<\|.*|analysis\w.*", re.DOTALL)
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_BRACKETS = re.compile(r"\[[^\]]*(?:\]|$)")
_LOOP = 80  # characters


def strip_reasoning(text: str) -> str:
    """Remove the reasoning that some models write before their reply."""
    if _HARMONY.match(text):
        final = _FINAL.match(text)
        return re.split(r"<\|(?:end|return)\|>", text[final.end() :])[0].strip() if final else ""
    masked, start = _mask_code(text), 0
    while (reasoning := _REASONING.match(masked, start)) and reasoning.end() > start:
        start = reasoning.end()
    if unopened := _UNOPENED.match(masked, start):
        start = unopened.end()
    return text[start:]


def _mask_code(text: str) -> str:
    """Blank out code at the same length, because code that names a tag is neither reasoning nor a call."""
    return _CODE.sub(lambda code: "`" * len(code[0]), text)


def has_reasoning_field(response: ChatResponse) -> bool:
    """Return True if the server put reasoning beside the text of a reply, or of a piece of it."""
    choices = getattr(response.raw, "choices", None)
    message = choices and (getattr(choices[0], "message", None) or getattr(choices[0], "delta", None))
    return any(getattr(message, name, None) for name in ("reasoning", "reasoning_content"))


def stream_without_reasoning(pieces: Iterable[str]) -> Iterator[str]:
    """Yield a streamed text without the reasoning that it opens; nothing of a text without a word."""
    text = ""
    for piece in (stream := iter(pieces)):
        text += piece
        if _is_past_reasoning(text):
            yield strip_reasoning(text)
            yield from stream
            return
    if has_words(reply := strip_reasoning(text)):
        yield reply


def has_words(text: str) -> bool:
    """Return True if a text has a word or a number that is no citation."""
    return any(map(str.isalnum, _BRACKETS.sub("", text)))


def _is_past_reasoning(text: str) -> bool:
    start = text.lstrip()
    if "analysis".startswith(start) or (_MAY_OPEN.fullmatch(start) and not _OPENING.match(start)):
        return False
    return has_words(strip_reasoning(text))


def repeats(text: str) -> bool:
    """Return True once a model writes the same words again and again, as small ones do until they are stopped."""
    end = text[-_LOOP:]
    return len(text) > 4 * _LOOP and text.count(end) > 2


def finish_reason(response: ChatResponse) -> str | None:
    """Return why a reply or a piece of it ended, such as `stop`, or `length` at its token limit; None if unknown."""
    choices = getattr(response.raw, "choices", None)
    return getattr(choices[0], "finish_reason", None) if choices else None


# Objects

_ARGUMENTS = ("arguments", "parameters", "args", "input")


def parse_object(schema: type[Schema], response: ChatResponse) -> Schema:
    """Read an object of the schema from a reply's tool calls or text. NoObjectError or ValidationError without one."""
    calls = [block.tool_kwargs for block in response.message.blocks if isinstance(block, ToolCallBlock)]
    written = json_objects(response.message.content or "")
    candidates = [*filter(None, map(_as_object, calls)), *filter(None, map(_arguments, written)), *written]
    if not candidates:
        raise NoObjectError("it wrote no JSON object")
    for candidate in candidates[:-1]:
        with suppress(ValidationError):
            return schema.model_validate(candidate)
    return schema.model_validate(candidates[-1])


def json_objects(text: str) -> list[dict[str, Any]]:
    """Return the JSON objects in a text, whatever stands around them: prose, code fences, `<tool_call>`."""
    return [value for _, _, value in _objects(strip_reasoning(text))]


def _objects(text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    decoder, position = json.JSONDecoder(strict=False), 0
    while (start := text.find("{", position)) >= 0:
        try:
            value, position = decoder.raw_decode(text, start)
            yield start, position, normalized(value)
        except ValueError:
            position = start + 1


def normalized(value: Any) -> Any:
    """Normalise each text in a JSON value, since JSON may escape what no page can show."""
    if isinstance(value, dict):
        return {normalize(key): normalized(part) for key, part in value.items()}
    if isinstance(value, list):
        return [normalized(part) for part in value]
    return normalize(value) if isinstance(value, str) else value


def _arguments(written: dict[str, Any]) -> dict[str, Any] | None:
    """Return the arguments of a written call, which some models write as a text of JSON; None if there are none."""
    return next((_as_object(written[name]) for name in _ARGUMENTS if name in written), None)


def _as_object(value: Any) -> dict[str, Any] | None:
    if isinstance(value, str):
        value = next(iter(json_objects(value)), None)
    return value if isinstance(value, dict) else None


# Tool calls

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
        reduce(lambda tail, char: rf"{re.escape(char)}(?:\Z|{tail})", m[-2::-1], re.escape(m[-1])) for m in _CALL_MARKS
    )
)  # a mark, or the beginning of one at the end of the text


def tool_calls(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Return name and arguments of the calls that a model wrote as text: `{"name": …, "arguments": {…}}`."""
    calls = []
    for name, body in _FUNCTION.findall(text := strip_reasoning(text) or text):
        parameters = {key: value.strip() for key, value in _PARAMETER.findall(body)}
        calls.append((name, normalized(parameters) or next(iter(json_objects(body)), {})))
    return calls + [call for written in json_objects(_FUNCTION.sub("", text)) for call in _calls(written)]


def _calls(written: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for call in written.get("tool_calls") or [written]:
        inner = call.get("function") if isinstance(call.get("function"), dict) else call
        if isinstance(name := inner.get("name"), str) and (arguments := _arguments(inner)) is not None:
            yield name, arguments


def strip_tool_calls(text: str) -> str:
    """Remove the tool calls that a model wrote into its text, which are not for the reader."""
    masked = _mask_code(text)
    for tag in reversed([*_TAGGED.finditer(masked)]):
        text = text[: tag.start()] + text[tag.end() :]
    for start, end, written in reversed([*_objects(text)]):
        if any(_calls(written)):
            text = text[:start] + text[end:]
    return _EMPTY_FENCE.sub("", text)


def stream_without_calls(pieces: Iterable[str]) -> Iterator[str]:
    """Yield a streamed text without the tool calls in it: from where one may begin, it is held back to its end."""
    pending = ""
    for piece in pieces:
        pending += piece
        may_begin = _MAY_BEGIN.search(pending)
        end = may_begin.start() if may_begin else len(pending)
        if pending[:end]:
            yield pending[:end]
        pending = pending[end:]
    if (tail := strip_tool_calls(pending)).strip():
        yield tail
