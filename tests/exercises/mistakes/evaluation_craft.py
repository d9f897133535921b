"""What goes wrong in notebook 17."""

from math import ceil, floor
from statistics import NormalDist

from tests.exercises.mistakes import mistake, mistakes

z = NormalDist().inv_cdf

mistakes("17.1", "a", "c", "ab", 30)


mistakes(
    "17.2",
    without_power=lambda spread, difference: ceil((z(0.995) * spread / difference) ** 2),
    one_sided=lambda spread, difference: ceil(((z(0.99) + z(0.8)) * spread / difference) ** 2),
    without_the_square=lambda spread, difference: ceil((z(0.995) + z(0.8)) * spread / difference),
    rounded_down=lambda spread, difference: floor(((z(0.995) + z(0.8)) * spread / difference) ** 2),
)


@mistake("17.3")
def by_place(before, after):
    pairs = list(zip(before, after, strict=False))
    lost = [old[0] for old, new in pairs if old[1] and not new[1]]
    won = [old[0] for old, new in pairs if new[1] and not old[1]]
    return sorted(lost), sorted(won), []


@mistake("17.3")
def new_questions_count_as_won(before, after):
    old, new = dict(before), dict(after)
    lost = [each for each in old if old[each] and not new.get(each)]
    won = [each for each in new if new[each] and not old.get(each)]
    return sorted(lost), sorted(won), sorted(set(old) ^ set(new))


@mistake("17.3")
def in_the_order_of_the_run(before, after):
    old, new = dict(before), dict(after)
    lost = [each for each in old if each in new and old[each] and not new[each]]
    won = [each for each in old if each in new and new[each] and not old[each]]
    return lost, won, sorted(set(old) ^ set(new))


@mistake("17.3")
def forgets_what_is_gone(before, after):
    old, new = dict(before), dict(after)
    both = sorted(set(old) & set(new))
    lost = [each for each in both if old[each] and not new[each]]
    won = [each for each in both if new[each] and not old[each]]
    return lost, won, sorted(set(new) - set(old))
