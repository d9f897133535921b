"""The exercises of notebook 01."""

from collections.abc import Iterator, Sequence
from math import dist, hypot
from random import Random

from lessons.exercises.choice import chosen
from lessons.exercises.registry import Case, exercise

Vector = Sequence[float]


@exercise("01.1", "What more chunks cannot spoil", "one of the letters 'a', 'b' and 'c'", rounds=1)
def more_chunks(random: Random) -> Iterator[Case]:
    yield from chosen(
        "a", {"b": "count the tokens of both stages", "c": "a look-alike may come in with the new chunks"}
    )


DISTANCE = {"this is a distance, small for what is alike": lambda one, other: 1 - _of(one, other)}


@exercise("01.2", "Cosine by hand", "a function of two vectors, lists of numbers of the same length", slips=DISTANCE)
def cosine(random: Random) -> Iterator[Case]:
    one, other = _vector(random), _vector(random)
    unit = [[number / hypot(*vector) for number in vector] for vector in (one, other)]
    yield _cosine("both vectors have length 1", *unit)
    yield _cosine("the vectors are longer than 1", one, other)
    yield _cosine("they point in opposite directions", one, [-2 * number for number in one])
    yield _cosine("a vector is nothing but zeros", one, [0.0] * len(one))


NEAREST = {
    "the farthest come first": lambda *given: _order(*given[:2])[::-1][: given[2]],
    "the passages come, not their places": lambda question, passages, wanted: [
        passages[place] for place in _order(question, passages)[:wanted]
    ],
    "they are the nearest by distance, and asked is the angle": lambda question, passages, wanted: sorted(
        range(len(passages)), key=lambda place: dist(question, passages[place])
    )[:wanted],
    "long vectors win, as if the product were the cosine": lambda question, passages, wanted: sorted(
        range(len(passages)), key=lambda place: -sum(a * b for a, b in zip(question, passages[place], strict=True))
    )[:wanted],
}


@exercise(
    "01.3", "The nearest passages", "a function of a vector, a list of vectors, and how many are wanted", slips=NEAREST
)
def nearest(random: Random) -> Iterator[Case]:
    question, passages = _vector(random), [_vector(random) for _ in range(6)]
    yield _nearest("three of six passages are wanted", question, passages, 3)
    long = [[100 * number for number in passages[0]], *passages[1:]]
    yield _nearest("one passage has a very long vector", question, long, 6)
    yield _nearest("more are wanted than there are", question, passages, 10)
    yield _nearest("two passages are the same", question, [passages[0], *passages, passages[0]], 8)
    yield _nearest("there are no passages", question, [], 3)


WINDOWS = {
    "nothing overlaps": lambda tokens, size, overlap: _every(tokens, size, size),
    "each begins `overlap` tokens after the one before, not with its last `overlap`": (
        lambda tokens, size, overlap: _every(tokens, size, overlap)
    ),
    "the last ones hold nothing but tokens that came before": lambda tokens, size, overlap: _every(
        tokens, size, size - overlap
    ),
}


@exercise(
    "01.4",
    "Windows with an overlap",
    "a function of tokens, a size, and an overlap smaller than the size",
    slips=WINDOWS,
)
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
    return Case(when, (question, passages, wanted), _order(question, passages)[:wanted])


def _order(question: Vector, passages: Sequence[Vector]) -> list[int]:
    return sorted(range(len(passages)), key=lambda place: -round(_of(question, passages[place]), 9))


def _every(tokens: Sequence[str], size: int, step: int) -> list[Sequence[str]]:
    """Windows from every so many tokens on, to the very end."""
    return [tokens[start : start + size] for start in range(0, len(tokens), step)]


def _windows(when: str, tokens: Sequence[str], size: int, overlap: int) -> Case:
    starts = range(0, max(len(tokens) - overlap, min(len(tokens), 1)), size - overlap)
    return Case(when, (tokens, size, overlap), [list(tokens[start : start + size]) for start in starts])
