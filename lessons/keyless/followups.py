"""A follow-up is made to stand alone: what it leaves out is taken from what was said before."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from lessons.keyless import task
from lessons.keyless.recall import asks_back, recalled, remembered
from lessons.keyless.values import Value, dated, people, slots, without
from lessons.keyless.words import Unit, read_question
from lessons.text import language, normalize, terms
from lessons.text.periods import moved, periods, pointed_at, written

_LEAD = re.compile(
    r"(?i)^\s*(?:(?:아|네|그럼|그러면|그렇다면|그리고|그런데|근데|또|혹시|아니면"
    r"|같은 (?:기간|분기|시기|해)(?:에는|에)?)(?:[\s,]+|$))+"
    r"|^\s*(?:(?:and|but|or|so|ok(?:ay)?|also|then|well|now)\b(?!-\w)[\s,]*)*"
    r"(?:(?:what|how) about\b\s*|(?:the )?same (?:thing )?for\b\s*)?"
)
_DUMMY = re.compile(
    r"\b(?:is|was|would|will|be) it (?:\w+ ){1,3}(?:to|that|if)\b|\bit takes? (?:\w+ ){0,3}(?:to|for|until|before)\b"
    r"|\bit (?:is|was) (?:\w+ ){1,3}(?:to|that|if)\b|\b(?:this|that) (?:year|month|quarter|week)\b",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"(?i)\b(?:it|its|they|them|theirs?|he|him|his|she|her|hers|this|these|those)\b"
    r"|(?:^|\b(?:a|about|after|and|are|as|at|before|by|can|did|do|does|for|from|had|has|have|if|in|is|like|of|on|or|than|to"
    r"|under|was|were|will|with|would|doing)\s)that\b|\bthat(?=\s*(?:[?.,!]|$))"
    r"|(?<!is )(?<!are )(?<!was )(?<!were )\bthere(?=\s*[?.,!]|$)"
    r"|\b(?:the same|the one(?!-)|the other|either of|each of|which one)\b|\bones?\b(?=\W*$)"
    r"|\bthe (?:change|increase|decrease|decline|rise|fall|drop|difference|company|group|firm)\b"
    r"(?! (?:in|of|to|between|from|on|for|with)\b)"
    r"|(?<![가-힣])(?:그|이|저) (?!밖|외|후)(?=[가-힣])"
    r"|(?<![가-힣])(?:그|이)(?:것|거|건|게|걸|분|곳|때|날|중)(?:들)?(?=[가-힣]{0,3}(?![가-힣]))"
    r"|(?<![가-힣])(?:거기|여기|그렇게|이렇게|그러려면|둘|해당|방금|아까|앞의|위의|걔)"
)
_PREDICATE = re.compile(
    r"\b(?:is|are|was|were|do|does|did|can|could|will|would|should|must|has|have|had|may|who|what|why|when|where|which|how)\b",
    re.IGNORECASE,
)
_KOREAN_PREDICATE = re.compile(
    r"(?:(?<![은는도에])(?<!에서)(?<!까지)(?<!부터)요|니까|니다|까|가|죠|어|아|지|려면|는지|은지|인지|냐|니|다|래"
    r"|(?:[가-힣]|(?:[게야도안못잘]|려고) )[해돼]|[가-힣][야여워와봐써져켜줘둬])\s*+[?？.!]*+\s*+$"
    r"|얼마|언제|어디|무엇|무슨|뭐|뭘|누구|누가|어떻게|어느|어떤|며칠|왜|(?<![가-힣])몇"
)
_RELATED = re.compile(
    r"^(?:founder|chief|ceo|cfo|head|owner|manager|director|address|headquarters?|office|factory|plant|staff|reason|price"
    r"|result|deadline|size|number|name|직원|임직원|대표|본사|공장|설비|생산|주소|가격|이유|원인|기한|결과|이름|담당자|책임자|창업자|설립)"
)
_DEFINES = re.compile(
    r"(?i)^how (?:do|does) (?!it\b|they\b|that\b|this\b|these\b|those\b)[\w -]+ work\W*$"
    r"|^(?:what|who) (?:is|are) (?:an?\s)?(?!the\b|its\b|their\b)[\w-]+(?: [\w-]+){0,2}\W*$"
    r"|^how (?:long|big|large|often|far|old) (?:is|does|do|can|may|must) an? [\w-]+\b(?! of\b)"
    r"|^[가-힣]{4,}(?:은|는) (?:무슨|언제|어디|얼마|몇|누가|왜)\b"
    r"|(?:이란|란|이|가) (?:뭐|무엇|뭔)\S*$|무슨 (?:뜻|말|의미)\S*$"
)
_HOW_TO = re.compile(r"\bhow (?:do|does|can) |(?:을|를|은|는) 어떻게 (?!되|해|하|돼)[가-힣]", re.IGNORECASE)
_PERSON = re.compile(r"\b(?:he|she|him|his|her|hers)\b|그\s?(?:분|사람|여자|남자)|이분", re.IGNORECASE)
_FEW = {"en": 1, "ko": 2}  # words of a question too thin to stand alone
_MOST = 3  # words of its own that a fragment has
WITHIN_A_YEAR = {"quarter", "half", "month"}
_END = " \t\n,?!.？"
_TURNS, _CHARS = 10, 1_000  # how much of a conversation is read
_LONGEST = 300  # characters of a question that can lack something


@dataclass(frozen=True)
class Turn:
    """A question as it stands alone, and what was answered."""

    question: str
    answer: str
    own: str  # what surely belongs to it: a question in few words that points at nothing may have changed the subject


@task("condense")
def compress(llm: Any, question: str, turns: Sequence[tuple[str, str]] = (), memory: str = "", **_: Any) -> str:
    """The question as it can be understood without the history; what a memory says that was said is older turns."""
    spoken = [f"{role}: {' '.join(content.split())}" for role, content in turns]
    if asks_back(question) or recalled(question, "\n".join([memory, *spoken])):
        return question
    earlier = [(line.source, line.text) for line in remembered(memory) if line.source != "noted"]
    said = _turns([*earlier, *turns[-2 * _TURNS :]])
    alone = standalone(question, said)
    return alone if standalone(alone, said) == alone else question


def _turns(history: Sequence[tuple[str, str]]) -> list[Turn]:
    """The user's questions, each made to stand alone by those before it, with what was said until the next."""
    said: list[Turn] = []
    for role, content in history:
        content = normalize(content)[:_CHARS]  # as the question is, so that both have the same words
        if role == "user" and content.strip():
            asked = content[:_LONGEST]
            sure = is_fragment(asked) or _POINTING.search(asked)
            own = standalone(asked, [replace(turn, question=turn.own) for turn in said]) if sure else asked
            said.append(Turn(standalone(asked, said), "", own))
        elif role == "assistant" and said:
            said[-1] = replace(said[-1], answer=f"{said[-1].answer}\n{content}".strip())
    return said


def standalone(question: str, said: Sequence[Turn]) -> str:
    """The question with the subject of the last turn that has one."""
    if not said or len(question) > _LONGEST or not lacks_subject(question):
        return question
    rest = without_lead(question)
    given = _given(rest, said[-1].question)
    source = _source(given, said)
    changed, left = filled(source, given, rest)
    if is_fragment(question) and language(question) == language(source):
        return f"{changed.rstrip(_END)} – {left}?" if left and not _POINTING.search(left) else changed
    topic = _topic(changed, said[-1].answer, question)
    return f"{topic}: {question}" if topic else question


def lacks_subject(text: str) -> bool:
    """Whether the question can only be understood with what was said before, as a fragment or a pronoun."""
    rest = without_lead(text)
    words = [unit for unit in own_words(rest) if not _RELATED.match(unit.text.lower())]
    kinds = {slot.kind for slot in slots(text)}
    if words and "measure" in kinds and kinds & {"year", *WITHIN_A_YEAR}:
        return False
    if is_fragment(text):
        return len(words) <= _MOST
    if _POINTING.search(_DUMMY.sub(" ", text)):
        return True
    names_a_topic = any(unit.weight > 0.5 for unit in words)  # what it is, or how something is done to it
    asks_of_it = _DEFINES.search(rest) or (len(words) > 1 and _HOW_TO.search(rest))
    if kinds & {"name", "identifier"} or (names_a_topic and asks_of_it):
        return False
    return len(words) <= _FEW[language(text)] or pointed_at(text) is not None


def without_lead(text: str) -> str:
    """The question without its 'and what about' or '그럼'."""
    return _LEAD.sub("", text, count=1).strip()


def own_words(text: str) -> list[Unit]:
    """What a question is about, its measures, names and periods aside."""
    return [unit for unit in read_question(without(text, slots(text))).units if unit.weight >= 0.5]


def is_fragment(text: str) -> bool:
    """Whether a question names things but says nothing of them: 'And in Q2?', '2분기는요?'."""
    rest = without_lead(text)
    most, predicate = (4, _KOREAN_PREDICATE) if language(text) == "ko" else (8, _PREDICATE)
    return len(rest.split()) <= most and not predicate.search(rest)


def _given(rest: str, before: str) -> list[Value]:
    """The slots that the follow-up itself fills, those it only points at ('a year earlier') included."""
    given = [slot for slot in slots(rest) if slot.kind != "name" or is_fragment(rest)]
    pointed = pointed_at(rest)
    if pointed and not any(slot.kind == pointed[0] for slot in given):
        new = moved({period.unit: period.number for period in periods(before)}, *pointed)
        spelled, tongue = "quarter" in before, language(before)
        given += [Value(unit, written(unit, number, tongue, spelled), -1, -1) for unit, number in new.items()]
    return given


def _source(given: Sequence[Value], said: Sequence[Turn]) -> str:
    """The latest question with a place for what the follow-up names, else the latest."""
    kinds = {slot.kind for slot in given if slot.kind != "name"}
    kinds = kinds - {"measure"} or kinds
    kinds |= WITHIN_A_YEAR if kinds & WITHIN_A_YEAR else set()
    owned = (turn.own for turn in reversed(said) if kinds & {slot.kind for slot in slots(turn.own)})
    return next(owned, said[-1].question)


def filled(source: str, given: Sequence[Value], rest: str) -> tuple[str, str]:
    """The earlier question with the follow-up's slots in their places, and what found no place."""
    used: list[Value] = []
    for kind, slot in _one_of_each(given, rest).items():
        taken = [place for place in slots(source) if place.kind == kind or {place.kind, kind} <= WITHIN_A_YEAR]
        if len(taken) == 1 and (kind != "name" or not own_words(rest)):
            source = source[: taken[0].start] + slot.text + source[taken[0].end :]
            used.append(slot)
    left = without(rest, [slot for slot in used if slot.start >= 0])
    pointed = any(slot.start < 0 for slot in used)
    return source, " ".join(left.split()).strip(_END) if not pointed and (own_words(left) or slots(left)) else ""


def _one_of_each(given: Sequence[Value], rest: str) -> dict[str, Value]:
    """A slot for each kind; several of one kind, as in '2023 and 2024', are taken as one."""
    found: dict[str, Value] = {}
    for slot in given:
        start = found[slot.kind].start if slot.kind in found else slot.start
        found[slot.kind] = slot if start < 0 else Value(slot.kind, rest[start : slot.end], start, slot.end)
    return found


def _topic(changed: str, answer: str, question: str) -> str:
    """What the earlier question is about and the follow-up does not say; for 'she' also whom the answer names."""
    who = people(answer) if _PERSON.search(question) else []
    named = [slot.text for slot in slots(changed) if slot.kind in ("name", "identifier", "measure")]
    about = [unit.text for unit in own_words(changed)]
    covered, found = set(terms(question)), list[str]()
    for phrase in [*who, *named, *about, *(period.text for period in dated(changed))]:
        if not set(terms(phrase)) <= covered:
            found.append(phrase)
            covered |= set(terms(phrase))
    return " ".join(found)
