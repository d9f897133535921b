"""How the keyless model answers: sentences taken from the given documents, each with its citation.

A sentence is scored by how much of the question it covers, together with what gives it its subject: its headings, the
sentence before it, the title of its document. If the best one leaves something essential open – a name, a year, an
identifier, most of the words – the documents do not say.
"""

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding

from lessons.models.offline_crossing import nearest, neutral
from lessons.models.offline_passages import Line, Passage, cells, passages, quarters, years
from lessons.models.offline_question import Question, Unit, read_question
from lessons.models.offline_tasks import task

NOT_FOUND = {
    "en": "The documents do not answer this question.",
    "ko": "문서에서 이 질문에 대한 답을 찾을 수 없습니다.",
}

# How much a word counts that stands not in the sentence but near it. Tuned on outside text.
ABOVE, BEFORE, AFTER, TITLE, ELSEWHERE = 0.9, 0.6, 0.1, 0.8, 0.3
ENOUGH = 0.5  # share of the question's weight that an answer must cover
NEARLY_AS_GOOD = 0.9  # a second sentence joins the first from this share of its score

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
_COMMAND = re.compile(
    r"\b(?:ignore|disregard|forget)\b.{0,40}\b(?:above|previous|prior|instructions?|everything|rules)\b|system prompt"
    r"|(?:지시|명령|지침|규칙|내용)\S*\s.{0,20}무시|무시하고",
    re.IGNORECASE,
)
_CITED = re.compile(r"\s?\[\d+\]")
_LEAD = re.compile(r"^(?:[-*•‣▪◦○●·–►▶#]+\s+|[QA]\d*[.:]\s+)")


@dataclass(frozen=True, slots=True)
class Candidate:
    line: Line
    passage: Passage
    position: int  # within the passage
    covered: tuple[float, ...]  # of each unit of the question, 0 to 1
    score: float


@task("answer")
def answer(llm: Any, question: str, context: str = "", **_: Any) -> str:
    """One to three sentences of the context with their citations, steps in full, or NOT_FOUND."""
    asked, found = read_question(question), passages(context)
    chosen = _choose_from_all(asked, found, llm.embedding) if asked.units else []
    if not chosen:
        return NOT_FOUND[asked.language]
    steps = [candidate for candidate in chosen if candidate.line.kind == "item"]
    separator = "\n" if len(steps) > 1 else " "
    return separator.join(dict.fromkeys(cite(candidate, asked) for candidate in chosen))


def _choose_from_all(question: Question, found: list[Passage], embedding: BaseEmbedding | None) -> list[Candidate]:
    """From the documents in the question's language; if they are silent, by meaning from those in the other one.

    Meanings cannot tell 'near' from 'not there', so the retriever must have put a document in the other language first.
    """
    chosen = choose(question, [passage for passage in found if passage.language == question.language])
    foreign = [passage for passage in found if passage.language != question.language]
    if chosen or not foreign or foreign[0] is not found[0] or embedding is None:
        return chosen
    return choose_across(question, foreign, embedding)


def choose_across(question: Question, found: list[Passage], embedding: BaseEmbedding) -> list[Candidate]:
    """The nearest line in meaning among those that hold the question's years, quarters and identifiers."""
    units = tuple(unit for unit in question.units if neutral(unit))
    everything = frozenset().union(*(passage.all for passage in found))
    if any(unit.covered(everything) < 1 for unit in units):
        return []
    bound = replace(question, units=units, terms=frozenset())
    candidates = [
        candidate for candidate in _candidates(bound, found, [unit.weight for unit in units]) if _fits(bound, candidate)
    ]
    if not candidates:
        return []
    ranked = nearest(question, [(one.line, one.passage, one.score) for one in candidates], embedding)
    best = [candidates[i] for i in ranked[:2]]
    return _with_list(question, best)


def choose(question: Question, found: list[Passage]) -> list[Candidate]:
    """The lines that answer, in the order to say them; empty when the context leaves something essential open."""
    everything = frozenset().union(*(passage.all for passage in found))
    if any(unit.required and unit.covered(everything) < 1 for unit in question.units):
        return []
    question = _with_topics(question, found)
    weights = _rarity(question, found)
    ranked = sorted(_candidates(question, found, weights), key=lambda candidate: -candidate.score)
    first = next((candidate for candidate in ranked if _fits(question, candidate)), None)
    if first is None:
        return []
    chosen = _joined(question, [first], ranked[:60], _complements)
    chosen = _joined(question, _without_idle(chosen), ranked[:60], _rivals)
    if not _enough(question.units, _together(chosen)):
        return []
    return _with_list(question, chosen)


def _candidates(question: Question, found: list[Passage], weights: list[float]) -> Iterable[Candidate]:
    total = sum(weights)
    for rank, passage in enumerate(found):
        for position, line in enumerate(passage.lines):
            if line.kind == "heading" or _COMMAND.search(line.text):
                continue
            if question.terms and question.terms.isdisjoint(line.own | line.above):
                continue
            covered = tuple(_cover(unit, passage, position) for unit in question.units)
            score = (
                sum(weight * value for weight, value in zip(weights, covered, strict=True)) / total if total else 0.0
            )
            score += 0.12 * _expected(question, line.text) - 0.01 * rank - 0.0005 * position
            yield Candidate(line, passage, position, covered, score)


def _with_topics(question: Question, found: list[Passage]) -> Question:
    """Words that stand in the titles of some documents but not of all tell the documents apart, as names do."""
    if len(found) < 2:
        return question

    def tells_apart(unit: Unit) -> bool:
        titled = sum(unit.covered(passage.title) == 1 for passage in found)
        return unit.kind == "word" and 0 < titled < len(found)

    units = tuple(replace(unit, kind="name", weight=1.5) if tells_apart(unit) else unit for unit in question.units)
    return replace(question, units=units)


def _fits(question: Question, candidate: Candidate) -> bool:
    """Whether the line speaks of one of the names, one of the years, one of the codes … that the question holds."""
    said: dict[str, bool] = {}
    for unit, value in zip(question.units, candidate.covered, strict=True):
        if unit.required:
            said[unit.kind] = said.get(unit.kind, False) or value >= ELSEWHERE
    return all(said.values())


def _contradicts(question: Question, candidate: Candidate) -> bool:
    """Whether the title of its document names another year or quarter than the question."""
    title = candidate.passage.title
    return any(
        value == 0 and bool(years(title) if unit.kind == "year" else quarters(title))
        for unit, value in zip(question.units, candidate.covered, strict=True)
        if unit.kind in ("year", "quarter")
    )


def _joined(
    question: Question,
    chosen: list[Candidate],
    ranked: list[Candidate],
    joins: Callable[[Question, list[Candidate], Candidate], bool],
) -> list[Candidate]:
    """The chosen lines and those that join them, three at most."""
    for candidate in ranked:
        if len(chosen) < 3 and candidate not in chosen and joins(question, chosen, candidate):
            chosen = [*chosen, candidate]
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


def _rarity(question: Question, found: list[Passage]) -> list[float]:
    """Each unit's weight times its inverse document frequency among the lines of the context."""
    lines = [line.own for passage in found for line in passage.lines]
    frequency = [sum(unit.covered(own) > 0.5 for own in lines) for unit in question.units]
    most = math.log(len(lines) + 1.5)
    return [
        unit.weight * (0.3 + 0.7 * math.log((len(lines) + 1) / (count + 0.5)) / most)
        for unit, count in zip(question.units, frequency, strict=True)
    ]


def _cover(unit: Unit, passage: Passage, position: int) -> float:
    """How well a line covers a unit: by itself, else by what stands above, before, after it or in the title."""
    line = passage.lines[position]
    before = passage.lines[position - 1].own if position else frozenset()
    after = passage.lines[position + 1].own if position + 1 < len(passage.lines) else frozenset()
    if unit.kind in ("year", "quarter"):
        mentions = years if unit.kind == "year" else quarters
        for words, worth in (
            (line.own, 1.0),
            (line.above, ABOVE),
            (passage.title, TITLE),
            (before, BEFORE),
            (passage.all, ELSEWHERE),
        ):
            if said := mentions(words):
                return worth * unit.covered(said)
        return 0.0
    best = 0.0
    for words, worth in (
        (line.own, 1.0),
        (line.above, ABOVE),
        (passage.title, TITLE),
        (before, BEFORE),
        (after, AFTER),
        (passage.all, ELSEWHERE),
    ):
        if worth <= best:
            break
        best = max(best, worth * unit.covered(words))
    return best


def _complements(question: Question, chosen: list[Candidate], candidate: Candidate) -> bool:
    """Whether a further line itself says something essential that is still open, as the second part of a comparison."""
    if _contradicts(question, candidate):
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
        said >= TITLE and now < BEFORE for said, now in zip(first.covered, candidate.covered, strict=True)
    )


def _enough(units: tuple[Unit, ...], covered: list[float]) -> bool:
    if any(unit.required and value < ELSEWHERE for unit, value in zip(units, covered, strict=True)):
        return False
    share = sum(unit.weight * value for unit, value in zip(units, covered, strict=True))
    return share >= ENOUGH * sum(unit.weight for unit in units)


def _expected(question: Question, text: str) -> float:
    """Whether the line holds the kind of thing that was asked for."""
    kinds = [kind for kind in question.kinds if kind in _EXPECTED]
    return sum(_EXPECTED[kind].search(text) is not None for kind in kinds) / len(kinds) if kinds else 0.0


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


def cite(candidate: Candidate, question: Question) -> str:
    """The line's own words with its citation before the full stop; a table row with the cells above it."""
    line = candidate.line
    text = _row(line, question) if line.kind == "row" else _LEAD.sub("", line.text)
    text = _CITED.sub("", " ".join(text.split()))
    number = candidate.passage.number
    if not number:
        return text
    body = text.rstrip(".!?。！？…:;, ")
    end = text[len(body) :].strip()
    return f"{body} [{number}]{end or '.'}"


def _row(line: Line, question: Question) -> str:
    row = cells(line.text)
    if len(row) != len(line.header):
        return ", ".join(cell for cell in row if cell)
    pairs = [(name, cell) for name, cell in zip(line.header, row, strict=True) if cell]
    return ", ".join(f"{name}: {cell}" if name else cell for name, cell in pairs)
