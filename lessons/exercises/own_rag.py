"""The exercises of notebook 13."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import ceil
from random import Random
from typing import Any

from lessons.exercises.registry import Case, exercise

CATEGORIES = ["fact", "identifier", "comparison", "multi-part", "unanswerable"]


@exercise("13.1", "Not worse than a margin", "a text of letters, such as 'ab'", 1)
def acceptable(random: Random) -> Iterator[Case]:
    yield Case("all four intervals are looked at", expected="acd")


@exercise("13.2", "The cheapest acceptable stage", "a function of stages as (name, tokens, low) and a margin")
def cheapest(random: Random) -> Iterator[Case]:
    margin = random.choice([0.05, 0.1, 0.2])
    best = ("best", random.randint(5_000, 9_000), 0.0)
    cheap_and_bad = ("bad", random.randint(100, 900), -margin - 0.01)
    cheap = ("cheap", random.randint(1_000, 2_000), -margin / 2)
    dear = ("dear", random.randint(10_000, 20_000), -margin / 4)
    yield Case("a cheap stage is acceptable", (_mixed(random, best, cheap, dear), margin), "cheap")
    yield Case("the cheapest of all loses too much", (_mixed(random, best, cheap, cheap_and_bad), margin), "cheap")
    yield Case("no other stage is acceptable", (_mixed(random, best, cheap_and_bad), margin), "best")
    edge = ("edge", 50, -margin)
    yield Case("an interval ends exactly at the margin", (_mixed(random, best, edge), margin), "edge")
    yield Case("the margin is 0", (_mixed(random, best, cheap, dear), 0.0), "best")
    first = ("first", cheap[1], -margin / 3)
    yield Case("two stages cost the same", ([best, first, cheap], margin), "first")


def _mixed(random: Random, *stages: tuple[str, int, float]) -> list[tuple[str, int, float]]:
    return random.sample(stages, len(stages))


@exercise("13.3", "How many questions", "a function of n, half_width and margin")
def needed(random: Random) -> Iterator[Case]:
    n, margin = random.randint(10, 200), random.choice([0.02, 0.05, 0.1])
    for when, half_width in {
        "the interval is wider than the margin": margin * random.uniform(1.5, 6),
        "the interval is narrower than the margin": margin * random.uniform(0.1, 0.9),
        "the interval has no width": 0.0,
    }.items():
        yield Case(when, (n, half_width, margin), ceil(n * (half_width / margin) ** 2))


@exercise("13.4", "Two halves of one set", "a function of questions as (id, category)")
def halves(random: Random) -> Iterator[Case]:
    for when, sizes in {
        "every category has an even number": [random.randrange(4, 12, 2) for _ in CATEGORIES],
        "some categories have an odd number": [random.randint(3, 11) for _ in CATEGORIES],
        "a category has one question only": [1, *(random.randint(2, 8) for _ in CATEGORIES[1:])],
    }.items():
        kinds = [kind for kind, size in zip(CATEGORIES, sizes, strict=True) for _ in range(size)]
        questions = [(f"q{number:03}", kind) for number, kind in enumerate(random.sample(kinds, len(kinds)))]
        yield Case(when, (questions,), accept=_fair(questions))
    yield Case("there are no questions", ([],), accept=lambda pair: [list(half) for half in pair] == [[], []])


def _fair(questions: Sequence[tuple[str, str]]) -> Callable[[Any], bool]:
    """Whether two lists of ids share out all questions, each category to within one, and both lists to within one."""
    kind_of = dict(questions)

    def accept(pair: Any) -> bool:
        choose, report = ([*half] for half in pair)
        counts = [Counter(kind_of[id_] for id_ in half) for half in (choose, report)]
        shared = sorted([*choose, *report]) == sorted(kind_of)
        return shared and abs(len(choose) - len(report)) <= 1 and all(
            abs(counts[0][kind] - counts[1][kind]) <= 1 for kind in set(kind_of.values())
        )  # fmt: skip

    return accept
