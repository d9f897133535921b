"""How well a line of the documents answers: how much of the question it covers, and which cells of a row are asked for.

A line is read together with what gives it its subject: its headings, the line before it, the title of its document.
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from lessons.keyless.lines import Line, Passage, cells, quarters, search_terms, years
from lessons.keyless.words import Question, Unit
from lessons.text import terms
from lessons.text.periods import periods


def row_cells(line: Line) -> tuple[tuple[str, str], ...]:
    """The cells of a row with the names above them; empty where the names cannot be told apart."""
    row = cells(line.text)
    return tuple(zip(line.header, row, strict=True)) if len(row) == len(line.header) else ()


def asked_cells(question: Question, line: Line) -> tuple[tuple[str, str], ...]:
    """The label of a row, and its cells under the periods of the question.

    All cells where the question names no period or the columns stand for other things; none for other periods only.
    """
    pairs = row_cells(line)
    dated = [_moments(name) for name, _ in pairs]
    if sum(bool(moment) for moment in dated) < 2 or not _asked(question):
        return pairs
    wanted = _asked(question)
    kept = [pair for pair, moment in zip(pairs, dated, strict=True) if moment and _meets(moment, wanted)]
    return (pairs[0], *kept) if kept else ()


def _asked(question: Question) -> frozenset[str]:
    return frozenset().union(*(unit.keys for unit in question.units if unit.kind in ("year", "quarter")))


def _moments(text: str) -> frozenset[str]:
    words = search_terms(text)
    return years(words) | quarters(words)


def _meets(moment: frozenset[str], wanted: frozenset[str]) -> bool:
    """Whether nothing that the column says of its period contradicts the question."""
    said = ((years(moment), years(wanted)), (quarters(moment), quarters(wanted)))
    return all(not mine or not theirs or mine & theirs for mine, theirs in said)


_DATE = re.compile(
    r"\d{4}[-./년]|\b(?:19|20)\d\d\b"
    r"|\d\s?(?:월|일|시)|\b\d{1,2}:\d\d\b|\bday|\bweek|\bmonth"
)
_PERSON = re.compile(r"[A-Z][a-z]+ [A-Z][a-z]+|[가-힣]{2,4} ?(?:님|씨|대표|이사|부장|팀장|과장|교수|박사|매니저|담당)")
_REASON = re.compile(
    r"\bbecause\b|\bdue to\b|\bas a result\b|\bso that\b|\bsince\b|\bowing\b|\bdriven\b"
    r"|때문|이유|위해|덕분|인해|따라|영향"
)
_EXPECTED = {"date": _DATE, "number": re.compile(r"\d"), "person": _PERSON, "why": _REASON}


def expected(question: Question, text: str) -> float:
    """Whether the line holds the kind of thing that was asked for."""
    kinds = [kind for kind in question.kinds if kind in _EXPECTED]
    return sum(_EXPECTED[kind].search(text) is not None for kind in kinds) / len(kinds) if kinds else 0.0


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


_COMMAND = re.compile(
    r"\b(?:ignore|disregard|forget)\b.{0,40}\b(?:above|previous|prior|instructions?|everything|rules)\b|system prompt"
    r"|(?:지시|명령|지침|규칙|내용)\S*\s.{0,20}무시|무시하고",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Candidate:
    line: Line
    passage: Passage
    position: int  # within the passage
    covered: tuple[float, ...]  # of each unit of the question, 0 to 1
    score: float


EXPECTED = 0.12
LABEL = 0.1  # for a row whose label the question says
RANK = 0.01


def candidates(question: Question, found: list[Passage], weights: list[float]) -> Iterable[Candidate]:
    """Every line that shares a word with the question, and its score."""
    for rank, passage in enumerate(found):
        for position, line in enumerate(passage.lines):
            if line.kind == "heading" or commands(line):
                continue
            if question.terms and question.terms.isdisjoint(line.own | line.above):
                continue
            yield candidate_at(question, passage, position, weights, rank)


def candidate_at(question: Question, passage: Passage, position: int, weights: list[float], rank: int = 0) -> Candidate:
    line, total = passage.lines[position], sum(weights)
    asked = frozenset().union(*(unit.keys for unit in question.units if unit.kind == "year"))
    covered = tuple(cover(unit, passage, position, asked) for unit in question.units)
    score = sum(weight * value for weight, value in zip(weights, covered, strict=True)) / total if total else 0.0
    score += (
        EXPECTED * expected(question, line.text) + LABEL * _labelled(question, line) - RANK * rank - 0.0005 * position
    )
    return Candidate(line, passage, position, covered, score)


def commands(line: Line) -> bool:
    """Whether the line tries to tell its reader what to do with it."""
    return _COMMAND.search(line.text) is not None


def rarity(question: Question, found: list[Passage]) -> list[float]:
    """Each unit's weight times its inverse document frequency among the lines of the context."""
    lines = [line.own for passage in found for line in passage.lines]
    frequency = [sum(unit.covered(own) > 0.5 for own in lines) for unit in question.units]
    most = math.log(len(lines) + 1.5)
    return [
        unit.weight * (0.3 + 0.7 * math.log((len(lines) + 1) / (count + 0.5)) / most)
        for unit, count in zip(question.units, frequency, strict=True)
    ]


def _labelled(question: Question, line: Line) -> float:
    """How much of a row's label the question says, 0 to 1: 'Revenue' is asked for, 'Revenue of partners' is not."""
    label = terms(cells(line.text)[0]) if line.kind == "row" else []
    return sum(term in question.terms for term in label) / len(label) if label else 0.0


def with_topics(question: Question, found: list[Passage]) -> Question:
    """Words that stand in the titles of some documents but not of all tell the documents apart, as names do."""

    def tells_apart(unit: Unit) -> bool:
        titled = sum(unit.covered(passage.title) == 1 for passage in found)
        return unit.kind == "word" and not quarters(unit.keys) and 0 < titled < len(found)

    units = tuple(replace(unit, kind="name", weight=1.5) if tells_apart(unit) else unit for unit in question.units)
    return replace(question, units=units)


def fits(question: Question, candidate: Candidate) -> bool:
    """Whether the line speaks of one of the names, one of the years, one of the codes … that the question holds."""
    said: dict[str, bool] = {}
    for unit, value in zip(question.units, candidate.covered, strict=True):
        if unit.required:
            said[unit.kind] = said.get(unit.kind, False) or value >= ELSEWHERE
    return all(said.values())
