"""Whether a result is the expected one: numbers up to rounding, lists and tuples and arrays alike."""

import math
from collections.abc import Mapping, Sequence, Set
from numbers import Real
from typing import Any

import numpy as np

TOLERANCE = 1e-6  # relative; learners add up in another order


def same(one: Any, other: Any) -> bool:
    """Whether two results are equal. True is no 1, and a text is no list."""
    if kind(one) != kind(other):
        return False
    if kind(other) == "a number":
        return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=1e-9) or (math.isnan(one) and math.isnan(other))
    if kind(other) == "a list":
        return len(one) == len(other) and all(same(*pair) for pair in zip(one, other, strict=True))
    if kind(other) == "a dict":
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in other)
    return bool(one == other)


def kind(value: Any) -> str:
    """What sort of thing a value is, in words; numpy's are called like Python's."""
    if value is None or value is ...:
        return "nothing"
    if isinstance(value, (bool, np.bool_)):
        return "True or False"
    if isinstance(value, (Real, np.number)) or (isinstance(value, np.ndarray) and not value.ndim):
        return "a number"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, (Mapping, Set)):
        return "a dict" if isinstance(value, Mapping) else "a set"
    if isinstance(value, (Sequence, np.ndarray)):
        return "a list"
    if callable(value):
        return "a class" if isinstance(value, type) else "a function"
    return f"an object of type {type(value).__name__}"
