"""What kind of thing a question asks for – a date, a number, a person, a reason – and whether a text holds it."""

import re

from lessons.models.offline.question import Question

_DATE = re.compile(
    r"\d{4}[-./년]|\b(?:19|20)\d\d\b"
    r"|\d\s?(?:월|일|시)|\b\d{1,2}:\d\d\b|\bday|\bweek|\bmonth"
)
_PERSON = re.compile(r"[A-Z][a-z]+ [A-Z][a-z]+|[가-힣]{2,4} ?(?:님|씨|대표|이사|부장|팀장|과장|교수|박사|매니저|담당)")
_REASON = re.compile(
    r"\bbecause\b|\bdue to\b|\bas a result\b|\bso that\b|\bsince\b|\bowing\b|\bdriven\b"
    r"|때문|이유|위해|덕분|인해|따라|영향"
)
_EXPECTED = {"date": _DATE, "number": re.compile(r"\d"), "person": _PERSON, "why": _REASON}


def expected(question: Question, text: str) -> float:
    """Whether the line holds the kind of thing that was asked for."""
    kinds = [kind for kind in question.kinds if kind in _EXPECTED]
    return sum(_EXPECTED[kind].search(text) is not None for kind in kinds) / len(kinds) if kinds else 0.0
