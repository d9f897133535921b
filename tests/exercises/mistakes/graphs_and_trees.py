"""What goes wrong in notebook 16."""

from collections import Counter

from tests.exercises.mistakes import mistake, mistakes

mistakes("16.1", "b", "c", "ab", 0)


def dot(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))


mistakes(
    "16.2",
    only_the_best_pair=lambda asked, passage: max((dot(one, other) for one in asked for other in passage), default=0),
    all_pairs=lambda asked, passage: sum(dot(one, other) for one in asked for other in passage),
    never_below_zero=lambda asked, passage: sum(max([0, *(dot(one, other) for other in passage)]) for one in asked),
    the_other_way_round=lambda asked, passage: sum(max(dot(one, other) for one in asked) for other in passage),
    fails_on_an_empty_passage=lambda asked, passage: sum(max(dot(one, other) for other in passage) for one in asked),
)


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


mistakes(
    "16.3",
    always_merged=lambda hits, parent: list(dict.fromkeys(parent[hit] for hit in hits)),
)


def of_one_chunk(hit, parent, around):
    numbers = range(max(0, hit - around), min(len(parent), hit + around + 1))
    within = [each for each in numbers if parent[each] == parent[hit]]
    return within[0], within[-1]


def joined(hits, parent, around, touch, window=of_one_chunk):
    made = []
    for hit in hits:
        new = window(hit, parent, around)
        near = [each for each in made if touch(each, new)]
        at = made.index(near[0]) if near else len(made)
        made = [each for each in made if each not in near]
        made.insert(at, (min(each[0] for each in [new, *near]), max(each[1] for each in [new, *near])))
    return made


mistakes(
    "16.4",
    a_window_for_each_hit=lambda hits, parent, around: [of_one_chunk(hit, parent, around) for hit in hits],
)


@mistake("16.4")
def a_hit_within_a_window_is_dropped(hits, parent, around):
    made = []
    for hit in hits:
        if not any(first <= hit <= last for first, last in made):
            made.append(of_one_chunk(hit, parent, around))
    return made


mistakes(
    "16.4",
    only_where_pieces_are_shared=lambda hits, parent, around: joined(
        hits, parent, around, lambda one, other: one[0] <= other[1] and other[0] <= one[1]
    ),
    across_chunks=lambda hits, parent, around: joined(
        hits, parent, around, lambda one, other: one[0] <= other[1] + 1 and other[0] <= one[1] + 1
    ),
    one_window_for_a_chunk=lambda hits, parent, around: joined(
        hits, parent, around, lambda one, other: parent[one[0]] == parent[other[0]]
    ),
)


@mistake("16.4")
def beyond_the_chunk(hits, parent, around):
    made = []
    for first, last in sorted((max(0, hit - around), min(len(parent) - 1, hit + around)) for hit in hits):
        if made and first <= made[-1][1] + 1:
            made[-1] = (made[-1][0], max(last, made[-1][1]))
        else:
            made.append((first, last))
    return placed(made, hits, min)


@mistake("16.4")
def the_last_piece_of_all_before_the_first(hits, parent, around):
    def wrapped(hit, parent, around):
        first, last = of_one_chunk(hit, parent, around)
        return (hit - around if parent[hit - around] == parent[hit] else first), last

    return joined(hits, parent, around, lambda one, other: one[0] <= other[1] and other[0] <= one[1], wrapped)


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


mistakes(
    "16.4",
    in_the_place_of_the_weakest=lambda hits, parent, around: placed(runs(hits, parent, around), hits, max),
    one_neighbour_whatever_is_asked=lambda hits, parent, around: placed(runs(hits, parent, 1), hits, min),
    ends_behind_the_window=lambda hits, parent, around: (
        [(first, last + 1) for first, last in placed(runs(hits, parent, around), hits, min)]
    ),
)
