"""What BM25 needs to know of the terms of a question."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import accumulate
from math import log

from lessons.settings import settings
from lessons.text import normalize


@dataclass(frozen=True)
class TermStatistics:
    """What a scope holds: its number of chunks, their mean length in terms, and in how many chunks each term occurs.

    Every distinct term that was asked for has an entry, in the order of the question.
    """

    chunks: int
    average_length: float
    frequencies: dict[str, int]

    def idf(self, term: str) -> float:
        """The weight of a term: 0 for one that no chunk contains, otherwise the higher the rarer."""
        frequency = self.frequencies.get(term, 0)
        return log(1 + (self.chunks - frequency + 0.5) / (frequency + 0.5)) if frequency else 0.0

    def of(self, terms: Iterable[str]) -> "TermStatistics":
        """The same of some of the terms."""
        wanted = filter(None, map(normalize, terms))
        return replace(self, frequencies={term: self.frequencies.get(term, 0) for term in wanted})

    def rare(self) -> list[str]:
        """The terms that find chunks, rarest first: all that occur; among very many chunks the rarest of them, as far
        as reading where they occur takes no more than `ranked_postings`.

        A common term adds little to a score, and adding it up for every chunk that contains it takes longest.
        """
        found = self._rarest_first()
        if self.chunks <= settings().exact_search_chunks:
            return found
        read = accumulate(self.frequencies[term] for term in found)
        return found[: max(1, sum(postings <= settings().ranked_postings for postings in read))]

    def common(self) -> list[str]:
        """The other terms that occur, which only rank what these have found."""
        return self._rarest_first()[len(self.rare()) :]

    def _rarest_first(self) -> list[str]:
        return sorted((term for term, count in self.frequencies.items() if count), key=self.frequencies.__getitem__)
