"""A follow-up is made to stand alone by an addition: the question stays as it was put, what it leaves out follows it.

'And its margin?' becomes 'And its margin? (Marlow Foods, Q2 2024)'. New topics get nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lessons.keyless.parts import without_lead
from lessons.keyless.words import INTERROGATIVE, is_noun, read_question
from lessons.text import ENGLISH_STOP_WORDS, language, terms
from lessons.text.korean import particle_pattern, read_korean
from lessons.text.periods import moved, normal_form, periods, pointed_at, written

_DUMMY = re.compile(  # an 'it' that points at nothing
    r"(?i)\b(?:is|was|would|will|be) it (?:\w+ ){1,3}(?:to|that|if)\b"
    r"|\bit takes? (?:\w+ ){0,3}(?:to|for|until|before)\b"
    r"|\bit (?:is|was) (?:\w+ ){1,3}(?:to|that|if)\b|\bthis (?:year|month|quarter|week)\b"
)
_POINTING = re.compile(
    r"(?i)\b(?:it|its|they|them|theirs?|he|him|his|she|her|hers|this|these|those)\b"
    r"|(?:^|\b(?:a|about|after|and|are|as|at|before|by|can|did|do|does|for|from|had|has|have|if|in|is|like|of|on|or|than"
    r"|to|under|was|were|will|with|would|doing)\s)that\b|\bthat(?=\s*(?:[?.,!]|$|(?:as|in|to|for|with|by|from)\b))"
    r"|(?<!is )(?<!are )(?<!was )(?<!were )\bthere(?=\s*[?.,!]|$)"
    r"|\b(?:the same|the one(?!-)|the other|either of|each of|which one)\b|\bones?\b(?=\W*$)"
    r"|(?<![가-힣])(?:그|이|저) (?!밖|외|후)(?=[가-힣])"
    r"|(?<![가-힣])(?:그|이)(?:것|거|건|게|걸|분|곳|때|날|중)(?:들)?(?=[가-힣]{0,3}(?![가-힣]))"
    r"|(?<![가-힣])(?:거기|여기|그렇게|이렇게|그러려면|둘|해당|방금|아까|앞의|위의|걔)"
)
_DEFINES = re.compile(
    r"(?i)^(?:what|who) (?:is|are) (?:an?\s)?(?!the\b|its\b|their\b)"
    r"|(?:이란|란|이|가) (?:뭐|무엇|뭔)\S*$|[가-힣A-Za-z](?:이란|란)\W*$"
)
_AUXILIARY = re.compile(
    r"(?i)\b(?:is|are|was|were|do|does|did|can|could|will|would|should|must|has|have|had|may|tell|show|explain)\b"
)
_TOPIC = re.compile(r"[은는도]요?\W*$")
_PREDICATE = re.compile(r"(?:(?<![은는도])요|니까|니다|나|[가-힣](?:줘|해|돼|져|야|죠|지|라)|주세요|까)[\s?？.!]*+$")
_PERSON = re.compile(r"(?i)\b(?:he|she|him|his|her|hers)\b|그\s?(?:분|사람|여자|남자)|이분")
_NAMED = re.compile(
    r"\b[A-Z][a-z]+(?: [A-Z][\w-]+)+|[가-힣]{2,4}(?=\s?(?:대표|회장|사장|부사장|전무|이사|부장|팀장|교수|박사|의장))"
)
_IDENTIFIER = re.compile(r"(?<![\w-])[A-Za-z]+[-_#][A-Za-z\d_-]*\d[A-Za-z\d_-]*")
_ENDING = re.compile(rf"^{particle_pattern()}*(?:요|데요|가요)?(?![가-힣])")
_WITHIN_A_YEAR = frozenset(["quarter", "half", "month"])
_DATED = _WITHIN_A_YEAR | {"year"}
LONGEST = 300  # characters of a follow-up


@dataclass(frozen=True)
class Item:
    """Something that a question is about. `kind`: year, quarter, half, month, code, name or word."""

    kind: str
    text: str


@dataclass(frozen=True)
class Turn:
    """A question as it stands alone, and what was answered."""

    question: str
    answer: str = ""


def standalone(question: str, turns: Sequence[Turn]) -> str:
    """Add in brackets the names, identifiers and periods that a question lacks, of words only what it is about.

    A question with a period of its own is about the last turn that has one of this kind.
    """
    if not turns or len(question) > LONGEST or not (lacks_subject(question) or _goes_on(question, turns[-1])):
        return question
    body = without_lead(question)
    own_items = items(body)
    kinds = {item.kind for item in own_items if item.kind != "word"}
    kinds |= _WITHIN_A_YEAR if kinds & _WITHIN_A_YEAR else set()
    # Only a fragment replaces a name; a question may name something else beside, as 'How does that compare to …?'
    kinds -= set() if is_fragment(body) else {"name", "code"}
    dated = kinds & _DATED
    last = next((t for t in reversed(turns) if dated & {item.kind for item in items(t.question)}), turns[-1])
    added = [Item("name", name) for name in _people(last.answer)[:1] if _PERSON.search(question)]
    new = _moved(question, last.question)
    replaced = kinds | {item.kind for item in new}
    added += [item for item in _carried(body, own_items, items(last.question)) if item.kind not in replaced]
    covered, lacking = set(terms(question)), list[str]()
    for item in [*added, *new]:
        if not set(terms(item.text)) <= covered:
            lacking.append(item.text)
            covered |= set(terms(item.text))
    return f"{question} ({' '.join(lacking)})" if lacking else question


def _goes_on(question: str, last: Turn) -> bool:
    """Tell whether all that the question is about was asked or answered before: '매출이 왜 줄었어?'."""
    earlier_terms = set(terms(f"{last.question} {last.answer}"))
    topics = _words(items(question), question)
    return bool(topics) and all(set(terms(item.text)) <= earlier_terms for item in topics)


def _carried(body: str, own_items: Sequence[Item], last: Sequence[Item]) -> list[Item]:
    """Return what the last question was about: its words only if nothing else tells the subject."""
    asks = not pointed_at(body) and any(item.kind == "word" for item in _words(own_items, body))
    is_named = asks and not {"name", "code"}.isdisjoint(item.kind for item in last)
    return [item for item in last if not (is_named and item.kind == "word")]


def _words(candidates: Sequence[Item], text: str) -> list[Item]:
    """Keep the names, identifiers and words that are no predicate of the text."""
    return [item for item in candidates if item.kind in ("name", "code", "word") and not _is_verb(item.text, text)]


def _people(answer: str) -> list[str]:
    return [name for name in _NAMED.findall(answer) if name.split()[0].lower() not in ENGLISH_STOP_WORDS]


def _moved(question: str, last: str) -> list[Item]:
    """Return the period that a question only points at: 'a year earlier' than that of the last question."""
    pointed = pointed_at(question)
    if not pointed:
        return []
    new = moved({period.unit: period.number for period in periods(last)}, *pointed)
    return [Item(unit, written(unit, number, language(last), "quarter" in last)) for unit, number in new.items()]


def lacks_subject(text: str) -> bool:
    """Tell whether the question points at what was said, or names nothing that it could be about by itself."""
    body = without_lead(text)
    if _POINTING.search(_DUMMY.sub(" ", text)) or pointed_at(text):
        return True
    words = _words(items(body), body)
    if not words or _DEFINES.search(body):
        return not words
    if is_fragment(body):
        return body != text.strip() or _TOPIC.search(body) is not None or len(words) == 1
    return len(words) == 1 and re.search(rf"(?i)\bthe {re.escape(words[0].text)}\b", body) is not None


def is_fragment(text: str) -> bool:
    """Tell whether a text names things and says nothing of them: 'Q2?', '하늘전자는요?'."""
    return not (INTERROGATIVE.search(text) or _AUXILIARY.search(text) or _PREDICATE.search(text))


def _is_verb(word: str, text: str) -> bool:
    """Tell whether a Korean word only stands in a predicate of the text, also one made of a noun: 승인했죠."""
    forms = [token for token in re.findall("[가-힣]+", text) if token.startswith(word)]
    kinds = [(form, read_korean(form)[1]) for form in forms]
    verbs = (kind in ("none", "action") or (kind == "maybe" and form[-1] != "는") for form, kind in kinds)
    return bool(forms) and all(verbs)


def items(text: str) -> list[Item]:
    """List what a question is about: its names and words, then its identifiers and its periods."""
    text = _POINTING.sub(lambda match: " " * len(match[0]), re.sub("[()]", " ", normal_form(text)))
    dated, plain = periods(text), text
    for period in reversed(dated):
        plain = f"{plain[: period.start]} {_ENDING.sub('', plain[period.end :], count=1)}"
    codes = [Item("code", match) for match in _IDENTIFIER.findall(plain)]
    units = read_question(_IDENTIFIER.sub(" ", plain)).units
    is_short = len(plain.split()) <= 2  # 'And Thornquay?': a single word has a capital only if it is a name
    nouns = [
        Item("name" if is_short and unit.text[0].isupper() else unit.kind, unit.text)
        for unit in units
        if unit.required or (unit.weight >= 0.5 and is_noun(unit.text))
    ]
    return [*nouns, *codes, *(Item(period.unit, text[period.start : period.end]) for period in dated)]
