"""What an exercise is: cases, each with what is given to the learner's object and what is expected of it.

The first case is the plain one: an answer that fails there is wrong, one that fails later nearly right.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Accept = Callable[..., bool | str]
"""Says of a result whether it is right. Instead of False, half a sentence: a `Nearly` if it is nearly right."""


@dataclass(frozen=True)
class Case:
    """One thing that the learner's object must get right.

    `when` completes the sentence 'it goes wrong when …' and names the case, never the answer. A function is called
    with the arguments `given`; without them the object itself is looked at. What comes out must equal `expected`, or
    be accepted by `accept` where there are many right results; then `expected` is one of them, if it is given.
    """

    when: str
    given: tuple[Any, ...] | None = None
    expected: Any = None
    accept: Accept | None = None


def case(when: str, expected: Any, *given: Any) -> Case:
    """A case whose result is `expected`, or accepted by it if it is a function."""
    return Case(when, given, None, expected) if callable(expected) else Case(when, given, expected)


def call(learner: Callable[..., Any], *given: Any) -> Any:
    """How the object of a learner is used unless an exercise says otherwise."""
    return learner(*given)


@dataclass(frozen=True)
class Exercise:
    """`expects` completes 'expects …'. All cases together have `seconds`, or those of the settings.

    A result that is in `slips` in the plain case is nearly right; its key, half a sentence on what is off, never tells
    the answer. `use(learner, *given)` says how the learner's object is called, and `of` is the kind of object it takes.
    `hints` lead to the answer step by step.
    """

    id: str
    title: str
    expects: str
    cases: Iterable[Case] | Callable[[], Iterable[Case]]
    slips: Mapping[str, Any] = field(default_factory=dict)
    use: Callable[..., Any] = call
    seconds: float | None = None
    of: str = "a function"
    hints: Sequence[str] = ()
