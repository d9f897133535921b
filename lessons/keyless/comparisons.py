"""The two sides of a comparison ('difference between A and B', 'A와 B의 차이점'), each to be searched for by itself."""

import re

from lessons.keyless.followups import without_lead
from lessons.text import language
from lessons.text.korean import agrees, read_korean
from lessons.text.periods import periods

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
_MORE_THAN_ONE = re.compile(r"때문|이유|왜|데\s|면\s|,")
_END = re.compile("[의은는이가을를,]$")  # here, or before another 'and', the name of a thing ends
_LAST = re.compile(r"(?<=.)(?:의|을|를|은|는|이|가|,)$")


def sides(question: str) -> list[str]:
    """A query for each of the two things that a question compares; none for any other question."""
    text = without_lead(" ".join(question.split())).strip(" ?？.!")
    one, other, rest = (_korean if language(text) == "ko" else _english)(text)
    if not one or not other or _NO_SIDE.match(one) or _NO_SIDE.match(other):
        return []
    return [" ".join(f"{side} {rest}".split()) for side in (one, other)]


def _english(text: str) -> tuple[str, str, str]:
    """Both sides, and what they are compared in; empty for a question that compares nothing."""
    if not (found := next(filter(None, (pattern.search(text) for pattern in _PATTERNS)), None)):
        return "", "", ""
    other, *aspect = _ASPECT.split(found["b"], maxsplit=1)
    return found["a"], other, " ".join([found["rest"] or "", *aspect])


def _korean(text: str) -> tuple[str, str, str]:
    """The same: 'A와 B의 … 차이', 'A는 B와 어떻게 다른가', 'A가 B보다 …'."""
    words = re.sub(r"(?<=\S)\s*(?:vs\.?|VS)\s+(.+)", r"와 \1 비교", text).split()
    for place, word in enumerate(words):
        before, after = words[:place], " ".join(words[place + 1 :])
        differ = _DIFFER.search(after)
        if differ and (stem := _joined(word)):
            between, asked = after[: differ.start()].split(), _ASKED.sub("", after[differ.end() :])
            if between:
                ends = (n for n, each in enumerate(between, 1) if each[1:] and (_END.search(each) or _joined(each)))
                size = next(ends, len(between))
                return " ".join([*before, stem]), _bare(between[:size]), f"{' '.join(between[size:])} {asked}"
            one, other = _topic(before)
            return one, " ".join([*other, stem]), asked
        if word.endswith("보다") and not (periods(word) or _MORE_THAN_ONE.search(after)):
            one, other = _topic(before)
            return one, " ".join([*other, word[:-2]]), _ASKED.sub("", after)
    return "", "", ""


def _joined(word: str) -> str:
    """What stands before 'and'; empty where the word only ends like it, as 결과 does."""
    found = re.fullmatch(r"(.+?)(와|과|이랑|랑|하고)(?:의|는)?", word)
    if not found or not "가" <= found[1][-1] <= "힣":
        return found[1] if found else ""
    is_noun = read_korean(found[1] + found[2]) == (found[1] + found[2], "open")
    return "" if is_noun or not agrees(found[1], found[2]) else found[1]


def _topic(words: list[str]) -> tuple[str, list[str]]:
    """What the words are about, up to its particle, and the words behind it."""
    place = next((n for n, word in enumerate(words, 1) if len(word) > 1 and word[-1] in "은는이가"), 0)
    return (_bare(words[:place]), words[place:]) if place else ("", [])


def _bare(words: list[str]) -> str:
    """The words without the last one's particle, and without 'among' and 'between'."""
    return _LAST.sub("", " ".join(word for word in words if word not in ("중", "사이", "간", "사이의", "간의", "두")))
