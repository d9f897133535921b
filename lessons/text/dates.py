"""Dates, quarters, halves, years and times of day as written in English and Korean, in one comparable form."""

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_NAMES = calendar.month_name[1:], calendar.month_abbr[1:]
_MONTHS = {name.lower(): number for names in _NAMES for number, name in enumerate(names, 1)} | {"sept": 9}
_ORDER = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}


@dataclass(frozen=True)
class Moment:
    """A point or span of the calendar; what the text leaves open is None."""

    year: int | None = None
    half: int | None = None
    quarter: int | None = None
    month: int | None = None
    day: int | None = None
    minute: int | None = None  # from midnight
    vague: bool = False  # the hour may be before or after noon


_YEAR = r"(?P<year>(?:19|20)\d\d)"
_KOREAN_YEAR = rf"(?:(?<!\d)(?:{_YEAR}년?도?|(?P<short>\d\d)년)\s?)?"
_OF_YEAR = rf"(?:(?:,|\s+of)?\s+(?:FY)?{_YEAR}(?!\d))?"
_NAME = "(?P<name>" + "|".join(sorted((name.capitalize() for name in _MONTHS), key=len, reverse=True)) + r")\b\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_SHORT = r"(?P<short>20\d\d|\d\d)\b"
_ORDINAL = rf"(?P<order>{'|'.join(_ORDER)})"
_HOUR, _AM_PM = r"(?P<hour>\d{1,2})", r"(?P<noon>[ap])\.?m\b\.?"
_KOREAN_NOON = r"(?:(?P<noon>오전|오후|새벽|아침|낮|저녁|밤)\s?)?"
_AFTERNOON = "p", "오후", "저녁"
_AFTER_NOON_AT = {"밤": range(6, 12), "낮": range(10)}
"""The hours, 0 for twelve, that lie after noon: 밤 12시 is midnight, 밤 1시 follows it, 낮 11시 is before noon."""
_COUNTED = r" ?(?:원|명|개|건|won|dollars?|pounds?|euros?|people)\b"

# The first form that fits takes the characters. Month names keep their capital, so that 'may' stays a verb.
# '03/05/2024' has no form, because half of the world reads it otherwise.
_FORMS = [
    re.compile(form, re.A)
    for form in (
        r"(?<![\d.-])(?P<year>\d{4})(?P<dash>[-./]) ?(?P<month>\d{1,2})(?P=dash) ?(?P<day>\d{1,2})(?!\d)",
        rf"\b{_DAY} (?:of )?{_NAME}(?:,? {_YEAR}\b)?",
        rf"\b{_NAME} {_DAY}\b(?![,.]?\d)(?:,? {_YEAR}\b)?",
        rf"\b{_NAME},? (?:of )?{_YEAR}\b",
        rf"(?:(?<=\b[IiOo]n )|(?<=\b[Bb]y )|(?<=until )|(?<=since )|\b(?!May\b|March\b)){_NAME}",
        rf"{_KOREAN_YEAR}(?<!\d)(?P<month>\d{{1,2}})월(?:\s?(?P<day>\d{{1,2}})일)?",
        rf"{_KOREAN_YEAR}(?<![\d/])(?P<quarter>[1-4])(?:/4)?\s?분기",
        rf"\b{_YEAR}[-/ ]?[Qq](?P<quarter>[1-4])\b",
        rf"\b[Qq](?P<quarter>[1-4])(?:[-/ ]*(?:of )?(?:FY ?)?'?{_SHORT}(?![.,]?\d|%))?(?!\w)",
        rf"\b(?P<quarter>[1-4])Q(?: ?'?{_SHORT})?",
        rf"(?i:\b{_ORDINAL}[- ]quarter\b){_OF_YEAR}",
        rf"{_KOREAN_YEAR}(?P<side>[상하])반기",
        rf"(?i:\b{_ORDINAL}[- ]half\b)(?P<half>){_OF_YEAR}",
        rf"\bH(?P<half>[12])\b(?: (?:of )?{_YEAR}\b)?",
        rf"(?i:(?<![\d:]){_HOUR}(?::(?P<minute>\d\d))?(?= ?(?:to|and|until|[-–~]) ?\d{{1,2}}(?::\d\d)? ?{_AM_PM}))",
        rf"(?i:(?<![\d:.]){_HOUR}(?:[:.](?P<minute>\d\d))? ?{_AM_PM})",
        rf"{_KOREAN_NOON}(?<!\d){_HOUR}시(?!간)(?:\s?(?P<thirty>반)|\s?(?P<minute>\d{{1,2}})분)?",
        rf"{_KOREAN_NOON}(?<![\d:]){_HOUR}:(?P<minute>\d\d)(?![\d:])",
        rf"\b{_HOUR} o['’]?clock",
        r"(?i:(?P<midday>\b(?:noon|midday)\b|정오)|(?P<midnight>\bmidnight\b|자정))",
        rf"(?<![\d.,$£€₩¥\x02])(?:FY ?)?{_YEAR}(?:년도?)?(?![\d%]|[.,:]\d|{_COUNTED})",
    )
]


def replace_moments(text: str, write: Callable[[Moment, re.Match[str]], str]) -> str:
    """The text with what `write` gives for each moment and the match where it stands, form by form."""

    def take(match: re.Match[str]) -> str:
        groups = {name: part for name, part in match.groupdict().items() if part is not None}
        moment = _time(groups) if {"hour", "midday", "midnight"} & groups.keys() else _span(groups)
        return match[0] if moment is None else write(moment, match)

    for form in _FORMS:
        text = form.sub(take, text)
    return text


def _span(groups: dict[str, str]) -> Moment | None:
    """A date, quarter, half or year; None when there is no such month or day."""
    parts = ("year", "half", "quarter", "month", "day")
    numbers: dict[str, Any] = {part: int(groups[part]) for part in parts if groups.get(part)}
    if "name" in groups:
        numbers["month"] = _MONTHS[groups["name"].lower().rstrip(".")]
    if "order" in groups:
        numbers["half" if "half" in groups else "quarter"] = _ORDER[groups["order"].lower()]
    if "side" in groups:
        numbers["half"] = 1 if groups["side"] == "상" else 2
    if "short" in groups:
        numbers["year"] = int(groups["short"]) + (2000 if len(groups["short"]) == 2 else 0)
    fits = 1 <= numbers.get("month", 1) <= 12 and 1 <= numbers.get("day", 1) <= 31
    return Moment(**numbers) if fits else None


def _time(groups: dict[str, str]) -> Moment | None:
    """A time of day. An hour of 13 or more, '02:00' and a.m. or p.m. leave no doubt about the half of the day."""
    if "hour" not in groups:
        return Moment(minute=720 if "midday" in groups else 0)
    hour, minute = int(groups["hour"]), 30 if "thirty" in groups else int(groups.get("minute") or 0)
    noon = groups.get("noon", "").lower()
    if hour > 24 or minute > 59:
        return None
    known = bool(noon) or hour > 12 or hour == 0 or groups["hour"].startswith("0")
    if noon and hour <= 12:
        hour = hour % 12
        hour += 12 if noon in _AFTERNOON or hour in _AFTER_NOON_AT.get(noon, ()) else 0
    return Moment(minute=(hour * 60 + minute) % 1440, vague=not known)
