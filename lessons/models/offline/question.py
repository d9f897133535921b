"""What a question asks: the words an answer must cover, and the kind of answer it expects."""

import re
from dataclasses import dataclass

from lessons.models.offline.unit import Unit
from lessons.models.offline.units import read_units
from lessons.text import language

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
