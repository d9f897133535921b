"""What goes wrong in notebook 16."""

from collections import Counter

from tests.exercises.mistakes import mistake, mistakes

mistakes("16.1", "b", "c")


def dot(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))


mistakes(
    "16.2",
    never_below_zero=lambda asked, passage: sum(max([0, *(dot(one, other) for other in passage)]) for one in asked),
    the_other_way_round=lambda asked, passage: sum(max(dot(one, other) for one in asked) for other in passage),
    fails_on_an_empty_passage=lambda asked, passage: sum(max(dot(one, other) for other in passage) for one in asked),
)


@mistake("16.3")
def once_for_each_piece(hits, parent):
    whole, hit_of = Counter(parent.values()), Counter(parent[hit] for hit in hits)
    return [parent[hit] if hit_of[parent[hit]] > whole[parent[hit]] / 2 else hit for hit in hits]


@mistake("16.3")
def chunks_before_pieces(hits, parent):
    whole, hit_of = Counter(parent.values()), Counter(parent[hit] for hit in hits)
    full = [each for each in hit_of if hit_of[each] > whole[each] / 2]
    return [*full, *(hit for hit in hits if parent[hit] not in full)]


def of_one_chunk(hit, parent, around):
    numbers = range(max(0, hit - around), min(len(parent), hit + around + 1))
    within = [each for each in numbers if parent[each] == parent[hit]]
    return within[0], within[-1]


def joined(hits, parent, around, touch):
    made = []
    for hit in hits:
        new = of_one_chunk(hit, parent, around)
        near = [each for each in made if touch(each, new)]
        at = made.index(near[0]) if near else len(made)
        made = [each for each in made if each not in near]
        made.insert(at, (min(each[0] for each in [new, *near]), max(each[1] for each in [new, *near])))
    return made


mistakes(
    "16.4",
    one_window_for_a_chunk=lambda hits, parent, around: joined(
        hits, parent, around, lambda one, other: parent[one[0]] == parent[other[0]]
    ),
)


@mistake("16.4")
def joined_with_the_first_neighbour_only(hits, parent, around):
    made = []
    for hit in hits:
        first, last = of_one_chunk(hit, parent, around)
        for place, (start, end) in enumerate(made):
            if parent[start] == parent[hit] and start <= last + 1 and first <= end + 1:
                made[place] = min(first, start), max(last, end)
                break
        else:
            made.append((first, last))
    return made


def runs(hits, parent, around):
    """The windows in the order of the text."""
    windows, made = [of_one_chunk(hit, parent, around) for hit in hits], []
    for each in sorted({each for first, last in windows for each in range(first, last + 1)}):
        if made and each == made[-1][1] + 1 and parent[each] == parent[made[-1][0]]:
            made[-1] = (made[-1][0], each)
        else:
            made.append((each, each))
    return made


mistakes("16.4", runs)


def placed(made, hits, which):
    """The windows in the order of their best or weakest hits."""
    return sorted(made, key=lambda each: which(place for place, hit in enumerate(hits) if each[0] <= hit <= each[1]))


mistakes("16.4", one_neighbour_whatever_is_asked=lambda hits, parent, around: placed(runs(hits, parent, 1), hits, min))
