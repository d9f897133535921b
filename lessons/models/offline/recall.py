"""How the keyless model answers a question about what was said: with the words of the conversation, named as such.

A memory is read line by line: `- key: value` is something noted, `user: …` and `assistant: …` are what somebody said.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lessons.models.offline.asking_back import (
    asks_of_its_user,
    asks_what_was_said,
    is_by_you,
    says_what_they_are,
    subject,
)
from lessons.models.offline.corrections import put_right
from lessons.models.offline.passages import search_terms
from lessons.models.offline.question import Question, read_question
from lessons.models.offline.topics import topics
from lessons.models.offline.unit import Unit
from lessons.models.offline.values import values
from lessons.text import sentences

SAID = {
    "en": {
        "noted": "From what you told me earlier: {}.",
        "user": "You said earlier: “{}”",
        "assistant": "I answered earlier: “{}”",
    },
    "ko": {
        "noted": "앞서 알려 주신 내용입니다: {}.",
        "user": "앞서 이렇게 말씀하셨습니다: “{}”",
        "assistant": "앞서 이렇게 답했습니다: “{}”",
    },
}
"""How an answer says that it comes from the conversation and not from a document."""

_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|hundred)\b"
    r"|(?<![가-힣])(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무)\s",
    re.IGNORECASE,
)
_WHEN = re.compile(r"months?|years?|quarters?|dates?|days?|날짜|[연년]도|몇\s?월|월|분기", re.IGNORECASE)
_PERIODS = ("date", "year", "quarter", "half", "month")
_LATELY = 6  # lines within which 'no, 300' corrects something
_LEAST_COVERED = 0.5  # of what a question asks for
_LINE = re.compile(r"^(?:(?P<noted>- )|(?P<role>user|assistant): )(?P<text>.+)$")


@dataclass(frozen=True)
class Remembered:
    """A line of a memory, or a sentence of it. `source` is noted, user or assistant."""

    source: str
    text: str


def remembered(memory: str) -> list[Remembered]:
    """What a memory's lines say, in their order; a line in no known form is left out.

    What a user corrected a few sentences later is put right, and the correction left out unless it says more than that.
    """
    lines: list[Remembered] = []
    for line in _read(memory):
        if not (line.source == "user" and _corrects(lines, line)) or _says_more(line):
            lines.append(line)
    return lines


def _says_more(line: Remembered) -> bool:
    return len({value.kind for value in values(line.text)}) > 1


def _corrects(lines: list[Remembered], line: Remembered) -> bool:
    """Whether the line corrects one before it, which is then replaced by what it should have said."""
    for at in reversed(range(max(0, len(lines) - _LATELY), len(lines))):
        if lines[at].source == "user" and (right := put_right(lines[at].text, line.text)):
            lines[at] = Remembered("user", right)
            return True
    return False


def recalled(question: str, memory: str) -> str | None:
    """The answer to a question about what was said; None for any other question, or if the memory does not hold it."""
    back = asks_what_was_said(question)
    if not memory or not (back or asks_of_its_user(question)):
        return None
    asked, wanted = read_question(question), subject(question)
    if not wanted:
        return None
    least = _LEAST_COVERED if back else 1.0
    found = [line for line in remembered(memory) if _may_answer(line, asked, question, back)]
    scored = [
        (1.0 if says_what_they_are(question, line.text) else _covered(wanted, line), line.source == "noted", i)
        for i, line in enumerate(found)
    ]
    best = max(scored, default=(0.0, False, 0))
    return _told(asked.language, found[best[2]]) if best[0] >= least else None


def _read(memory: str) -> Iterator[Remembered]:
    for line in memory.splitlines():
        if not (match := _LINE.match(line.strip())):
            continue
        if match["noted"]:
            yield Remembered("noted", match["text"])
        else:
            yield from (Remembered(match["role"], sentence) for sentence in sentences(match["text"]))


def _may_answer(line: Remembered, asked: Question, question: str, back: bool) -> bool:
    """Whether a line is of the kind that is asked for: told by the right person, with a number for 'how much'."""
    if line.source == "assistant" and not (back and is_by_you(question)):
        return False
    if line.text.rstrip().endswith(("?", "？")):
        return False
    return "number" not in asked.kinds or _NUMBER.search(line.text) is not None


def _covered(wanted: list[Unit], line: Remembered) -> float:
    found, about = search_terms(line.text), topics(line.text)
    dated = any(value.kind in _PERIODS for value in values(line.text))
    held = [
        1.0 if topics(unit.text) & about or (dated and _WHEN.fullmatch(unit.text)) else unit.covered(found)
        for unit in wanted
    ]
    return sum(held) / len(held)


def _told(language: str, line: Remembered) -> str:
    return SAID[language][line.source].format(line.text.rstrip(".") if line.source == "noted" else line.text)
