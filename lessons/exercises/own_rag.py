"""The exercises of notebook 13: margins, the cheapest stage, how many questions, and two halves of a set."""

from collections import Counter
from collections.abc import Callable, Sequence
from math import ceil
from random import Random
from typing import Any

from lessons.exercises.cases import Case, Cases, exercise, value
from lessons.exercises.comparing import Nearly, kind, letters

Stage = tuple[str, int, float]  # name, tokens, lower end

CATEGORIES = ["fact", "identifier", "comparison", "multi-part", "unanswerable"]


WHY_NOT = {
    "abcd": "one of them may lose more than the margin",
    "ac": "to be worse is not yet to be worse than the margin",
    "ad": "one more loses no more than the margin",
    "cd": "one more loses no more than the margin",
    "c": "this asks which are shown to be better, and the margin allows more",
    "abc": "only the lower end counts, not how high an interval reaches",
    "bc": "only the lower end counts, not how high an interval reaches",
    "b": "these are the ones that may not be taken",
}
"""What is off in a choice of stages."""


def _acceptable(given: Any) -> bool | str:
    answer = letters(given)
    if answer is None:
        return f"{given!r} is not it" if isinstance(given, str) else f"what comes is {kind(given)}, not a text"
    if answer != "acd" and "".join(sorted(answer)) == "acd":
        return Nearly(f"{given!r} is not it yet: these are the ones, in another order")
    if hint := WHY_NOT.get("".join(sorted(answer))):
        return Nearly(f"{given!r} is not it yet: {hint}")
    return answer == "acd"


value("13.1", "Not worse than a margin. Expects a text of letters, such as 'ab'.", None, accept=_acceptable)


def _cheapest(stages: Sequence[Stage], margin: float) -> Stage:
    return min((stage for stage in stages if stage[2] >= -margin), key=lambda stage: stage[1])


CHEAPEST = {
    "the whole stage comes, and its name is asked for": _cheapest,
    "its tokens come, and its name is asked for": lambda stages, margin: _cheapest(stages, margin)[1],
    "the one with the best lower end is taken, whatever it costs": lambda stages, margin: max(
        stages, key=lambda stage: stage[2]
    )[0],
    "the dearest of them comes": lambda stages, margin: max(stages, key=lambda stage: stage[1])[0],
}


@exercise("13.2", slips=CHEAPEST)
def cheapest(random: Random) -> Cases:
    """The cheapest acceptable stage. Expects a function of stages as (name, tokens, low) and a margin."""
    margin = random.choice([0.05, 0.1, 0.2])
    best = ("best", random.randint(5_000, 9_000), 0.0)
    cheap_and_bad = ("bad", random.randint(100, 900), -margin - 0.01)
    cheap = ("cheap", random.randint(1_000, 2_000), -margin / 2)
    dear = ("dear", random.randint(10_000, 20_000), -margin / 4)
    edge, first = ("edge", 50, -margin), ("first", cheap[1], -margin / 3)

    def case(when: str, stages: list[Stage], expected: str, margin: float = margin) -> Case:
        return Case(when, (random.sample(stages, len(stages)), margin), expected)

    yield case("a cheap stage is acceptable", [best, cheap, dear], "cheap")
    yield case("the cheapest of all loses too much", [best, cheap, cheap_and_bad], "cheap")
    yield case("no other stage is acceptable", [best, cheap_and_bad], "best")
    yield case("an interval ends exactly at the margin", [best, edge], "edge")
    yield case("the margin is 0", [best, cheap, dear], "best", 0.0)
    yield Case("two stages cost the same", ([best, first, cheap], margin), "first")


def _needed(n: int, half_width: float, margin: float) -> int:
    return ceil(n * (half_width / margin) ** 2)


NEEDED = {
    "twice the questions do not halve a width": lambda n, half_width, margin: ceil(n * half_width / margin),
    "it is rounded down": lambda n, half_width, margin: int(n * (half_width / margin) ** 2),
    "it is not rounded up": lambda n, half_width, margin: n * (half_width / margin) ** 2,
    "a wider interval needs more questions, not fewer": lambda n, half_width, margin: _needed(n, margin, half_width),
    "so many more, and asked is how many in all": lambda *given: _needed(*given) - given[0],
    "widths fall with the root of the number, not with its square": (
        lambda n, half_width, margin: ceil(n * (half_width / margin) ** 0.5)
    ),
}


@exercise("13.3", _needed, NEEDED)
def needed(random: Random) -> Cases:
    """How many questions. Expects a function of n, half_width and margin."""
    n, margin = random.randint(10, 200), random.choice([0.02, 0.05, 0.1])
    yield "the interval is wider than the margin", n, margin * random.uniform(1.5, 6), margin
    yield "the interval is narrower than the margin", n, margin * random.uniform(0.1, 0.9), margin
    yield "the interval has no width", n, 0.0, margin


@exercise("13.4")
def halves(random: Random) -> Cases:
    """Two halves of one set. Expects a function of questions as (id, category)."""
    for when, sizes in {
        "every category has an even number": [random.randrange(4, 12, 2) for _ in CATEGORIES],
        "some categories have an odd number": [random.randint(3, 11) for _ in CATEGORIES],
        "a category has one question only": [1, *(random.randint(2, 8) for _ in CATEGORIES[1:])],
    }.items():
        kinds = [kind for kind, size in zip(CATEGORIES, sizes, strict=True) for _ in range(size)]
        questions = [(f"q{number:03}", kind) for number, kind in enumerate(random.sample(kinds, len(kinds)))]
        yield Case(when, (questions,), accept=_fair(questions))
    yield Case("there are no questions", ([],), accept=lambda pair: [list(half) for half in pair] == [[], []])


def _fair(questions: Sequence[tuple[str, str]]) -> Callable[[Any], bool | str]:
    """Whether two lists of ids share out all questions, each category to within one, and both lists to within one."""
    category = dict(questions)

    def accept(pair: Any) -> bool | str:
        if kind(pair) != "a list" or len(pair) != 2 or any(kind(half) not in ("a list", "a set") for half in pair):
            return f"what comes is {kind(pair)}, not a pair of lists"
        choose, report = ([*half] for half in pair)
        if set(choose) | set(report) <= set(questions):
            return Nearly("the lists hold whole questions, and their ids are asked for")
        if sorted([*choose, *report]) != sorted(category):
            return _lost([*choose, *report], category)
        return _uneven(*(Counter(category[id_] for id_ in half) for half in (choose, report)))

    return accept


def _lost(shared: list[Any], category: dict[str, str]) -> str:
    if unknown := [each for each in shared if each not in category]:
        return f"{unknown[0]!r} is the id of no question"
    twice = len(shared) - len(set(shared))
    lost = len(category) - len(set(shared))
    return Nearly(f"of {len(category)} questions, {lost} are in no list" if lost else f"{twice} ids come twice")


def _uneven(choose: Counter[str], report: Counter[str]) -> str:
    """Where the lists differ by more than one question; empty if they do nowhere."""
    for name in sorted({*choose, *report}):
        if abs(choose[name] - report[name]) > 1:
            return Nearly(f"of the category {name!r}, one list has {choose[name]} and the other {report[name]}")
    one, other = choose.total(), report.total()
    return Nearly(f"one list has {one} questions and the other {other}") if abs(one - other) > 1 else ""
