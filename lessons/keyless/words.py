"""What a question asks for: its units – names, periods, identifiers, words, and what means the same – and its kinds."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from lessons.keyless.lines import quarters, search_terms
from lessons.text import ENGLISH_STOP_WORDS, language, terms
from lessons.text.korean import particle_pattern, read_korean, without_particle
from lessons.text.numbers import amounts
from lessons.text.periods import normal_form
from lessons.text.word_lists import words_of

GROUPS = Path(__file__).with_name("glossary.txt")  # general vocabulary: nothing that only some documents know
WORTH = 0.4  # weight from which a word must be found
ASIDE = 0.3  # what a word still counts that the question, or a part of it, does not ask for itself
PREDICATE = 0.7  # what a Korean predicate counts: its forms share few syllables
SAME = 0.8  # what a word counts that means the same as the one that was asked for
_MOST_WORDS = 3  # of a form
_MOST_ENDING = 3  # syllables of particles and endings that may follow a Korean form

Forms = tuple[frozenset[str], ...]
_off: list[None] = []  # one for each such block


@contextmanager
def switched_off() -> Iterator[None]:
    """Switch the glossary off while the block runs, in every thread, so that its worth can be measured."""
    _off.append(None)
    try:
        yield
    finally:
        _off.pop()


def synonyms(words: Sequence[str]) -> list[Forms]:
    """Return for each word of a question the terms of the forms that mean the same; the longest match counts."""
    results: list[Forms] = [()] * len(words)
    start = len(words) if _off else 0
    while start < len(words):
        widths = range(min(_MOST_WORDS, len(words) - start), 0, -1)
        width, form = next(((w, form) for w in widths if (form := _form(words[start : start + w]))), (1, ""))
        if form:
            forms = (terms_ for group in _index()[form] for other, terms_ in group.items() if other != form)
            results[start : start + width] = [tuple(dict.fromkeys(forms))] * width
        start += width
    return results


def _form(words: Sequence[str]) -> str:
    """Return the form that these words are, without endings; empty if none."""
    text = " ".join(words)
    if text.isascii():
        return key if (key := _key(text)) in _index() else ""
    shortest = max(2, len(text) - _MOST_ENDING, len(text) - len(words[-1]) + 1)
    return next((text[:end] for end in range(len(text), shortest - 1, -1) if text[:end] in _index()), "")


def _key(form: str) -> str:
    """Return Korean forms as they are, English ones as their stems."""
    return " ".join(terms(form)) if form.isascii() else form


@cache
def _index() -> dict[str, list[dict[str, frozenset[str]]]]:
    """Map each form to its groups, each the terms of its forms."""
    index: dict[str, list[dict[str, frozenset[str]]]] = defaultdict(list)
    for line in GROUPS.read_text(encoding="utf-8").splitlines():
        if line and line[0] != "#":
            group = {key: frozenset(terms(form)) for form in line.split("=") if (key := _key(form.strip()))}
            for key in group:
                index[key].append(group)
    return dict(index)


@dataclass(frozen=True)
class Unit:
    """One word of the question. `keys`: any of them covers it whole; `terms`: their share covers it in part."""

    text: str
    kind: str  # "year", "quarter", "code", "name", "word"
    terms: frozenset[str]
    keys: frozenset[str] = frozenset()
    weight: float = 1.0
    synonyms: Forms = ()  # the terms of words that mean the same

    @property
    def required(self) -> bool:
        return self.kind != "word"

    @cached_property
    def all_terms(self) -> frozenset[str]:
        """All terms by which it, or a word that means the same, may be covered."""
        return self.terms.union(self.keys, *self.synonyms)

    def covered(self, words: frozenset[str]) -> float:
        """Return how much of the unit, or of a word that means the same, these terms hold, 0 to 1."""
        if self.all_terms.isdisjoint(words):
            return 0.0
        value = float(not self.keys.isdisjoint(words)) if self.keys else len(self.terms & words) / len(self.terms)
        return SAME if value < SAME and any(form <= words for form in self.synonyms) else value


KOREAN_COMPANY = (
    "(?:전자|바이오|물산|은행|건설|제약|에너지|소프트|그룹|병원|대학교|테크|홀딩스|증권|보험|통신|모터스|중공업|식품|상사|해운|화학|정밀"
    "|제과|유업|푸드|푸드빌|리테일|마트|조선|항공|철강|네트웍스|생명|캐피탈|솔루션|랩스|케미칼|소재)"
)
# A noun or a verb of one syllable, and what may follow it: 끄려면 and 끄는 share nothing but their stem.
_COPULA = re.compile(r"(?<=[가-힣\d])(?:인가요?|인지요?|입니까|이었나요|이에요|이야|이냐)$|(?<=\d)이(?:라)?면$")
_SINGLE = re.compile("([가-힣])(?:[은는을를에당]|에서|까지|부터|으로|마다|으?려면|으면)")
_FOLLOWING = "은는이가을를의에로와과도만까부으당려고면지기니아어습나"
_COMPANY = re.compile(f".{{2,}}{KOREAN_COMPANY}")
_DIVISION = re.compile(f"(?:부문|사업부|사업장|본부|공장|지점){particle_pattern()}?")
_WORD = re.compile(r"(?:(?<=\d),(?=\d{3})|[^\s?？!,;:()\[\]{}\"“”‘’「」])+(?:’s\b)?")
_HOW_MEASURES = re.compile(r"(?<=\bhow )(?:often|far|soon|long|old|big|large|high)\b", re.IGNORECASE)
_YEAR = re.compile(r"(?:mid|early|late|pre|post|end)?-?((?:19|20)\d\d)", re.IGNORECASE)
_QUARTER = re.compile(r"(?:[1-4]분기.*|[Qq][1-4]|quarter|third|fourth)")
_ACRONYM = re.compile(r"[A-Z][A-Z&/]{0,4}s?")  # R&D, ACKs: what it stands for may be written out
_LETTERED = re.compile(rf"[A-Za-z](?!{particle_pattern()})[가-힣]{particle_pattern()}?")  # A사, B동
_LONGEST = 60  # characters; what is longer is no word, and nothing can be found by it


def _korean_unit(word: str, following: str) -> Unit | None:
    """Return a word as a unit; None if it is only grammar. '해운 부문' names a division."""
    if terms(word) and (single := _SINGLE.fullmatch(word)):
        core = single[1]
        return Unit(core, "word", frozenset([core]), frozenset([core, *(core + first for first in _FOLLOWING)]), 0.7)
    stem, kind = read_korean(word)
    core = stem if kind == "action" else without_particle(word, "is", "many", "or")
    if not (pairs := frozenset(terms(core))):
        return None
    is_name = _COMPANY.fullmatch(core) or _DIVISION.fullmatch(following)
    weight = 0.4 if core in words_of("vague_stems") else PREDICATE if kind == "none" else 1.0
    return Unit(core, "name", pairs, weight=1.5) if is_name else Unit(core, "word", pairs, weight=weight)


def _units(text: str) -> Iterator[Unit]:
    """Yield the units of a text, the quarters first, then in its order."""
    for quarter in sorted(quarters(search_terms(text))):
        yield Unit(quarter, "quarter", frozenset([quarter]), frozenset([quarter]), 1.5)
    written = (word.strip(".'’-–—") for word in _WORD.findall(_HOW_MEASURES.sub(" ", text))[:400])
    words = [_COPULA.sub("", re.sub("['’]s$", "", word)) for word in written]
    titled = len(words) > 3 and sum(word[:1].isupper() for word in words) > 0.7 * len(words)
    following, same = [*words[1:], ""], synonyms(words)
    for position, word in enumerate(words):
        counts = position > 0 and words[position - 1] == "몇"  # a measure word, which no answer has to hold
        unit = _unit(word, following[position], position, titled) if 0 < len(word) <= _LONGEST and not counts else None
        if unit:
            yield replace(unit, synonyms=same[position]) if unit.kind == "word" else unit


def _unit(word: str, following: str, position: int, titled: bool) -> Unit | None:
    if amount := frozenset(amounts(word)):
        return Unit(word, "code", frozenset(terms(word)), amount, 1.5)
    if _LETTERED.fullmatch(word):
        return Unit(word[:2], "name", frozenset([word[:2].lower()]), weight=1.5)
    if re.search("[가-힣]", word) and not re.search(r"[A-Za-z\d]", word):
        return _korean_unit(word, following)
    pieces = terms(word)
    if not pieces or _QUARTER.fullmatch(word) or (position == 0 and word.lower() == "may"):
        return None
    if year := _YEAR.fullmatch(pieces[0]):
        return Unit(year[1], "year", frozenset([year[1]]), frozenset([year[1]]), 1.5)
    if re.fullmatch(r"\d{1,2}|\d+[-–~]\d+", word):
        return Unit(word, "word", frozenset(pieces[-2:]))
    if any(map(str.isdigit, pieces[0])):  # '3개월' must be found as '3개', not as any 3; '15.2%' as itself
        key = pieces[1] if len(pieces) > 1 and re.search("[가-힣]", pieces[1]) else pieces[0]
        return Unit(word, "code", frozenset(pieces), frozenset([key]), 1.5)
    if position and re.fullmatch("[A-HJ-Z]", word):  # Type K, vitamin C
        return Unit(word, "name", frozenset(pieces), weight=1.5)
    if _ACRONYM.fullmatch(word):
        return Unit(word, "word", frozenset(pieces), weight=1.2)
    capital = word[0].isupper() and not titled and (position > 0 or word[1:2].isupper())
    if capital and word.lower() not in ENGLISH_STOP_WORDS:
        return Unit(word, "name", frozenset(pieces), weight=1.5)
    return Unit(word, "word", frozenset(pieces), weight=0.4 if pieces[0] in words_of("vague_stems") else 1.0)


_NO_NAMES = ENGLISH_STOP_WORDS | words_of("no_names")
_PROPER = re.compile(
    rf"(?<![A-Za-z])[A-Z](?!{particle_pattern()})[가-힣](?![가-힣]{{2}})"  # A사
    rf"|\b[A-Z][A-Za-zÀ-ÿ\d&-]*(?: (?:(?:of|and) (?=[A-Z]))?[A-Z][A-Za-zÀ-ÿ\d&-]*)*|[가-힣]{{1,8}}{KOREAN_COMPANY}"
)


def names(text: str) -> list[str]:
    """List the capitalised names of a text, and Korean companies, without a first word that only begins a sentence."""
    results = []
    for name in _PROPER.findall(text):
        words = name.split()
        while words and words[0].lower() in _NO_NAMES:
            words = words[1:]
        results += [" ".join(words)] if words else []
    return results


def is_noun(word: str) -> bool:
    """Tell whether a word can be what a question is about; a listed English verb and a Korean predicate cannot."""
    return word.lower() not in words_of("english_no_nouns") if word.isascii() else read_korean(word)[1] != "none"


_KINDS = {
    "why": r"\bwhy\b|\bhow come\b|\b(?:the )?reasons?\b(?: for| behind)?|\bcause[ds]?\b"
    r"|\bwhat (?:drove|led to|(?:is|was|lies) behind|explains)\b"
    r"|왜|이유|원인|까닭|(?:무엇|뭐|뭣|무슨 일|어떤 것) 때문|때문(?=[인이일])",
    "steps": r"\bhow (?:do|can|could|should|would|to|does one)\b|\bsteps?\b|\bprocedure\b|어떻게|방법|절차|려면|순서",
    "remedy": r"(?:\bwhat (?:should|must|shall|can|do)|[.,;!] what does) (?:\w+ ){1,3}do\b|\bwhat is to be done\b"
    r"|\bwhat (?:now|next|to do|happens (?:if|when|next|then))\b"
    r"|(?:면|때|경우).{0,30}(?:어떻게 ?(?:해|하|되|돼|됩|처리|조치|대)|어떡|(?:뭘|뭐를?|무엇을) ?(?:해|하))",
    "date": r"\bwhen\b|\b(?:what|which) (?:date|year|day|month|time)\b|\bdeadline\b"
    r"|언제|며칠|날짜|몇\s?(?:년|월|시)|기한|마감",
    "number": r"\bhow (?:much|many|long|often|far|old|large|big|high)\b|\bnumber of\b"
    r"|\b(?:percentage|price|cost|amount|rate|revenue|profit|margin|share|total|fees?|limit)\b"
    r"|얼마|몇|비율|금액|가격|매출|이익|개수|건수|한도|수수료|요금|율[은이?]",
    "person": r"\bwho(?:m|se)?\b|누구|누가|담당자|책임자",
    "summary": r"\bsum(?:mar\w+| up\b)|\boverview\b|\bin short\b|\bbriefly\b|\boutline\b|요약|정리해|간추|개요|짧게",
    "keywords": r"\bkey ?words?\b|키워드|핵심어",
}
_KIND = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _KINDS.items()}
INTERROGATIVE = re.compile(
    r"(?i)\b(?:what|when|where|who(?:m|se)?|which|why|how)\b|얼마|언제|어디|무엇|무슨|뭐|뭔|누구|누가|어떻|어느|어떤|몇|며칠|왜"
)  # a question without any of these words can be answered by yes or no

_NO_SUBJECT = re.compile(
    rf"(?i)(?:{_KINDS['summary']}|{_KINDS['keywords']})[가-힣]*(?: ?(?:해|부탁)\S*)?"
    r"|\bstep[- ]by[- ]step\b|단계별로?|차근차근"
    r"|\b(?:the )?(?:main|key) (?:points?|facts?|content)\b|(?:주요|핵심) ?(?:내용|사항)\S*"
    r"|\b(?:this|the) (?:document|file)\b|(?<![가-힣])(?:(?:이|해당) ?)?(?:문서|파일)(?:의|을|를)?(?![가-힣])"
    r"|\b(?:differences?|compare|comparison|analy[sz]e)\b|(?:비교|분석)\s?(?:해|하|좀)\S*"
    rf"|(?:{_KINDS['why']}|차이점?|비교)(?:{particle_pattern()}(?![가-힣]))?"
)  # words that only say what kind of answer is wanted, so that no line has to hold them


_SUBJECT = re.compile(r"(.+) \(([^()]*)\)")


@dataclass(frozen=True)
class Question:
    """A question; `body` is its text without the subject that a follow-up got in brackets."""

    text: str
    body: str
    language: str
    units: tuple[Unit, ...]
    kinds: frozenset[str]
    terms: frozenset[str]


def read_question(text: str) -> Question:
    """Read the first 4,000 characters; words in brackets at the end are a follow-up's subject and weigh `ASIDE`."""
    text = normal_form(text[:4000])
    body, subject = (match[1], match[2]) if (match := _SUBJECT.fullmatch(text)) else (text, "")
    units = dict.fromkeys(_units(_NO_SUBJECT.sub(" ", body)) or _units(body))
    aside = ASIDE if any(unit.kind == "word" and unit.weight >= 0.5 for unit in units) else 1.0
    for unit in _units(subject):
        units.setdefault(replace(unit, weight=aside * unit.weight) if unit.kind == "word" else unit)
    all_terms = frozenset().union(*(unit.all_terms for unit in units))
    return Question(text, body, language(text), tuple(units), kinds_of(body) or kinds_of(subject), all_terms)


def kinds_of(text: str) -> frozenset[str]:
    """Return the kinds of answer that a question expects; who asks why a figure rose does not want the figure."""
    kinds = frozenset(kind for kind, pattern in _KIND.items() if pattern.search(text))
    return kinds - {"number"} if "why" in kinds else kinds
