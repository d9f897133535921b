"""What goes wrong in notebook 00."""

import re

from lessons.text import normalize
from tests.exercises.mistakes import mistake, mistakes

mistakes("00.1", "a", "c", 2, "ab")


@mistake("00.2")
def counts_repeats(answer):
    return [int(number) for number in re.findall(r"\[(\d+)\]", answer)]


@mistake("00.2")
def sorts(answer):
    return sorted({int(number) for number in re.findall(r"\[(\d+)\]", answer)})


@mistake("00.2")
def knows_one_digit(answer):
    return list(dict.fromkeys(int(number) for number in re.findall(r"\[(\d)\]", answer)))


@mistake("00.2")
def leaves_texts(answer):
    return list(dict.fromkeys(re.findall(r"\[(\d+)\]", answer)))


@mistake("00.2")
def takes_any_number(answer):
    return list(dict.fromkeys(int(number) for number in re.findall(r"\d+", answer)))


@mistake("00.2")
def looks_at_the_closing_bracket(answer):
    return list(dict.fromkeys(int(number) for number in re.findall(r"(\d+)\]", answer)))


@mistake("00.3")
def forgets_line_breaks(quote, page):
    return quote in page


@mistake("00.3")
def looks_for_words_anywhere(quote, page):
    return set(quote.split()) <= set(page.split())


@mistake("00.3")
def always_trusts(quote, page):
    return True


@mistake("00.3")
def forgets_composition(quote, page):
    return " ".join(quote.split()) in " ".join(page.split())


@mistake("00.3")
def compares_the_beginning(quote, page):
    return " ".join(quote.split()[:2]) in " ".join(page.split())


@mistake("00.3")
def forgets_where_words_end(quote, page):
    return "".join(normalize(quote).split()) in "".join(normalize(page).split())


@mistake("00.3")
def forgets_capitals(quote, page):
    quote, page = (" ".join(normalize(text).lower().split()) for text in (quote, page))
    return quote in page


@mistake("00.4")
def forgets_the_million(steps, price_in, price_out):
    return 1000 * sum(a * price_in + b * price_out for a, b in steps)


@mistake("00.4")
def forgets_what_the_model_writes(steps, price_in, price_out):
    return sum(a * price_in for a, _ in steps) / 1000


@mistake("00.4")
def averages(steps, price_in, price_out):
    return sum(a * price_in + b * price_out for a, b in steps) / 1000 / max(len(steps), 1)


@mistake("00.4")
def swaps_prices(steps, price_in, price_out):
    return sum(a * price_out + b * price_in for a, b in steps) / 1000
