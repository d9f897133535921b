"""Which sentences of an answer may state a fact: those about its subject and its period, not another one's."""

import re
from collections.abc import Sequence

from lessons.evaluate.judge.calendar import Moment
from lessons.evaluate.judge.compare import equal
from lessons.evaluate.judge.reading import Reading, read, read_all
from lessons.evaluate.judge.words import clauses, share_found
from lessons.text import language, terms

OWN_TERMS = 3  # words; a sentence with fewer beside the fact has no subject of its own: 'It was 43.'

# English only: within a sentence, before "'s", or before another such word. Korean names cannot be told from words.
_NAME = re.compile(r"(?<=[a-z0-9,\x00] )[A-Z][a-z]+|\b[A-Z][a-z]+(?=['’]s\b| [A-Z][a-z])")


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
    return [each for each in kept if _same_period(read(_up_to(form, each.text)).moments, wanted)]


def clause_of(form: str, reference: str) -> str:
    """The clause of the reference in which a fact stands; the whole reference when it stands in none."""
    wanted = [found.quantity for found in read(form).numbers]
    for clause in clauses(reference):
        there = [found.quantity for found in read(clause).numbers]
        if all(any(equal(one, each) for one in there) for each in wanted) if wanted else share_found(form, clause) == 1:
            return clause
    return reference


def _on_topic(reading: Reading, fact: set[str], topic: set[str], written_in: str) -> bool:
    own = set(terms(reading.text)) - fact
    return (
        not topic or sum(map(str.isalpha, own)) < OWN_TERMS or bool(own & topic) or language(reading.text) != written_in
    )


def _names(readings: Sequence[Reading]) -> set[str]:
    return {term for each in readings for name in _NAME.findall(each.rest) for term in terms(name)}


def _up_to(form: str, sentence: str) -> str:
    """The sentence up to the clause with the fact, for 40 the beginning of 'Costs were 40 in 2023, and 50 in 2024'."""
    clause = clause_of(form, sentence)
    return sentence[: sentence.index(clause) + len(clause)]


def _same_period(there: Sequence[Moment], wanted: Sequence[Moment]) -> bool:
    for part in ("year", "quarter"):
        named, expected = ({getattr(moment, part) for moment in moments} - {None} for moments in (there, wanted))
        if named and expected and not named & expected:
            return False
    return True
