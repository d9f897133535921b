"""The typed parts of a question that a follow-up can replace: its periods, names, identifiers and measures."""

import re
from dataclasses import dataclass

from lessons.models.offline.query.periods import periods
from lessons.text import ENGLISH_STOP_WORDS

_IDENTIFIER = re.compile(r"(?<![\w-])[A-Za-z]+[-_#][A-Za-z\d_-]*\d[A-Za-z\d_-]*")
_MEASURE = re.compile(
    r"(?:\b(?:net|gross|operating|total|annual|average|free|pre-tax|advertising)\s+)*"
    r"\b(?:revenues?|(?:net )?sales|profits?|margins?|income|debt|costs?|cash flow|expenses?|expenditure|earnings"
    r"|turnover|headcount|employees|assets|equity|liabilities|market share|dividends?|spending|investments?|backlog"
    r"|EBITDA|workforce)\b"
    r"|[가-힣]*(?:매출|매출액|이익|손실|이익률|(?<=[가-힣]{2})[률율]|비용|(?<=[가-힣]{2})(?<![설장준경])비|자산|부채|자본|차입금"
    r"|현금흐름|배당금|인원|판매량|생산량|수주잔고|주가|직원 수)(?=은|는|이|가|을|를|의|도|과|와|요|\W|$)",
    re.IGNORECASE,
)
_NAME = re.compile(r"\b[A-Z][A-Za-zÀ-ÿ\d&-]*(?:[ ](?:(?:of|and) (?=[A-Z]))?[A-Z][A-Za-zÀ-ÿ\d&-]*)*")
_NO_NAMES = ENGLISH_STOP_WORDS | frozenset(
    "analyse analyze compare describe explain find give list name show summarise summarize ceo cfo coo cto faq".split()  # noqa: SIM905
)
_KOREAN_NAME = re.compile(
    r"(?<![가-힣])[가-힣]{1,8}(?:전자|바이오|물산|은행|건설|제약|에너지|소프트|그룹|병원|대학교|테크|홀딩스|증권|보험|통신|모터스|중공업"
    r"|식품|상사|해운|화학|정밀)(?=은|는|이|가|을|를|의|도|과|와|에|요|\W|$)"
)
_OWNER = re.compile(r"(?<![가-힣])[가-힣]{2,10}?(?=의\s)")
_PARTICLE = re.compile(r"(?:'s?|’s?|(?:에서는|에서|에는|은|는|도|이|가|의|을|를|에)?요?(?![가-힣]))")
_PERSON = re.compile(
    r"([가-힣]{2,4})\s?(?:대표|회장|사장|부사장|전무|상무|이사|부장|팀장|교수|박사|의장|위원장|선생|매니저)"
    r"|\b([A-Z][a-z]+(?: [A-Z][\w-]+)+)"
)


@dataclass(frozen=True)
class Slot:
    """A part of a text. `kind`: year, quarter, half, month, name, identifier or measure."""

    kind: str
    text: str
    start: int
    end: int


def slots(text: str) -> list[Slot]:
    """The slots of a question, in its order; none overlaps another."""
    found = [Slot(each.unit, text[each.start : each.end], each.start, each.end) for each in periods(text)]
    found += _matches("identifier", _IDENTIFIER, text) + _matches("measure", _MEASURE, text)
    found += names(text)
    kept: list[Slot] = []
    for slot in found:
        if all(slot.end <= other.start or slot.start >= other.end for other in kept):
            kept.append(slot)
    return sorted(kept, key=lambda slot: slot.start)


def without(text: str, given: list[Slot]) -> str:
    """The text with blanks in place of these slots and of the particles behind them."""
    for slot in given:
        particle = _PARTICLE.match(text, slot.end)
        end = particle.end() if particle else slot.end
        text = text[: slot.start] + " " * (end - slot.start) + text[end:]
    return text


def names(text: str) -> list[Slot]:
    """Capitalised names; in Korean companies, and whoever owns a measure ('미래정밀의 2021년 연구개발비')."""
    found = [slot for match in _NAME.finditer(text) if (slot := _name(match, text))]
    found += _matches("name", _KOREAN_NAME, text)
    if owner := _OWNER.search(text):
        measure = _MEASURE.search(text, owner.end())
        found += [Slot("name", owner[0], *owner.span())] if measure and not _MEASURE.fullmatch(owner[0]) else []
    return found


def _name(match: re.Match[str], text: str) -> Slot | None:
    """A capitalised sequence without the word that is capitalised because the sentence begins with it."""
    start = match.start()
    words = match[0].split()
    first = not text[:start].strip() or text[:start].rstrip()[-1] in ".!?:"
    while words and words[0].lower() in _NO_NAMES:
        start, words = start + len(words[0]) + 1, words[1:]
        first = False
    if not words or (first and len(words) == 1 and re.match(r" [a-z]", text[match.end() :])):
        return None
    return Slot("name", text[start : match.end()], start, match.end())


def people(text: str) -> list[str]:
    """The people whom a text names."""
    found = dict.fromkeys(match[1] or match[2] for match in _PERSON.finditer(text))
    return [name for name in found if name.split()[0].lower() not in ENGLISH_STOP_WORDS]


def _matches(kind: str, pattern: re.Pattern[str], text: str) -> list[Slot]:
    return [Slot(kind, match[0], *match.span()) for match in pattern.finditer(text)]
