"""A word of a question that an answer must cover, and how much of it a text holds."""

from dataclasses import dataclass

from lessons.models.offline.glossary import Forms

SAME = 0.8  # what a word counts that means the same as the one that was asked for


@dataclass(frozen=True)
class Unit:
    """One word of the question. `keys`: any of them covers it whole; `terms`: their share covers it in part."""

    text: str
    kind: str  # "year", "quarter", "code", "name", "word"
    terms: frozenset[str]
    keys: frozenset[str]
    weight: float
    others: Forms = ()  # the terms of words that mean the same

    @property
    def required(self) -> bool:
        return self.kind != "word"

    def covered(self, found: frozenset[str]) -> float:
        """How much of the unit, or of a word that means the same, these terms hold, 0 to 1."""
        own = float(not self.keys.isdisjoint(found)) if self.keys else len(self.terms & found) / len(self.terms)
        if own < SAME and any(other <= found for other in self.others):
            return SAME
        return own
