"""What a question pins down, in a form in which two questions that ask the same are equal."""

from dataclasses import dataclass
from typing import Protocol

from lessons.retrieve.periods import Quarter


@dataclass(frozen=True)
class Reading:
    """The constraints of a question.

    `asks` are the aspects it wants to know (who, when, how many …), `words` its content words in their order,
    without particles and inflection and with synonyms made equal. `tense` is empty where the question does not tell.
    """

    language: str
    asks: frozenset[str]
    periods: frozenset[Quarter]
    numbers: tuple[str, ...]
    negated: frozenset[str]
    directions: tuple[str, ...]
    words: tuple[str, ...]
    order: tuple[str, ...] = ()  # of names and numbers, or of all words where their order tells who does what
    roles: tuple[tuple[str, str], ...] = ()  # (word, part it plays)
    duty: bool = False  # 'must' instead of 'can'
    tense: str = ""


class Reader(Protocol):
    """Reads the questions of one language."""

    def __call__(self, question: str) -> Reading: ...
