"""Answers to questions without key facts: how much of the reference answer's content they hold."""

from lessons.evaluate.judge.reading import read_all
from lessons.text import language, terms

RIGHT, PARTLY = 0.65, 0.4  # shares of the reference's terms, tuned on the split dev of the labelled answers


def by_meaning(reference: str, answer: str) -> float:
    """1.0, 0.5 or 0.0 by the share of the reference's terms in the answer.

    Numbers weigh as much as words, but an answer that lacks more than half of them is partly right at best.
    Across languages words cannot be compared; only numbers, dates and identifiers count there.
    """
    numbers = _hard_parts(reference)
    kept = len(numbers & _hard_parts(answer)) / len(numbers) if numbers else 1.0
    if language(reference) != language(answer):
        return 0.0 if not numbers or kept < PARTLY else 0.5 if kept < 1.0 else 1.0
    wanted = set(terms(reference))
    share = len(wanted & set(terms(answer))) / len(wanted) if wanted else 0.0
    if share < PARTLY:
        return 0.0
    return 1.0 if share >= RIGHT and kept > 0.5 else 0.5


def _hard_parts(text: str) -> set:
    readings = read_all(text)
    parts: set = {found.quantity.value for reading in readings for found in reading.numbers}
    return parts.union(*({*reading.moments, *reading.identifiers} for reading in readings))
