"""What goes wrong in notebook 01."""

from math import hypot

from tests.exercises.mistakes import mistake, mistakes

mistakes("01.1", "b", "c", "abc")


def dot(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))


def cos(one, other):
    lengths = hypot(*one) * hypot(*other)
    return dot(one, other) / lengths if lengths else 0.0


mistakes(
    "01.2",
    divides_by_zero=lambda one, other: dot(one, other) / (hypot(*one) * hypot(*other)),
    looks_at_one_length=lambda one, other: dot(one, other) / (hypot(*one) * hypot(*other)) if hypot(*other) else 0.0,
    without_its_sign=lambda one, other: abs(cos(one, other)),
)


mistakes(
    "01.3",
    later_of_equals_first=lambda question, passages, wanted: sorted(
        range(len(passages)), key=lambda i: (-round(cos(question, passages[i]), 9), -i)
    )[:wanted],
    rounds_nothing=lambda question, passages, wanted: sorted(
        range(len(passages)), key=lambda i: -cos(question, passages[i])
    )[:wanted],
)


@mistake("01.3")
def always_that_many(question, passages, wanted):
    order = sorted(range(len(passages)), key=lambda i: -round(cos(question, passages[i]), 9))
    return [order[i] for i in range(wanted)]


mistakes(
    "01.4",
    forgets_the_overlap=lambda tokens, size, overlap: [tokens[i : i + size] for i in range(0, len(tokens), size)],
    loses_a_text_shorter_than_the_overlap=lambda tokens, size, overlap: (
        [tokens[i : i + size] for i in range(0, len(tokens) - overlap, size - overlap)]
    ),
)


@mistake("01.4")
def never_ends(tokens, size, overlap):
    made, start = [], 0
    while start < len(tokens):
        made = [*made[-1:], tokens[start : start + size]]
        start += 0 if start + size > len(tokens) else size - overlap
    return made
