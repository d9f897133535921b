"""The exercises of notebook 01."""

from collections.abc import Iterator, Sequence
from math import hypot
from random import Random

from lessons.exercises.registry import Case, exercise

Vector = Sequence[float]


@exercise("01.1", "What more chunks cannot spoil", "one of the letters 'a', 'b' and 'c'", rounds=1)
def more_chunks(random: Random) -> Iterator[Case]:
    yield Case("one letter is chosen", expected="a")


@exercise("01.2", "Cosine by hand", "a function of two vectors, lists of numbers of the same length")
def cosine(random: Random) -> Iterator[Case]:
    one, other = _vector(random), _vector(random)
    unit = [[number / hypot(*vector) for number in vector] for vector in (one, other)]
    yield _cosine("both vectors have length 1", *unit)
    yield _cosine("the vectors are longer than 1", one, other)
    yield _cosine("they point in opposite directions", one, [-2 * number for number in one])
    yield _cosine("a vector is nothing but zeros", one, [0.0] * len(one))


@exercise("01.3", "The nearest passages", "a function of a vector, a list of vectors, and how many are wanted")
def nearest(random: Random) -> Iterator[Case]:
    question, passages = _vector(random), [_vector(random) for _ in range(6)]
    yield _nearest("three of six passages are wanted", question, passages, 3)
    long = [[100 * number for number in passages[0]], *passages[1:]]
    yield _nearest("one passage has a very long vector", question, long, 6)
    yield _nearest("more are wanted than there are", question, passages, 10)
    yield _nearest("two passages are the same", question, [passages[0], *passages, passages[0]], 8)
    yield _nearest("there are no passages", question, [], 3)


@exercise("01.4", "Windows with an overlap", "a function of tokens, a size, and an overlap smaller than the size")
def windows(random: Random) -> Iterator[Case]:
    size = random.randint(4, 9)
    overlap = random.randint(1, size - 2)
    tokens = [f"t{number}" for number in range(size + 4 * (size - overlap) - 1)]
    yield _windows("there are many tokens", tokens, size, overlap)
    yield _windows("nothing overlaps", tokens, size, 0)
    yield _windows("the last window is exactly full", tokens[: size + 2 * (size - overlap)], size, overlap)
    yield _windows("everything fits into one window", tokens[: size - 1], size, overlap)
    yield _windows("there are no tokens", [], size, overlap)


def _vector(random: Random) -> list[float]:
    return [random.uniform(-1, 1) for _ in range(5)]


def _of(one: Vector, other: Vector) -> float:
    lengths = hypot(*one) * hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else 0.0


def _cosine(when: str, one: Vector, other: Vector) -> Case:
    return Case(when, (one, other), _of(one, other))


def _nearest(when: str, question: Vector, passages: Sequence[Vector], wanted: int) -> Case:
    order = sorted(range(len(passages)), key=lambda place: -round(_of(question, passages[place]), 9))
    return Case(when, (question, passages, wanted), order[:wanted])


def _windows(when: str, tokens: Sequence[str], size: int, overlap: int) -> Case:
    starts = range(0, max(len(tokens) - overlap, min(len(tokens), 1)), size - overlap)
    return Case(when, (tokens, size, overlap), [list(tokens[start : start + size]) for start in starts])
