"""What goes wrong in notebook 00."""

import re

from lessons.text import normalize
from tests.exercises.mistakes import mistake, mistakes

mistakes("00.1", "a", "c", 2, "ab")


mistakes(
    "00.2",
    counts_repeats=lambda answer: [int(number) for number in re.findall(r"\[(\d+)\]", answer)],
    sorts=lambda answer: sorted({int(number) for number in re.findall(r"\[(\d+)\]", answer)}),
    knows_one_digit=lambda answer: list(dict.fromkeys(int(number) for number in re.findall(r"\[(\d)\]", answer))),
    leaves_texts=lambda answer: list(dict.fromkeys(re.findall(r"\[(\d+)\]", answer))),
    looks_at_the_closing_bracket=lambda answer: list(
        dict.fromkeys(int(number) for number in re.findall(r"(\d+)\]", answer))
    ),
    looks_at_the_opening_bracket=lambda answer: list(
        dict.fromkeys(int(number) for number in re.findall(r"\[(\d+)", answer))
    ),
)


mistakes(
    "00.3",
    forgets_composition=lambda quote, page: " ".join(quote.split()) in " ".join(page.split()),
    normalises_only_the_page=lambda quote, page: " ".join(quote.split()) in " ".join(normalize(page).split()),
    forgets_where_words_end=lambda quote, page: "".join(normalize(quote).split()) in "".join(normalize(page).split()),
)


@mistake("00.3")
def forgets_capitals(quote, page):
    quote, page = (" ".join(normalize(text).lower().split()) for text in (quote, page))
    return quote in page


mistakes(
    "00.4",
    forgets_the_million=lambda steps, price_in, price_out: 1000 * sum(a * price_in + b * price_out for a, b in steps),
    averages=lambda steps, price_in, price_out: (
        sum(a * price_in + b * price_out for a, b in steps) / 1000 / max(len(steps), 1)
    ),
)
