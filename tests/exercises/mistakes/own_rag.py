"""What goes wrong in notebook 13."""

from math import ceil

from tests.exercises.mistakes import mistake, mistakes

mistakes("13.1", "ac", "abcd", "c", ("a", "d"))


mistakes(
    "13.2",
    takes_the_last_of_equals=lambda stages, margin: min(
        reversed([stage for stage in stages if stage[2] >= -margin]), key=lambda stage: stage[1]
    )[0],
)


@mistake("13.2")
def accepts_no_gain(stages, margin):
    acceptable = [stage for stage in stages if abs(stage[2]) <= margin]
    return min(acceptable, key=lambda stage: (stage[1], -stage[2]))[0]


mistakes(
    "13.2",
    takes_the_first_of_equally_cheap_ones=lambda stages, margin: min(
        (stage for stage in stages if stage[2] >= -margin), key=lambda stage: stage[1]
    )[0],
)


mistakes(
    "13.3",
    forgets_the_square=lambda n, half_width, margin: ceil(n * half_width / margin),
    never_fewer_than_there_are=lambda n, half_width, margin: max(n, ceil(n * (half_width / margin) ** 2)),
)


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
