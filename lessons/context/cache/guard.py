"""The guard of the response cache: two questions that look alike share an answer only if they pin down the same.

An embedding places 'Who hired the manager?' beside 'Who did the manager hire?', nearer than many a paraphrase. So what
similarity cannot tell apart is compared by reading both questions: every word of one needs a counterpart in the other
that plays the same part. The guard errs towards asking again: a paraphrase that it does not recognise costs one answer,
a wrong answer from the cache costs the reader's trust.

A logistic model of similarity, shared letters and these rules, fitted to the same pairs, found hardly more paraphrases
of unseen questions at as few wrong hits, so there is none.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from lessons.context.cache.align import align
from lessons.context.cache.english import read_english
from lessons.context.cache.korean import read_korean, spaced
from lessons.context.cache.reading import OPEN, WEAK, Reading, Word
from lessons.text import language, normalize

Rule = Callable[[Reading, Reading], bool]


def _equal(part: str) -> Rule:
    return lambda one, other: getattr(one, part) == getattr(other, part)


def _same_tense(one: Reading, other: Reading) -> bool:
    return (
        one.tense == other.tense
        or one.tense.split()[:-1] != other.tense.split()[:-1]
        or not (one.tense and other.tense)
    )


def _same_numbers(one: Reading, other: Reading) -> bool:
    return _numbers(one) == _numbers(other)


def _numbers(reading: Reading) -> list[str]:
    return sorted(word.text for word in reading.words if word.is_number)


def _same_words(one: Reading, other: Reading) -> bool:
    """Every word has an equal, an inflected or a synonymous counterpart."""
    _, *left = align(one.words, other.words)
    return not any(word for words in left for word in words if not word.light) and not all(left)


def _same_roles(one: Reading, other: Reading) -> bool:
    """Counterparts play the same part; where position tells the part, they stand in the same order."""
    counterparts = [(one.words[i], other.words[j], j) for i, j in align(one.words, other.words)[0]]
    if one.persons and other.persons and one.persons != other.persons:
        return False
    if not all(_agree(a, b) for a, b, _ in counterparts):
        return False
    strict = sum(word.is_number for word in one.words) > 1
    return not any(
        _exchanged((a, b), (c, d))
        or (later < earlier and (strict or a.role == c.role == b.role == d.role != "predicate"))
        for number, (a, b, earlier) in enumerate(counterparts)
        for c, d, later in counterparts[number + 1 :]
    )


def _agree(one: Word, other: Word) -> bool:
    """Whether two counterparts can play the same part; one that is unmarked can play every weak one."""
    if one.heads and other.heads and not one.heads & other.heads:
        return False
    if one.form and other.form and one.form != other.form:
        return False
    roles = {one.role, other.role}
    return (
        len(roles) == 1
        or (roles <= WEAK and bool(roles & OPEN))
        or (roles <= {"of", "in", "on", "at", "for"} and "of" in roles)
    )


def _exchanged(one: tuple[Word, Word], other: tuple[Word, Word]) -> bool:
    """Whether two words each take the part that the other had: 'the manager's friend', 'the friend's manager'."""
    (a, b), (c, d) = one, other
    return a.role == d.role not in OPEN and (b.role == c.role != a.role or {b.role, c.role} <= OPEN)


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "language": _equal("language"),
        "numbers": _same_numbers,
        "negation": _equal("negated"),
        "what is asked": _equal("asks"),
        "modality": _equal("modality"),
        "tense": _same_tense,
        "who does what": _same_roles,
        "words": _same_words,
    }
)
"""What has to agree, by name, in the order in which differences are named."""


def read_constraints(question: str) -> Reading:
    """The constraints of a question in either language."""
    text = " ".join(normalize(question).split())
    return read_korean(text) if language(text) == "ko" else read_english(text)


def differences(asked: str, again: str) -> list[str]:
    """The names of the rules by which two questions differ; none if an answer to one answers the other."""
    first, second = sorted((asked, again))
    one, other = read_constraints(first), read_constraints(second)
    if one.language == other.language == "ko":
        one, other = read_constraints(spaced(first, other.words)), read_constraints(spaced(second, one.words))
    return [name for name, agree in RULES.items() if not agree(one, other)]
