"""The exercises of notebook 06: metrics, intervals, and agreement."""

from collections import Counter
from collections.abc import Callable, Sequence
from math import log2
from random import Random
from statistics import fmean
from typing import Any

from lessons.evaluate.compare import interval
from lessons.exercises.cases import Case, Cases, exercise, value
from lessons.exercises.comparing import Nearly

QUESTIONS = 115
ENOUGH = {
    "an interval shrinks more slowly than the number of questions grows": 3 * QUESTIONS,
    "so many more, and asked is how many in all": 8 * QUESTIONS,
    "so many times as many, and asked is how many": 9,
}


def _about(given: float) -> bool | str:
    off = abs(given / (9 * QUESTIONS) - 1)
    if 0.05 <= off < 0.2 and given != 8 * QUESTIONS:
        return Nearly(f"{given} is not it yet: it is close, and can be reckoned exactly")
    return off < 0.05


value("06.1", "How many questions? Expects a number of questions.", 9 * QUESTIONS, ENOUGH, _about)


def _recall(found: Sequence[str], gold: Sequence[str], k: int) -> float:
    return len(set(found[:k]) & set(gold)) / len(gold)


RECALL = {
    "this is Precision, the share of what was found": lambda found, gold, k: _recall(found, gold, k) * len(gold) / k,
    "this is how many, and asked is the share": lambda found, gold, k: len(set(found[:k]) & set(gold)),
    "this is whether any gold is found, and asked is how much": lambda found, gold, k: 1.0,
    "place k is left out": lambda found, gold, k: _recall(found, gold, k - 1),
    "places behind k count, too": lambda found, gold, k: _recall(found, gold, len(found)),
}


@exercise("06.2", _recall, RECALL)
def recall_at(random: Random) -> Cases:
    """Recall at k. Expects a function of found ids (best first), gold ids, and k."""
    ids = random.sample("abcdefghijklmnopqrst", 12)
    gold = [ids[1], ids[4], ids[9], "z"]
    yield "some of the gold is found", ids, gold, 5
    yield "gold stands at the very last place that counts", ids, gold, 10
    yield "all gold is found at once", ids, ids[:2], 5
    yield "fewer are found than k", ids[:3], gold, 10
    yield "a document is found twice", [ids[1], ids[1], ids[4]], gold, 5
    yield "nothing is found", [], gold, 5


def _gain(grades: Sequence[float]) -> float:
    return sum(grade / log2(1 + rank) for rank, grade in enumerate(grades, start=1))


def _ndcg(found: Sequence[float], gold: Sequence[float], k: int) -> float:
    return _gain(found[:k]) / _gain(sorted(gold, reverse=True)[:k])


NDCG = {
    "the sum is not yet divided by that of the best possible order": lambda found, gold, k: _gain(found[:k]),
    "the best possible order is that of all gold, not of what was found": lambda found, gold, k: _ndcg(found, found, k),
    "the best possible order begins with the highest grade": lambda found, gold, k: _gain(found[:k]) / _gain(gold[:k]),
    "what counts is the grade, not only that there is one": lambda found, gold, k: _ndcg(
        [float(grade > 0) for grade in found], [1.0] * len(gold), k
    ),
}


@exercise("06.3", _ndcg, NDCG)
def ndcg_at(random: Random) -> Cases:
    """nDCG at k. Expects a function of grades of the found documents (best first), grades of all gold, and k."""
    gold = [float(random.randint(1, 3)) for _ in range(4)]
    found = random.sample([*gold[:3], *[0.0] * 7], 10)
    yield "some of the gold is found", [0.0, *gold[:2], *[0.0] * 7], gold, 10
    yield "the gold has several grades", found, gold, 10
    yield "the order is the best possible", sorted(gold, reverse=True), gold, 10
    yield "k is smaller than the lists", found, gold, 3
    yield "fewer are found than there is gold", [gold[3]], gold, 10
    yield "nothing is found", [], gold, 10


def _like_ours(before: Sequence[float], after: Sequence[float]) -> Callable[[Any], bool | str]:
    """Whether an interval is ours, a fifth of its width aside: nobody draws the same questions again."""
    low, high = interval([b - a for a, b in zip(before, after, strict=True)])
    slack = (high - low) / 5 + 1e-6

    def near(one: float, other: float) -> bool:
        return abs(one - low) <= slack and abs(other - high) <= slack

    def accept(given: Any) -> bool | str:
        one, other = given
        if near(one, other):
            return True
        for said, pair in {
            "the higher end comes first": (other, one),
            "it is that of before minus after": (-other, -one),
            "it is 100 times too large; mind the unit": (one / 100, other / 100),
        }.items():
            if near(*pair):
                return Nearly(said)
        width = (other - one) / max(high - low, slack)
        if abs(one + other - low - high) < 2 * slack and not 0.8 < width < 1.2:
            wide = "wide: draw questions with both their values, and take the mean of each draw"
            return Nearly(f"its middle is right, and it is too {wide if width > 1 else 'narrow for 95 %'}")
        return False

    return accept


@exercise("06.4", rounds=3, seconds=20)
def paired_interval(random: Random) -> Cases:
    """A paired interval. Expects a function of two lists, the values before and after."""
    hard = [random.random() * 0.8 for _ in range(80)]
    after = [before + random.uniform(-0.05, 0.15) for before in hard]
    few = random.sample(range(80), 10)
    for when, pair in {
        "after is a little better for most questions": (hard, after),
        "after is worse": (after, hard),
        "every question gains the same": (hard, [before + 0.1 for before in hard]),
        "nothing has changed": (hard, list(hard)),
        "there are ten questions": ([hard[i] for i in few], [after[i] for i in few]),
    }.items():
        yield Case(when, pair, accept=_like_ours(*pair))


def _agreed(one: Sequence[str], other: Sequence[str]) -> float:
    return fmean(a == b for a, b in zip(one, other, strict=True))


def _chance(one: Sequence[str], other: Sequence[str]) -> float:
    first, second = Counter(one), Counter(other)
    return sum(first[label] * second[label] for label in first) / len(one) ** 2


def _beyond(chance: float, agreed: float) -> float:
    return 1.0 if chance == 1 else (agreed - chance) / (1 - chance)


def _kappa(one: Sequence[str], other: Sequence[str]) -> float:
    return _beyond(_chance(one, other), _agreed(one, other))


KAPPA = {
    "this is the agreement, chance and all": lambda one, other: _agreed(one, other),
    "it is not yet divided by the most that it can be": lambda one, other: _agreed(one, other) - _chance(one, other),
    "chance is taken from one rater, and there are two": lambda one, other: _beyond(
        _chance(one, one), _agreed(one, other)
    ),
    "chance depends on how often each label is given": lambda one, other: _beyond(
        1 / len({*one, *other}), _agreed(one, other)
    ),
}


@exercise("06.5", _kappa, KAPPA)
def kappa(random: Random) -> Cases:
    """Cohen's kappa. Expects a function of two lists of labels of the same length."""
    labels = [random.choice(["right", "right", "nearly", "wrong"]) for _ in range(40)]
    judged = [random.choice([label, label, label, "wrong"]) for label in labels]
    yield "they agree on most", labels, judged
    yield "they agree on everything", labels, list(labels)
    often, seldom = ["right"] * 38 + ["wrong"] * 2, ["wrong"] * 2 + ["right"] * 38
    yield "one label is far more frequent than the other", often, seldom
    yield "they never agree", ["right", "wrong"] * 9, ["wrong", "right"] * 9
    yield "one of them uses a label that the other does not", labels, ["unsure", *judged[1:]]
    yield "both give one and the same label to everything", ["right"] * 9, ["right"] * 9
