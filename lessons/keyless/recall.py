"""What was said in the conversation: corrections carried out, and questions about it answered in its own words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lessons.keyless.lines import search_terms
from lessons.keyless.values import topics, values
from lessons.keyless.words import Unit, read_question
from lessons.text import language, sentences
from lessons.text.numbers import number_words
from lessons.text.periods import periods

_OPENS = re.compile(
    r"(?i)^\W*(?:(?:oh|ah|sorry|wait|no|nope|actually|correction|i mean|i meant|rather|oops|pardon"
    r"|아니요?|아뇨|아 참|죄송(?:해요|합니다)?|정정(?:할게요|합니다|하면|해요)?|잘못 말했(?:어요|네요|습니다)"
    r"|다시 말하면|실은|사실은|참)[\s,.:;!–—-]+)+"
    r"(?:(?:i mean(?:t)?|it(?:'s| is|’s)|that(?:'s| is|’s)|make (?:that|it)|제 말은|그게 아니라|그거 말고)[\s,]+)?"
)
_NOT_BUT = re.compile(
    r"\bnot ([^,.;]{1,40}?),? but ([^,.;]{1,40})|([^,.;]{1,30}?)(?:이|가) 아니(?:라|고),? ([^,.;]{1,40})", re.IGNORECASE
)
_ONLY_A_NUMBER = re.compile(
    r"(?i)(?:about|around|only|just|약|한)?\s*(\d[\d,]*(?:\.\d+)?(?:\s?[조억만천백])*)"
    r"(?:이에요|이요|예요|요|입니다| please)?\W*"
)
_BARE = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:\s?[조억만천백])*")
TAKEN_BACK = re.compile(
    r"(?i)\b(?:no longer|not? (?:\w+ )?any ?more|stopped (?:using|taking)|forget (?:about )?(?:my|the)"
    r"|don[’']t (?:have|use|take))\b"
    r"|(?:더 ?이상|이제는?) .*(?:안 |않|없)|(?:없던|없는) (?:걸로|것으로|일로)|잊어 ?(?:줘|주세요)"
    r"|그만 ?(?:뒀|두|써|쓰)|(?<![가-힣])안 (?:써|쓰|씁|먹)"
)
_BY_YOU = re.compile(
    r"\byou (?:said|told|mentioned|answered|gave)\b|\b(?:did|have|had) you (?:say|said|tell|told|mention)"
)
_ASKS_BACK = re.compile(
    r"(?i)\b(?:did|have|had) I (?:already |just |ever )?"
    r"(?:say|said|tell|told|mention|ask|give|gave|given|state|want|name|call|choose|pick)"
    r"|\bI (?:\w+ )?(?:said|told you|mentioned|stated|gave you)\b|\bwhat (?:was|were) my\b"
    r"|\bremind me\b|\b(?:do|can) you (?:still )?(?:remember|recall)\b"
    r"|\bearlier in (?:this|our) (?:chat|conversation)\b"
    r"|(?:라고|다고|냐고|자고) ?(?:했|하셨|말|그랬)"
    r"|말(?:씀)?(?:했|하셨|드렸|해 줬)|(?:얘기|이야기|언급)(?:했|하셨|드렸)"
    r"|(?:알려|가르쳐) ?(?:드렸|줬|주셨)|(?:기억)(?:하(?:세요|시나요|나요|니|고)|나(?:요|세요|니))"
    r"|(?<![가-힣])(?:제가|내가)[^?]*(?:[했였었겠]|이었)(?:죠|지|더라|던가|나요)"
)
_OWN = re.compile(
    r"(?i)\b(?:what|which|how (?:much|many|long|old|big)|who|where|when)\b[^?]{0,300}"
    r"\b(?:my|mine|our|am I|are we|(?:do|have|did) (?:I|we))\b"
    r"|(?<![가-힣])(?:제|내|저의|나의|우리|저희|제가|내가)\s[^?]{0,300}"
    r"(?:뭐|뭔|무엇|무슨|어느|어떤|얼마|몇|누구|어디|언제|어떻게 (?:되|돼))"
)
_ABOUT_SAYING = re.compile(
    r"^(?:(?:제|내|저의|나의|우리|저희|제가|내가|저는|나는)$|say|said|tell|told|mention\w*|ask\w*|state\w*|give|gave|given|remember\w*|recall|remind|earlier|가운데|중에서?|conversation|chat"
    r"|before|first|just|again|please|exactly|처음|아까|앞서|앞에|이전|대화|기억|말씀?|얘기|이야기|언급|다시|방금|정확히|알려|가르쳐"
    r"|뭐라|얼마라|어디라|언제라|누구라|무엇이라|며칠이라|몇.{0,3}라)"
)
_QUOTED = re.compile(r"(?:이?라|한다|된다|는다|다|냐|자)고 (?:했|하셨|말|그랬|알려)[가-힣]*")
_COUNTER = re.compile(r"몇\s?[가-힣]+")
_WHERE_THEY_ARE = re.compile(
    r"\b(?:are we|am I) (on|in|at|with|from)\b|\bwhat (?:kind|sort|type) of .*(?:are we|am I)\b", re.I
)
_WE_ARE = r"\b(?:we(?: are|['’]re)|I(?: am|['’]m)) (?:now |still )?"

SAID = {  # how an answer says that it comes from the conversation and not from a document
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
_WHEN = re.compile(r"months?|years?|quarters?|dates?|days?|날짜|[연년]도|몇\s?월|월|분기", re.IGNORECASE)
_PERIODS = ("date", "year", "quarter", "half", "month")
_LATELY = 6  # lines within which 'no, 300' corrects something
_LEAST_COVERED = 0.5  # of what a question asks for
_LINE = re.compile(r"^(?:(?P<noted>- )|(?P<role>user|assistant): )(?P<text>.+)$")


@dataclass(frozen=True)
class Said:
    """A sentence of a conversation. `source` is noted, user or assistant; `topic` numbers what it belongs to."""

    source: str
    text: str
    topic: int = 0


def opens_correction(sentence: str) -> str | None:
    """What stands behind 'no, I meant' or '아니요,'; None if the sentence does not begin so."""
    match = _OPENS.match(sentence)
    return sentence[match.end() :].strip() or None if match else None


def corrected(old: str, sentence: str) -> str | None:
    """The value put in place of `old`, a number with its unit, a month with its year; None if it is not corrected."""
    if sentence.rstrip().endswith(("?", "？")):
        return None
    if both := _NOT_BUT.search(sentence):
        before, after = filter(None, both.groups())
        return _replaced(old, after) if _numbers(before) & _numbers(old) or before.strip() in old else None
    said = opens_correction(sentence)
    return _replaced(old, said) if said else None


def _replaced(old: str, said: str) -> str | None:
    """The value in `said` of the same kind as `old`, or its bare number in the place of the old one."""
    kinds, after = {value.kind for value in values(old)}, values(said)
    for value in after:
        if value.kind in kinds and value.text != old:
            year = next((period for period in periods(old) if period.unit == "year"), None)
            dated = value.kind == "month" and year and year.number not in {each.number for each in periods(value.text)}
            return f"{value.text} {year.number}" if year and dated and value.text.isascii() else value.text
    bare = _ONLY_A_NUMBER.fullmatch(said)
    return _BARE.sub(bare[1].strip(), old, count=1) if bare and not after and _BARE.search(old) else None


def _numbers(text: str) -> set[str]:
    return {match[0].replace(",", "").strip() for match in _BARE.finditer(text)}


def settled(lines: Sequence[Said]) -> list[Said]:
    """The lines with what users corrected a few lines later put right; a correction goes unless it says more."""
    kept: list[Said] = []
    for line in lines:
        fixed = line.source == "user" and _put_right(kept, line.text)
        if not fixed or len({value.kind for value in values(line.text)}) > 1:
            kept.append(line)
    return kept


def _put_right(lines: list[Said], correction: str) -> bool:
    """Whether the correction met one of the last lines, which now holds the new value."""
    for at in reversed(range(max(0, len(lines) - _LATELY), len(lines))):
        for value in values(lines[at].text) if lines[at].source == "user" else []:
            if new := corrected(value.text, correction):
                lines[at] = replace(lines[at], text=lines[at].text.replace(value.text, new, 1))
                return True
    return False


def remembered(memory: str) -> list[Said]:
    """What a memory's lines (`- key: value`, `user: …`, `assistant: …`; no others) say, settled, in their order."""
    found: list[Said] = []
    for line in filter(None, (_LINE.match(line.strip()) for line in memory.splitlines())):
        said = [line["text"]] if line["noted"] else sentences(line["text"])
        found += [Said(line["role"] or "noted", each) for each in said]
    return settled(found)


def asks_back(question: str) -> bool:
    """Whether only the conversation can answer a question, because it asks what its user said."""
    return bool(_ASKS_BACK.search(question)) and not _BY_YOU.search(question)


def recalled(question: str, memory: str) -> str | None:
    """The answer to a question about what was said; None for any other question, or if the memory does not hold it."""
    by_you = _BY_YOU.search(question) is not None
    back = by_you or _ASKS_BACK.search(question) is not None
    if not memory or not (back or _OWN.search(question)):
        return None
    bare = _COUNTER.sub(" ", _QUOTED.sub(" ", question))  # what was said holds no 'did I say', '몇 명' or '-다고 했죠'
    units = [unit for unit in read_question(bare).units if unit.weight > 0.3]
    if not (wanted := [unit for unit in units if not _ABOUT_SAYING.match(unit.text.lower())]):
        return None
    asks_a_number = "number" in read_question(question).kinds
    found = [line for line in remembered(memory) if _may_answer(line, asks_a_number, by_you)]
    scored = [(_covered(wanted, question, line.text), line.source == "noted", i) for i, line in enumerate(found)]
    best = max(scored, default=(0.0, False, 0))
    if best[0] < (_LEAST_COVERED if back else 1.0):
        return None
    line = found[best[2]]
    return SAID[language(question)][line.source].format(line.text.rstrip(".") if line.source == "noted" else line.text)


def _may_answer(line: Said, asks_a_number: bool, by_you: bool) -> bool:
    """Whether a line was told by the right person, is no question, and has a number where one is asked for."""
    if line.text.rstrip().endswith(("?", "？")) or (line.source == "assistant" and not by_you):
        return False
    return not asks_a_number or any(map(str.isdigit, number_words(line.text)))


def _covered(wanted: list[Unit], question: str, text: str) -> float:
    """How much of the wanted words a line holds; all where it says 'we are on …' to 'which … are we on?'"""
    if (where := _WHERE_THEY_ARE.search(question)) and re.search(rf"{_WE_ARE}{where[1] or 'an?'}\b", text, re.I):
        return 1.0
    found, about = search_terms(text), topics(text)
    dated = any(value.kind in _PERIODS for value in values(text))
    told = [topics(unit.text) & about or (dated and _WHEN.fullmatch(unit.text)) for unit in wanted]
    return sum(1.0 if said else unit.covered(found) for unit, said in zip(wanted, told, strict=True)) / len(wanted)
