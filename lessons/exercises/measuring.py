"""The exercises of notebook 06."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import log2
from random import Random
from statistics import fmean
from typing import Any

from lessons.evaluate.compare import interval
from lessons.exercises.nearly import Nearly
from lessons.exercises.registry import Case, exercise

QUESTIONS = 115


ENOUGH = {
    "an interval shrinks more slowly than the number of questions grows": 3 * QUESTIONS,
    "so many more, and asked is how many in all": 8 * QUESTIONS,
    "so many times as many, and asked is how many": 9,
}


@exercise("06.1", "How many questions?", "a number of questions", rounds=1, slips=ENOUGH)
def enough_questions(random: Random) -> Iterator[Case]:
    yield Case("the width is compared", expected=9 * QUESTIONS, accept=_about)


def _about(given: float) -> bool | str:
    off = abs(given / (9 * QUESTIONS) - 1)
    if 0.05 <= off < 0.2 and given != 8 * QUESTIONS:
        return Nearly(f"{given} is not it yet: it is close, and can be reckoned exactly")
    return off < 0.05


RECALL = {
    "this is Precision, the share of what was found": lambda found, gold, k: len(set(found[:k]) & set(gold)) / k,
    "this is how many, and asked is the share": lambda found, gold, k: len(set(found[:k]) & set(gold)),
    "this is whether any gold is found, and asked is how much": lambda found, gold, k: 1.0,
    "place k is left out": lambda found, gold, k: len(set(found[: k - 1]) & set(gold)) / len(gold),
    "places behind k count, too": lambda found, gold, k: len(set(found) & set(gold)) / len(gold),
}


@exercise("06.2", "Recall at k", "a function of found ids (best first), gold ids, and k", slips=RECALL)
def recall_at(random: Random) -> Iterator[Case]:
    ids = random.sample("abcdefghijklmnopqrst", 12)
    gold = [ids[1], ids[4], ids[9], "z"]
    yield _recall("some of the gold is found", ids, gold, 5)
    yield _recall("gold stands at the very last place that counts", ids, gold, 10)
    yield _recall("all gold is found at once", ids, ids[:2], 5)
    yield _recall("fewer are found than k", ids[:3], gold, 10)
    yield _recall("a document is found twice", [ids[1], ids[1], ids[4]], gold, 5)
    yield _recall("nothing is found", [], gold, 5)


NDCG = {
    "the sum is not yet divided by that of the best possible order": lambda found, gold, k: _gain(found[:k]),
    "the best possible order is that of all gold, not of what was found": lambda found, gold, k: (
        _gain(found[:k]) / _gain(sorted(found, reverse=True)[:k])
    ),
    "the best possible order begins with the highest grade": lambda found, gold, k: _gain(found[:k]) / _gain(gold[:k]),
    "what counts is the grade, not only that there is one": lambda found, gold, k: (
        _gain([float(grade > 0) for grade in found[:k]]) / _gain([1.0] * len(gold[:k]))
    ),
}


@exercise(
    "06.3",
    "nDCG at k",
    "a function of grades of the found documents (best first), grades of all gold, and k",
    slips=NDCG,
)
def ndcg_at(random: Random) -> Iterator[Case]:
    gold = [float(random.randint(1, 3)) for _ in range(4)]
    found = random.sample([*gold[:3], *[0.0] * 7], 10)
    yield _ndcg("some of the gold is found", [0.0, *gold[:2], *[0.0] * 7], gold, 10)
    yield _ndcg("the gold has several grades", found, gold, 10)
    yield _ndcg("the order is the best possible", sorted(gold, reverse=True), gold, 10)
    yield _ndcg("k is smaller than the lists", found, gold, 3)
    yield _ndcg("fewer are found than there is gold", [gold[3]], gold, 10)
    yield _ndcg("nothing is found", [], gold, 10)


@exercise("06.4", "A paired interval", "a function of two lists, the values before and after", rounds=3, seconds=20)
def paired_interval(random: Random) -> Iterator[Case]:
    hard = [random.random() * 0.8 for _ in range(80)]
    noise = [random.uniform(-0.05, 0.15) for _ in hard]
    after = [value + change for value, change in zip(hard, noise, strict=True)]
    yield _interval("after is a little better for most questions", hard, after)
    yield _interval("after is worse", after, hard)
    yield _interval("every question gains the same", hard, [value + 0.1 for value in hard])
    yield _interval("nothing has changed", hard, list(hard))
    few = random.sample(range(80), 10)
    yield _interval("there are ten questions", [hard[i] for i in few], [after[i] for i in few])


KAPPA = {
    "this is the agreement, chance and all": lambda one, other: _agreed(one, other),
    "it is not yet divided by the most that it can be": lambda one, other: _agreed(one, other) - _chance(one, other),
    "chance is taken from one rater, and there are two": lambda one, other: (
        (_agreed(one, other) - _chance(one, one)) / (1 - _chance(one, one))
    ),
    "chance depends on how often each label is given": lambda one, other: (
        (_agreed(one, other) - 1 / len({*one, *other})) / (1 - 1 / len({*one, *other}))
    ),
}


@exercise("06.5", "Cohen's kappa", "a function of two lists of labels of the same length", slips=KAPPA)
def kappa(random: Random) -> Iterator[Case]:
    labels = [random.choice(["right", "right", "nearly", "wrong"]) for _ in range(40)]
    judged = [random.choice([label, label, label, "wrong"]) for label in labels]
    yield _kappa("they agree on most", labels, judged)
    yield _kappa("they agree on everything", labels, list(labels))
    often, seldom = ["right"] * 38 + ["wrong"] * 2, ["wrong"] * 2 + ["right"] * 38
    yield _kappa("one label is far more frequent than the other", often, seldom)
    yield _kappa("they never agree", ["right", "wrong"] * 9, ["wrong", "right"] * 9)
    yield _kappa("one of them uses a label that the other does not", labels, ["unsure", *judged[1:]])
    yield Case("both give one and the same label to everything", (["right"] * 9, ["right"] * 9), 1.0)


def _recall(when: str, found: Sequence[str], gold: Sequence[str], k: int) -> Case:
    return Case(when, (found, gold, k), len(set(found[:k]) & set(gold)) / len(gold))


def _ndcg(when: str, found: Sequence[float], gold: Sequence[float], k: int) -> Case:
    return Case(when, (found, gold, k), _gain(found[:k]) / _gain(sorted(gold, reverse=True)[:k]))


def _gain(grades: Sequence[float]) -> float:
    return sum(grade / log2(1 + rank) for rank, grade in enumerate(grades, start=1))


def _interval(when: str, before: Sequence[float], after: Sequence[float]) -> Case:
    low, high = interval([b - a for a, b in zip(before, after, strict=True)])
    return Case(when, (before, after), accept=_close_to(low, high))


def _close_to(low: float, high: float) -> Callable[[Any], bool | str]:
    """Whether an interval is this one, a fifth of its width aside: nobody draws the same questions again."""
    slack = (high - low) / 5 + 1e-6

    def near(one: float, other: float) -> bool:
        return abs(one - low) <= slack and abs(other - high) <= slack

    def accept(given: Any) -> bool | str:
        one, other = given
        if near(one, other):
            return True
        if near(other, one):
            return Nearly("the higher end comes first")
        if near(-other, -one):
            return Nearly("it is that of before minus after")
        if near(one / 100, other / 100):
            return Nearly("it is 100 times too large; mind the unit")
        width = (other - one) / max(high - low, slack)
        if abs(one + other - low - high) < 2 * slack and not 0.8 < width < 1.2:
            wide = "wide: draw questions with both their values, and take the mean of each draw"
            return Nearly(f"its middle is right, and it is too {wide if width > 1 else 'narrow for 95 %'}")
        return False

    return accept


def _kappa(when: str, one: Sequence[str], other: Sequence[str]) -> Case:
    agreed, chance = _agreed(one, other), _chance(one, other)
    return Case(when, (one, other), 1.0 if chance == 1 else (agreed - chance) / (1 - chance))


def _agreed(one: Sequence[str], other: Sequence[str]) -> float:
    return fmean(a == b for a, b in zip(one, other, strict=True))


def _chance(one: Sequence[str], other: Sequence[str]) -> float:
    first, second = Counter(one), Counter(other)
    return sum(first[label] * second[label] for label in first) / len(one) ** 2
