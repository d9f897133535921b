"""Quarters as titles, file names and questions write them: 'Q3 2024', '2024-q3', 'third quarter of
2024', '24년 3분기'.

Read where the year stands beside the quarter; a year or a quarter alone says too little.
"""

import re
from typing import NamedTuple

_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_YEAR = r"(?P<year>(?:19|20)\d\d|(?<![\d.,])'?\d\d(?=년))"
_QUARTER = rf"(?:q(?P<q>[1-4])(?!\d)|(?P<ordinal>{'|'.join(_ORDINALS)})[ -]quarter|(?P<k>[1-4])\s*분기)"
_BETWEEN = r"[\s,._/-]*(?:년(?:도|의)?|of|in|the)?[\s,._/-]*(?:the\s+)?"
_FORMS = [
    re.compile(_YEAR + _BETWEEN + _QUARTER, re.IGNORECASE),
    re.compile(_QUARTER + _BETWEEN + _YEAR, re.IGNORECASE),
]
_BEYOND = re.compile(
    r"\bsince\b|\bfrom\b.+\b(?:to|until|through)\b|\bthrough(?:out)?\b|[~–—]|부터|까지|이후|이래|동안|추이|사이"
    r"|restate|reclassif|revise|correct|정정|수정|재분류|재작성",
    re.IGNORECASE,
)


class Quarter(NamedTuple):
    """A quarter of a year."""

    year: int
    quarter: int

    def __str__(self) -> str:
        return f"Q{self.quarter} {self.year}"


def quarters(text: str) -> set[Quarter]:
    """The quarters that a text names together with their year."""
    return {_quarter(found) for form in _FORMS for found in form.finditer(text)}


def looks_beyond(text: str) -> bool:
    """Whether a text also means other quarters than those it names: the time between them, or a later correction."""
    return bool(_BEYOND.search(text))


def _quarter(found: re.Match[str]) -> Quarter:
    year = int(found["year"].lstrip("'"))
    number = found["q"] or found["k"] or _ORDINALS[found["ordinal"].lower()]
    return Quarter(year if year > 99 else 2000 + year, int(number))
