"""The guard of the response cache: two questions that look alike share an answer only if they pin down the same.

An embedding places 'Q2 2024' beside 'Q3 2024' and 'include' beside 'do not include', nearer than many a paraphrase. So
what similarity cannot tell is compared by reading both questions. The guard errs towards asking again: a paraphrase
that it does not recognise costs one answer, a wrong answer from the cache costs the reader's trust.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from lessons.context.cache.english import read_english
from lessons.context.cache.korean import read_korean
from lessons.context.cache.reading import Reading
from lessons.text import language, normalize

Rule = Callable[[Reading, Reading], bool]


def _equal(part: str) -> Rule:
    return lambda one, other: getattr(one, part) == getattr(other, part)


def _same_words(one: Reading, other: Reading) -> bool:
    """Words in any order, or written together: 고객 센터 and 고객센터."""
    return sorted(one.words) == sorted(other.words) or "".join(one.words) == "".join(other.words)


def _same_roles(one: Reading, other: Reading) -> bool:
    """Whoever plays a part in both questions is the same; a part that only one of them marks says nothing."""
    parts = {part for _, part in one.roles} & {part for _, part in other.roles}
    shared = {*one.order} & {*other.order}
    orders = [[word for word in reading.order if word in shared] for reading in (one, other)]
    return orders[0] == orders[1] and all(_playing(one, part) == _playing(other, part) for part in parts)


def _playing(reading: Reading, part: str) -> set[str]:
    return {word for word, played in reading.roles if played == part}


def _same_tense(one: Reading, other: Reading) -> bool:
    return not one.tense or not other.tense or one.tense == other.tense


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "language": _equal("language"),
        "numbers": _equal("numbers"),
        "periods": _equal("periods"),
        "negation": _equal("negated"),
        "direction": _equal("directions"),
        "what is asked": _equal("asks"),
        "duty": _equal("duty"),
        "tense": _same_tense,
        "who does what": _same_roles,
        "words": _same_words,
    }
)
"""What has to agree, by name, in the order in which a difference is told."""


def read_constraints(question: str) -> Reading:
    """The constraints of a question in either language."""
    text = " ".join(normalize(question).split())
    return read_korean(text) if language(text) == "ko" else read_english(text)


def differences(asked: str, again: str, rules: Iterable[str] = tuple(RULES)) -> list[str]:
    """The names of the rules by which two questions differ; none if an answer to one answers the other."""
    one, other = read_constraints(asked), read_constraints(again)
    return [name for name in rules if not RULES[name](one, other)]
