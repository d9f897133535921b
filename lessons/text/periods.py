"""The periods that a text names in either language, and those it only points at ('a year later', '전 분기')."""

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from lessons.text.korean import particle_pattern

ORDINALS = ("first", "second", "third", "fourth")
MONTHS = tuple(calendar.month_name)[1:]
_MONTH_NAMES = tuple(map(str.lower, MONTHS))
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
# Here a Korean word ends, but for its particles: '3년 전에는' is a distance in time, '3년 전략' is none.
_WORD_END = rf"(?=(?:{particle_pattern()}|엔|쯤|대비){{0,3}}(?:가요|데요|요)?(?![가-힣])|이[었에]|[였예])"
_DISTANCE = re.compile(
    r"(?i)\b(a|one|two|three|six|\d{1,2}) (year|quarter|month)s? (later|after|earlier|before|previously)\b"
    rf"|(한|두|세|석|여섯|\d{{1,2}})\s?(년|분기|개월|달|해) ?(전|뒤|후){_WORD_END}"
)
_NEXT_TO = re.compile(
    r"(?i)\b(?:the )?(previous|prior|preceding|following|next) (year|quarter|month|half)\b"
    r"|\bthe (year|quarter|month) (before|after)\b|\bthe (one) (before|after)(?: that)?\b"
    r"|(?<![가-힣])(?:바로 )?(이전|직전|다음|그다음) ?(분기|반기|해|달)(?![가-힣]{3})"
    r"|(?<![가-힣])(전)(?: ?(?=분기|반기)| (?=해|달))(분기|반기|해|달)(?![가-힣]{3})"
    r"|(?<![가-힣])(전|이듬|다음)(년|월(?!세))|(?<![가-힣])(이듬|다음)(해)"
    rf"|(?:(?<![가-힣] )|(?<=그 )|(?<=바로 ))(?<![가-힣])(전)(해|달){_WORD_END}"
)
_BACK = frozenset(["earlier", "before", "previously", "previous", "prior", "preceding", "전", "이전", "직전"])
_NEAR = re.compile(r"[\s,._/'-]*+(?:년(?:도|의)?|of|in|the)?[\s,._/-]*(?:the\s+)?", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*+(?:of|in|,|의)?\s*+")
_LENGTH = {"quarter": 4, "half": 2, "month": 12}  # of a year, in units
_LOOK_ALIKE = str.maketrans("İıſ", "Iis")  # what IGNORECASE takes for these letters

_YEAR = r"(?:(?:19|20)\d\d|\d\d)"
_SEPARATOR = r"\s*[-_/.,]?\s*"
_EDGE = r"(?<![A-Za-z\d.,-])"  # Hangul may stand directly before: 세담소재2024년2분기
_QUARTER = re.compile(
    rf"(?i){_EDGE}(?:"
    rf"(?P<y1>{_YEAR})(?:년도?|{_SEPARATOR})\s*(?P<q1>[1-4])Q(?![A-Za-z\d])"  # 24년 2Q, 2024.2Q
    rf"|(?P<y2>\d\d)년\s*(?P<q2>[1-4])\s*분기"  # 24년 2분기
    rf"|(?P<q3>[1-4])Q{_SEPARATOR}'?(?P<y3>{_YEAR})(?![A-Za-z\d])년?"  # 2Q24
    rf"|(?P<q4>[1-4])\s*분기\s*\(\s*(?P<y4>{_YEAR})년?\s*\)"  # 2분기(2024년)
    rf"|Q(?P<q5>[1-4])\s*'(?P<y5>\d\d)(?!\d)"  # Q2 '24
    rf"|(?P<q6>[1-4])Q(?![A-Za-z\d]))"
)
_OF_FOUR = re.compile(r"(?<!\d)([1-4])/4\s?분기")
_SINO_QUARTER = re.compile(r"(?<![가-힣])([일이삼사])(?:\s?사)?분기(?![가-힣]{3})")
_SHORT_YEAR = re.compile(rf"{_EDGE}(\d\d)년(?=\s*(?:[상하]반기|1?\d월|[초중말]))")
_DAY = re.compile(r"(?<![\d/.])(1[0-2]|0?[1-9])/(3[01]|[12]\d|0?[1-9])(?![\d/])( ?\([월화수목금토일]\))?")
_NEGATION = re.compile(r"(?<![가-힣])([가-힣]+)지(?:는|도|를|가)?\s?(않|못)[가-힣]*")
_MONTH = "|".join(f"{name}|{name[:3]}" for name in MONTHS)
_DATES = re.compile(  # '03/05/2024' is not read: half of the world reads it otherwise
    r"(?<![\d.-])(?P<y1>\d{4})(?P<dash>[-./]) ?(?P<m1>\d{1,2})(?P=dash) ?(?P<d1>\d{1,2})(?!\d)"
    rf"|\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m2>{_MONTH})\b\.?,? (?P<y2>\d{{4}})\b"
    rf"|\b(?P<m3>{_MONTH})\b\.? (?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y3>\d{{4}})\b"
    r"|(?<!\d)(?P<y4>\d{4})년\s?(?P<m4>\d{1,2})월\s?(?P<d4>\d{1,2})일"
)


def normal_form(text: str) -> str:
    """Write each quarter as 'Q2 2024' or '2024년 2분기'; in Korean days as '10월 28일', negations as 안 or 못."""
    if not re.search(r"[가-힣]|\d[Qq]|'\d\d", text):
        return text
    is_korean = re.search("[가-힣]", text) is not None
    text = _OF_FOUR.sub(r"\1분기", text)
    text = _SINO_QUARTER.sub(lambda match: f"{'일이삼사'.index(match[1]) + 1}분기", text)
    text = _QUARTER.sub(lambda match: _quarter(match, is_korean), text)
    text = _SHORT_YEAR.sub(r"20\1년", text)
    text = _DAY.sub(_day, text) if is_korean else text
    return _NEGATION.sub(lambda match: f"{'안' if match[2] == '않' else '못'} {match[1]}", text)


def _day(match: re.Match[str]) -> str:
    """Write 10/28 as a day, unless it may be a fraction such as 2/3."""
    month, day, weekday = int(match[1]), int(match[2]), match[3] or ""
    return f"{month}월 {day}일{weekday}" if weekday or month > day or day > 12 else match[0]


def _quarter(match: re.Match[str], is_korean: bool) -> str:
    groups = {name[0]: value for name, value in match.groupdict().items() if value}
    year = groups.get("y", "")
    year = f"20{year}" if len(year) == 2 else year
    if is_korean:
        return f"{year}년 {groups['q']}분기" if year else f"{groups['q']}분기"
    return f"Q{groups['q']} {year}".rstrip()


def dates(text: str) -> Iterator[tuple[int, int, date]]:
    """Yield start, end and day of each date: '2024-03-12', '12 March 2024', 'March 12, 2024', '2024년 3월 12일'."""
    for match in _DATES.finditer(text):
        year, month, day = (next(filter(None, (match[f"{part}{n}"] for n in range(1, 5)))) for part in "ymd")
        number = int(month) if month.isdigit() else 1 + [name[:3] for name in MONTHS].index(month[:3])
        if 1 <= number <= 12 and 1 <= int(day) <= calendar.monthrange(int(year), number)[1]:
            yield *match.span(), date(int(year), number, int(day))


@dataclass(frozen=True)
class Period:
    """A named period and where in the text it stands. `unit`: year, quarter, half or month; `number` from 1."""

    unit: str
    number: int
    start: int
    end: int


def periods(text: str) -> list[Period]:
    """List the periods of a text, in its order."""
    text = text.translate(_LOOK_ALIKE)
    results = [
        Period(unit, _number(unit, next(filter(None, match.groups()))), *match.span())
        for unit, pattern in _PATTERNS.items()
        for match in pattern.finditer(text)
    ]
    return sorted(results, key=lambda period: period.start)


def _number(unit: str, text: str) -> int:
    if text.isdigit():
        return int(text) + (2000 if unit == "year" and len(text) == 2 else 0)
    return next(1 + names.index(text.lower()) for names in (ORDINALS, _MONTH_NAMES, "상하") if text.lower() in names)


def quarters(text: str) -> set[tuple[int, int]]:
    """Return year and number of the quarters that a text or the name of a file names together with their year."""
    text = re.sub(r"[-_/.]|(?<=\d)(?=q[1-4])|(?<=q[1-4])(?=\d{4})", " ", text, flags=re.IGNORECASE)
    dated = [period for period in periods(text) if period.unit in ("year", "quarter")]
    pairs = [pair for pair in pairwise(dated) if _NEAR.fullmatch(text[pair[0].end : pair[1].start])]
    numbers = [{period.unit: period.number for period in pair} for pair in pairs]
    return {(pair["year"], pair["quarter"]) for pair in numbers if len(pair) == 2}


def pointed_at(text: str) -> tuple[str, int] | None:
    """Return the unit and the steps of a period given by its distance: ('year', -1) for 'a year earlier'.

    The unit is empty for 'the one after'; without such words the result is None.
    """
    text = text.translate(_LOOK_ALIKE)
    if match := _DISTANCE.search(text):
        count, unit, direction = [group.lower() for group in match.groups() if group]
        steps = int(count) if count.isdigit() else _COUNT[count]
    elif match := _NEXT_TO.search(text):
        steps, (direction, unit) = 1, [group.lower() for group in match.groups() if group]
        direction, unit = (unit, direction) if unit in ("before", "after") else (direction, unit)
    else:
        return None
    return {"one": ""}.get(unit, _UNIT.get(unit, unit)), -steps if direction in _BACK else steps


def figures(text: str) -> set[str]:
    """Return the numbers of a text: its periods in one spelling, and all others but those of a distance in time."""
    stated = periods(text)
    for period in reversed(stated):
        text = text[: period.start] + " " + text[period.end :]
    numbers = re.findall(r"\d+(?:[.,]\d+)*", _DISTANCE.sub(" ", text))
    return {f"{period.unit} {period.number}" for period in stated} | set(numbers)


def moved(current: dict[str, int], unit: str, steps: int) -> dict[str, int]:
    """Return the periods (number by unit) so many steps later. Three months move a quarter that names no month."""
    finest = next((name for name in ("month", "quarter", "half", "year") if name in current), "")
    unit = unit or finest
    if unit == "month" and unit not in current and finest == "quarter" and steps % 3 == 0:
        unit, steps = "quarter", steps // 3
    if unit not in current:
        return {}
    if unit == "year":
        return {unit: current[unit] + steps}
    years, index = divmod(current[unit] - 1 + steps, _LENGTH[unit])
    return {unit: index + 1} | ({"year": current["year"] + years} if "year" in current and years else {})


def written(unit: str, number: int, tongue: str, long: bool = False) -> str:
    """Write a period in a language, `long` in words."""
    if tongue == "ko":
        names = {"quarter": "분기", "month": "월", "year": "년"}
        return f"{'상하'[number - 1]}반기" if unit == "half" else f"{number}{names[unit]}"
    if unit in ("year", "month"):
        return str(number) if unit == "year" else MONTHS[number - 1]
    return f"{ORDINALS[number - 1]} {unit}" if long else f"{unit[0].upper()}{number}"


def period_runs(text: str) -> list[list[Period]]:
    """Group the periods of a text, those together that say one: 'November 2024', '2024년 3분기'."""
    runs: list[list[Period]] = []
    for period in periods(text):
        near = runs and _BETWEEN.fullmatch(text[runs[-1][-1].end : period.start])
        if near and period.unit not in {part.unit for part in runs[-1]}:
            runs[-1].append(period)
        else:
            runs.append([period])
    return runs


def spelled_otherwise(text: str, tongue: str) -> list[str]:
    """Return the text with its quarters and months in other spellings: Q3 2024, third quarter of 2024, 2024년 3분기."""
    runs = period_runs(text)
    if all(period.unit == "year" for run in runs for period in run):
        return []
    korean, short, long = ("ko", False), ("en", False), ("en", True)
    styles = (korean, short) if tongue == "ko" else (short, long, korean)
    variants = [re.sub(r"\bthe (?=[QH]\d)", "", _spelled(text, runs, *style)) for style in styles]
    return [variant for variant in dict.fromkeys(variants) if variant != text]


def _spelled(text: str, runs: list[list[Period]], tongue: str, long: bool) -> str:
    for run in reversed(runs):
        ordered = sorted(run, key=lambda part: (part.unit == "year") == (tongue == "en"))
        in_words = long and any(part.unit in ("quarter", "half") for part in run)
        new = (" of " if in_words else " ").join(written(part.unit, part.number, tongue, long) for part in ordered)
        text = text[: run[0].start] + new + text[run[-1].end :]
    return text
