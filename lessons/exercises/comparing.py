"""Whether a result is the expected one, and what is off if it is nearly right, without giving the expected one away."""

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from itertools import islice
from numbers import Real
from typing import Any

import numpy as np

FACTORS = (100, 1_000, 1_000_000, 1_000_000_000)  # percent for share, prices and bytes of thousands, millions, billions
REFUSED = object()  # what comes of a function that raises ValueError
_ALONE = re.compile(r"\b[a-z]\b")


class Nearly(str):
    """Half a sentence on a result that is nearly right, even in the plain case."""


def same(one: Any, other: Any) -> bool:
    """Whether two results are equal: numbers up to rounding, lists, tuples and arrays alike. True is not 1."""
    if kind(one) != kind(other):
        return False
    if kind(other) == "a number":
        with suppress(OverflowError, TypeError):  # an integer beyond every float, a complex number
            close = math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)  # learners add up in another order
            return close or (math.isnan(one) and math.isnan(other))
    if kind(other) == "a list":
        return len(one) == len(other) and all(map(same, one, other))
    if kind(other) == "a dict":
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in other)
    return bool(one == other)


def kind(value: Any) -> str:
    """What sort of thing a value is, in words; numpy's are called like Python's."""
    if value is None or value is ...:
        return "nothing"
    if isinstance(value, np.ndarray):
        return "a list" if value.ndim else "a number"
    kinds = {
        "True or False": bool | np.bool_,
        "a number": Real | np.number,
        "a text": str,
        "a dict": Mapping,
        "a set": Set,
        "a list": Sequence,
        "a class": type,
    }
    other = "a function" if callable(value) else f"an object of type {type(value).__name__}"
    return next((name for name, types in kinds.items() if isinstance(value, types)), other)


def letters(given: Any) -> str | None:
    """The letters of 'b', '(B) It is.', 'ac', 'a and c' or ['a', 'c'], small, in their order; None if it has none."""
    if isinstance(given, Set):
        given = sorted(given, key=str)
    if not isinstance(given, str):
        texts = isinstance(given, Sequence) and all(isinstance(each, str) for each in given)
        return letters(" ".join(given)) if texts else None
    alone, word = _ALONE.findall(given.lower()), given.strip().lower()
    return "".join(dict.fromkeys(alone)) or (word if word.isalpha() and word.isascii() else None)


def nearly(given: Any, wanted: Any) -> str:
    """What is off, as half a sentence; empty if the result is further from the wanted one than that."""
    compare: dict[str, Callable[[Any, Any], str]] = {"a number": _numbers, "a text": _texts, "a list": _lists}
    with suppress(Exception):  # a learner's object may refuse to be compared
        same_kind = kind(given) == kind(wanted)
        return compare[kind(wanted)](given, wanted) if same_kind else _other_kind(given, wanted)
    return ""


def misplaced(names: Sequence[Any], known: Collection[str], unknown: str, lost: str, twice: str) -> str:
    """What is wrong if each of the known names should come once, in half a sentence; empty if each does."""
    if strange := [name for name in names if name not in known]:
        return unknown.format(repr(strange[0]))
    if missing := len(known) - len(set(names)):
        return Nearly(lost.format(len(known), missing))
    return Nearly(twice) if len(names) > len(known) else ""


def _other_kind(given: Any, wanted: Any) -> str:
    asked = kind(wanted)
    if asked == "a number":
        return f"the number is right, but it comes as {kind(given)}" if same(_number(given), wanted) else ""
    if not isinstance(given, Iterable) or isinstance(given, str) or asked not in ("a list", "a set", "a dict"):
        return ""
    items, held = list(islice(given, len(wanted) + 1)), list(wanted.items() if asked == "a dict" else wanted)
    ordered = asked == "a list" and kind(given) != "a set"
    equal = same(items, held) if ordered else _equal_in_any_order(items, held)
    return f"what is in it is right, but it is {kind(given)}, not {asked}" if wanted and equal else ""


def _number(given: Any) -> Any:
    """The number that a text or a list of one holds, None if it holds none."""
    if kind(given) == "a list" and len(given) == 1:
        return given[0]
    with suppress(ValueError):
        return float(given) if isinstance(given, str) else None
    return None


def _numbers(given: float, wanted: float) -> str:
    off = [("its sign is the other way round", -wanted)]
    for factor in FACTORS:
        off.append((f"it is {factor:,} times too large; mind the unit", wanted * factor))
        off.append((f"it is {factor:,} times too small; mind the unit", wanted / factor))
    off += [("it is rounded; give it as it is", round(wanted, digits)) for digits in range(1, 6)]
    return next((said for said, value in off if value and same(given, value)), "")


def _texts(given: str, wanted: str) -> str:
    plain = (unicodedata.normalize("NFC", " ".join(text.split())).casefold() for text in (given, wanted))
    return "it differs only in capitals, spaces or composed letters" if len(set(plain)) == 1 else ""


def _lists(given: Sequence[Any], wanted: Sequence[Any]) -> str:
    given, wanted = list(given), list(wanted)
    if any(each is None or isinstance(each, bool) for each in wanted):
        return ""  # what came of several calls
    if len(given) == len(wanted):
        return _as_long(given, wanted)
    short, long = sorted((given, wanted), key=len)
    missing = "the last one is missing", "the first one is missing"
    last, first = missing if short is given else ("the last one is too much", "the first one is too much")
    cut = {last: long[:-1], first: long[1:]}
    return next((said for said, rest in cut.items() if short and same(short, rest)), "")


def _as_long(given: list[Any], wanted: list[Any]) -> str:
    if same(given, wanted[::-1]):
        return "the right ones, the other way round"
    if not _ranks_all(wanted) and _equal_in_any_order(given, wanted):
        return "the right ones, in another order"
    if {kind(each) for each in wanted} != {"a number"}:
        return ""
    numbers = [_number(each) if isinstance(each, str) else each for each in given]
    off = {
        "the right numbers, but as texts": wanted,
        "all of them are one too large": [each + 1 for each in wanted],
        "all of them are one too small": [each - 1 for each in wanted],
        "all of them are 100 times too large; mind the unit": [each * 100 for each in wanted],
    }
    return next((said for said, values in off.items() if same(numbers, values)), "")


def _ranks_all(wanted: list[Any]) -> bool:
    """Whether it is an order of all there is, from 0 or 1: any other order of it is just another ranking."""
    whole = all(isinstance(each, int) for each in wanted)
    return whole and sorted(wanted) in [list(range(start, start + len(wanted))) for start in (0, 1)]


def _equal_in_any_order(given: Iterable[Any], wanted: Iterable[Any]) -> bool:
    left = list(given)
    for each in wanted:
        place = next((place for place, other in enumerate(left) if same(other, each)), None)
        if place is None:
            return False
        del left[place]
    return not left
