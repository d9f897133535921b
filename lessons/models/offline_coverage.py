"""Whether the documents found so far hold a part of a question: one passage has its names, periods and most words."""

from collections.abc import Sequence

from lessons.models.offline_parts import Part
from lessons.models.offline_passages import Passage
from lessons.models.offline_question import Question, Unit

COVERED = 0.75  # share of a part's words, by weight, that one passage must hold
WORTH = 0.4  # weight from which a word must be found


def is_covered(part: Part, found: Sequence[Passage]) -> bool:
    """Whether one passage holds the part. Words cannot be compared across languages: there, the search is trusted."""
    if found and found[0].language != part.question.language:
        return True
    return any(_holds(passage, part.question) for passage in found)


def _holds(passage: Passage, question: Question) -> bool:
    units = [unit for unit in question.units if unit.weight >= WORTH]
    if any(unit.required and not _in(unit, passage) for unit in units):
        return False
    total = sum(unit.weight for unit in units)
    return sum(unit.weight * _in(unit, passage) for unit in units) >= COVERED * total


def _in(unit: Unit, passage: Passage) -> bool:
    return unit.covered(passage.all | passage.title) >= 0.5
