"""What an exercise is, and where the exercises are found by their ids.

An exercise is a generator of cases: what is given to the learner's object, and what is expected of it. The first case
is the plain one. Who fails there is wrong; who fails in a later one has nearly got it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from random import Random
from typing import Any

from lessons.errors import LessonsError
from lessons.settings import settings

NOTEBOOKS = {
    "00": "start_here",
    "01": "naive_rag",
    "02": "enhanced_etl",
    "03": "smart_search",
    "04": "reranking",
    "05": "agentic_rag",
    "06": "measuring",
    "07": "scoped",
    "08": "conversation",
    "09": "long_term",
    "10": "active",
    "11": "copilot",
    "12": "faults",
    "13": "own_rag",
    "14": "beyond",
}
"""The module of each notebook's exercises."""


@dataclass(frozen=True)
class Case:
    """One thing that the learner's object must get right.

    `when` completes the sentence 'it goes wrong when …' and names the case, never the answer. A function is called
    with the arguments `given`; without them the object itself is looked at. What comes out must equal `expected`, or
    be accepted by `accept` where there are many right results; what is said instead of False is half a sentence, a
    `Nearly` where the result is nearly right. Beside `accept`, `expected` is one of the right results.
    """

    when: str
    given: tuple[Any, ...] | None = None
    expected: Any = None
    accept: Callable[[Any], bool | str] | None = None


Cases = Callable[[Random], Iterable[Case]]
Use = Callable[..., Any]


def call(learner: Callable[..., Any], *given: Any) -> Any:
    """How the object of a learner is used unless an exercise says otherwise."""
    return learner(*given)


@dataclass(frozen=True)
class Exercise:
    """`expects` completes 'expects …'; every round draws new cases, all of them together have `seconds`.

    `slips` are objects that are nearly right, each under half a sentence on what is off: whoever gives the same result
    as one of them in the plain case has nearly got it. `of` is the kind of object that `use` takes.
    """

    id: str
    title: str
    expects: str
    cases: Cases
    rounds: int
    seconds: float
    use: Use
    slips: Mapping[str, Any] = field(default_factory=dict)
    of: str = "a function"

    @property
    def notebook(self) -> str:
        return self.id.split(".")[0]


_registered: dict[str, Exercise] = {}


def exercise(
    id_: str,
    title: str,
    expects: str,
    rounds: int = 20,
    seconds: float | None = None,
    use: Use = call,
    slips: Mapping[str, Any] | None = None,
    of: str = "a function",
) -> Callable[[Cases], Cases]:
    """Register a generator of cases as an exercise. `use(learner, *given)` says how the learner's object is called."""

    def register(cases: Cases) -> Cases:
        limit = settings().exercise_seconds if seconds is None else seconds
        _registered[id_] = Exercise(id_, title, expects, cases, rounds, limit, use, slips or {}, of)
        return cases

    return register


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
