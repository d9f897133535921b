"""Key facts: whether an answer states a number with its unit, a date, a name, an identifier or a phrase.

Exact after normalisation in both languages: '42억 원' is '4.2 billion won', '3분기' is 'Q3', '오후 3시' is '15:00'.
What is close but not right – rounded, the unit or the year wrong, the sign lost, most words of a phrase – is NEAR.
What the answer denies, turns around (fell for rose) or says about another subject or period, it does not state.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import chain

from lessons.evaluate.judge.reading import (
    IDENTIFIER,
    KEPT,
    Found,
    Reading,
    clauses,
    demands,
    direction,
    negated,
    numbers_in,
    read,
    read_all,
    share_found,
)
from lessons.text import language, terms
from lessons.text.dates import Moment, replace_moments
from lessons.text.numbers import COUNTS, Quantity, close, equal, quantities

MOST_WORDS = 2 / 3  # of a phrase of three words or more: NEAR

_DENIED_BEFORE = re.compile(
    r"(?:\bnot|\bnever|n['’]t|\bno longer|\brather than|\binstead of)"
    r"(?: (?:the|a|about|at|in|on|to|by))?\s*[£$€₩]?\s?[-+]?$",
    re.I,
)
_WORD = re.compile(r"[A-Za-z]+|[가-힣]+|[$£€₩%]")
_DENIED_AFTER = re.compile(r"\S{0,2}?\s?(?:이|가|은|는)?\s?(?:아니|아닙|아닌|틀리)")


class Level(IntEnum):
    """How well an answer states a fact."""

    NO = 0
    NEAR = 1
    STATED = 2


@dataclass(frozen=True)
class Asked:
    """What is known beside the facts: years and directions that the question and the reference answer give."""

    question: str = ""
    reference: str = ""

    @property
    def years(self) -> frozenset[int]:
        known = read_all(self.question) + read_all(self.reference)
        return frozenset(moment.year for each in known for moment in each.moments if moment.year)

    def sort_of(self, quantity: Quantity) -> Quantity | None:
        """A number without a unit as the reference gives it: 236억 원 for the fact 236. None if it is not there."""
        if quantity.kind:
            return None
        same = (each for each in numbers_in(self.reference) if quantity.number in (each.number, each.written))
        return max(same, key=lambda each: bool(each.kind), default=None)

    def direction_of(self, quantity: Quantity) -> int:
        """Whether the reference says that this number is a rise (1) or a fall (-1)."""
        found = (each for reading in read_all(self.reference) for each in _numbers(reading))
        return next((where for each, where in found if equal(each.quantity, quantity)), 0)


def level(fact: str, answer: str, asked: Asked | None = None) -> Level:
    """How well the answer states one key fact; alternatives of the fact are separated by `|`, the best one counts."""
    said = read_all(answer)
    forms = [form.strip() for form in fact.split("|") if form.strip()]
    return max((_form_level(form, said, answer, asked or Asked()) for form in forms), default=Level.NO)


def _form_level(form: str, said: Sequence[Reading], answer: str, asked: Asked) -> Level:
    wanted = read(form)
    readings = relevant(form, said, asked.question, asked.reference)
    parts = [_moment_level(moment, readings, asked) for moment in wanted.moments]
    parts += [_quantity_level(each, readings, said, answer, asked) for each in wanted.quantities]
    parts += [Level.STATED if _is_named(name, readings) else Level.NO for name in wanted.identifiers]
    if not parts:
        return _phrase_level(form, readings, asked)
    return min(parts) if _words_agree(wanted, form, readings, answer, asked) else Level.NO


def _is_named(identifier: str, readings: Sequence[Reading]) -> bool:
    stated = re.compile(rf"(?<![A-Za-z0-9_-]){re.escape(identifier)}(?![A-Za-z0-9_]|-[A-Za-z0-9])", re.I)
    matches = ((reading.text, match) for reading in readings for match in stated.finditer(reading.text))
    return any(not _denied(text, match.start(), match.end()) for text, match in matches)


def _words_agree(wanted: Reading, form: str, readings: Sequence[Reading], answer: str, asked: Asked) -> bool:
    """Whether the words beside a fact's number are in the answer or the question, as far as languages allow."""
    words = re.sub(r"\x00+[가-힣]*", " ", wanted.rest)
    for found in reversed(wanted.numbers):
        noun = r"[\s-]?[A-Za-z가-힣]*" if found.quantity.kind in COUNTS else ""
        number = re.escape(found.clause[found.quantity.start : found.quantity.end])
        words = re.sub(rf"{number}[가-힣]*{noun}", " ", words, count=1)
    if not set(demands(words)) - KEPT or language(form) != language(answer):
        return True
    return any(share_found(words, text) == 1.0 for text in [*(reading.text for reading in readings), asked.question])


def _moment_level(wanted: Moment, readings: Sequence[Reading], asked: Asked) -> Level:
    there = [moment for reading in readings for moment in _affirmed(reading)]
    years = asked.years | {moment.year for moment in there if moment.kind == "year" and moment.year}
    if wanted.kind == "year":
        numbers = [each.value for reading in readings for each in reading.quantities if not each.kind]
        return Level.STATED if wanted.year in [*(moment.year for moment in there), *numbers] else Level.NO
    if any(moment.answers(wanted, frozenset(years)) for moment in there):
        return Level.STATED
    return Level.NEAR if any(moment.nearly(wanted) for moment in there) else Level.NO


def _affirmed(reading: Reading) -> list[Moment]:
    """The moments of a sentence without those that it denies: '3 May' in 'not on 3 May but on 5 May'."""
    found: list[Moment] = []

    def note(moment: Moment, match: re.Match[str]) -> str:
        if not _denied(match.string, match.start(), match.end()):
            found.append(moment)
        return "\x00" * len(match[0])

    replace_moments(IDENTIFIER.sub(lambda match: "\x00" * len(match[0]), reading.text), note)
    return found


def _quantity_level(
    wanted: Quantity, readings: Sequence[Reading], said: Sequence[Reading], answer: str, asked: Asked
) -> Level:
    """NEAR at best when the reference gives the number in a unit and the answer never names that unit."""
    expected, sort = wanted.sign or asked.direction_of(wanted), asked.sort_of(wanted)
    levels = [
        _one_quantity(wanted, found.quantity, where, expected, sort)
        for reading in readings
        for found, where in _numbers(reading)
        if not _denied(found.clause, found.quantity.start, found.quantity.end)
    ]
    if wanted.kind in COUNTS:  # '1900 units' looks like a year
        years = (moment.year for reading in readings for moment in reading.moments if moment.kind == "year")
        levels += [Level.STATED for year in years if year == wanted.value]
    numbers = (each for reading in said for each in reading.quantities)
    heads = (unit for word in _WORD.findall(answer) for unit in quantities(f"{word} 1 {word}"))  # 'Sales (£): 12.4'
    clear = sort is None or sort.kind in COUNTS or any(each.kind == sort.kind for each in chain(numbers, heads))
    return min(max(levels, default=Level.NO), Level.STATED if clear else Level.NEAR)


def _numbers(reading: Reading) -> list[tuple[Found, int]]:
    """The quantities of a sentence, each with its direction: its sign, else its clause's, else the sentence's."""
    whole = direction(reading.rest)
    return [(each, each.quantity.sign or direction(each.clause) or whole) for each in reading.numbers]


def _one_quantity(wanted: Quantity, there: Quantity, where: int, expected: int, sort: Quantity | None) -> Level:
    """`where` and `expected` are directions, `sort` is the quantity as the reference answer gives it."""
    if expected and where == -expected:
        return Level.NO
    counts_too = sort and there.kind in COUNTS and (there.scaled == sort.scaled or there.written != sort.written)
    if sort and not sort.kind and not counts_too:  # for 43 branches, neither 43 % nor 43 million
        return Level.NO
    bare = not wanted.kind and not there.kind and not there.scaled and there.written == wanted.written
    if sort and not wanted.kind and not bare:
        wanted = replace(sort, sign=wanted.sign)
    if bare or equal(there, wanted):
        lost = (wanted.sign < 0 and where == 0) or (there.sign < 0 and expected == 0)
        return Level.NEAR if lost else Level.STATED
    return Level.NEAR if close(there, wanted) else Level.NO


def _denied(text: str, start: int, end: int) -> bool:
    """Whether 'not' stands before the words or '아니라' behind them."""
    return bool(_DENIED_BEFORE.search(text[:start]) or _DENIED_AFTER.match(text, end))


def _phrase_level(phrase: str, readings: Sequence[Reading], asked: Asked) -> Level:
    shares = [(share_found(phrase, reading.text), reading.text) for reading in readings]
    if any(share == 1.0 and not _turned_around(phrase, text, asked) for share, text in shares):
        return Level.STATED
    most = any(MOST_WORDS <= share < 1.0 for share, _ in shares)
    return Level.NEAR if len(demands(phrase)) > 2 and most else Level.NO


def _lesser(phrase: str, text: str) -> bool:
    """Whether the text names the phrase only to compare with it: 'more than Asia', '아시아보다'."""
    name = re.escape(phrase)
    compared = re.compile(rf"\bthan (?:(?:that|those|of|at|in|the) )*{name}|{name}\S{{0,3}}보다", re.I)
    return bool(compared.search(text)) and phrase.lower() not in compared.sub("", text).lower()


def _turned_around(phrase: str, sentence: str, asked: Asked) -> bool:
    """Whether its clause denies the phrase (the reference does not), says fell for rose, or compares with it."""
    clause = next((part for part in clauses(sentence) if share_found(phrase, part) == 1.0), sentence)
    compared = _lesser(phrase, sentence) and not _lesser(phrase, asked.reference)
    denied = negated(clause) and not negated(phrase) and not negated(asked.reference)
    return compared or denied or direction(clause) * direction(asked.reference) < 0


# Which sentences may state a fact

OWN_TERMS = 3  # words; a sentence with fewer beside the fact has no subject of its own: 'It was 43.'

# English only: within a sentence, before "'s", or before another such word. Korean names cannot be told from words, and
# an identifier such as ReadRole is no name.
_NAME = re.compile(r"(?<=[a-z0-9,\x00] )[A-Z][a-z]+(?![A-Za-z0-9_])|\b[A-Z][a-z]+(?=['’]s\b| [A-Z][a-z])")


def relevant(form: str, readings: Sequence[Reading], question: str, reference: str) -> list[Reading]:
    """The sentences that share a term with question or reference and, if they give names or periods, one of theirs."""
    fact = set(terms(form))
    topic = set(terms(f"{question} {reference}")) - fact
    asked = _names(read_all(question))
    kept = [
        each
        for each in readings
        if _on_topic(each, fact, topic, language(reference or question))
        and not (asked and _names([each]) - fact - topic and not asked & set(terms(each.text)))
    ]
    if read(form).moments:
        return kept
    wanted = read(clause_of(form, reference)).moments or [each for one in read_all(question) for each in one.moments]
    # Up to the clause with the fact: for 40, the beginning of 'Costs were 40 in 2023, and 50 in 2024'.
    stated = ((each, clause_of(form, each.text)) for each in kept)
    beginnings = ((each, each.text[: each.text.index(clause) + len(clause)]) for each, clause in stated)
    return [each for each, beginning in beginnings if _same_period(read(beginning).moments, wanted)]


def clause_of(form: str, reference: str) -> str:
    """The clause of the reference in which a fact stands; the whole reference when it stands in none."""
    wanted = read(form).quantities
    for clause in clauses(reference):
        there = read(clause).quantities
        if all(any(equal(one, each) for one in there) for each in wanted) if wanted else share_found(form, clause) == 1:
            return clause
    return reference


def _on_topic(reading: Reading, fact: set[str], topic: set[str], written_in: str) -> bool:
    own = set(terms(reading.text)) - fact
    is_short = sum(map(str.isalpha, own)) < OWN_TERMS
    return not topic or is_short or bool(own & topic) or language(reading.text) != written_in


def _names(readings: Sequence[Reading]) -> set[str]:
    return {term for each in readings for name in _NAME.findall(each.rest) for term in terms(name)}


def _same_period(there: Sequence[Moment], wanted: Sequence[Moment]) -> bool:
    for part in ("year", "quarter"):
        named, expected = ({getattr(moment, part) for moment in moments} - {None} for moments in (there, wanted))
        if named and expected and not named & expected:
            return False
    return True
