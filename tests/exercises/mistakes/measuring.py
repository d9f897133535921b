"""What goes wrong in notebook 06."""

from collections import Counter
from math import log2

import numpy as np

from tests.exercises.mistakes import mistake, mistakes

mistakes("06.1", 345, "nine times")


mistakes(
    "06.2",
    counts_repeats=lambda found, gold, k: sum(each in gold for each in found[:k]) / len(gold),
    of_what_can_be_found_among_k=lambda found, gold, k: len(set(found[:k]) & set(gold)) / min(k, len(gold)),
    counts_to_k_without_repeats=lambda found, gold, k: len({*list(dict.fromkeys(found))[:k]} & {*gold}) / len(gold),
)


def gain(grades):
    return sum(grade / log2(1 + rank) for rank, grade in enumerate(grades, start=1))


mistakes("06.3", forgets_k=lambda found, gold, k: gain(found) / gain(sorted(gold, reverse=True)))


def drawn(values, of):
    made = np.random.default_rng(0).integers(0, len(values), (4000, len(values)))
    return of(np.asarray(values)[made])


@mistake("06.4")
def the_wrong_way_round(before, after):
    change = np.asarray(before) - np.asarray(after)
    return tuple(np.percentile(drawn(change, lambda all_: all_.mean(axis=1)), [2.5, 97.5]))


mistakes(
    "06.4",
    of_the_questions_not_of_their_mean=lambda before, after: tuple(
        np.percentile(np.asarray(after) - np.asarray(before), [2.5, 97.5])
    ),
)


@mistake("06.4")
def of_half_the_draws(before, after):
    change = np.asarray(after) - np.asarray(before)
    return tuple(np.percentile(drawn(change, lambda all_: all_.mean(axis=1)), [25, 75]))


def agreement_alone(one, other):
    return sum(a == b for a, b in zip(one, other, strict=True)) / len(one)


@mistake("06.5")
def divides_by_zero(one, other):
    first, second = Counter(one), Counter(other)
    chance = sum(first[label] * second[label] for label in first) / len(one) ** 2
    return (agreement_alone(one, other) - chance) / (1 - chance)


@mistake("06.5")
def chance_of_one_side_only(one, other):
    first = Counter(one)
    chance = sum(count**2 for count in first.values()) / len(one) ** 2
    return 1.0 if chance == 1 else (agreement_alone(one, other) - chance) / (1 - chance)
