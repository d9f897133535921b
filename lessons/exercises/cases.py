"""What an exercise is, how it is written down, and where it is found by its id.

An exercise is a list of cases: what is given to the learner's object, and what is expected of it. None of them stands
in a notebook. The first case is the plain one: an answer that fails there is wrong, one that fails later nearly right.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from lessons.errors import LessonsError
from lessons.exercises.comparing import kind, letters

_MODULES = {
    "basics": ("00", "01", "02"),
    "searching": ("03", "04"),
    "answering": ("05", "07", "11"),
    "measuring": ("06", "13"),
    "remembering": ("08", "09", "10"),
    "machines": ("12", "14"),
}
NOTEBOOKS = dict(sorted((number, module) for module, numbers in _MODULES.items() for number in numbers))
"""The module of each notebook's exercises."""

Accept = Callable[[Any], bool | str]
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


def worked_out(solution: Callable[..., Any], cases: Mapping[str, tuple[Any, ...]]) -> list[Case]:
    """Cases whose results the solution gives; where they are long numbers, that is easier to read."""
    return [Case(when, given, solution(*given)) for when, given in cases.items()]


def call(learner: Callable[..., Any], *given: Any) -> Any:
    """How the object of a learner is used unless an exercise says otherwise."""
    return learner(*given)


def or_refused(learner: Callable[..., Any], *given: Any) -> Any:
    """What a function gives, or the word 'refused' if it raises ValueError."""
    try:
        return learner(*given)
    except ValueError:
        return "refused"


@dataclass(frozen=True)
class Exercise:
    """`expects` completes 'expects …'. All cases together have `seconds`, or those of the settings.

    A result that is in `slips` in the plain case is nearly right; its key, half a sentence on what is off, never tells
    the answer. `use(learner, *given)` says how the learner's object is called, and `of` is the kind of object it takes.
    """

    id: str
    title: str
    expects: str
    cases: Iterable[Case] | Callable[[], Iterable[Case]]
    slips: Mapping[str, Any] = field(default_factory=dict)
    use: Callable[..., Any] = call
    seconds: float | None = None
    of: str = "a function"


_registered: dict[str, Exercise] = {}


def exercise(*parts: Any, **options: Any) -> None:
    """Register an `Exercise`, which takes the same arguments."""
    made = Exercise(*parts, **options)
    _registered[made.id] = made


def value(id_: str, title: str, expects: str, expected: Any, slips: Mapping[str, Any], accept: Any = None) -> None:
    """Register an exercise that is answered with a value."""
    exercise(id_, title, expects, [Case("", None, expected, accept)], slips)


def choice(id_: str, title: str, right: str, why_not: Mapping[str, str]) -> None:
    """Register a question with one right letter; `why_not` says what speaks against each other one."""

    def accept(given: Any) -> bool | str:
        answer = letters(given)
        if answer is None and not isinstance(given, str):
            return f"what comes is {kind(given)}, not a text"
        if answer is None or len(answer) > 1:
            return f"{given!r} is not one letter"
        return answer == right or f"{given!r} is not it: {why_not.get(answer, 'there is no such letter')}"

    value(id_, title, "one of the letters 'a', 'b' and 'c'", None, {}, accept)


def exercises(notebook: str | None = None) -> list[Exercise]:
    """The exercises of a notebook such as '04', or of all, in their order."""
    for number in NOTEBOOKS if notebook is None else [notebook]:
        if number not in NOTEBOOKS:
            raise LessonsError(f"There are no exercises for {number!r}; the notebooks are {', '.join(NOTEBOOKS)}.")
        import_module(f"lessons.exercises.{NOTEBOOKS[number]}")
    return [_registered[id_] for id_ in sorted(_registered) if notebook in (None, id_.split(".")[0])]


def exercise_named(id_: str) -> Exercise:
    """The exercise of an id such as '04.2'; LessonsError names those that there are."""
    found = {each.id: each for each in exercises(str(id_).split(".")[0])}
    if id_ not in found:
        raise LessonsError(f"There is no exercise {id_!r}; this notebook has {', '.join(found)}.")
    return found[id_]
