"""What an exercise is: cases, each with what is given to the learner's object and what is expected of it."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose
from typing import Any

from lessons.evaluate.compare import interval
from lessons.exercises.comparing import Nearly, kind, letters, misplaced

Accept = Callable[..., bool | str]
"""Says of a result whether it is right. Instead of False, half a sentence: a `Nearly` if it is nearly right."""


@dataclass(frozen=True)
class Case:
    """One thing that the learner's object must get right."""

    when: str  # completes the sentence 'it goes wrong when …' and names the case, never the answer
    given: tuple[Any, ...] | None = None  # what a function is called with; without it the object itself is looked at
    expected: Any = None  # what must come out, or one of many right results, if it is given
    accept: Accept | None = None  # says what is right where many results are


def case(when: str, expected: Any, *given: Any) -> Case:
    """A case whose result is `expected`, or accepted by it if it is a function."""
    return Case(when, given, None, expected) if callable(expected) else Case(when, given, expected)


def call(learner: Callable[..., Any], *given: Any) -> Any:
    """How the object of a learner is used unless an exercise says otherwise."""
    return learner(*given)


@dataclass(frozen=True)
class Exercise:
    """A result in `slips` is nearly right in the plain case; its key, half a sentence, never tells the answer."""

    id: str
    title: str
    expects: str  # completes 'expects …'
    cases: Iterable[Case] | Callable[[], Iterable[Case]]  # what fails in the first is wrong, later nearly right
    slips: Mapping[str, Any] = field(default_factory=dict)
    use: Callable[..., Any] = call  # how the learner's object is called with what is given
    seconds: float | None = None  # for all cases together; None takes those of the settings
    of: str = "a function"  # the kind of object that is asked for
    hints: Sequence[str] = ()  # which lead to the answer step by step


# What is right where many results are

QUESTIONS = 115


def right_letters(right: str, why_not: Mapping[str, str]) -> Accept:
    """A question with one right letter or several; `why_not` says what speaks against other choices."""

    def accept(given: Any) -> bool | str:
        answer = letters(given)
        if answer is None and not isinstance(given, str):
            return f"what comes is {kind(given)}, not a text"
        if len(right) == 1:
            if answer is None or len(answer) > 1:
                return f"{given!r} is not one letter"
            return answer == right or f"{given!r} is not it: {why_not.get(answer, 'there is no such letter')}"
        if answer is None:
            return f"{given!r} is not it"
        in_order = "".join(sorted(answer))
        hint = "these are the ones, in another order" if in_order == right else why_not.get(in_order)
        return answer == right or (Nearly(f"{given!r} is not it yet: {hint}") if hint else False)

    return accept


def about(given: float) -> bool | str:
    """Nine times the questions, roughly."""
    off = abs(given / (9 * QUESTIONS) - 1)
    if 0.05 <= off < 0.2 and given != 8 * QUESTIONS:
        return Nearly(f"{given} is not it yet: it is close, and can be reckoned exactly")
    return off < 0.05


def gigabytes(given: float) -> bool | str:
    if isclose(given, 50e6 * 1_536 * 4 / 2**30, abs_tol=1.0):
        return Nearly(f"{given} is not it yet: this is in GiB, of 2³⁰ bytes")
    return isclose(given, 307.2, abs_tol=1.0)


def like_ours(given: Any, before: Sequence[float], after: Sequence[float]) -> bool | str:
    """Whether an interval is ours, a fourteenth of its width aside: other draws are within that, 90 % is not."""
    low, high = interval([b - a for a, b in zip(before, after, strict=True)])
    slack = (high - low) / 14 + 1e-6
    one, other = given
    for said, (first, last) in {
        "": (one, other),
        "the higher end comes first": (other, one),
        "it is that of before minus after": (-other, -one),
    }.items():
        if abs(first - low) <= slack and abs(last - high) <= slack:
            return Nearly(said) if said else True
    width = (other - one) / max(high - low, slack)
    if abs(one + other - low - high) < 6 * slack and not 0.9 < width < 1.1:
        if width > 1:
            paired = "draw questions with both their values, and take the mean of each draw"
            return Nearly(f"its middle is right, and it is too wide: {paired}")
        return Nearly("its middle is right, and it is too narrow for 95 %")
    return Nearly("it is close: draw more often") if max(abs(one - low), abs(other - high)) < 3 * slack else False


def fair(pair: Any, questions: Sequence[tuple[str, str]]) -> bool | str:
    """Whether two lists of ids share out all questions, each category to within one, and both lists to within one."""
    if kind(pair) != "a list" or len(pair) != 2 or any(kind(half) not in ("a list", "a set") for half in pair):
        return f"what comes is {kind(pair)}, not a pair of lists"
    category, (choose, report) = dict(questions), ([*half] for half in pair)
    if questions and set(choose) | set(report) <= set(questions):
        return Nearly("the lists hold whole questions, and their ids are asked for")
    said = "{0} is no question", "of {0} questions, {1} are in no list", "one question is in both lists"
    if wrong := misplaced([*choose, *report], category, *said):
        return wrong
    one, other = (Counter(category[id_] for id_ in half) for half in (choose, report))
    for name in sorted({*one, *other}):
        if abs(one[name] - other[name]) > 1:
            return Nearly(f"of the category {name!r}, one list has {one[name]} and the other {other[name]}")
    balanced = abs(len(choose) - len(report)) <= 1
    return balanced or Nearly(f"one list has {len(choose)} questions and the other {len(report)}")


def balanced(placed: Any, owners: Sequence[tuple[str, int]], servers: int) -> bool | str:
    """Whether every owner is placed once, and the fullest server within a third of what cannot be avoided."""
    if kind(placed) != "a list" or any(kind(server) not in ("a list", "a set") for server in placed):
        return f"what comes is {kind(placed)}, not a list of lists"
    if len(placed) != servers:
        return Nearly(f"there are {len(placed)} lists for {servers} servers")
    size_of, names = dict(owners), [name for server in placed for name in server]
    if owners and set(names) <= set(owners):
        return Nearly("the lists hold whole owners, and their names are asked for")
    told = "{0} is no owner", "of {0} owners, {1} are on no server", "one owner is on two servers"
    if wrong := misplaced(names, size_of, *told):
        return wrong
    at_most = max([sum(size_of.values()) / servers, *size_of.values()]) * 4 / 3
    fullest = max(sum(size_of[name] for name in server) for server in placed)
    said = f"the fullest server holds {fullest:,} chunks, and {at_most:,.0f} are the most that is accepted"
    return fullest <= at_most or Nearly(said)


ACCEPTS: dict[str, Accept] = {"06.1": about, "06.4": like_ours, "13.4": fair, "14.1": gigabytes, "14.4": balanced}
"""By the exercise's id: says of what came, and what was given, whether it is right."""
