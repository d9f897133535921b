"""What goes wrong in notebook 16."""

from collections import Counter

from tests.exercises.mistakes import mistake, mistakes

mistakes("16.1", "b", "c", "ab", 0)


def dot(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))


@mistake("16.2")
def only_the_best_pair(asked, passage):
    return max((dot(one, other) for one in asked for other in passage), default=0)


@mistake("16.2")
def all_pairs(asked, passage):
    return sum(dot(one, other) for one in asked for other in passage)


@mistake("16.2")
def never_below_zero(asked, passage):
    return sum(max([0, *(dot(one, other) for other in passage)]) for one in asked)


@mistake("16.2")
def the_other_way_round(asked, passage):
    return sum(max(dot(one, other) for one in asked) for other in passage)


@mistake("16.2")
def fails_on_an_empty_passage(asked, passage):
    return sum(max(dot(one, other) for other in passage) for one in asked)


@mistake("16.3")
def at_half(hits, parent):
    whole, hit_of = Counter(parent.values()), Counter(parent[hit] for hit in hits)
    full = {each for each in hit_of if hit_of[each] >= whole[each] / 2}
    return list(dict.fromkeys(parent[hit] if parent[hit] in full else hit for hit in hits))


@mistake("16.3")
def once_for_each_piece(hits, parent):
    whole, hit_of = Counter(parent.values()), Counter(parent[hit] for hit in hits)
    return [parent[hit] if hit_of[parent[hit]] > whole[parent[hit]] / 2 else hit for hit in hits]


@mistake("16.3")
def merged_ones_last(hits, parent):
    whole, hit_of = Counter(parent.values()), Counter(parent[hit] for hit in hits)
    full = [each for each in hit_of if hit_of[each] > whole[each] / 2]
    return [hit for hit in hits if parent[hit] not in full] + full


@mistake("16.3")
def always_merged(hits, parent):
    return list(dict.fromkeys(parent[hit] for hit in hits))
