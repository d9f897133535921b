"""What makes an answer that holds the right facts only partly right: it hedges."""

import re
from collections.abc import Sequence
from itertools import pairwise

from lessons.evaluate.facts import Asked
from lessons.evaluate.judge.quantities import MONEY, Quantity
from lessons.evaluate.judge.reading import Reading, read, read_all

# More other numbers of the fact's kind than this in its sentence are a list to choose from.
# A sentence of a report gives a figure, last year's and the total; that is not hedging.
OTHERS_IN_SENTENCE = 2

_OR = re.compile(r"\s?(?:or|또는|혹은|이거나|아니면)\s?", re.I)
_CHOICE = re.compile(r"\bone of\b|\beither\b|중 ?하나|중에 ?하나", re.I)


def is_hedged(answer: str, key_facts: Sequence[str], asked: Asked) -> bool:
    """Whether the answer offers the fact's number among others of its kind that nobody asked for."""
    wanted = [found.quantity for fact in _facts(key_facts) for found in fact.numbers]
    known = {found.quantity.value for reading in asked.readings for found in reading.numbers}
    known |= {quantity.value for quantity in wanted} | {quantity.written for quantity in wanted}
    readings = read_all(answer)
    return any(_among_others(quantity, known, readings, len(key_facts)) for quantity in wanted)


def _among_others(wanted: Quantity, known: set, readings: Sequence[Reading], facts: int) -> bool:
    others = [_others(wanted, known, reading) for reading in readings]
    with_fact = [len(found) for found, reading in zip(others, readings, strict=True) if _holds(reading, wanted)]
    if not with_fact:
        return False
    if min(with_fact) > OTHERS_IN_SENTENCE + facts - 1:
        return True
    return any(found and _offers_choice(reading, wanted) for found, reading in zip(others, readings, strict=True))


def _others(wanted: Quantity, known: set, reading: Reading) -> set:
    """Values of the same kind as the fact that stand in the sentence and are none of the known ones."""
    numbers = (found.quantity for found in reading.numbers)
    return {each.value for each in numbers if _alike(each, wanted) and not {each.value, each.written} & known}


def _alike(number: Quantity, wanted: Quantity) -> bool:
    """Of one kind; in '94억, 153억, 254억 원' the last unit is that of all."""
    return number.kind == wanted.kind or (number.kind == "" and number.scaled and wanted.kind in MONEY)


def _holds(reading: Reading, wanted: Quantity) -> bool:
    return any(
        wanted.value == each.quantity.value or wanted.written == each.quantity.written for each in reading.numbers
    )


def _offers_choice(reading: Reading, wanted: Quantity) -> bool:
    if not _holds(reading, wanted):
        return False
    numbers = [found for found in reading.numbers if found.quantity.kind == wanted.kind]
    between = (
        first.clause[first.quantity.end : second.quantity.start]
        for first, second in pairwise(numbers)
        if first.clause == second.clause
    )
    return bool(_CHOICE.search(reading.text)) or any(_OR.fullmatch(words) for words in between)


def _facts(key_facts: Sequence[str]) -> list[Reading]:
    return [read(form) for fact in key_facts for form in fact.split("|")]
