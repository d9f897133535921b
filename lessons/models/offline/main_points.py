"""How the keyless model sums up: the main sentences of the section that a question is about, and of what follows it."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from lessons.models.offline.passages import Line, Passage, is_ended
from lessons.models.offline.question import Question
from lessons.models.offline.score import Candidate, candidate_at, commands
from lessons.models.offline.summary import centrality
from lessons.models.offline.unit import Unit

POINTS = 6
FEWEST = 4  # points of a section that can stand for itself; a shorter one goes on into the next
ENOUGH = 0.3  # share of the question's words, by rarity, that the document must hold
RANK = 0.03  # what a section loses for each document that is ranked before its own
FIGURE = 1.3  # how much more a sentence with a figure says


def main_points(question: Question, found: Sequence[Passage], weights: list[float]) -> list[Candidate]:
    """The sentences, list items and rows that say most, in their order; none if no document is about it."""
    asked = list(zip(weights, question.units, strict=True))
    sections = [
        (_share(asked, passage, places) - RANK * rank, passage, places)
        for rank, passage in enumerate(found)
        if _is_about(asked, passage)
        for places in _sections(passage)
    ]
    if not sections:
        return []
    _, passage, places = max(sections, key=lambda each: each[0])
    texts = [passage.lines[place].text for place in places]
    central = centrality(texts, question.text, tuple(line.text for line in passage.lines))
    points = [score * (FIGURE if _has_figure(text) else 1.0) for score, text in zip(central, texts, strict=True)]
    kept = sorted(range(len(places)), key=lambda i: (-points[i], i))[:POINTS]
    return [candidate_at(question, passage, places[i], weights) for i in sorted(kept)]


def _is_about(asked: Sequence[tuple[float, Unit]], passage: Passage) -> bool:
    """Whether the document holds enough of the question, and all of its names, periods and identifiers."""
    held = [(weight, unit, unit.covered(passage.all)) for weight, unit in asked]
    if any(unit.required and not value for _, unit, value in held):
        return False
    return sum(weight * value for weight, _, value in held) >= ENOUGH * sum(weight for weight, _ in asked)


def _share(asked: Sequence[tuple[float, Unit]], passage: Passage, places: list[int]) -> float:
    """How much of the question a section holds, 0 to 1; what only the title of the document says counts half."""
    words = frozenset().union(*(passage.lines[place].own | passage.lines[place].above for place in places))
    held = sum(weight * max(unit.covered(words), 0.5 * unit.covered(passage.title)) for weight, unit in asked)
    return held / (sum(weight for weight, _ in asked) or 1.0)


def _sections(passage: Passage) -> Iterator[list[int]]:
    """The places of what each section tells, with that of the next ones while it is short."""
    told = [place for place, line in enumerate(passage.lines) if _tells(line)]
    sections = [list(group) for _, group in groupby(told, key=lambda place: passage.lines[place].heading)]
    for start, places in enumerate(sections):
        following = iter(sections[start + 1 :])
        while len(places) < FEWEST and (more := next(following, None)):
            places = places + more
        yield places


def _tells(line: Line) -> bool:
    """Whether it is a whole sentence, a list item or a row of a table."""
    whole = line.kind in ("item", "row") or (line.kind == "prose" and is_ended(line.text))
    return whole and not commands(line)


def _has_figure(text: str) -> bool:
    return any(character.isdigit() for character in text)
