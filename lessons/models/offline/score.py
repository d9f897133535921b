"""How well a line of the documents answers: how much of the question it covers, and whether it is the right kind.

A line is read together with what gives it its subject: its headings, the line before it, the title of its document.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from lessons.models.offline.columns import is_other_period
from lessons.models.offline.cover import ELSEWHERE, cover
from lessons.models.offline.expected import expected
from lessons.models.offline.passages import Line, Passage, cells, quarters, years
from lessons.models.offline.question import Question
from lessons.models.offline.unit import Unit
from lessons.text import terms

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
    if is_other_period(question, line):
        covered = tuple(
            0.0 if unit.kind in ("year", "quarter") else value
            for unit, value in zip(question.units, covered, strict=True)
        )
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
    if len(found) < 2:
        return question

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


def contradicts(question: Question, candidate: Candidate) -> bool:
    """Whether the title of its document names another year or quarter than the question."""
    title = candidate.passage.title
    return any(
        value == 0 and bool(years(title) if unit.kind == "year" else quarters(title))
        for unit, value in zip(question.units, candidate.covered, strict=True)
        if unit.kind in ("year", "quarter")
    )
