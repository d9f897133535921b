"""Whether an answer that states the key facts also says the rest of the reference: clauses and numbers without one."""

from collections.abc import Iterable, Sequence

from lessons.evaluate.judge.quantities import Quantity
from lessons.evaluate.judge.question import Question
from lessons.evaluate.judge.reading import read_all
from lessons.evaluate.judge.relevance import clause_of
from lessons.evaluate.judge.words import clauses
from lessons.text import language, normalize, sentences, terms


def is_complete(golden: Question, text: str) -> bool:
    """Whether the text holds every number of the reference and, in one sentence, most of what only one clause says."""
    said = sentences(normalize(text))
    known = _numbers([golden.question, *(form for fact in golden.key_facts for form in fact.split("|"))])
    there = _numbers(said)
    numbers = all(_among(each, there) for each in _numbers([golden.answer]) if not _among(each, known))
    return numbers and all(_says(own, said, language(golden.answer)) for own in _rest(golden))


def _rest(golden: Question) -> list[set[str]]:
    """For each clause of the reference without a key fact, the terms that no other clause has, if there are several."""
    parts = clauses(golden.answer)
    with_fact = {clause_of(form, golden.answer) for fact in golden.key_facts for form in fact.split("|")}
    own = [
        set(terms(part)) - set(terms(" ".join(other for other in parts if other is not part)))
        for part in parts
        if part not in with_fact
    ]
    return [each for each in own if len(each) > 1]


def _says(own: set[str], said: Sequence[str], written_in: str) -> bool:
    """Whether one sentence holds more than half of the terms; words of another language cannot be compared."""
    told = [set(terms(sentence)) for sentence in said if language(sentence) == written_in]
    return not told or any(2 * len(own & each) > len(own) for each in told)


def _numbers(texts: Iterable[str]) -> list[Quantity]:
    return [found.quantity for text in texts for reading in read_all(text) for found in reading.numbers]


def _among(number: Quantity, numbers: Sequence[Quantity]) -> bool:
    return any(number.value == other.value or number.written == other.written for other in numbers)
