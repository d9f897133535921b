"""One sentence as the judge reads it: its moments, quantities and identifiers, clause by clause."""

import re
from dataclasses import dataclass
from functools import lru_cache

from lessons.evaluate.judge.calendar import Moment, moments
from lessons.evaluate.judge.numbers import digits
from lessons.evaluate.judge.quantities import Quantity, quantities
from lessons.evaluate.judge.words import IDENTIFIER, clauses
from lessons.text import normalize, sentences

CITED = re.compile(r"\s?\[\d{1,3}\]")
_ITEM = re.compile(r"^\s*(?:\d{1,2}[.)]|[-*•])\s+")


@dataclass(frozen=True)
class Found:
    """A quantity, and the clause (as read, with calendar words blanked out) in which it stands."""

    quantity: Quantity
    clause: str


@dataclass(frozen=True)
class Reading:
    """A sentence. `rest` is its text without moments and identifiers."""

    text: str
    moments: tuple[Moment, ...]
    numbers: tuple[Found, ...]
    identifiers: tuple[str, ...]
    rest: str


@lru_cache(maxsize=5_000)
def read(sentence: str) -> Reading:
    """Read one sentence, without its list mark and its citations."""
    text = digits(_ITEM.sub("", CITED.sub("", sentence)))
    names = tuple(match[0].lower() for match in IDENTIFIER.finditer(text))
    dated, rest = moments(IDENTIFIER.sub(lambda match: "\x00" * len(match[0]), text))
    numbers = tuple(Found(quantity, clause) for clause in clauses(rest) for quantity in quantities(clause))
    return Reading(text, tuple(dated), numbers, names, rest)


def read_all(text: str) -> list[Reading]:
    """Every sentence of a text."""
    return [read(sentence) for sentence in sentences(normalize(text))]
