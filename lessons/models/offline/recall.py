"""How the keyless model answers a question about what was said: with the words of the conversation, named as such.

A memory is read line by line: `- key: value` is something noted, `user: …` and `assistant: …` are what somebody said.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

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

_BY_YOU = re.compile(
    r"\byou (?:said|told|mentioned|answered|gave)\b|\b(?:did|have|had) you (?:say|said|tell|told|mention)"
)
_ASKS_BACK = re.compile(
    r"\b(?:did|have|had) I (?:already |just |ever )?"
    r"(?:say|said|tell|told|mention|ask|give|gave|given|state|want|name|call|choose|pick)"
    r"|\bI (?:\w+ )?(?:said|told you|mentioned|stated|gave you)\b|\bwhat (?:was|were) my\b"
    r"|\bremind me\b|\b(?:do|can) you (?:still )?(?:remember|recall)\b"
    r"|\bearlier in (?:this|our) (?:chat|conversation)\b"
    r"|(?:라고|다고|냐고|자고) ?(?:했|하셨|말|그랬)"
    r"|말(?:씀)?(?:했|하셨|드렸|해 줬)|(?:얘기|이야기|언급)(?:했|하셨|드렸)"
    r"|(?:알려|가르쳐) ?(?:드렸|줬|주셨)|(?:기억)(?:하(?:세요|시나요|나요|니|고)|나(?:요|세요|니))"
    r"|(?<![가-힣])(?:제가|내가)[^?]*(?:[했였었겠]|이었)(?:죠|지|더라|던가|나요)",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:what|which|how (?:much|many|long|old|big)|who|where|when)\b[^?]*\b(?:my|mine|our|am I|are we)\b"
    r"|(?<![가-힣])(?:제|내|저의|나의|우리|저희|제가|내가)\s[^?]*"
    r"(?:뭐|뭔|무엇|무슨|어느|어떤|얼마|몇|누구|어디|언제|어떻게 (?:되|돼))",
    re.IGNORECASE,
)
_OF_US = re.compile(
    r"\b(?:what|which|how (?:much|many|long|old|big)|who|where|when)\b[^?]*\b(?:do|have|did) (?:I|we)\b", re.IGNORECASE
)
_ABOUT_SAYING = re.compile(
    r"^(?:(?:제|내|저의|나의|우리|저희|제가|내가|저는|나는)$|say|said|tell|told|mention\w*|ask\w*|state\w*|give|gave|given|remember\w*|recall|remind|earlier|conversation|chat"
    r"|before|first|just|again|please|exactly|처음|아까|앞서|앞에|이전|대화|기억|말씀?|얘기|이야기|언급|다시|방금|정확히|알려|가르쳐"
    r"|뭐라|얼마라|어디라|언제라|누구라|무엇이라|며칠이라|몇.{0,3}라)"
)
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

    What a user corrected a few sentences later is put right, and the correction left out.
    """
    lines: list[Remembered] = []
    for line in _read(memory):
        if not (line.source == "user" and _corrects(lines, line)):
            lines.append(line)
    return lines


def _corrects(lines: list[Remembered], line: Remembered) -> bool:
    """Whether the line corrects one before it, which is then replaced by what it should have said."""
    for at in reversed(range(max(0, len(lines) - _LATELY), len(lines))):
        if lines[at].source == "user" and (right := put_right(lines[at].text, line.text)):
            lines[at] = Remembered("user", right)
            return True
    return False


def asks_back(question: str) -> bool:
    """Whether only the conversation can answer a question, because it asks what its user said."""
    return bool(_ASKS_BACK.search(question)) and not _BY_YOU.search(question)


def recalled(question: str, memory: str) -> str | None:
    """The answer to a question about what was said; None for any other question, or if the memory does not hold it."""
    back = _ASKS_BACK.search(question) or _BY_YOU.search(question)
    if not memory or not (back or _OWN.search(question) or _OF_US.search(question)):
        return None
    asked = read_question(question)
    wanted = [unit for unit in asked.units if not _ABOUT_SAYING.match(unit.text.lower()) and unit.weight > 0.3]
    if not wanted:
        return None
    least = _LEAST_COVERED if back else 1.0
    found = [line for line in remembered(memory) if _may_answer(line, asked, question, back is not None)]
    scored = [(_covered(wanted, line), line.source == "noted", i) for i, line in enumerate(found)]
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
    if line.source == "assistant" and not (back and _BY_YOU.search(question)):
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
