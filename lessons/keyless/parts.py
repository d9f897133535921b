"""The parts of a question: the two sides of a comparison ('difference between A and B'), or what it asks in turn."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lessons.keyless.lines import search_terms
from lessons.keyless.words import ASIDE, INTERROGATIVE, WORTH, Question, Unit, kinds_of
from lessons.text import language
from lessons.text.korean import agrees, read_korean
from lessons.text.periods import periods

MOST = 4  # parts of a question
_LEAD = re.compile(
    r"(?i)^\s*(?:(?:아|네|그럼|그러면|그렇다면|그리고|그런데|근데|또|혹시|아니면|아니|아니요|아뇨)(?:[\s,]+|$))+"
    r"|^\s*(?:(?:and|but|or|so|ok(?:ay)?|also|then|well|now|sorry|no(?=[,.!]))\b(?!-\w)[\s,.!]*)*"
    r"(?:I (?:meant?|asked about)\b\s*|(?:what|how) about\b\s*|(?:the )?same (?:thing )?for\b\s*)?"
)
_CUT = re.compile(
    r"[?？!;]\s+|[.,]\s+(?:and|or)?\b\s*|\s(?:and|or|versus|vs\.?|than(?!\s\D?\d)|compared (?:with|to))\s"
    r"|(?<=[가-힣](?:랑|와|과))\s(?!함께|같이)|(?<=[가-힣]{2}(?:하고|이고|이며|하며|되고|있고|없고))\s(?!나[서면]|난\s)"
    r"|(?<=수 (?:있고|없고))\s|\s(?:그리고|또는|혹은)\s|(?:(?<=\d[년월])|(?<=\d분기)) 대비\s|(?<=보다)\s"
)
_BE, _DO = "(?:is|are|was|were)", "(?:do|does|did)"
_MORE = r"(?:more|less|fewer|better|worse|[a-z]{3,}er)\b"
_A, _B = (f"(?P<{side}>.{{1,150}}?)" for side in "ab")  # bounded, or a hostile question would take minutes
_PATTERNS = [
    re.compile(pattern + r"[\s?.!]*$", re.IGNORECASE)
    for pattern in (
        r"\b(?:differences?|distinction|comparison)(?P<rest> (?:in|of) [\w ]{1,150}?)? (?:between|of)"
        rf" {_A} (?:and|versus|vs\.?) {_B}",
        rf"^(?:please )?compare(?P<rest>)(?: the)? {_A} (?:and|with|to|against|versus|vs\.?) {_B}",
        rf"\bhow (?:{_BE}|{_DO}) {_A} (?:differ(?:ent)?|compare)(?P<rest>) (?:from|to|with) {_B}",
        rf"\bhow (?:{_BE}|{_DO}) {_A} and {_B} (?:differ(?:ent)?|compare)(?P<rest>(?: in [\w ]{{1,150}})?)",
        rf"^(?:{_BE}|{_DO}) (?P<a>.{{1,150}}) (?P<rest>{_MORE}(?: \w+)?) than {_B}",
        rf"^which\b(?P<rest>.{{0,150}}? {_MORE}.{{0,150}}?)[,:–-]+ {_A} or {_B}",
        r"^(?P<a>[^?:,;]{1,150}?) (?:vs\.?|versus) (?P<b>[^?:,;]{1,150}?)(?P<rest>)",
    )
]
_ASPECT = re.compile(r" (?:in terms of|in|regarding|concerning|when it comes to|with respect to) (.+)$", re.IGNORECASE)
_FURTHER = re.compile(r",? and (?=(?:explain|tell|say|describe|analy[sz]e|why|how|what)\b)", re.IGNORECASE)
_NO_SIDE = re.compile(
    r"(?i)(?:it|they|this|that|these|those|there|we|you|i|he|she|the two|both"
    r"|expected|planned|usual|before|ever|normal|\d.*)$"
)
_HOW = "(?:어떻게|뭐가|뭐|무엇이|어떤 점이|어디가|얼마나)"
_DIFFER = re.compile(
    r"(?:차이점?|다른\s?점|공통점|유사점|비교)(?:은|는|이|가|을|를|도)?"
    r"(?=\s*(?:$|뭐|뭔|무엇|무슨|얼마|어떻|어떤|좀|해|하|알|설명|말|정리|분석|있|나[는나요]|큰|크|궁금))"
    rf"|{_HOW}\s(?:서로\s)?(?:다르|다른|달라(?!지))\S*|(?:중|중에|중에서|가운데)\s(?=.{{0,150}}(?:어느|어떤|뭐|무엇|누가|더\s))"
    r"|(?:어느|어떤)\s?(?:쪽|것|게|편)\S*|(?:뭐가|무엇이|누가)\s(?=더\s)"
)
_ASKED = re.compile(
    r"(?<!\S)(?:(?:어느|어떤)\s?(?:쪽|것|게|편)|뭐|무엇|무슨|누가|얼마|어떤|좀|해|하|알|설명|말|정리|분석|있|나|더|궁금|주|부탁)\S*"
)
_REASON_GIVEN = re.compile(r"때문|이유|왜|데\s|면\s|,")
_END = re.compile("[의은는이가을를,]$")  # here, or before another 'and', the name of a thing ends
_LAST = re.compile(r"(?<=.)(?:의|을|를|은|는|이|가|,)$")


@dataclass(frozen=True)
class Part:
    """The whole question with its weight on one part. `words` is that part as it was asked, `units` those in it."""

    words: str
    question: Question
    units: tuple[Unit, ...]

    @property
    def is_question(self) -> bool:
        """Whether it asks by itself, as 'until when do they keep it' does and 'it is raining' does not."""
        asks = INTERROGATIVE.search(self.words) or re.search("[?？]", self.words)
        return asks is not None or any(unit.required for unit in self.units)


def parts(question: Question) -> list[Part]:
    """Return the two things that a question compares, else its parts in order, or itself if it has only one."""
    compared = sides(question.text)
    texts = compared or [text.strip(" ,.?？") for text in _cut(question.body)]
    units = [tuple(unit for unit in question.units if _holds(text, unit)) for text in texts]
    least = 0.0 if compared else 0.5  # of a word that is compared nothing has to be known
    pairs = [pair for pair in zip(texts, units, strict=True) if any(u.required or u.weight >= least for u in pair[1])]
    if not 1 < len(pairs) <= MOST:
        return [Part(question.text, question, question.units)]
    questions = [replace(question, body=text) if compared else question for text, _ in pairs]
    return [
        Part(text, _weighted(base, text, units), units) for base, (text, units) in zip(questions, pairs, strict=True)
    ]


def _cut(text: str) -> Iterator[str]:
    """Cut a text between its parts, but not behind the last syllable of a name, as in 세종제과."""
    start = 0
    for match in _CUT.finditer(text):
        head = text[: match.start()]
        if not head.endswith(("랑", "와", "과")) or _joined(head.split()[-1]):
            yield text[start : match.start()]
            start = match.end()
    yield text[start:]


def _weighted(question: Question, text: str, part: Sequence[Unit]) -> Question:
    """Return the question as one part asks it: its names and periods replace others of their kind; words count less."""
    kinds = {unit.kind for unit in part}
    aside = ASIDE if any(unit.kind == "word" and unit.weight >= 0.5 for unit in part) else 1.0
    units = [
        unit if unit in part or unit.kind != "word" else replace(unit, weight=aside * unit.weight)
        for unit in question.units
        if unit in part or unit.kind == "word" or unit.kind not in kinds
    ]
    return replace(question, units=tuple(units), kinds=kinds_of(text) or question.kinds)


def _holds(text: str, unit: Unit) -> bool:
    if unit.kind == "quarter":
        return not unit.keys.isdisjoint(search_terms(text))
    return unit.text.lower() in text.lower()


def query(part: Part, siblings: Sequence[Part]) -> str:
    """Write a part as a search query: its words (all words if it has none) and the names and periods of the whole."""
    counts = Counter(unit for sibling in siblings for unit in sibling.units)
    is_bare = not any(unit.kind == "word" and unit.weight >= WORTH and counts[unit] == 1 for unit in part.units)
    units = sorted(part.question.units, key=lambda unit: unit.kind in ("quarter", "year"))
    units = [u for u in units if u.weight >= WORTH or u in part.units or (is_bare and u.kind == "word")]
    return " ".join(unit.text.upper() if unit.kind == "quarter" else unit.text for unit in units)


def sides(question: str) -> list[str]:
    """Return a query for each of two things compared, and for what is asked further of one; none if none are."""
    text = without_lead(" ".join(question.split())).strip(" ?？.!")
    first, second, aspect, further = (_korean if language(text) == "ko" else _english)(text)
    if not first or not second or _NO_SIDE.match(first) or _NO_SIDE.match(second):
        return []
    texts = [f"{side} {aspect}" for side in (first, second)]
    of_one_side = any(side in further for side in (first, second))
    texts = [*texts, further] if of_one_side else [f"{text} {further}" for text in texts]
    return [" ".join(text.split()) for text in texts]


def _english(text: str) -> tuple[str, str, str, str]:
    """Return both sides, in what they are compared, and what is asked further; empty if nothing is compared."""
    match = next(filter(None, (pattern.search(text) for pattern in _PATTERNS)), None)
    if match is None:
        return "", "", "", ""
    compared, *further = _FURTHER.split(match["b"], maxsplit=1)
    second, *aspect = _ASPECT.split(compared, maxsplit=1)
    return match["a"], second, " ".join([match["rest"] or "", *aspect]), " ".join(further)


def _korean(text: str) -> tuple[str, str, str, str]:
    """Return the same of 'A와 B의 … 차이', 'A는 B와 어떻게 다른가', 'A가 B보다 …'."""
    words = re.sub(r"(?<=\S)\s*(?:vs\.?|VS)\s+(.+)", r"와 \1 비교", text).split()
    for index, word in enumerate(words):
        previous, following = words[:index], " ".join(words[index + 1 :])
        differ = _DIFFER.search(following)
        if differ and (stem := _joined(word)):
            between, further = following[: differ.start()].split(), _ASKED.sub("", following[differ.end() :])
            if between:
                ends = (n for n, w in enumerate(between, 1) if w[1:] and (_END.search(w) or _joined(w)))
                size = next(ends, len(between))
                return " ".join([*previous, stem]), _bare(between[:size]), " ".join(between[size:]), further
            topic, remainder = _topic(previous)
            return topic, " ".join([*remainder, stem]), "", further
        if word.endswith("보다") and not (periods(word) or _REASON_GIVEN.search(following)):
            topic, remainder = _topic(previous)
            return topic, " ".join([*remainder, word[:-2]]), _ASKED.sub("", following), ""
    return "", "", "", ""


def _joined(word: str) -> str:
    """Return what stands before 'and'; empty where the word only ends like it, as 결과 does."""
    match = re.fullmatch(r"(.+?)(와|과|이랑|랑|하고)(?:의|는)?", word)
    if not match or not "가" <= match[1][-1] <= "힣":
        return match[1] if match else ""
    is_noun = read_korean(match[1] + match[2]) == (match[1] + match[2], "open")
    return "" if is_noun or not agrees(match[1], match[2]) else match[1]


def _topic(words: list[str]) -> tuple[str, list[str]]:
    """Split the words behind the particle of their topic."""
    size = next((n for n, word in enumerate(words, 1) if len(word) > 1 and word[-1] in "은는이가"), 0)
    return (_bare(words[:size]), words[size:]) if size else ("", [])


def _bare(words: list[str]) -> str:
    """Join the words without the last one's particle, and without 'among' and 'between'."""
    return _LAST.sub("", " ".join(word for word in words if word not in ("중", "사이", "간", "사이의", "간의", "두")))


def without_lead(text: str) -> str:
    """Drop 'and what about' or '그럼' from the beginning of a question."""
    return _LEAD.sub("", text, count=1).strip()
