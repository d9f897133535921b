"""The exercises of notebooks 06 and 13: metrics, intervals, agreement; margins, costs, and two halves of a set."""

from collections import Counter
from collections.abc import Callable, Sequence
from math import log2
from random import Random
from typing import Any

from lessons.evaluate.compare import interval
from lessons.exercises.cases import case, exercise, value, worked_out
from lessons.exercises.comparing import Nearly, kind, letters, misplaced

QUESTIONS = 115


def _about(given: float) -> bool | str:
    off = abs(given / (9 * QUESTIONS) - 1)
    if 0.05 <= off < 0.2 and given != 8 * QUESTIONS:
        return Nearly(f"{given} is not it yet: it is close, and can be reckoned exactly")
    return off < 0.05


def _gain(grades: Sequence[float]) -> float:
    return sum(grade / log2(1 + rank) for rank, grade in enumerate(grades, start=1))


def _ndcg(found: Sequence[float], gold: Sequence[float], k: int) -> float:
    return _gain(found[:k]) / _gain(sorted(gold, reverse=True)[:k])


def _like_ours(before: Sequence[float], after: Sequence[float]) -> Callable[[Any], bool | str]:
    """Whether an interval is ours, a fifth of its width aside: nobody draws the same questions again."""

    def accept(given: Any) -> bool | str:
        low, high = interval([b - a for a, b in zip(before, after, strict=True)])
        slack = (high - low) / 5 + 1e-6
        one, other = given
        for said, (first, last) in {
            "": (one, other),
            "the higher end comes first": (other, one),
            "it is that of before minus after": (-other, -one),
            "it is 100 times too large; mind the unit": (one / 100, other / 100),
        }.items():
            if abs(first - low) <= slack and abs(last - high) <= slack:
                return Nearly(said) if said else True
        width = (other - one) / max(high - low, slack)
        if abs(one + other - low - high) < 2 * slack and not 0.8 < width < 1.2:
            wide = "wide: draw questions with both their values, and take the mean of each draw"
            return Nearly(f"its middle is right, and it is too {wide if width > 1 else 'narrow for 95 %'}")
        return False

    return accept


# fmt: off
value("06.1", "How many questions?", "a number of questions", 9 * QUESTIONS, {
    "an interval shrinks more slowly than the number of questions grows": 3 * QUESTIONS,
    "so many more, and asked is how many in all": 8 * QUESTIONS,
    "so many times as many, and asked is how many": 9,
}, _about)

IDS, GOLD = list("abcdefghijkl"), list("bejz")

exercise("06.2", "Recall at k", "a function of found ids (best first), gold ids, and k", [
    case("some of the gold is found", 0.5, IDS, GOLD, 5),
    case("gold stands at the very last place that counts", 0.75, IDS, GOLD, 10),
    case("all gold is found at once", 1.0, IDS, IDS[:2], 5),
    case("fewer are found than k", 0.25, IDS[:3], GOLD, 10),
    case("a document is found twice", 0.5, ["b", "b", "e"], GOLD, 5),
    case("nothing is found", 0.0, [], GOLD, 5),
], {
    "this is Precision, the share of what was found": 0.4,
    "this is how many, and asked is the share": 2,
    "this is whether any gold is found, and asked is how much": 1.0,
    "place k is left out": 0.25,
    "places behind k count, too": 0.75,
})

FOUND, GRADES = [0.0, 2.0, 3.0, 0.0, 0.0, 1.0], [2.0, 3.0, 1.0, 2.0]

GRADED = "a function of grades of the found documents (best first), grades of all gold, and k"
exercise("06.3", "nDCG at k", GRADED, worked_out(_ndcg, {
    "some of the gold is found": (FOUND, GRADES, 10),
    "the order is the best possible": ([3.0, 2.0, 2.0, 1.0], GRADES, 10),
    "k is smaller than the lists": (FOUND, GRADES, 3),
    "fewer are found than there is gold": ([1.0], GRADES, 10),
    "nothing is found": ([], GRADES, 10),
}), {
    "the sum is not yet divided by that of the best possible order": _gain(FOUND),
    "the best possible order is that of all gold, not of what was found": _ndcg(FOUND, FOUND, 10),
    "the best possible order begins with the highest grade": _gain(FOUND) / _gain(GRADES),
    "what counts is the grade, not only that there is one": _ndcg([0, 1, 1, 0, 0, 1], [1] * 4, 10),
})

DRAWN = Random(6)
BEFORE = [DRAWN.random() * 0.8 for _ in range(80)]
AFTER = [before + DRAWN.uniform(-0.05, 0.15) for before in BEFORE]

exercise("06.4", "A paired interval", "a function of two lists, the values before and after", [
    case(when, _like_ours(*pair), *pair) for when, pair in {
        "after is a little better for most questions": (BEFORE, AFTER),
        "after is worse": (AFTER, BEFORE),
        "every question gains the same": (BEFORE, [before + 0.1 for before in BEFORE]),
        "nothing has changed": (BEFORE, BEFORE),
        "there are ten questions": (BEFORE[:10], AFTER[:10]),
    }.items()
], seconds=20)

R, N, W = "right", "nearly", "wrong"
ONE, OTHER = [R, R, R, R, R, N, N, N, W, W], [R, R, R, R, W, N, N, W, W, W]

exercise("06.5", "Cohen's kappa", "a function of two lists of labels of the same length", [
    case("they agree on most", (0.8 - 0.34) / 0.66, ONE, OTHER),
    case("they agree on everything", 1.0, ONE, ONE),
    case("one label is far more frequent than the other", (0.9 - 0.905) / 0.095,
         [R] * 38 + [W] * 2, [W] * 2 + [R] * 38),
    case("they never agree", -1.0, [R, W] * 9, [W, R] * 9),
    case("one of them uses a label that the other does not", (0.7 - 0.29) / 0.71, ONE, ["unsure", *OTHER[1:]]),
    case("both give one and the same label to everything", 1.0, [R] * 9, [R] * 9),
], {
    "this is the agreement, chance and all": 0.8,
    "it is not yet divided by the most that it can be": 0.8 - 0.34,
    "chance is taken from one rater, and there are two": (0.8 - 0.38) / 0.62,
    "chance depends on how often each label is given": (0.8 - 1 / 3) / (2 / 3),
})
# fmt: on

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
    in_order = "".join(sorted(answer))
    hint = "these are the ones, in another order" if in_order == "acd" else WHY_NOT.get(in_order)
    return answer == "acd" or (Nearly(f"{given!r} is not it yet: {hint}") if hint else False)


def _fair(questions: Sequence[tuple[str, str]]) -> Callable[[Any], bool | str]:
    """Whether two lists of ids share out all questions, each category to within one, and both lists to within one."""
    category = dict(questions)

    def accept(pair: Any) -> bool | str:
        if kind(pair) != "a list" or len(pair) != 2 or any(kind(half) not in ("a list", "a set") for half in pair):
            return f"what comes is {kind(pair)}, not a pair of lists"
        choose, report = ([*half] for half in pair)
        if questions and set(choose) | set(report) <= set(questions):
            return Nearly("the lists hold whole questions, and their ids are asked for")
        wrong = misplaced([*choose, *report], category, "question", "in no list", "in both lists")
        return wrong or _uneven(*(Counter(category[id_] for id_ in half) for half in (choose, report)))

    return accept


def _uneven(choose: Counter[str], report: Counter[str]) -> bool | str:
    """Where the lists differ by more than one question; True if they do nowhere."""
    for name in sorted({*choose, *report}):
        if abs(choose[name] - report[name]) > 1:
            return Nearly(f"of the category {name!r}, one list has {choose[name]} and the other {report[name]}")
    one, other = choose.total(), report.total()
    return abs(one - other) <= 1 or Nearly(f"one list has {one} questions and the other {other}")


def _questions(**counts: int) -> list[tuple[str, str]]:
    """So many questions of each category, mixed."""
    kinds = [category for category, count in counts.items() for _ in range(count)]
    return [(f"q{number:03}", category) for number, category in enumerate(Random(13).sample(kinds, len(kinds)))]


# fmt: off
value("13.1", "Not worse than a margin", "a text of letters, such as 'ab'", None, {}, _acceptable)

BEST, CHEAP, DEAR, BAD = ("best", 7_000, 0.0), ("cheap", 1_500, -0.05), ("dear", 15_000, -0.02), ("bad", 500, -0.11)

exercise("13.2", "The cheapest acceptable stage", "a function of stages as (name, tokens, low) and a margin", [
    case("a cheap stage is acceptable", "cheap", [BEST, CHEAP, DEAR], 0.1),
    case("the cheapest of all loses too much", "cheap", [BAD, BEST, CHEAP], 0.1),
    case("no other stage is acceptable", "best", [BAD, BEST], 0.1),
    case("an interval ends exactly at the margin", "edge", [BEST, ("edge", 50, -0.1)], 0.1),
    case("the margin is 0", "best", [DEAR, CHEAP, BEST], 0.0),
    case("two stages cost the same", "first", [BEST, ("first", 1_500, -0.03), CHEAP], 0.1),
], {
    "the whole stage comes, and its name is asked for": CHEAP,
    "its tokens come, and its name is asked for": 1_500,
    "the one with the best lower end is taken, whatever it costs": "best",
    "the dearest of them comes": "dear",
})

exercise("13.3", "How many questions", "a function of n, half_width and margin", [
    case("the interval is wider than the margin", 684, 100, 0.1307, 0.05),
    case("the interval is narrower than the margin", 30, 100, 0.027, 0.05),
    case("the interval has no width", 0, 100, 0.0, 0.05),
], {
    "twice the questions do not halve a width": 262,
    "it is rounded down": 683,
    "it is not rounded up": 100 * (0.1307 / 0.05) ** 2,
    "a wider interval needs more questions, not fewer": 15,
    "so many more, and asked is how many in all": 584,
    "widths fall with the root of the number, not with its square": 162,
})

exercise("13.4", "Two halves of one set", "a function of questions as (id, category)", [
    case(when, _fair(questions), questions) for when, questions in {
        "every category has an even number": _questions(fact=8, comparison=4, summary=6, inference=10),
        "some categories have an odd number": _questions(fact=7, comparison=3, summary=5, inference=9, identifier=11),
        "a category has one question only": _questions(fact=1, comparison=5, summary=2, inference=8),
        "there are no questions": [],
    }.items()
])
