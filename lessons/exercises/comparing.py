"""Compare a result with the expected one, and say what is off if it is nearly right, without giving the answer away."""

import math
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import partial
from itertools import islice
from numbers import Real
from typing import Any

import numpy as np

from lessons.language import korean, language

FACTORS = (100, 1_000, 1_000_000, 1_000_000_000)  # percent for share, prices and bytes of thousands, millions, billions
REFUSED = object()  # stands for the result of a function that raises ValueError
_SINGLE_LETTER = re.compile(r"\b[a-z]\b")


class Text(str):
    """A message in the language of the reader. Texts that fill it in, as in `Text("{0} is not it", kind)`, are, too.

    A notebook shows it without quotation marks.
    """

    def __new__(cls, message: str, *values: Any) -> "Text":
        words = korean() if language() == "ko" else {}
        filled = [words.get(value, value) if isinstance(value, str) else value for value in values]
        template = words.get(message, message)
        return super().__new__(cls, template.format(*filled) if values else template)

    __repr__ = str.__str__


class Nearly(Text):
    """Half a sentence on a result that is nearly right, even in the plain case."""


class Wrong(Text):
    """Half a sentence on a result that is wrong, even beyond the plain case."""


def same(result: Any, expected: Any) -> bool:
    """Return whether two results are equal: numbers up to rounding, lists, tuples and arrays alike. True is not 1."""
    if kind(result) != kind(expected):
        return False
    if kind(expected) == "a number":
        with suppress(OverflowError, TypeError):  # an integer beyond every float, a complex number
            close = math.isclose(result, expected, rel_tol=1e-6, abs_tol=1e-9)  # learners add up in anexpected order
            return close or (math.isnan(result) and math.isnan(expected))
    if kind(expected) == "a list":
        return len(result) == len(expected) and all(map(same, result, expected))
    if kind(expected) == "a dict":
        return result.keys() == expected.keys() and all(same(result[key], expected[key]) for key in expected)
    return bool(result == expected)


def kind(value: Any) -> str:
    """Name the type of a value in words; NumPy's types are called like Python's."""
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
    fallback = "a function" if callable(value) else Text("an object of type {0}", type(value).__name__)
    return next((name for name, types in kinds.items() if isinstance(value, types)), fallback)


def letters(answer: Any) -> str | None:
    """Return the letters of 'b', '(B) It is.', 'ac', 'a and c' or ['a', 'c'], lower-case, in order; None if none."""
    if isinstance(answer, Set):
        answer = sorted(answer, key=str)
    if not isinstance(answer, str):
        texts = isinstance(answer, Sequence) and all(isinstance(item, str) for item in answer)
        return letters(" ".join(answer)) if texts else None
    single, word = _SINGLE_LETTER.findall(answer.lower()), answer.strip().lower()
    return "".join(dict.fromkeys(single)) or (word if word.isalpha() and word.isascii() else None)


def nearly(result: Any, expected: Any) -> str:
    """Say in half a sentence what is off; return "" if the result is further from the expected one than that."""
    with suppress(Exception):  # a learner's object may refuse to be compared
        if kind(result) != kind(expected):
            return _other_kind(result, expected)
        for text, mistake in _mistakes(expected):
            if same(_plain(result) if isinstance(mistake, str) else result, mistake):
                return text
        if kind(expected) == "a list" and not _is_ranking(expected) and _equal_in_any_order(result, expected):
            return Text("the right ones, in another order")
    return ""


def _mistakes(expected: Any) -> Iterator[tuple[str, Any]]:
    """Yield common mistakes, each in half a sentence with the result to which it leads."""
    if kind(expected) == "a text":
        yield Text("it differs only in capitals, spaces or composed letters"), _plain(expected)
    if kind(expected) == "a number" and expected:
        yield Text("its sign is the other way round"), -expected
        for factor in FACTORS:
            yield Text("it is {0} times too large; mind the unit", f"{factor:,}"), expected * factor
            yield Text("it is {0} times too small; mind the unit", f"{factor:,}"), expected / factor
        for digits in filter(partial(round, expected), range(1, 6)):
            yield Text("it is rounded; give it as it is"), round(expected, digits)
    if kind(expected) != "a list" or any(item is None or isinstance(item, bool) for item in expected):
        return  # a list of these holds the results of several calls
    if expected[1:]:
        yield Text("the last one is missing"), expected[:-1]
        yield Text("the first one is missing"), expected[1:]
        yield Text("the right ones, the other way round"), expected[::-1]
    if {kind(item) for item in expected} == {"a number"}:
        yield Text("the right numbers, but as texts"), [str(item) for item in expected]
        yield Text("all of them are one too large"), [item + 1 for item in expected]
        yield Text("all of them are {0} times too large; mind the unit", 100), [item * 100 for item in expected]


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split())).casefold()


def misplaced(names: Sequence[Any], all_names: Collection[str], unknown: str, missing: str, twice: str) -> str:
    """Say in half a sentence what is wrong if each of all names should come once; return "" if each does."""
    if strangers := [name for name in names if name not in all_names]:
        return Text(unknown, repr(strangers[0]))
    if count := len(all_names) - len(set(names)):
        return Nearly(missing, len(all_names), count)
    return Nearly(twice) if len(names) > len(all_names) else ""


def _other_kind(result: Any, expected: Any) -> str:
    target = kind(expected)
    if target == "a number":
        right = same(_number(result), expected)
        return Text("the number is right, but it comes as {0}", kind(result)) if right else ""
    if not isinstance(result, Iterable) or isinstance(result, str) or target not in ("a list", "a set", "a dict"):
        return ""
    items, targets = list(islice(result, len(expected) + 1)), list(expected.items() if target == "a dict" else expected)
    ordered = target == "a list" and kind(result) != "a set"
    equal = same(items, targets) if ordered else _equal_in_any_order(items, targets)
    if not expected or not equal:
        return ""
    return Text("what is in it is right, but it is {0}, not {1}", kind(result), target)


def _number(value: Any) -> Any:
    """Return the number in a text or in a list of one, None if there is none."""
    if kind(value) == "a list" and len(value) == 1:
        return value[0]
    with suppress(ValueError):
        return float(value) if isinstance(value, str) else None
    return None


def _is_ranking(expected: list[Any]) -> bool:
    """Return whether these are all numbers from 0 or 1 on: another order of them is just another ranking."""
    integers = all(isinstance(item, int) for item in expected)
    return integers and sorted(expected) in [list(range(start, start + len(expected))) for start in (0, 1)]


def _equal_in_any_order(result: Iterable[Any], expected: Iterable[Any]) -> bool:
    left = list(result)
    for item in expected:
        position = next((position for position, candidate in enumerate(left) if same(candidate, item)), None)
        if position is None:
            return False
        del left[position]
    return not left
