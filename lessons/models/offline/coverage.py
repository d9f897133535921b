"""Whether the documents found so far hold a question: one line has its names, its periods and most of its words."""

from collections.abc import Sequence

from lessons.models.offline.passages import Passage
from lessons.models.offline.question import Question
from lessons.models.offline.unit import Unit

COVERED = 0.9  # share of a question's words, by weight, that one line must hold
MOSTLY = 0.5  # of a word's terms
WORTH = 0.4  # weight from which a word must be found


def is_covered(question: Question, found: Sequence[Passage]) -> bool:
    """Whether one line, read with its headings and its document's title, holds the question.

    Words cannot be compared across languages: there, the search is trusted.
    """
    units = [unit for unit in question.units if unit.weight >= WORTH]
    return is_foreign(question, found) or any(
        _holds(line.own | line.above | passage.title, units)
        for passage in found
        for line in passage.lines
        if line.kind != "heading"
    )


def is_foreign(question: Question, found: Sequence[Passage]) -> bool:
    """Whether the best document is in another language than the question."""
    return bool(found) and found[0].language != question.language


def _holds(words: frozenset[str], units: list[Unit]) -> bool:
    held = [unit for unit in units if unit.covered(words) >= MOSTLY]
    if any(unit.required and unit not in held for unit in units):
        return False
    return sum(unit.weight for unit in held) >= COVERED * sum(unit.weight for unit in units)
