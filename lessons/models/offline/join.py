"""Which further lines are said with the best one: what it leaves open, what is as good, what stands around it."""

from collections.abc import Callable

from lessons.models.offline.cover import BEFORE, TITLE
from lessons.models.offline.expected import expected
from lessons.models.offline.passages import is_ended
from lessons.models.offline.question import Question
from lessons.models.offline.score import (
    Candidate,
    candidate_at,
    commands,
    contradicts,
)

NEARLY_AS_GOOD = 0.8  # a second sentence joins the first from this share of its score
GOOD_BESIDE = 0.5  # the same for one that stands beside it
SURE = 0.8  # a line of this score says enough by itself
BESIDE = (1, -1, 2)  # places from a line's own, in the order of trying


def joined(
    question: Question, first: Candidate, ranked: list[Candidate], weights: list[float], most: int
) -> list[Candidate]:
    """The best line with those that join it, at most so many."""
    chosen = _joining(question, [first], ranked, _complements, most)
    chosen = _joining(question, _without_idle(chosen), ranked, _rivals, most)
    beside = [] if chosen[0].score >= SURE else _beside(question, chosen[0], weights)
    return _joining(question, chosen, beside, _tells_more, most)


def _joining(
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
    have = together(chosen)
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


def _without_idle(chosen: list[Candidate]) -> list[Candidate]:
    """Leave out a line that says nothing the others leave open."""
    for candidate in chosen:
        rest = [one for one in chosen if one is not candidate]
        if rest and all(now >= min(said, BEFORE) for said, now in zip(candidate.covered, together(rest), strict=True)):
            return _without_idle(rest)
    return chosen


def together(chosen: list[Candidate]) -> list[float]:
    """How well the lines cover each unit of the question between them."""
    return [max(values) for values in zip(*(candidate.covered for candidate in chosen), strict=True)]


def _beside(question: Question, first: Candidate, weights: list[float]) -> list[Candidate]:
    """The sentences and list items around a line, under the same heading."""
    lines = first.passage.lines
    places = [first.position + step for step in BESIDE if 0 <= first.position + step < len(lines)]
    return [
        candidate_at(question, first.passage, place, weights)
        for place in places
        if (lines[place].kind == "item" or (lines[place].kind == "prose" and is_ended(lines[place].text)))
        and lines[place].heading == first.line.heading
        and not commands(lines[place])
    ]


def _tells_more(question: Question, chosen: list[Candidate], candidate: Candidate) -> bool:
    """Whether a line beside the first one is good, too, or the first to say the kind of thing that was asked."""
    if any(candidate.line is one.line for one in chosen):
        return False
    new = expected(question, candidate.line.text) > expected(question, chosen[0].line.text)
    return new or candidate.score >= GOOD_BESIDE * chosen[0].score


def with_list(question: Question, chosen: list[Candidate]) -> list[Candidate]:
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
