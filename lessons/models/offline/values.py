"""The typed values of a text in either language: money, percentages, dates, quantities, services, names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lessons.models.offline.query.periods import MONTHS, periods
from lessons.models.offline.query.slots import slots

_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_KOREAN_NUMBER = rf"(?:(?:(?:{_NUMBER})\s?[조억만천백]?|[일이삼사오육칠팔구십백천]*[조억만천백])\s?)+"
_MONTH = rf"(?:{'|'.join(month[:3] + f'(?:{month[3:]})?' for month in MONTHS)})"
_PATTERNS = {
    "money": rf"(?:US\$|[$€£₩]|\b(?:USD|EUR|KRW) ?)(?:{_NUMBER})(?:\s?(?:k|m|bn|thousand|million|billion)\b)?"
    rf"|(?:{_NUMBER})\s?(?:k |thousand |million |billion |trillion )?(?:dollars?|euros?|won|pounds?|USD|EUR|KRW)\b"
    rf"|{_KOREAN_NUMBER}(?:원|달러|유로)",
    "percent": rf"(?:{_NUMBER})\s?(?:%p?|percent\b|per cent\b|퍼센트|프로(?![가-힣]))",
    "date": rf"\b\d{{4}}-\d\d-\d\d\b|\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?\b(?![-:])"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b(?:,? \d{{4}})?"
    r"|(?:\d{4}년\s?)?(?<!\d)\d{1,2}월\s?\d{1,2}일",
    "identifier": r"(?<![\w-])[A-Z]{2,}[-_#][A-Z\d_-]*\d[A-Z\d_-]*",
    "quantity": rf"(?:{_NUMBER})\s?(?:people|persons?|employees|users?|customers?|instances?|servers?|nodes?|GB|TB|MB"
    r"|vCPUs?|hours?|minutes?|days?|weeks?|months?|years?|times|kg|mg|ml|km|pages?|seats?|licen[cs]es?|accounts?|units?|tablets?"
    r"|items?|requests?|projects?|stores?|rooms?)(?![A-Za-z])"
    r"|(?:\d[\d,.]*|한(?= )|두|세|네|다섯|여섯|열)\s?(?:만|천)?\s?(?:명|개월|개|대|건|시간|분(?!기)"
    r"|일(?![가-힣]{2})|주(?![가-힣])|년간|회|번|장|인분|살|세(?![가-힣])|곳|팀|페이지|정(?=[씩을])|킬로|리터|기가|테라)",
    "service": r"(?<![\w-])(?:[A-Z]{1,5}\d+[A-Za-z]?|[A-Z][a-z]+(?:[A-Z]+[a-z]*\d*)+|[A-Z]{2,}[a-z]+[A-Za-z]*"
    r"|(?:AWS|GCP|RDS|EKS|GKE|EBS|IAM|SQS|SNS|VPC|ECS|Azure|Lambda|Kubernetes|Redis|Kafka|Oracle|Postgres|Python|Java"
    r"|Excel|Slack|Jira|Notion|Salesforce|SAP))(?![A-Za-z\d_-])",
}
_FOUND = {kind: re.compile(pattern, re.IGNORECASE if kind != "service" else 0) for kind, pattern in _PATTERNS.items()}
_FOUND["identifier"] = re.compile(_PATTERNS["identifier"])
_QUARTER = re.compile(r"Q[1-4]|H[12]|[1-4]Q")
_TRAILING = re.compile(r"[\s,.]+$")


@dataclass(frozen=True)
class Value:
    """A value and where it stands. `kind`: one of those above, or year, quarter, half, month, name."""

    kind: str
    text: str
    start: int
    end: int


def values(text: str) -> list[Value]:
    """The values of a text in its order; none overlaps another."""
    kept: list[Value] = []
    for value in (*_typed(text), *_periods(text), *_names(text)):
        if all(value.end <= other.start or value.start >= other.end for other in kept):
            kept.append(value)
    return sorted(kept, key=lambda value: value.start)


def _typed(text: str) -> Iterator[Value]:
    for kind, pattern in _FOUND.items():
        for match in pattern.finditer(text):
            found = _TRAILING.sub("", match[0]).lstrip()
            start = match.start() + len(match[0]) - len(match[0].lstrip())
            if kind != "service" or not _QUARTER.fullmatch(found):
                yield Value(kind, found, start, start + len(found))


def _periods(text: str) -> Iterator[Value]:
    """Neighbouring periods as one: 'November 2024', '2024년 3분기'."""
    run: list = []
    for period in periods(text):
        if run and text[run[-1].end : period.start].strip(" ,'of의") == "" and period.unit != run[-1].unit:
            run.append(period)
            continue
        if run:
            yield _period(run, text)
        run = [period]
    if run:
        yield _period(run, text)


def _period(run: list, text: str) -> Value:
    finest = next(unit for unit in ("month", "quarter", "half", "year") if any(each.unit == unit for each in run))
    return Value(finest, text[run[0].start : run[-1].end], run[0].start, run[-1].end)


def _names(text: str) -> Iterator[Value]:
    """Names; a single capitalised word at the beginning of a sentence is none."""
    for slot in slots(text):
        begins = not text[: slot.start].strip() or text[: slot.start].rstrip()[-1] in ".!?"
        if slot.kind == "name" and not (begins and slot.text.isascii() and " " not in slot.text):
            yield Value("name", slot.text, slot.start, slot.end)
