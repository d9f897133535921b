"""Corrections: 'no, I meant 300', 'not 500 but 300', '아니요, 300만 원이에요', and what somebody takes back."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lessons.keyless.lines import search_terms
from lessons.keyless.values import Value, topics, values
from lessons.keyless.words import Question, Unit, read_question
from lessons.text import sentences
from lessons.text.periods import periods

_OPENS = re.compile(
    r"^\W*(?:(?:oh|ah|sorry|wait|no|nope|actually|correction|i mean|i meant|rather|oops|pardon"
    r"|아니요?|아뇨|아 참|죄송(?:해요|합니다)?|정정(?:할게요|합니다|하면|해요)?|잘못 말했(?:어요|네요|습니다)"
    r"|다시 말하면|실은|사실은|참)[\s,.:;!–—-]+)+"
    r"(?:(?:i mean(?:t)?|it(?:'s| is|’s)|that(?:'s| is|’s)|make (?:that|it)|제 말은|그게 아니라|그거 말고)[\s,]+)?",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:instead|changed? (?:it |that )?to|is now|not anymore)\b|(?:으?로) (?:바꿨|변경|수정|고쳐|정정)",
    re.IGNORECASE,
)
_NOT_BUT = re.compile(
    r"\bnot (?P<old>[^,.;]{1,40}?),? but (?P<new>[^,.;]{1,40})"
    r"|(?P<old_ko>[^,.;]{1,30}?)(?:이|가) 아니(?:라|고),? (?P<new_ko>[^,.;]{1,40})",
    re.IGNORECASE,
)
_ONLY_A_NUMBER = re.compile(
    r"(?:about|around|only|just|약|한)?\s*(\d[\d,]*(?:\.\d+)?(?:\s?[조억만천백])*)"
    r"(?:이에요|이요|예요|요|입니다| please)?\W*",
    re.IGNORECASE,
)
_BARE = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:\s?[조억만천백])*")
_TAKEN_BACK = re.compile(
    r"\b(?:no longer|not? (?:\w+ )?any ?more|stopped (?:using|taking)|forget (?:about )?(?:my|the)"
    r"|don[’']t (?:have|use|take))\b"
    r"|(?:더 ?이상|이제는?) .*(?:안 |않|없)|(?:없던|없는) (?:걸로|것으로|일로)|잊어 ?(?:줘|주세요)"
    r"|그만 ?(?:뒀|두|써|쓰)|(?<![가-힣])안 (?:써|쓰|씁|먹)",
    re.IGNORECASE,
)


def opens_correction(sentence: str) -> str | None:
    """What stands behind 'no, I meant' or '아니요,'; None if the sentence does not begin so."""
    match = _OPENS.match(sentence)
    return sentence[match.end() :].strip() or None if match else None


def takes_back(sentence: str) -> bool:
    """Whether the sentence says that something no longer holds."""
    return _TAKEN_BACK.search(sentence) is not None


def corrected(old: str, sentence: str) -> str | None:
    """The value that the sentence puts in place of `old`; None if it does not correct it.

    A number alone takes over the unit of what it replaces, a month alone its year.
    """
    if sentence.rstrip().endswith(("?", "？")):
        return None
    if both := _NOT_BUT.search(sentence):
        before, after = both["old"] or both["old_ko"], both["new"] or both["new_ko"]
        return _replaced(old, after) if _numbers(before) & _numbers(old) or before.strip() in old else None
    said = opens_correction(sentence)
    if said is None and not _CHANGED.search(sentence):
        return None
    return _replaced(old, said or sentence)


def put_right(statement: str, correction: str) -> str | None:
    """The statement with the value that another sentence corrects; None if it corrects none of its values."""
    for value in values(statement):
        if new := corrected(value.text, correction):
            return statement.replace(value.text, new, 1)
    return None


def _replaced(old: str, said: str) -> str | None:
    """The value in `said` of the same kind as `old`, or its bare number in the place of the old one."""
    before, after = values(old), values(said)
    for value in after:
        if _kind(value) in map(_kind, before):
            return _within(old, value) if value.text != old else None
    bare = _ONLY_A_NUMBER.fullmatch(said)
    if after or not bare or not _BARE.search(old):
        return None
    return _BARE.sub(bare[1].strip(), old, count=1)


def _within(old: str, value: Value) -> str:
    """The new value; a month or quarter without a year stands in the year of the old one."""
    year = next((period for period in periods(old) if period.unit == "year"), None)
    finer = next((period for period in periods(old) if period.unit == value.kind), None)
    if year and finer and not any(period.unit == "year" for period in periods(value.text)):
        return old[: finer.start] + value.text + old[finer.end :]
    return value.text


def _kind(value: Value) -> str:
    return {"name": "name", "service": "name", "identifier": "name"}.get(value.kind, value.kind)


def _numbers(text: str) -> set[str]:
    return {match[0].replace(",", "").strip() for match in _BARE.finditer(text)}


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
    r"^(?:(?:제|내|저의|나의|우리|저희|제가|내가|저는|나는)$|say|said|tell|told|mention\w*|ask\w*|state\w*|give|gave|given|remember\w*|recall|remind|earlier|가운데|중에서?|conversation|chat"
    r"|before|first|just|again|please|exactly|처음|아까|앞서|앞에|이전|대화|기억|말씀?|얘기|이야기|언급|다시|방금|정확히|알려|가르쳐"
    r"|뭐라|얼마라|어디라|언제라|누구라|무엇이라|며칠이라|몇.{0,3}라)"
)
_QUOTED = re.compile(r"(?:이?라|한다|된다|는다|다|냐|자)고 (?:했|하셨|말|그랬|알려)[가-힣]*")
_COUNTER = re.compile(r"몇\s?[가-힣]+")
_WHERE_THEY_ARE = re.compile(r"\b(?:are we|am I) (on|in|at|with|from)\b", re.IGNORECASE)
_WHAT_THEY_ARE = re.compile(r"\bwhat (?:kind|sort|type) of [\w -]+ (?:are we|am I)\b", re.IGNORECASE)
_WE_ARE = r"\b(?:we(?: are|['’]re)|I(?: am|['’]m)) (?:now |still )?"


def asks_back(question: str) -> bool:
    """Whether only the conversation can answer a question, because it asks what its user said."""
    return bool(_ASKS_BACK.search(question)) and not is_by_you(question)


def is_by_you(question: str) -> bool:
    """Whether it asks what the assistant said."""
    return _BY_YOU.search(question) is not None


def asks_what_was_said(question: str) -> bool:
    """Whether it asks what its user or the assistant said."""
    return bool(_ASKS_BACK.search(question)) or is_by_you(question)


def asks_of_its_user(question: str) -> bool:
    """Whether it asks something of its user, who may have said it: 'what is my budget?'"""
    return bool(_OWN.search(question) or _OF_US.search(question))


def subject(question: str) -> list[Unit]:
    """The words that what was said must hold: those of the question without 'did I say', '몇 명' and '-다고 했죠'."""
    units = read_question(_COUNTER.sub(" ", _QUOTED.sub(" ", question))).units
    return [unit for unit in units if not _ABOUT_SAYING.match(unit.text.lower()) and unit.weight > 0.3]


def says_what_they_are(question: str, statement: str) -> bool:
    """Whether a statement says of its speaker what is asked: 'we are on Team' for 'which plan are we on?'"""
    if where := _WHERE_THEY_ARE.search(question):
        return re.search(rf"{_WE_ARE}{where[1]}\b", statement, re.IGNORECASE) is not None
    return bool(_WHAT_THEY_ARE.search(question)) and re.search(rf"{_WE_ARE}an?\b", statement, re.I) is not None


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
