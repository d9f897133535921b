"""What is off in a result that is nearly the wanted one, told without telling the wanted one."""

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from lessons.exercises.same import kind, same

FACTORS = (100, 1_000, 1_000_000, 1_000_000_000)
"""Percent for share, and the prices and bytes of thousands, millions and billions."""

DIGITS = range(1, 6)


class Nearly(str):
    """Half a sentence on a result that is nearly right, even in the plain case."""


def nearly(given: Any, wanted: Any) -> str:
    """What is off, as half a sentence; empty if the result is further from the wanted one than that."""
    compare = _COMPARISONS.get(kind(wanted), lambda *_: "") if kind(given) == kind(wanted) else _other_kind
    with suppress(Exception):  # a learner's object may refuse to be compared
        return compare(given, wanted)
    return ""


def _other_kind(given: Any, wanted: Any) -> str:
    right, asked = f"what is in it is right, but it is {kind(given)}", kind(wanted)
    if asked == "a number":
        return f"the number is right, but it comes as {kind(given)}" if same(_number(given), wanted) else ""
    if not isinstance(given, Iterable) or isinstance(given, str) or asked not in ("a list", "a set", "a dict"):
        return ""
    items, held = list(islice(given, len(wanted) + 1)), list(wanted.items() if asked == "a dict" else wanted)
    ordered = asked == "a list" and kind(given) != "a set"
    equal = same(items, held) if ordered else _equal_in_any_order(items, held)
    return f"{right}, not {asked}" if wanted and equal else ""


def _number(given: Any) -> Any:
    """The number that a text or a list of one holds, None if it holds none."""
    if kind(given) == "a list" and len(given) == 1:
        return given[0]
    try:
        return float(given) if isinstance(given, str) else None
    except ValueError:
        return None


def _numbers(given: float, wanted: float) -> str:
    if wanted and same(given, -wanted):
        return "its sign is the other way round"
    for factor in FACTORS:
        if wanted and same(given, wanted * factor):
            return f"it is {factor:,} times too large; mind the unit"
        if wanted and same(given, wanted / factor):
            return f"it is {factor:,} times too small; mind the unit"
    rounded = any(same(given, round(wanted, digits)) for digits in DIGITS)
    return "it is rounded; give it as it is" if rounded else ""


def _texts(given: str, wanted: str) -> str:
    plain = (unicodedata.normalize("NFC", " ".join(text.split())).casefold() for text in (given, wanted))
    return "it differs only in capitals, spaces or composed letters" if len(set(plain)) == 1 else ""


def _lists(given: Sequence[Any], wanted: Sequence[Any]) -> str:
    given, wanted = list(given), list(wanted)
    if any(each is None or isinstance(each, bool) for each in wanted):
        return ""  # what came of several calls
    if len(given) == len(wanted):
        return _as_long(given, wanted)
    if not given or not wanted or abs(len(given) - len(wanted)) > 1:
        return ""
    few, many, said = (given, wanted, "is missing") if len(given) < len(wanted) else (wanted, given, "is too much")
    if same(few, many[:-1]):
        return f"the last one {said}"
    return f"the first one {said}" if same(few, many[1:]) else ""


def _as_long(given: list[Any], wanted: list[Any]) -> str:
    if same(given, wanted[::-1]):
        return "the right ones, the other way round"
    if not _ranks_all(wanted) and _equal_in_any_order(given, wanted):
        return "the right ones, in another order"
    if {kind(each) for each in wanted} == {"a number"}:
        numbers = [_number(each) if isinstance(each, str) else each for each in given]
        if same(numbers, wanted):
            return "the right numbers, but as texts"
        return _shifted(numbers, wanted)
    return ""


def _shifted(given: list[Any], wanted: list[Any]) -> str:
    """Numbers that are all one too large or too small, or a hundred times too large."""
    for said, moved in {
        "all of them are one too large": [each + 1 for each in wanted],
        "all of them are one too small": [each - 1 for each in wanted],
        "all of them are 100 times too large; mind the unit": [each * 100 for each in wanted],
    }.items():
        if same(given, moved):
            return said
    return ""


def _ranks_all(wanted: list[Any]) -> bool:
    """Whether it is an order of all there is, from 0 or 1: any other order of it is just another ranking."""
    return all(isinstance(each, int) for each in wanted) and sorted(wanted) in (
        list(range(len(wanted))),
        list(range(1, len(wanted) + 1)),
    )


def _equal_in_any_order(given: Iterable[Any], wanted: Iterable[Any]) -> bool:
    left = list(given)
    for each in wanted:
        place = next((place for place, other in enumerate(left) if same(other, each)), None)
        if place is None:
            return False
        left.pop(place)
    return not left


_COMPARISONS: dict[str, Callable[[Any, Any], str]] = {
    "a number": _numbers,
    "a text": _texts,
    "a list": _lists,
}
