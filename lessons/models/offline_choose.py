"""Which lines answer a question, and whether they do.

If the best ones leave something essential open – a name, a year, an identifier, half of the words – nothing is chosen.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from llama_index.core.base.embeddings.base import BaseEmbedding

from lessons.models.offline_crossing import nearest, neutral
from lessons.models.offline_parts import parts
from lessons.models.offline_passages import Passage
from lessons.models.offline_question import Question, Unit
from lessons.models.offline_score import (
    BEFORE,
    ELSEWHERE,
    TITLE,
    Candidate,
    candidate_at,
    candidates,
    commands,
    contradicts,
    expected,
    fits,
    rarity,
    with_topics,
)

ENOUGH = 0.42  # share of the question's words, by rarity, that an answer must cover; tuned on two outside sets
MOST_LINES, PART_LINES = 3, 2  # that answer a question, or one part of it
NEARLY_AS_GOOD = 0.9  # a second sentence joins the first from this share of its score


@dataclass(frozen=True)
class Choice:
    """The lines that answer, in the order to say them, and the parts of the question that nothing answers."""

    lines: tuple[Candidate, ...] = ()
    missing: tuple[str, ...] = ()


def choose(question: Question, found: list[Passage], embedding: BaseEmbedding | None) -> Choice:
    """From the documents in the question's language; if they are silent, by meaning from those in the other one.

    Meanings cannot tell 'near' from 'not there', so the retriever must have put a document in the other language first.
    """
    chosen = choose_by_words(question, [passage for passage in found if passage.language == question.language])
    foreign = [passage for passage in found if passage.language != question.language]
    if chosen.lines or not foreign or foreign[0] is not found[0] or embedding is None:
        return chosen
    return Choice(tuple(choose_by_meaning(question, foreign, embedding)))


def choose_by_words(question: Question, found: list[Passage]) -> Choice:
    """The lines that answer each part; none when the context leaves something essential of all of them open."""
    question = with_topics(question, found)
    asked = parts(question)
    alone = len(asked) == 1
    answers = [(part, _answer(part.question, found, MOST_LINES if alone else PART_LINES)) for part in asked]
    lines: list[Candidate] = []
    for _, chosen in answers:
        lines += [one for one in chosen if all(one.line is not other.line for other in lines)]
    missing = [part.words for part, chosen in answers if not chosen and part.asks]
    return Choice(tuple(lines), tuple(missing)) if lines else Choice()


def _answer(question: Question, found: list[Passage], most: int) -> list[Candidate]:
    """The lines that answer one part; empty when the context leaves something essential open."""
    everything = frozenset().union(*(passage.all for passage in found))
    if any(unit.required and unit.covered(everything) < 1 for unit in question.units):
        return []
    weights = rarity(question, found)
    ranked = sorted(candidates(question, found, weights), key=lambda candidate: -candidate.score)
    first = next((candidate for candidate in ranked if fits(question, candidate)), None)
    if first is None:
        return []
    chosen = _joined(question, [first], ranked[:60], _complements, most)
    chosen = _joined(question, _without_idle(chosen), ranked[:60], _rivals, most)
    if not _enough(question.units, weights, _together(chosen)):
        return []
    return _with_list(question, _with_neighbours(question, chosen, weights, most))


def choose_by_meaning(question: Question, found: list[Passage], embedding: BaseEmbedding) -> list[Candidate]:
    """The nearest line in meaning among those that hold the question's years, quarters and identifiers."""
    units = tuple(unit for unit in question.units if neutral(unit))
    everything = frozenset().union(*(passage.all for passage in found))
    if any(unit.covered(everything) < 1 for unit in units):
        return []
    bound = replace(question, units=units, terms=frozenset())
    left = [one for one in candidates(bound, found, [unit.weight for unit in units]) if fits(bound, one)]
    if not left:
        return []
    ranked = nearest(question, [(one.line, one.passage, one.score) for one in left], embedding)
    return _with_list(question, [left[i] for i in ranked[:2]])


def _joined(
    question: Question,
    chosen: list[Candidate],
    ranked: list[Candidate],
    joins: Callable[[Question, list[Candidate], Candidate], bool],
    most: int,
) -> list[Candidate]:
    """The chosen lines and those that join them."""
    for candidate in ranked:
        if len(chosen) < most and candidate not in chosen and joins(question, chosen, candidate):
            chosen = [*chosen, candidate]
    return chosen


def _complements(question: Question, chosen: list[Candidate], candidate: Candidate) -> bool:
    """Whether a further line itself says something essential that is still open, as the second part of a comparison."""
    if contradicts(question, candidate):
        return False
    have = _together(chosen)
    gained = sum(
        unit.weight
        for unit, old, new in zip(question.units, have, candidate.covered, strict=True)
        if old < BEFORE and new > TITLE
    )
    return gained >= 0.15 * sum(unit.weight for unit in question.units) and candidate.score >= 0.3 * chosen[0].score


def _rivals(question: Question, chosen: list[Candidate], candidate: Candidate) -> bool:
    """Whether a further line is nearly as good as the first and leaves nothing open that the first one says."""
    first = chosen[0]
    return candidate.score >= NEARLY_AS_GOOD * first.score and not any(
        said >= TITLE and now <= BEFORE for said, now in zip(first.covered, candidate.covered, strict=True)
    )


SURE = 0.8
NEIGHBOUR = 0.5
NEAR = (1, -1, 2)


def _with_neighbours(question: Question, chosen: list[Candidate], weights: list[float], most: int) -> list[Candidate]:
    """A sentence seldom stands alone: those around the first one join it if they say what kind of thing was asked."""
    first = chosen[0]
    if first.score >= SURE:
        return chosen
    for step in NEAR:
        place = first.position + step
        if len(chosen) >= most or not 0 <= place < len(first.passage.lines):
            continue
        line = first.passage.lines[place]
        if line.kind in ("heading", "row") or line.heading != first.line.heading or commands(line):
            continue
        near = candidate_at(question, first.passage, place, weights)
        if any(near.line is one.line for one in chosen):
            continue
        if (expected(question, line.text) > expected(question, first.line.text)) or near.score >= NEIGHBOUR * first.score:
            chosen = [*chosen, near]
    return chosen


def _without_idle(chosen: list[Candidate]) -> list[Candidate]:
    """Leave out a line that says nothing the others leave open."""
    for candidate in chosen:
        rest = [one for one in chosen if one is not candidate]
        if rest and all(now >= min(said, BEFORE) for said, now in zip(candidate.covered, _together(rest), strict=True)):
            return _without_idle(rest)
    return chosen


def _together(chosen: list[Candidate]) -> list[float]:
    return [max(values) for values in zip(*(candidate.covered for candidate in chosen), strict=True)]


def _enough(units: tuple[Unit, ...], weights: list[float], covered: list[float]) -> bool:
    if any(unit.required and value < ELSEWHERE for unit, value in zip(units, covered, strict=True)):
        return False
    return sum(weight * value for weight, value in zip(weights, covered, strict=True)) >= ENOUGH * sum(weights)


def _with_list(question: Question, chosen: list[Candidate]) -> list[Candidate]:
    """A line that opens a list brings the list; a step of a how-to question brings its neighbours."""
    first = chosen[0]
    lines = first.passage.lines
    start = end = first.position
    if first.line.text.rstrip().endswith((":", "：")) or ("steps" in question.kinds and first.line.kind == "item"):
        while first.line.kind == "item" and start and lines[start - 1].kind == "item":
            start -= 1
        while end + 1 < len(lines) and lines[end + 1].kind == "item" and end - start < 10:
            end += 1
    if start == end:
        return chosen
    return [Candidate(lines[i], first.passage, i, first.covered, first.score) for i in range(start, end + 1)]
