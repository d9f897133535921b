"""Reckoning with periods: which one lies so many steps away, and how else one can be written."""

import re

from lessons.models.offline.query.periods import MONTHS, ORDINALS, Period, periods
from lessons.text import language

_LENGTH = {"quarter": 4, "half": 2, "month": 12}


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
    match unit:
        case "year":
            return str(number)
        case "month":
            return MONTHS[number - 1]
    return f"{ORDINALS[number - 1]} {unit}" if long else f"{unit[0].upper()}{number}"


def spelled_otherwise(text: str) -> list[str]:
    """The text with its quarters and months written otherwise: Q3 2024, third quarter of 2024, 2024년 3분기."""
    found = _with_years(text, periods(text))
    if all(part.unit == "year" for _, _, parts in found for part in parts):
        return []
    korean, short, long = ("ko", False), ("en", False), ("en", True)
    styles = (korean, short) if language(text) == "ko" else (short, long, korean)
    every = [re.sub(r"\bthe (?=[QH]\d)", "", _spelled(text, found, *style)) for style in styles]
    return [one for one in dict.fromkeys(every) if one != text]


def _with_years(text: str, found: list[Period]) -> list[tuple[int, int, list[Period]]]:
    """Where the periods stand, each together with the year that stands next to it."""
    joined: list[tuple[int, int, list[Period]]] = []
    for period in found:
        last = joined[-1] if joined else None
        near = last and re.fullmatch(r"\s*(?:of|in|,)?\s*", text[last[1] : period.start])
        if last and near and len(last[2]) == 1 and (last[2][0].unit == "year") != (period.unit == "year"):
            joined[-1] = (last[0], period.end, [*last[2], period])
        else:
            joined.append((period.start, period.end, [period]))
    return joined


def _spelled(text: str, found: list[tuple[int, int, list[Period]]], tongue: str, long: bool) -> str:
    for start, end, parts in reversed(found):
        ordered = sorted(parts, key=lambda part: (part.unit == "year") == (tongue == "en"))
        spoken = long and any(part.unit in ("quarter", "half") for part in parts)
        new = (" of " if spoken else " ").join(written(part.unit, part.number, tongue, long) for part in ordered)
        text = text[:start] + new + text[end:]
    return text
