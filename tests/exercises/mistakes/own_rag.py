"""What goes wrong in notebook 13."""

from math import ceil

from tests.exercises.mistakes import mistake, mistakes

mistakes("13.1", "ac", "abcd", "c", "bd", ("a", "d"))


@mistake("13.2")
def takes_the_cheapest(stages, margin):
    return min(stages, key=lambda stage: stage[1])[0]


@mistake("13.2")
def takes_the_best(stages, margin):
    return max(stages, key=lambda stage: stage[2])[0]


@mistake("13.2")
def refuses_the_edge(stages, margin):
    return min((stage for stage in stages if stage[2] > -margin or stage[2] == 0), key=lambda stage: stage[1])[0]


@mistake("13.2")
def forgets_the_sign(stages, margin):
    return min((stage for stage in stages if stage[2] <= margin), key=lambda stage: stage[1])[0]


@mistake("13.2")
def takes_the_last_of_equals(stages, margin):
    return min(reversed([stage for stage in stages if stage[2] >= -margin]), key=lambda stage: stage[1])[0]


@mistake("13.2")
def accepts_no_gain(stages, margin):
    acceptable = [stage for stage in stages if abs(stage[2]) <= margin]
    return min(acceptable, key=lambda stage: (stage[1], -stage[2]))[0]


@mistake("13.2")
def takes_the_first_of_equally_cheap_ones(stages, margin):
    return min((stage for stage in stages if stage[2] >= -margin), key=lambda stage: stage[1])[0]


@mistake("13.3")
def forgets_the_square(n, half_width, margin):
    return ceil(n * half_width / margin)


@mistake("13.3")
def turns_it_round(n, half_width, margin):
    return ceil(n * (margin / half_width) ** 2) if half_width else 0


@mistake("13.3")
def rounds_down(n, half_width, margin):
    return int(n * (half_width / margin) ** 2)


@mistake("13.3")
def never_fewer_than_there_are(n, half_width, margin):
    return max(n, ceil(n * (half_width / margin) ** 2))


@mistake("13.4")
def first_and_second_half(questions):
    ids = [id_ for id_, _ in questions]
    return ids[: len(ids) // 2], ids[len(ids) // 2 :]


@mistake("13.4")
def every_other_one(questions):
    ids = [id_ for id_, _ in questions]
    return ids[::2], ids[1::2]


@mistake("13.4")
def the_odd_one_always_to_the_first(questions):
    choose, report = [], []
    for kind in sorted({kind for _, kind in questions}):
        ids = [id_ for id_, each in questions if each == kind]
        choose += ids[::2]
        report += ids[1::2]
    return choose, report


@mistake("13.4")
def loses_the_odd_one(questions):
    choose, report = [], []
    for kind in sorted({kind for _, kind in questions}):
        ids = [id_ for id_, each in questions if each == kind]
        choose += ids[: len(ids) // 2]
        report += ids[len(ids) // 2 : 2 * (len(ids) // 2)]
    return choose, report
