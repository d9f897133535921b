"""What a model thinks before it replies, in the shapes that models give it: none of it is for the reader."""

import re
from collections.abc import Callable, Iterable, Iterator

from llama_index.core.base.llms.types import ChatResponse
from llama_index.core.llms import LLM

_TAG = r"(?:\w+:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection)"
_OPENING = re.compile(rf"\s*(?:<{_TAG}>|<\|channel>\w*)")  # the second is Gemma's
_CLOSING = rf"(?:</{_TAG}>|<channel\|>)"
_THOUGHT = re.compile(rf"{_OPENING.pattern}.*?(?:{_CLOSING}\s*|\Z)", re.DOTALL)
_UNOPENED = re.compile(rf".*(?:(?<! ){_CLOSING}|{_CLOSING}(?=\s*(?:\n|\Z)))\s*", re.DOTALL)  # chat templates open it
_FINAL = re.compile(r".*(?:<\|channel\|>final[^<]*<\|message\|>|\Aanalysis\S.*?assistantfinal)", re.DOTALL)
_HARMONY = re.compile(r"\s*(?:<\|(?:start|channel)\||analysis(?=\w).*assistantfinal)", re.DOTALL)
_MAY_OPEN = re.compile(r"<[|\w:]*>?|analysis|<\|.*|analysis\w.*", re.DOTALL)
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_LONGEST_WITHOUT = 200  # characters without a word
_BRACKETS = re.compile(r"\[[^\]]*(?:\]|$)")
_unopened: dict[tuple[str, str], bool] = {}  # by address and model, for as long as the process lives


def without_thoughts(text: str) -> str:
    """The text without the reasoning that some models write before it."""
    if _HARMONY.match(text):
        final = _FINAL.match(text)
        return re.split(r"<\|(?:end|return)\|>", text[final.end() :])[0].strip() if final else ""
    masked, start = without_code(text), 0
    while (thought := _THOUGHT.match(masked, start)) and thought.end() > start:
        start = thought.end()
    if unopened := _UNOPENED.match(masked, start):
        start = unopened.end()
    return text[start:]


def without_code(text: str) -> str:
    """The text with its code blanked out, as long as before: code that names a tag is neither thought nor call."""
    return _CODE.sub(lambda code: "`" * len(code[0]), text)


def is_all_thought(text: str) -> bool:
    """Whether a model wrote thoughts and nothing behind them."""
    return bool(text.strip()) and not without_thoughts(text).strip()


def is_decided(text: str) -> bool:
    """Whether a text shows where its thoughts are: it opens them, or has their end."""
    return bool(_OPENING.match(text) or _HARMONY.match(text) or leaves_unopened(text))


def leaves_unopened(text: str) -> bool:
    """Whether a text has the end of a thought without its beginning."""
    return not _OPENING.match(text) and bool(_UNOPENED.match(without_code(text)))


def is_held(llm: LLM) -> bool:
    """Whether a stream of this model may begin within a thought: nobody knows before its first whole reply."""
    return _unopened.get(_identity(llm), True)


def is_hidden(llm: LLM, text: str, is_whole: bool) -> bool:
    """Whether a reply may be a thought from end to end: it was cut off, and the model may leave thoughts unopened."""
    return not is_whole and is_held(llm) and not is_decided(text)


def learn(llm: LLM, text: str, is_whole: bool = True) -> None:
    """Remember from a reply in prose whether this model at this address leaves its thoughts unopened."""
    if leaves_unopened(text):
        _unopened[_identity(llm)] = True
    elif text.strip() and (is_whole or is_decided(text)):
        _unopened.setdefault(_identity(llm), False)
    if (learned := getattr(llm, "learned", None)) and text != without_thoughts(text):
        learned.thinks = True


def _identity(llm: LLM) -> tuple[str, str]:
    from lessons.models.llm import name_of  # which imports this module

    return str(getattr(llm, "api_base", "")), name_of(llm)


def spoken(pieces: Iterable[str], held: bool = False, is_whole: Callable[[], bool] = lambda: True) -> Iterator[str]:
    """A streamed text without the reasoning before it, held back until its first word; none of a text without one.

    Many models never open their thoughts, since the chat template has done so, and only close them. A closing tag
    cannot be ruled out before a reply ends. So the stream of such a model, and the first one of a model that is not
    known yet, is `held` until that tag or to its end, and then shown only if it `is_whole`: a reply that was cut off
    may be a thought from end to end. What the reply showed is remembered (`learn`), and later ones stream at once.
    """
    text = ""
    for piece in (stream := iter(pieces)):
        text += piece
        if (not held or is_decided(text)) and _has_words(text):
            yield without_thoughts(text)
            yield from stream
            return
        if len(text) > _LONGEST_WITHOUT and not (held or _OPENING.match(text) or _MAY_OPEN.fullmatch(text.lstrip())):
            return
    if (not held or is_decided(text) or is_whole()) and is_worded(rest := without_thoughts(text)):
        yield rest


def is_worded(text: str) -> bool:
    """Whether a text has a word or a number that is no citation."""
    return any(map(str.isalnum, _BRACKETS.sub("", text)))


def _has_words(text: str) -> bool:
    start = text.lstrip()
    if "analysis".startswith(start) or (_MAY_OPEN.fullmatch(start) and not _OPENING.match(start)):
        return False
    return is_worded(without_thoughts(text))


def beside(response: ChatResponse) -> bool:
    """Whether the server put thoughts beside the text of a reply, or of a piece of it."""
    choices = getattr(response.raw, "choices", None)
    said = choices and (getattr(choices[0], "message", None) or getattr(choices[0], "delta", None))
    return any(getattr(said, name, None) for name in ("reasoning", "reasoning_content"))


def has_thoughts(response: ChatResponse) -> bool:
    """Whether the model reasoned before it replied, in its text or beside it."""
    return beside(response) or (content := response.message.content or "") != without_thoughts(content)
