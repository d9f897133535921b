"""How well a line of a document covers one word of a question: by itself, or by what stands around it."""

from collections.abc import Iterator

from lessons.models.offline.passages import Line, Passage, quarters, years
from lessons.models.offline.query.periods import periods
from lessons.models.offline.unit import Unit

# How much a word counts that stands not in the sentence but near it. Tuned on outside text.
ABOVE, BEFORE, AFTER, TITLE, ELSEWHERE = 0.9, 0.6, 0.1, 0.8, 0.3
OF_A_YEAR = 0.5  # how much a quarter counts that stands near a sentence on a whole year


def cover(unit: Unit, passage: Passage, position: int, asked: frozenset[str]) -> float:
    """How well a line covers a unit, 0 to 1: by itself, else by what stands above, before, after it or in the title.

    A quarter counts only where no year stands with it but those `asked` for.
    """
    if unit.kind in ("year", "quarter"):
        return _cover_period(unit, passage, position, asked)
    best = 0.0
    for words, worth in _near(passage, position):
        if worth <= best:
            break
        best = max(best, worth * unit.covered(words))
    return best


def _near(passage: Passage, position: int) -> Iterator[tuple[frozenset[str], float]]:
    """The words around a line, and how much each counts."""
    lines, line = passage.lines, passage.lines[position]
    yield line.own, 1.0
    yield line.above, ABOVE
    yield passage.title, TITLE
    if position:
        yield lines[position - 1].own, BEFORE
    if position + 1 < len(lines):
        yield lines[position + 1].own, AFTER
    yield passage.all, ELSEWHERE


def _cover_period(unit: Unit, passage: Passage, position: int, asked: frozenset[str]) -> float:
    """The nearest words that name such a period decide; those behind the line do not count."""
    mentions = years if unit.kind == "year" else quarters
    near = [(words, worth) for words, worth in _near(passage, position) if worth != AFTER and mentions(words)]
    if not near:
        return 0.0
    words, worth = near[0]
    if unit.kind == "year":
        return worth * unit.covered(years(words))
    if asked and years(words) and asked.isdisjoint(years(words)):
        return 0.0
    whole = is_of_a_year(passage.lines[position])
    return worth * unit.covered(quarters(words)) * (OF_A_YEAR if whole else 1.0)


def is_of_a_year(line: Line) -> bool:
    """Whether a sentence speaks of years as a whole: 'revenue for 2024', though it stands in a quarter's report."""
    if line.kind == "row" or not years(line.own) or quarters(line.own):
        return False
    return all(period.unit == "year" for period in periods(line.text))
