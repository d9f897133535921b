"""How well a line of the documents answers: how much of the question it covers, and which cells are asked for."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lessons.keyless.lines import Line, Passage, cells, quarters, search_terms, years
from lessons.keyless.words import Question, Unit
from lessons.text import language

Pairs = tuple[tuple[str, str], ...]  # the name of a column, and the cell under it
# How much a word counts that stands not in the sentence but near it. Tuned on outside text.
ABOVE, TITLE, BEFORE, ELSEWHERE = 1.0, 0.8, 0.6, 0.3
EXPECTED = 0.12  # what a line gains for holding the kind of thing that is asked for
RANK = 0.02  # what a line loses for each document in front of its own
_EXPECTED = {
    "date": re.compile(r"\d{4}[-./년]|\b(?:19|20)\d\d\b|\d\s?(?:월|일|시)|\b\d{1,2}:\d\d\b|\bday|\bweek|\bmonth"),
    "number": re.compile(r"\d"),
    "person": re.compile(
        r"[A-Z][a-z]+ [A-Z][a-z]+|[가-힣]{2,4} ?(?:님|씨|대표|이사|부장|팀장|과장|교수|박사|매니저|담당)"
    ),
    "why": re.compile(
        r"\b(?:because|due to|as a result|so that|since|owing|driven|thanks to|caus(?:e[ds]?|ing)|led to|after"
        r"|following|result(?:ed|s)? (?:of|from)|reflect(?:s|ed|ing)|attribut\w+|on the back of|helped by|hit by)\b"
        r"|, (?:so|which(?! (?:is|was|are|were|has|had) also))\b"
        r"|때문|이유|원인|까닭|위해|덕[분에]|탓|인[해한]|따라|따른|영향|여파|힘입|바람에|비롯|[가-힣](?:면서|므로|느라)|데다"
        r"|[아어여해져와워려쳐켜]서(?=[\s,])|(?:증가|상승|감소|하락|확대|축소|부족|지연|강세|약세|호조|부진|급증|급감|인상|인하)으?로(?=\s)"
    ),
}
_COMMAND = re.compile(
    r"\b(?:ignore|disregard|forget)\b.{0,40}\b(?:above|previous|prior|instructions?|everything|rules)\b|system prompt"
    r"|(?:지시|명령|지침|규칙|내용)\S*\s.{0,20}무시|무시하고",
    re.IGNORECASE,
)
_MEASURE = re.compile("몇 ?([가-힣])")  # what is counted stands behind its number: 몇 개, 몇 퍼센트
_HOW_MANY = re.compile(r"(?i)\bhow (?:many|much)\b|얼마(?!나)|몇")
_NUMBER = re.compile(
    r"(?i)\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|half|once|twice"
    r"|double|no|none|nothing|free|all|every)\b|(?<![가-힣])(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|수)\s?[가-힣]"
    r"|무료|없|않|모[든두]|전[부액체]|절반"
)


def asked_cells(question: Question, line: Line) -> Pairs:
    """Return the label of a row and its cells under the periods asked for, else all; empty without column names."""
    row = cells(line.text)
    pairs: Pairs = tuple(zip(line.header, row, strict=True)) if len(row) == len(line.header) else ()
    dated = [years(words) | quarters(words) for words in (search_terms(name) for name, _ in pairs)]
    if sum(map(bool, dated)) < 2 or not any(unit.kind in ("year", "quarter") for unit in question.units):
        return pairs
    asked = [pair for pair, period in zip(pairs, dated, strict=True) if period and not contradictions(question, period)]
    return (pairs[0], *asked) if asked else pairs


def contradictions(question: Question, words: frozenset[str]) -> int:
    """Count in how many of year and quarter these words name others than those asked about."""
    count = 0
    for kind, periods in (("year", years(words)), ("quarter", quarters(words))):
        covered = [unit.covered(periods) for unit in question.units if unit.kind == kind]
        count += bool(covered and periods) and not any(covered)
    return count


def expected(question: Question, line: Line) -> float:
    """Return the share of the kinds of thing asked for – a date, a number, a person, a reason – that a line holds."""
    patterns = {kind: pattern for kind, pattern in _EXPECTED.items() if kind in question.kinds}
    measure = _MEASURE.search(question.body) if line.kind != "row" and "date" not in patterns else None
    if measure and language(line.text) == "ko":
        patterns["number"] = re.compile(rf"\d\s?[{measure[1].replace('퍼', '퍼%')}]")
    return sum(pattern.search(line.text) is not None for pattern in patterns.values()) / (len(patterns) or 1)


def cover(unit: Unit, passage: Passage, position: int, asked_years: frozenset[str]) -> float:
    """Return how well a line covers a unit, 0 to 1: by itself, else by what stands above or before it or in the title.

    Of a period the nearest words that name one decide; a quarter counts only where no year stands but those asked for.
    """
    line, previous = passage.lines[position], passage.lines[position - 1 : position]
    itself = [(line.own, 1.0), (line.above, ABOVE)]
    itself = itself[::-1] if line.header else itself  # 1,997 is no year below the name of a quarter
    near = [*itself, (passage.title, TITLE), *((one.own, BEFORE) for one in previous), (passage.all, ELSEWHERE)]
    if unit.kind not in ("year", "quarter"):
        return max(worth * unit.covered(words) for words, worth in near)
    mentions = years if unit.kind == "year" else quarters
    words, worth = next(((words, worth) for words, worth in near if mentions(words)), (frozenset[str](), 0.0))
    of_another_year = unit.kind == "quarter" and asked_years and years(words) and asked_years.isdisjoint(years(words))
    return 0.0 if of_another_year else worth * unit.covered(words)


def commands(line: Line) -> bool:
    """Tell whether the line tries to tell its reader what to do with it."""
    return _COMMAND.search(line.text) is not None


@dataclass(frozen=True, slots=True)
class Candidate:
    line: Line
    passage: Passage
    position: int  # within the passage
    covered: tuple[float, ...]  # of each unit of the question, 0 to 1
    score: float


def candidates(question: Question, documents: Sequence[Passage]) -> Iterator[Candidate]:
    """Yield every line that shares a word with the question, and its score."""
    for rank, passage in enumerate(documents):
        for position, line in enumerate(passage.lines):
            shares = not question.terms or not question.terms.isdisjoint(line.own | line.above)
            if shares and line.kind != "heading" and not commands(line):
                yield candidate_at(question, passage, position, rank)


def candidate_at(question: Question, passage: Passage, position: int, rank: int = 0) -> Candidate:
    line = passage.lines[position]
    asked_years = frozenset().union(*(unit.keys for unit in question.units if unit.kind == "year"))
    covered = tuple(cover(unit, passage, position, asked_years) for unit in question.units)
    score = share(question.units, covered) + EXPECTED * expected(question, line) - RANK * rank - 0.0005 * position
    return Candidate(line, passage, position, covered, score)


def ranked(question: Question, documents: Sequence[Passage]) -> list[Candidate]:
    """Return the lines that share a word with the question, best first."""
    return sorted(candidates(question, documents), key=lambda candidate: -candidate.score)


def share(units: Sequence[Unit], covered: Sequence[float]) -> float:
    """Return the share of the units, by weight, that is covered, 0 to 1."""
    weights = [unit.weight for unit in units]
    return sum(weight * value for weight, value in zip(weights, covered, strict=True)) / (sum(weights) or 1.0)


def coverage(question: Question, words: frozenset[str]) -> float:
    """Return the share of the question, by weight, that these words hold, 0 to 1."""
    return share(question.units, [unit.covered(words) for unit in question.units])


def weighed(question: Question, documents: Sequence[Passage]) -> Question:
    """Multiply each weight by the inverse document frequency of its unit among the lines of the context."""
    lines = [line.own for passage in documents for line in passage.lines]
    largest = math.log(len(lines) + 1.5)
    counts = [sum(unit.covered(own) > 0.5 for own in lines) for unit in question.units]
    rarities = [0.3 + 0.7 * math.log((len(lines) + 1) / (count + 0.5)) / largest for count in counts]
    units = (replace(unit, weight=unit.weight * rarity) for unit, rarity in zip(question.units, rarities, strict=True))
    return replace(question, units=tuple(units))


def best_lines(question: Question, documents: Sequence[Passage]) -> list[float]:
    """Return the score of the best line of each document."""
    question = weighed(question, documents)
    return [max((line.score for line in candidates(question, [one])), default=0.0) for one in documents]


def says_how_many(question: Question, lines: Sequence[Candidate]) -> bool:
    """Tell whether lines hold a number, in digits or words, if a question asks how many or how much."""
    texts = (text for line in lines for text in (line.line.text, *line.line.header))
    return not _HOW_MANY.search(question.body) or any(map(_NUMBER.search, texts))


def gives_reason(line: Line) -> bool:
    return _EXPECTED["why"].search(line.text) is not None


def reason(question: Question, passage: Passage) -> tuple[float, int]:
    """Score how well a document says why, and in which line: 1 to -1 if it only repeats what is to be explained."""
    reasons, repeats = [], [(0.0, 0)]
    for at, line in enumerate(passage.lines):
        if line.kind != "heading" and gives_reason(line):
            reasons.append((0.5 + 0.5 * share(question.units, candidate_at(question, passage, at).covered), -at))
        repeats.append((-min(1.0, 2 * coverage(question, line.own)), -at))
    value, at = max(reasons, default=min(repeats))
    return value, -at
