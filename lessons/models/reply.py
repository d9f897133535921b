"""What a served model wrote: without its thoughts, and the objects and tool calls that stand in its text."""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, TypeVar

from llama_index.core.base.llms.types import ChatResponse, ToolCallBlock
from pydantic import BaseModel, ValidationError

from lessons.text import normalize

Schema = TypeVar("Schema", bound=BaseModel)


class NoObjectError(ValueError):
    """A reply without a JSON object where one was asked for."""


_TAG = r"(?:\w+:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection)"
_OPENING = rf"(?:<{_TAG}>|<\|channel>\w*)"  # the second is Gemma's
_CLOSING = rf"(?:</{_TAG}>|<channel\|>)"
_THOUGHT = re.compile(rf"\s*{_OPENING}.*?(?:{_CLOSING}\s*|\Z)", re.DOTALL)
_UNOPENED = re.compile(rf".*(?:(?<! ){_CLOSING}|{_CLOSING}(?=\s*(?:\n|\Z)))\s*", re.DOTALL)  # chat templates open it
_FINAL = re.compile(r".*(?:<\|channel\|>final[^<]*<\|message\|>|\Aanalysis\S.*?assistantfinal)", re.DOTALL)
_HARMONY = re.compile(r"\s*(?:<\|(?:start|channel)\||analysis(?=\w).*assistantfinal)", re.DOTALL)
_MAY_OPEN = re.compile(r"<[|\w:]*>?|analysis|<\|.*|analysis\w.*", re.DOTALL)
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_LOOP = 80  # characters
_LONGEST_WITHOUT = 200  # characters without a word
_BRACKETS = re.compile(r"\[[^\]]*(?:\]|$)")
_FUNCTION = re.compile(r"<function=[\"']?([\w.-]+)[\"']?>(.*?)(?:</function>|\Z)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([\w.-]+)>(.*?)</parameter>", re.DOTALL)
_ARGUMENTS = ("arguments", "parameters", "args", "input")


def without_thoughts(text: str) -> str:
    """The text without the reasoning that some models write before it."""
    if _HARMONY.match(text):
        final = _FINAL.match(text)
        return re.split(r"<\|(?:end|return)\|>", text[final.end() :])[0].strip() if final else ""
    masked = _CODE.sub(lambda code: "`" * len(code[0]), text)  # code that names such a tag is no thought
    start = 0
    while (thought := _THOUGHT.match(masked, start)) and thought.end() > start:
        start = thought.end()
    if unopened := _UNOPENED.match(masked, start):
        start = unopened.end()
    return text[start:]


def is_all_thought(text: str) -> bool:
    """Whether a model wrote thoughts and nothing behind them."""
    return bool(text.strip()) and not without_thoughts(text).strip()


def spoken(pieces: Iterable[str], is_unopened: bool = False) -> Iterator[str]:
    """A streamed text without the reasoning before it, held back until its first word; none of a text without one.

    Thoughts that a model does not open (`is_unopened`) are known by their end only: until then all is held back.
    """
    held = ""
    for piece in (stream := iter(pieces)):
        held += piece
        if (not is_unopened or re.search(_CLOSING, held)) and _has_words(held):
            yield without_thoughts(held)
            yield from stream
            return
        waits = is_unopened or _opens(held) or _MAY_OPEN.fullmatch(held.lstrip())
        if len(held) > _LONGEST_WITHOUT and not waits:
            return
    if (rest := without_thoughts(held)) and any(map(str.isalnum, _BRACKETS.sub("", rest))):
        yield rest


def leaves_thoughts_unopened(text: str) -> bool:
    """Whether a text has the end of a thought without its beginning."""
    masked = _CODE.sub("", text)
    return not _opens(masked) and bool(_UNOPENED.match(masked))


def _opens(text: str) -> bool:
    return re.match(rf"\s*{_OPENING}", text) is not None


def repeats(text: str) -> bool:
    """Whether a model has begun to write the same words again and again, as small ones do until they are stopped."""
    end = text[-_LOOP:]
    return len(text) > 4 * _LOOP and text.count(end) > 2


def _has_words(text: str) -> bool:
    start = text.lstrip()
    if "analysis".startswith(start) or (_MAY_OPEN.fullmatch(start) and not _opens(start)):
        return False
    return any(map(str.isalnum, _BRACKETS.sub("", without_thoughts(text))))


def was_cut(response: ChatResponse) -> bool:
    """Whether the reply ended at its token limit."""
    choices = getattr(response.raw, "choices", None) or []
    return any(choice.finish_reason == "length" for choice in choices)


def has_thoughts(response: ChatResponse) -> bool:
    """Whether the model reasoned before it replied, in its text or beside it."""
    choices = getattr(response.raw, "choices", None)
    beside = choices and any(getattr(choices[0].message, name, None) for name in ("reasoning", "reasoning_content"))
    return bool(beside) or (content := response.message.content or "") != without_thoughts(content)


def objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects in a text, in their order, whatever stands around them: prose, code fences, `<tool_call>`."""
    decoder, found, at = json.JSONDecoder(strict=False), list[dict[str, Any]](), 0
    text = without_thoughts(text)
    while (start := text.find("{", at)) >= 0:
        try:
            value, at = decoder.raw_decode(text, start)
            found.append(normalized(value))
        except ValueError:
            at = start + 1
    return found


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
    for written in objects(_FUNCTION.sub("", text)):
        for each in written.get("tool_calls") or [written]:
            inner = each.get("function") if isinstance(each.get("function"), dict) else each
            if isinstance(name := inner.get("name"), str) and (arguments := _arguments(inner)) is not None:
                calls.append((name, arguments))
    return calls


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
