"""The periods that a question names, in either language, and the ones it only points at ('a year later', '전 분기')."""

import calendar
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from lessons.text import language
from lessons.text.korean import particle_pattern

ORDINALS = ("first", "second", "third", "fourth")
MONTHS = tuple(calendar.month_name)[1:]
_MONTHS = tuple(map(str.lower, MONTHS))
_PATTERNS = {
    "year": re.compile(
        r"(?<![\w.-])((?:19|20)\d\d)\s?년(?:도)?|(?<![\w.-])((?:19|20)\d\d)(?![\w-]|\.\d)"
        r"|(?<![\w.-])(\d\d)년(?=\s?(?:[1-4]\s?분기|[상하]반기|1?\d월))"
    ),
    "quarter": re.compile(
        rf"(?i)\bQ([1-4])\b|\b([1-4])Q\b|\b({'|'.join(ORDINALS)})[ -]quarter\b|(?<!\d)([1-4])(?:/4)?\s?사?분기"
    ),
    "half": re.compile(r"\bH([12])\b|\b(first|second)[ -]half\b|([상하])반기", re.IGNORECASE),
    "month": re.compile(
        rf"(?i)\b({'|'.join(m for m in MONTHS if m not in ('March', 'May'))}|(?-i:March|May)"
        r"|(?<=in )(?:march|may)|(?<=and )(?:march|may)(?=\?|$))\b|(?<!\d)(1[0-2]|[1-9])월"
    ),
}
_COUNT = {"a": 1, "one": 1, "two": 2, "three": 3, "six": 6, "한": 1, "두": 2, "세": 3, "석": 3, "여섯": 6}
_UNIT = {"분기": "quarter", "반기": "half", "년": "year", "해": "year", "월": "month", "달": "month", "개월": "month"}
_ENDS = rf"(?=(?:{particle_pattern()}|엔|쯤|대비){{0,3}}(?:가요|데요|요)?(?![가-힣])|이[었에]|[였예])"
"""Here a Korean word ends, but for its particles: '3년 전에는' is a distance in time, '3년 전략' is none."""
_AGO = re.compile(
    r"(?i)\b(a|one|two|three|six|\d{1,2}) (year|quarter|month)s? (later|after|earlier|before|previously)\b"
    rf"|(한|두|세|석|여섯|\d{{1,2}})\s?(년|분기|개월|달|해) ?(전|뒤|후){_ENDS}"
)
_NEXT_TO = re.compile(
    r"(?i)\b(?:the )?(previous|prior|preceding|following|next) (year|quarter|month|half)\b"
    r"|\bthe (year|quarter|month) (before|after)\b|\bthe (one) (before|after)(?: that)?\b"
    r"|(?<![가-힣])(?:바로 )?(이전|직전|다음|그다음) ?(분기|반기|해|달)(?![가-힣]{3})"
    r"|(?<![가-힣])(전)(?: ?(?=분기|반기)| (?=해|달))(분기|반기|해|달)(?![가-힣]{3})"
    r"|(?<![가-힣])(전|이듬|다음)(년|월(?!세))|(?<![가-힣])(이듬|다음)(해)"
    rf"|(?:(?<![가-힣] )|(?<=그 )|(?<=바로 ))(?<![가-힣])(전)(해|달){_ENDS}"
)
_JOINED = re.compile(
    r"[-_/.](?=(?:19|20)\d\d|q[1-4])|(?<=\d)(?=q[1-4])|(?<=q[1-4])(?=[-_/.]?\d{4})|(?<=\d)[-_](?=[1-4])", re.IGNORECASE
)
_BETWEEN = re.compile(r"\s*+(?:of|in|,|의)?\s*+")
_NEAR = re.compile(r"[\s,._/'-]*+(?:년(?:도|의)?|of|in|the)?[\s,._/-]*(?:the\s+)?", re.IGNORECASE)
_BACK = frozenset(["earlier", "before", "previously", "previous", "prior", "preceding", "전", "이전", "직전"])
_LENGTH = {"quarter": 4, "half": 2, "month": 12}
_LOOK_ALIKE = str.maketrans("İıſ", "Iis")  # what IGNORECASE takes for these letters


@dataclass(frozen=True)
class Period:
    """A named period and where in the text it stands. `unit`: year, quarter, half or month; `number` from 1."""

    unit: str
    number: int
    start: int
    end: int


def periods(text: str) -> list[Period]:
    """The periods of a text, in its order."""
    text = text.translate(_LOOK_ALIKE)
    found = [
        Period(unit, _number(unit, next(filter(None, match.groups()))), *match.span())
        for unit, pattern in _PATTERNS.items()
        for match in pattern.finditer(text)
    ]
    return sorted(found, key=lambda period: period.start)


class Quarter(NamedTuple):
    year: int
    quarter: int

    def __str__(self) -> str:
        return f"Q{self.quarter} {self.year}"


def quarters(text: str) -> set[Quarter]:
    """The quarters that a text or the name of a file names together with their year."""
    text = _JOINED.sub(" ", text)
    dated = [period for period in periods(text) if period.unit in ("year", "quarter")]
    pairs = [(one, next_) for one, next_ in pairwise(dated) if _NEAR.fullmatch(text[one.end : next_.start])]
    found = [{each.unit: each.number for each in pair} for pair in pairs]
    return {Quarter(each["year"], each["quarter"]) for each in found if len(each) == 2}


def _number(unit: str, text: str) -> int:
    if text.isdigit():
        return int(text) + (2000 if unit == "year" and len(text) == 2 else 0)
    return next(1 + names.index(text.lower()) for names in (ORDINALS, _MONTHS, "상하") if text.lower() in names)


def pointed_at(text: str) -> tuple[str, int] | None:
    """The unit and the steps of a period told by its distance: ('year', -1) for 'a year earlier', '' for 'the one'."""
    text = text.translate(_LOOK_ALIKE)
    if match := _AGO.search(text):
        count, unit, way = [group.lower() for group in match.groups() if group]
        steps = int(count) if count.isdigit() else _COUNT[count]
    elif match := _NEXT_TO.search(text):
        one, other = [group.lower() for group in match.groups() if group]
        steps, (way, unit) = 1, (other, one) if other in ("before", "after") else (one, other)
    else:
        return None
    return {"one": ""}.get(unit, _UNIT.get(unit, unit)), -steps if way in _BACK else steps


def figures(text: str) -> set[str]:
    """The numbers of a text: its periods in one spelling, and all others but those of a distance in time."""
    found = {f"{period.unit} {period.number}" for period in periods(text)}
    for period in reversed(periods(text)):
        text = text[: period.start] + " " + text[period.end :]
    return found | set(re.findall(r"\d+(?:[.,]\d+)*", _AGO.sub(" ", text)))


def moved(named: dict[str, int], unit: str, steps: int) -> dict[str, int]:
    """The periods (number by unit) so many steps later. Three months move a quarter that names no month."""
    finest = next((each for each in ("month", "quarter", "half", "year") if each in named), "")
    unit = unit or finest
    if unit == "month" and unit not in named and finest == "quarter" and steps % 3 == 0:
        unit, steps = "quarter", steps // 3
    if unit not in named:
        return {}
    if unit == "year":
        return {unit: named[unit] + steps}
    years, place = divmod(named[unit] - 1 + steps, _LENGTH[unit])
    return {unit: place + 1} | ({"year": named["year"] + years} if "year" in named and years else {})


def written(unit: str, number: int, tongue: str, long: bool = False) -> str:
    """A period as it is written in a language; `long` in words."""
    if tongue == "ko":
        names = {"quarter": "분기", "month": "월", "year": "년"}
        return f"{'상하'[number - 1]}반기" if unit == "half" else f"{number}{names[unit]}"
    if unit in ("year", "month"):
        return str(number) if unit == "year" else MONTHS[number - 1]
    return f"{ORDINALS[number - 1]} {unit}" if long else f"{unit[0].upper()}{number}"


def neighbours(text: str) -> list[list[Period]]:
    """The periods of a text, those together that say one: 'November 2024', '2024년 3분기'."""
    runs: list[list[Period]] = []
    for period in periods(text):
        near = runs and _BETWEEN.fullmatch(text[runs[-1][-1].end : period.start])
        if near and period.unit not in {each.unit for each in runs[-1]}:
            runs[-1].append(period)
        else:
            runs.append([period])
    return runs


def spelled_otherwise(text: str) -> list[str]:
    """The text with its quarters and months written otherwise: Q3 2024, third quarter of 2024, 2024년 3분기."""
    runs = neighbours(text)
    if all(period.unit == "year" for run in runs for period in run):
        return []
    korean, short, long = ("ko", False), ("en", False), ("en", True)
    styles = (korean, short) if language(text) == "ko" else (short, long, korean)
    every = [re.sub(r"\bthe (?=[QH]\d)", "", _spelled(text, runs, *style)) for style in styles]
    return [one for one in dict.fromkeys(every) if one != text]


def _spelled(text: str, runs: list[list[Period]], tongue: str, long: bool) -> str:
    for run in reversed(runs):
        ordered = sorted(run, key=lambda part: (part.unit == "year") == (tongue == "en"))
        spoken = long and any(part.unit in ("quarter", "half") for part in run)
        new = (" of " if spoken else " ").join(written(part.unit, part.number, tongue, long) for part in ordered)
        text = text[: run[0].start] + new + text[run[-1].end :]
    return text
