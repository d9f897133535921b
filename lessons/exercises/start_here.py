"""The exercises of notebook 00."""

import unicodedata
from collections.abc import Iterator
from random import Random

from lessons.exercises.choice import chosen
from lessons.exercises.registry import Case, exercise

FACTS = [
    "It is checked hourly",
    "Raise the budget first",
    "예산은 매월 새로 시작합니다",
    "Ask an owner",
    "알림은 한 번만 옵니다",
]


@exercise("00.1", "What a citation shows", "one of the letters 'a', 'b' and 'c'", rounds=1)
def shown_by_a_citation(random: Random) -> Iterator[Case]:
    yield from chosen(
        "b",
        {
            "a": "who wrote the document may be wrong, or was right only then",
            "c": "another file may say something else",
        },
    )


@exercise("00.2", "The numbers of the cited documents", "a function of an answer, a text")
def cited(random: Random) -> Iterator[Case]:
    numbers = random.sample(range(1, 10), 4)
    facts = random.sample(FACTS, 4)
    told = [f"{fact} [{number}]." for fact, number in zip(facts, numbers, strict=True)]
    yield Case("each sentence cites a document of its own", (" ".join(told),), numbers)
    repeated = " ".join([*told, told[0]])
    yield Case("a document is cited twice", (repeated,), numbers)
    first, second, third, _ = numbers
    yield Case(
        "a sentence cites two documents", (f"{facts[0]} [{first}][{second}]. {told[2]}",), [first, second, third]
    )
    large = random.randint(10, 30)
    yield Case("there are more than nine documents", (f"{facts[0]} [{large}]. {told[1]}",), [large, second])
    yield Case("brackets hold a word or a sum", (f"{facts[0]} [draft] costs {third} won [{second}].",), [second])
    yield Case("nothing is cited", (f"{facts[0]}, {random.randint(2, 9)} times a day.",), [])


@exercise("00.3", "A quote on its page", "a function of a quote and the text of a page")
def stands(random: Random) -> Iterator[Case]:
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


PRICES = {
    "each side takes the price of the other": lambda steps, of_in, of_out: _dollars(steps, of_out, of_in),
    "what the model writes costs, too": lambda steps, of_in, of_out: _dollars(steps, of_in, 0),
    "what the model reads costs, too": lambda steps, of_in, of_out: _dollars(steps, 0, of_out),
}


@exercise(
    "00.4",
    "What a thousand questions cost",
    "a function of steps as (tokens in, tokens out) and two prices",
    slips=PRICES,
)
def price(random: Random) -> Iterator[Case]:
    steps = [(random.randint(100, 9_000), random.randint(10, 900)) for _ in range(3)]
    prices = round(random.uniform(0.1, 3), 2), round(random.uniform(3, 12), 2)
    yield _price("one step calls the model", steps[:1], *prices)
    yield _price("several steps call the model", steps, *prices)
    yield _price("no step calls the model", [], *prices)


def _price(when: str, steps: list[tuple[int, int]], price_in: float, price_out: float) -> Case:
    return Case(when, (steps, price_in, price_out), _dollars(steps, price_in, price_out))


def _dollars(steps: list[tuple[int, int]], price_in: float, price_out: float) -> float:
    tokens_in, tokens_out = (sum(step[side] for step in steps) for side in (0, 1))
    return 1000 * (tokens_in * price_in + tokens_out * price_out) / 1e6
