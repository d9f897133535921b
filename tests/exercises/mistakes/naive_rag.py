"""What goes wrong in notebook 01."""

from math import dist, hypot

from tests.exercises.mistakes import mistake, mistakes

mistakes("01.1", "b", "c", 1, "abc")


def dot(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))


def cos(one, other):
    lengths = hypot(*one) * hypot(*other)
    return dot(one, other) / lengths if lengths else 0.0


@mistake("01.2")
def only_the_product(one, other):
    return dot(one, other)


@mistake("01.2")
def divides_by_zero(one, other):
    return dot(one, other) / (hypot(*one) * hypot(*other))


@mistake("01.2")
def the_distance(one, other):
    return 1 - cos(one, other)


@mistake("01.2")
def without_its_sign(one, other):
    return abs(cos(one, other))


@mistake("01.2")
def forgets_one_length(one, other):
    return dot(one, other) / hypot(*one)


@mistake("01.3")
def by_the_product(question, passages, wanted):
    return sorted(range(len(passages)), key=lambda i: -dot(question, passages[i]))[:wanted]


@mistake("01.3")
def farthest_first(question, passages, wanted):
    return sorted(range(len(passages)), key=lambda i: cos(question, passages[i]))[:wanted]


@mistake("01.3")
def one_too_few(question, passages, wanted):
    return sorted(range(len(passages)), key=lambda i: -cos(question, passages[i]))[: wanted - 1]


@mistake("01.3")
def by_distance(question, passages, wanted):
    return sorted(range(len(passages)), key=lambda i: dist(question, passages[i]))[:wanted]


@mistake("01.3")
def later_of_equals_first(question, passages, wanted):
    return sorted(range(len(passages)), key=lambda i: (-round(cos(question, passages[i]), 9), -i))[:wanted]


@mistake("01.3")
def always_that_many(question, passages, wanted):
    order = sorted(range(len(passages)), key=lambda i: -round(cos(question, passages[i]), 9))
    return [order[i] for i in range(wanted)]


@mistake("01.4")
def forgets_the_overlap(tokens, size, overlap):
    return [tokens[i : i + size] for i in range(0, len(tokens), size)]


@mistake("01.4")
def adds_a_tail_that_was_there(tokens, size, overlap):
    return [tokens[i : i + size] for i in range(0, len(tokens), size - overlap)]


@mistake("01.4")
def loses_the_tail(tokens, size, overlap):
    return [tokens[i : i + size] for i in range(0, len(tokens) - size + 1, size - overlap)]


@mistake("01.4")
def loses_a_text_shorter_than_the_overlap(tokens, size, overlap):
    return [tokens[i : i + size] for i in range(0, len(tokens) - overlap, size - overlap)]


@mistake("01.4")
def starts_at_the_overlap(tokens, size, overlap):
    return [tokens[max(i - overlap, 0) : i + size] for i in range(0, len(tokens), size)]


@mistake("01.4")
def never_ends(tokens, size, overlap):
    made, start = [], 0
    while start < len(tokens):
        made = [*made[-1:], tokens[start : start + size]]
        start += 0 if start + size > len(tokens) else size - overlap
    return made
