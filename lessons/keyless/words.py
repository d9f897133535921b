"""Words that mean the same, within a language and across the two: 'staff', 'employees', 직원.

A word of a question may stand in a document as another one. The groups in `glossary.txt` are general vocabulary; they
name nothing that only some documents know.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from lessons.keyless.lines import search_terms
from lessons.text import ENGLISH_STOP_WORDS, language, terms

GROUPS = Path(__file__).with_name("glossary.txt")
_MOST_WORDS = 3  # of a form
_MOST_ENDING = 3  # syllables of particles and endings that may follow a Korean form

Forms = tuple[frozenset[str], ...]
_off: list[None] = []  # one for each block that has it switched off


@contextmanager
def switched_off() -> Iterator[None]:
    """No word has another form while the block runs, in every thread, so that its worth can be measured."""
    _off.append(None)
    try:
        yield
    finally:
        _off.pop()


def others(words: Sequence[str]) -> list[Forms]:
    """For each word of a question, the terms of the forms that may stand in its place; the longest match counts."""
    found: list[Forms] = [()] * len(words)
    start = len(words) if _off else 0
    while start < len(words):
        width, forms = _longest(words, start)
        for position in range(start, start + width):
            found[position] = forms
        start += max(1, width)
    return found


def _longest(words: Sequence[str], start: int) -> tuple[int, Forms]:
    """How many words from here are a form, and the other forms of its groups."""
    for width in range(min(_MOST_WORDS, len(words) - start), 0, -1):
        if said := _said(words[start : start + width]):
            groups = [_groups()[group] for group in _index()[said]]
            other = (form for forms in groups for form in forms if form != said)
            return width, tuple(dict.fromkeys(_terms(form) for form in other))
    return 0, ()


def _said(words: Sequence[str]) -> str:
    """The form that these words are, without endings; empty if none."""
    text = " ".join(words)
    if language(text) == "en" and text.isascii():
        return _key(text) if _key(text) in _index() else ""
    ends = range(len(text), max(1, len(text) - _MOST_ENDING - 1), -1)
    return next((text[:end] for end in ends if end > len(text) - len(words[-1]) and text[:end] in _index()), "")


def _key(form: str) -> str:
    """Korean forms as they are, English ones as their stems."""
    return " ".join(terms(form)) if form.isascii() else form


@cache
def _groups() -> list[tuple[str, ...]]:
    lines = GROUPS.read_text(encoding="utf-8").splitlines()
    groups = [[_key(form.strip()) for form in line.split("=")] for line in lines if line and line[0] != "#"]
    return [tuple(dict.fromkeys(filter(None, group))) for group in groups]


@cache
def _index() -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for number, group in enumerate(_groups()):
        for form in group:
            found[form].append(number)
    return dict(found)


@cache
def _terms(form: str) -> frozenset[str]:
    return frozenset(form.split() if form.isascii() else terms(form))


SAME = 0.8  # what a word counts that means the same as the one that was asked for


@dataclass(frozen=True)
class Unit:
    """One word of the question. `keys`: any of them covers it whole; `terms`: their share covers it in part."""

    text: str
    kind: str  # "year", "quarter", "code", "name", "word"
    terms: frozenset[str]
    keys: frozenset[str]
    weight: float
    others: Forms = ()  # the terms of words that mean the same

    @property
    def required(self) -> bool:
        return self.kind != "word"

    def covered(self, found: frozenset[str]) -> float:
        """How much of the unit, or of a word that means the same, these terms hold, 0 to 1."""
        own = float(not self.keys.isdisjoint(found)) if self.keys else len(self.terms & found) / len(self.terms)
        if own < SAME and any(other <= found for other in self.others):
            return SAME
        return own


_PARTICLE = re.compile(
    "(?<=..)(?:에서는|에게서|으로는|이라는|이라고|이랑|께서|에서|에게|에는|으로|까지|부터|보다|처럼|이란|라는|마다|랑"
    "|은|는|이|가|을|를|의|에|로|와|과|도|만)$"
)
# A noun or a verb of one syllable, and what may follow it: 끄려면 and 끄는 share nothing but their stem.
_SINGLE = re.compile("([가-힣])(?:은|는|을|를|에|에서|까지|부터|으로|당|마다|려면|으려면|으면)")
_FOLLOWING = "은는이가을를의에로와과도만까부으당려고면지기니아어습나"
_VERB_OF_NOUN = re.compile(
    "(?<=..)(?:하려면|하는|하고|하여|하면|해야|한다|했을|했던|했는지|하기|하지|할지|되려면|되는|되고|되면|된다|되었|된|한|할|될)$"
)
_VERB = re.compile("(?:려면|으면|는|어도|아도|었을|았을|었|았|던|을까|을|야|걸리|나)$")
_COMPANY = re.compile(
    ".{2,}(?:전자|바이오|물산|은행|건설|제약|에너지|소프트|그룹|병원|대학교|테크|홀딩스|증권|보험|통신|모터스|중공업|식품|상사"
    "|해운|화학|제과|유업|푸드|푸드빌|리테일|마트|조선|항공|철강|네트웍스|생명|캐피탈|솔루션|랩스|케미칼|소재)$"
)
_VAGUE_KOREAN = re.compile(
    "방법|내용|정도|이유|종류|날짜|시간|금액|사람|기간|설명|차이|비교|요약|문서|자료|파일|질문|회사|보고서|나오|적혀|따르|걸리|필요|해야|가능|함께|먹|알려|말하"
)
_ONE_OF = re.compile("(?:부문|사업부|사업장|본부|공장|지점)(?:은|는|이|가|을|를|의|에서|에|도|과|와)?$")


def korean_unit(word: str) -> Unit | None:
    """A word as a unit; None if it is only grammar."""
    if terms(word) and (single := _SINGLE.fullmatch(word)):
        core = single[1]
        return Unit(core, "word", frozenset([core]), frozenset([core, *(core + first for first in _FOLLOWING)]), 1.0)
    core = _VERB_OF_NOUN.sub("", _PARTICLE.sub("", word))
    found = frozenset(terms(core))
    if not found:
        return None
    if _COMPANY.fullmatch(core):
        return Unit(core, "name", found, frozenset(), 1.5)
    vague = _VAGUE_KOREAN.match(core)
    weight = 0.3 if vague else 0.5 if _VERB.search(core) else 1.0
    return Unit(core, "word", found, frozenset(), weight)


def named(unit: Unit, following: list[str]) -> Unit:
    """'해운 부문' names a division: a Korean word before what it is one of."""
    if unit.kind == "word" and unit.weight == 1.0 and following and _ONE_OF.match(following[0]):
        return replace(unit, kind="name", weight=1.5)
    return unit


_WORD = re.compile(r"[^\s?？!,;:()\[\]{}\"“”‘’「」]+(?:’s\b)?")
_VAGUE = frozenset(
    """
    compani name number amount total year type kind mean use make happen need way go long take work exist call give
    show differ list explain describ summar compar question answer document file accord state mention report say one
    """.split()  # noqa: SIM905
)
_MEASURES = frozenset("often far soon long old big large high".split())  # noqa: SIM905  behind 'how': not in the answer
_HANGUL = re.compile("[가-힣]")
_A_YEAR = r"(?:19|20)\d\d"
_YEAR = re.compile(r"(?:mid|early|late|pre|post|end)?-?((?:19|20)\d\d)", re.IGNORECASE)
_ACRONYM = re.compile(r"[A-Z][A-Z&/]{0,4}s?")  # R&D, ACKs: what it stands for may be written out


LONGEST_WORD = 60  # characters; what is longer is no word, and nothing can be found by it


def read_units(text: str) -> list[Unit]:
    """The units of a text, the quarters first, then in its order."""
    words = _WORD.findall(text)
    capitals = [word for word in words if word[0].isupper()]
    titled = len(words) > 3 and len(capitals) > 0.7 * len(words)
    units: list[Unit] = [
        _unit("quarter", quarter) for quarter in sorted(search_terms(text)) if re.fullmatch("q[1-4]", quarter)
    ]
    words = [_bare(word) for word in words[:400]]
    same = others(words)
    for position, word in enumerate(words):
        if position and words[position - 1].lower() == "how" and word.lower() in _MEASURES:
            continue
        unit = _read_word(word, position, titled) if 0 < len(word) <= LONGEST_WORD else None
        if unit:
            unit = named(unit, words[position + 1 : position + 2])
            units.append(replace(unit, others=same[position]) if unit.kind == "word" else unit)
    return units


def _bare(word: str) -> str:
    word = word.strip(".'’-–—")
    return word[:-2] if word.endswith(("'s", "’s")) else word


def _read_word(word: str, position: int, titled: bool) -> Unit | None:
    if _HANGUL.search(word) and not re.search(r"[A-Za-z\d]", word):
        return korean_unit(word)
    found = terms(word)
    if not found or re.fullmatch(r"(?:[1-4]분기.*|[Qq][1-4]|quarter|third|fourth)", word):
        return None
    if year := _YEAR.fullmatch(found[0]):
        return _unit("year", year[1])
    if found[0].isdigit() and len(found) == 1 and len(found[0]) < 3:
        return Unit(word, "word", frozenset(found), frozenset(), 1.0)
    if re.fullmatch(r"\d+[-–~]\d+", word):
        return Unit(word, "word", frozenset(found[-2:]), frozenset(), 1.0)
    if any(character.isdigit() for character in found[0]):
        return Unit(word, "code", frozenset(found), frozenset([_number_key(found)]), 1.5)
    lower = word.lower()
    if position == 0 and lower == "may":
        return None
    if _ACRONYM.fullmatch(word):
        return Unit(word, "word", frozenset(found), frozenset(), 1.2)
    if not titled and word[0].isupper() and lower not in ENGLISH_STOP_WORDS and (position > 0 or word[1:2].isupper()):
        return Unit(word, "name", frozenset(found), frozenset(), 1.5)
    return Unit(word, "word", frozenset(found), frozenset(), 0.4 if found[0] in _VAGUE else 1.0)


def _number_key(found: list[str]) -> str:
    """'3개월' must be found as '3개', not as any 3; '15.2%' as itself."""
    return found[1] if len(found) > 1 and _HANGUL.search(found[1]) else found[0]


def _unit(kind: str, key: str) -> Unit:
    return Unit(key, kind, frozenset([key]), frozenset([key]), 1.5)


_KINDS = {
    "why": (r"\bwhy\b|\breasons?\b|\bcause[ds]?\b", "왜|이유|원인|때문"),
    "steps": (
        r"\bhow (?:do|can|could|should|would|to|does one)\b|\bsteps?\b|\bprocedure\b",
        "어떻게|방법|절차|려면|순서",
    ),
    "date": (
        r"\bwhen\b|\b(?:what|which) (?:date|year|day|month|time)\b|\bdeadline\b",
        r"언제|며칠|날짜|몇\s?(?:년|월|시)|기한|마감",
    ),
    "number": (
        r"\bhow (?:much|many|long|often|far|old|large|big|high)\b|\bnumber of\b"
        r"|\b(?:percentage|price|cost|amount|rate|revenue|profit|margin|share|total|fees?|limit)\b",
        "얼마|몇|비율|금액|가격|매출|이익|개수|건수|한도|수수료|요금|율[은이?]",
    ),
    "person": (r"\bwho(?:m|se)?\b", "누구|누가|담당자|책임자"),
    "summary": (
        r"\bsum(?:mar\w+| up\b)|\boverview\b|\bin short\b|\bbriefly\b|\boutline\b",
        "요약|정리해|간추|개요|짧게",
    ),
}
_KIND = {kind: re.compile("|".join(patterns), re.IGNORECASE) for kind, patterns in _KINDS.items()}
_SHORT_YEAR = re.compile(r"(?<![\w.-])(\d\d)년(?=\s?(?:[1-4]\s?분기|[상하]반기|1?\d월|[초중말]))")  # 24년 3분기


@dataclass(frozen=True)
class Question:
    text: str
    language: str
    units: tuple[Unit, ...]
    kinds: frozenset[str]
    terms: frozenset[str]


def read_question(text: str) -> Question:
    """Only the first 4,000 characters are read."""
    text = _SHORT_YEAR.sub(r"20\1년", text[:4000])
    units = tuple(dict.fromkeys(read_units(_KIND["summary"].sub(" ", text))))
    every = frozenset().union(*(unit.terms.union(unit.keys, *unit.others) for unit in units))
    return Question(text, language(text), units, kinds_of(text), every)


def kinds_of(text: str) -> frozenset[str]:
    """The kinds of answer that a question, or a part of one, expects."""
    return frozenset(kind for kind, pattern in _KIND.items() if pattern.search(text))
