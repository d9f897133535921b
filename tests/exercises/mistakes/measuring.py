"""What goes wrong in notebook 06."""

from collections import Counter
from math import log, log2

import numpy as np

from tests.exercises.mistakes import mistake, mistakes

mistakes("06.1", 345, 115, 10_000, 38, "nine times")


mistakes(
    "06.2",
    precision=lambda found, gold, k: len(set(found[:k]) & set(gold)) / k,
    of_what_is_found=lambda found, gold, k: len(set(found[:k]) & set(gold)) / max(len(found[:k]), 1),
    one_place_too_few=lambda found, gold, k: len(set(found[: k - 1]) & set(gold)) / len(gold),
    counts_repeats=lambda found, gold, k: sum(each in gold for each in found[:k]) / len(gold),
    of_at_most_k=lambda found, gold, k: len(set(found[:k]) & set(gold)) / max(len(set(found) & set(gold)), 1),
    of_what_can_be_found_among_k=lambda found, gold, k: len(set(found[:k]) & set(gold)) / min(k, len(gold)),
)


def gain(grades, discount=lambda rank: log2(1 + rank)):
    return sum(grade / discount(rank) for rank, grade in enumerate(grades, start=1))


mistakes(
    "06.3",
    without_the_ideal=lambda found, gold, k: gain(found[:k]),
)


@mistake("06.3")
def ideal_of_what_was_found(found, gold, k):
    ideal = gain(sorted(found, reverse=True)[:k])
    return gain(found[:k]) / ideal if ideal else 0.0


mistakes(
    "06.3",
    ideal_in_the_order_given=lambda found, gold, k: gain(found[:k]) / gain(gold[:k]),
)


@mistake("06.3")
def natural_logarithm_of_the_rank(found, gold, k):
    first = lambda rank: log(rank) or 1  # noqa: E731
    return gain(found[:k], first) / gain(sorted(gold, reverse=True)[:k], first)


mistakes(
    "06.3",
    forgets_k=lambda found, gold, k: gain(found) / gain(sorted(gold, reverse=True)),
    forgets_grades=lambda found, gold, k: gain([grade > 0 for grade in found[:k]]) / gain([1] * min(len(gold), k)),
)


def drawn(values, of):
    made = np.random.default_rng(0).integers(0, len(values), (4000, len(values)))
    return of(np.asarray(values)[made])


@mistake("06.4")
def unpaired(before, after):
    means = np.asarray(after)[np.random.default_rng(1).integers(0, len(after), (4000, len(after)))].mean(axis=1)
    low, high = np.percentile(means - drawn(before, lambda all_: all_.mean(axis=1)), [2.5, 97.5])
    return low, high


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


mistakes(
    "06.4",
    of_after_alone=lambda before, after: tuple(
        np.percentile(drawn(after, lambda all_: all_.mean(axis=1)), [2.5, 97.5])
    ),
)


@mistake("06.5")
def agreement_alone(one, other):
    return sum(a == b for a, b in zip(one, other, strict=True)) / len(one)


@mistake("06.5")
def chance_as_if_all_labels_were_equal(one, other):
    labels = set(one) | set(other)
    chance = 1 / len(labels)
    agreed = agreement_alone(one, other)
    return 1.0 if chance == 1 else (agreed - chance) / (1 - chance)


@mistake("06.5")
def forgets_to_divide(one, other):
    first, second = Counter(one), Counter(other)
    chance = sum(first[label] * second[label] for label in first) / len(one) ** 2
    return agreement_alone(one, other) - chance


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
