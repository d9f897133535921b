"""What goes wrong in notebook 17."""

from math import ceil
from statistics import NormalDist

from tests.exercises.mistakes import mistake, mistakes

z = NormalDist().inv_cdf

mistakes("17.1", "a", "c")


mistakes("17.2", without_power=lambda spread, difference: ceil((z(0.995) * spread / difference) ** 2))


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
