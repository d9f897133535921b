"""What an exercise is, how it is written down, and where it is found by its id.

An exercise is a generator of cases: what is given to the learner's object, and what is expected of it. The first case
is the plain one. An answer that fails there is wrong; one that fails in a later case is nearly right.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from random import Random
from typing import Any

from lessons.errors import LessonsError
from lessons.exercises.comparing import kind, letters
from lessons.settings import settings

NOTEBOOKS = {
    "00": "naive_rag",
    "01": "naive_rag",
    "02": "enhanced_etl",
    "03": "smart_search",
    "04": "reranking",
    "05": "agentic_rag",
    "06": "measuring",
    "07": "scoped",
    "08": "memory",
    "09": "memory",
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


Cases = Iterator[Case | tuple[Any, ...]]
"""A case may be written as a tuple, (when, *given): the exercise's own solution then says what is expected."""

Slips = Mapping[str, Any]
"""Objects that are nearly right, each under half a sentence on what is off, which never tells the answer."""


def call(learner: Callable[..., Any], *given: Any) -> Any:
    """How the object of a learner is used unless an exercise says otherwise."""
    return learner(*given)


@dataclass(frozen=True)
class Exercise:
    """`expects` completes 'expects …'; every round draws new cases, all of them together have `seconds`.

    An object that gives the same result as one of the `slips` in the plain case is nearly right. `of` is the kind of
    object that `use` takes.
    """

    id: str
    title: str
    expects: str
    cases: Callable[[Random], Iterable[Case]]
    rounds: int
    seconds: float
    use: Callable[..., Any]
    slips: Slips = field(default_factory=dict)
    of: str = "a function"


_registered: dict[str, Exercise] = {}


def exercise(
    id_: str,
    solution: Callable[..., Any] | None = None,
    slips: Slips | None = None,
    use: Callable[..., Any] = call,
    rounds: int = 20,
    seconds: float | None = None,
    of: str = "a function",
) -> Callable[[Callable[[Random], Cases]], Callable[[Random], Cases]]:
    """Register a generator of cases. Its docstring is the exercise's title and, after 'Expects', what is asked for.

    `use(learner, *given)` says how the learner's object is called, and the solution with it.
    """

    def register(cases: Callable[[Random], Cases]) -> Callable[[Random], Cases]:
        def complete(random: Random) -> Iterator[Case]:
            for case in cases(random):
                if isinstance(case, Case):
                    yield case
                else:
                    when, *given = case
                    yield Case(when, tuple(given), use(solution, *given))

        title, _, expects = " ".join(str(cases.__doc__).split()).partition(" Expects ")
        limit = settings().exercise_seconds if seconds is None else seconds
        _registered[id_] = Exercise(
            id_, title.rstrip("."), expects.rstrip("."), complete, rounds, limit, use, slips or {}, of
        )
        return cases

    return register


def value(
    id_: str, asked: str, expected: Any, slips: Slips | None = None, accept: Callable[[Any], bool | str] | None = None
) -> None:
    """Register an exercise that is answered with a value; `asked` is like the docstring of the others."""

    def cases(random: Random) -> Cases:
        yield Case("", None, expected, accept)

    cases.__doc__ = asked
    exercise(id_, slips=slips, rounds=1)(cases)


def choice(id_: str, title: str, right: str, why_not: Mapping[str, str]) -> None:
    """Register a question with one right letter; `why_not` says what speaks against each other one."""

    def accept(given: Any) -> bool | str:
        answer = letters(given)
        if answer is None and not isinstance(given, str):
            return f"what comes is {kind(given)}, not a text"
        if answer is None or len(answer) > 1:
            return f"{given!r} is not one letter"
        return answer == right or f"{given!r} is not it: {why_not.get(answer, 'there is no such letter')}"

    value(id_, f"{title} Expects one of the letters 'a', 'b' and 'c'.", None, accept=accept)


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
