"""The exercises of notebooks 00 and 01: citations and costs, then cosines, neighbours and windows of tokens."""

import unicodedata
from collections.abc import Sequence
from math import dist, hypot
from random import Random

from lessons.exercises.cases import Case, Cases, choice, exercise

Vector = Sequence[float]
FACTS = [
    "It is checked hourly",
    "Raise the budget first",
    "예산은 매월 새로 시작합니다",
    "Ask an owner",
    "알림은 한 번만 옵니다",
]

choice("00.1", "What a citation shows.", "b", {
    "a": "who wrote the document may be wrong, or was right only then",
    "c": "another file may say something else",
})  # fmt: skip


@exercise("00.2")
def cited(random: Random) -> Cases:
    """The numbers of the cited documents. Expects a function of an answer, a text."""
    numbers, facts = random.sample(range(1, 10), 4), random.sample(FACTS, 4)
    told = [f"{fact} [{number}]." for fact, number in zip(facts, numbers, strict=True)]
    first, second, third, _ = numbers
    yield Case("each sentence cites a document of its own", (" ".join(told),), numbers)
    yield Case("a document is cited twice", (" ".join([*told, told[0]]),), numbers)
    both = f"{facts[0]} [{first}][{second}]. {told[2]}"
    yield Case("a sentence cites two documents", (both,), [first, second, third])
    large = random.randint(10, 30)
    yield Case("there are more than nine documents", (f"{facts[0]} [{large}]. {told[1]}",), [large, second])
    yield Case("brackets hold a word or a sum", (f"{facts[0]} [draft] costs {third} won [{second}].",), [second])
    yield Case("nothing is cited", (f"{facts[0]}, {random.randint(2, 9)} times a day.",), [])


@exercise("00.3")
def stands(random: Random) -> Cases:
    """A quote on its page. Expects a function of a quote and the text of a page."""
    words = random.sample([word for fact in FACTS for word in fact.split()], 8)
    before, quote, after = words[:2], words[2:6], words[6:]
    page, said = " ".join([*before, *quote, *after]), " ".join(quote)
    yield Case("it stands there word for word", (said, page), True)
    yield Case("only its first half stands there", (said, " ".join([*before, *quote[:2], *after])), False)
    yield Case("its words stand there in another order", (said, " ".join([*before, *quote[::-1], *after])), False)
    broken = "\n".join([" ".join([*before, *quote[:2]]), "  ".join([*quote[2:], *after])])
    yield Case("the page breaks the line within it", (said, broken), True)
    yield Case("the quote itself has a line break", ("\n".join(quote), page), True)
    korean, apart = f"예산 {said}", unicodedata.normalize("NFD", f"월간 예산 {said} 참고")
    yield Case("the page stores Hangul as single letters", (korean, apart), True)


def _dollars(steps: list[tuple[int, int]], price_in: float, price_out: float) -> float:
    tokens_in, tokens_out = (sum(step[side] for step in steps) for side in (0, 1))
    return 1000 * (tokens_in * price_in + tokens_out * price_out) / 1e6


PRICES = {
    "each side takes the price of the other": lambda steps, of_in, of_out: _dollars(steps, of_out, of_in),
    "what the model writes costs, too": lambda steps, of_in, of_out: _dollars(steps, of_in, 0),
    "what the model reads costs, too": lambda steps, of_in, of_out: _dollars(steps, 0, of_out),
}


@exercise("00.4", _dollars, PRICES)
def price(random: Random) -> Cases:
    """What a thousand questions cost. Expects a function of steps as (tokens in, tokens out) and two prices."""
    steps = [(random.randint(100, 9_000), random.randint(10, 900)) for _ in range(3)]
    prices = round(random.uniform(0.1, 3), 2), round(random.uniform(3, 12), 2)
    yield "one step calls the model", steps[:1], *prices
    yield "several steps call the model", steps, *prices
    yield "no step calls the model", [], *prices


choice("01.1", "What more chunks cannot spoil.", "a", {
    "b": "count the tokens of both stages",
    "c": "a look-alike may come in with the new chunks",
})  # fmt: skip


def _product(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _cosine(one: Vector, other: Vector) -> float:
    lengths = hypot(*one) * hypot(*other)
    return _product(one, other) / lengths if lengths else 0.0


def _vector(random: Random) -> list[float]:
    return [random.uniform(-1, 1) for _ in range(5)]


@exercise("01.2", _cosine, {"this is a distance, small for what is alike": lambda one, other: 1 - _cosine(one, other)})
def cosine(random: Random) -> Cases:
    """Cosine by hand. Expects a function of two vectors, lists of numbers of the same length."""
    one, other = _vector(random), _vector(random)
    unit = [[number / hypot(*vector) for number in vector] for vector in (one, other)]
    yield "both vectors have length 1", *unit
    yield "the vectors are longer than 1", one, other
    yield "they point in opposite directions", one, [-2 * number for number in one]
    yield "a vector is nothing but zeros", one, [0.0] * len(one)


def _nearest(question: Vector, passages: Sequence[Vector], wanted: int) -> list[int]:
    return sorted(range(len(passages)), key=lambda place: -round(_cosine(question, passages[place]), 9))[:wanted]


NEAREST = {
    "the farthest come first": lambda question, passages, wanted: _nearest(question, passages, len(passages))[::-1][
        :wanted
    ],
    "the passages come, not their places": lambda question, passages, wanted: [
        passages[place] for place in _nearest(question, passages, wanted)
    ],
    "they are the nearest by distance, and asked is the angle": lambda question, passages, wanted: sorted(
        range(len(passages)), key=lambda place: dist(question, passages[place])
    )[:wanted],
    "long vectors win, as if the product were the cosine": lambda question, passages, wanted: sorted(
        range(len(passages)), key=lambda place: -_product(question, passages[place])
    )[:wanted],
}


@exercise("01.3", _nearest, NEAREST)
def nearest(random: Random) -> Cases:
    """The nearest passages. Expects a function of a vector, a list of vectors, and how many are wanted."""
    question, passages = _vector(random), [_vector(random) for _ in range(6)]
    yield "three of six passages are wanted", question, passages, 3
    long = [[100 * number for number in passages[0]], *passages[1:]]
    yield "one passage has a very long vector", question, long, 6
    yield "more are wanted than there are", question, passages, 10
    yield "two passages are the same", question, [passages[0], *passages, passages[0]], 8
    yield "there are no passages", question, [], 3


def _every(tokens: Sequence[str], size: int, step: int) -> list[Sequence[str]]:
    return [tokens[start : start + size] for start in range(0, len(tokens), step)]


def _windows(tokens: Sequence[str], size: int, overlap: int) -> list[Sequence[str]]:
    windows = _every(tokens, size, size - overlap)
    return windows[:1] + [window for window in windows[1:] if len(window) > overlap]


WINDOWS = {
    "nothing overlaps": lambda tokens, size, overlap: _every(tokens, size, size),
    "each begins `overlap` tokens after the one before, not with its last `overlap`": (
        lambda tokens, size, overlap: _every(tokens, size, overlap)
    ),
    "the last ones hold nothing but tokens that came before": (
        lambda tokens, size, overlap: _every(tokens, size, size - overlap)
    ),
}


@exercise("01.4", _windows, WINDOWS)
def windows(random: Random) -> Cases:
    """Windows with an overlap. Expects a function of tokens, a size, and an overlap smaller than the size."""
    size = random.randint(4, 9)
    overlap = random.randint(1, size - 2)
    tokens = [f"t{number}" for number in range(size + 4 * (size - overlap) - 1)]
    yield "there are many tokens", tokens, size, overlap
    yield "nothing overlaps", tokens, size, 0
    yield "the last window is exactly full", tokens[: size + 2 * (size - overlap)], size, overlap
    yield "everything fits into one window", tokens[: size - 1], size, overlap
    yield "there are no tokens", [], size, overlap
