"""Keyword search in SQL, ranked by BM25 (Robertson & Zaragoza, *The Probabilistic Relevance Framework*, 2009).

A chunk scores for every distinct term of the question that it contains

    idf · f · (k1 + 1) / (f + k1 · (1 − b + b · length / average length)),    idf = ln(1 + (n − df + ½) / (df + ½))

with f the term's frequency in the chunk, df the number of chunks that contain it, n the number of chunks. What is
counted is the searched scope and nothing else: another owner's documents change no score.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import log

from sqlalchemy import (
    ARRAY,
    TEXT,
    Connection,
    Double,
    Integer,
    Select,
    Table,
    func,
    literal,
    select,
    true,
)
from sqlalchemy.sql import ColumnElement
from sqlalchemy.sql.selectable import TableValuedAlias

from lessons.ingest.postings import postings_table
from lessons.ingest.remembered import kept, version
from lessons.settings import settings
from lessons.text import normalize

_DIGITS = 1e9  # a score is rounded to one part in so many
_MOST_TERMS = 100_000  # of an owner whose frequencies are remembered


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

    def telling(self) -> list[str]:
        """The terms to rank by: all that occur; among very many chunks the rarest, as far as reading them takes no
        more than `ranked_postings`.

        A common term adds little to a score, and adding it up for every chunk that contains it takes longest.
        """
        found = sorted((term for term, count in self.frequencies.items() if count), key=self.frequencies.__getitem__)
        if self.chunks <= settings().exact_search_chunks:
            return found
        read = accumulate(self.frequencies[term] for term in found)
        few = [term for term, postings in zip(found, read, strict=True) if postings <= settings().ranked_postings]
        return few or found[:1]


@dataclass(frozen=True)
class SearchedScope:
    """The chunks that are searched: an owner's, and of those the ones that meet the conditions."""

    chunks: Table
    user_id: str
    conditions: tuple[ColumnElement[bool], ...] = ()

    def statistics(self, connection: Connection, terms: Iterable[str]) -> TermStatistics:
        """What BM25 needs to know of these terms. What was counted of all the owner's chunks is remembered."""
        wanted = dict.fromkeys(filter(None, map(normalize, terms)), 0)
        if self.conditions:
            return replace(self._totals(connection), frequencies=self._frequencies(connection, wanted))
        now = connection.execute(version(self.chunks.name, self.user_id)).one()
        key = SearchedScope, self.chunks.name, self.user_id
        known = kept(connection.engine, key, now, lambda: self._totals(connection))
        counts = {term: known.frequencies[term] for term in wanted if term in known.frequencies}
        if missing := wanted.keys() - counts.keys():
            counts |= self._frequencies(connection, missing)
            if len(known.frequencies) < _MOST_TERMS:
                known.frequencies.update(counts)
        return replace(known, frequencies=wanted | counts)

    def _totals(self, connection: Connection) -> TermStatistics:
        totals = select(func.count(), func.coalesce(func.avg(self.chunks.c.length), 0))
        number, average = connection.execute(totals.where(*self._own(self.chunks), *self.conditions)).one()
        return TermStatistics(number, float(average), {})

    def _frequencies(self, connection: Connection, terms: Collection[str]) -> dict[str, int]:
        """In how many chunks each of the terms occurs, in their order."""
        postings = postings_table(self.chunks)
        counts = select(postings.c.term, func.count()).where(*self._matching(postings)).group_by(postings.c.term)
        counts = counts.where(postings.c.term == func.any(literal(list(terms), ARRAY(TEXT))))
        return dict.fromkeys(terms, 0) | {row[0]: row[1] for row in connection.execute(counts)}

    def rankings(self, questions: Sequence[TermStatistics], limit: int) -> Select:
        """For each question's terms the best chunks: `number` from 1, `chunk_id`, `score`; older chunks before equals.

        All questions share what was counted beside their terms.
        """
        asked = _asked(questions)
        numbers = func.generate_series(1, len(questions)).table_valued("number", name="question").render_derived()
        average = max((question.average_length for question in questions), default=0.0)
        postings = postings_table(self.chunks)
        score = _score(postings, asked, average).label("score")
        found = select(postings.c.chunk_id, score).join_from(asked, postings, asked.c.term == postings.c.term)
        found = found.where(asked.c.number == numbers.c.number, *self._matching(postings)).group_by(postings.c.chunk_id)
        best = found.order_by(score.desc(), postings.c.chunk_id).limit(limit).lateral("best")
        return select(numbers.c.number, best).select_from(numbers.join(best, true()))

    def _own(self, table: Table) -> list[ColumnElement[bool]]:
        return [table.c.user_id == self.user_id]

    def _matching(self, postings: Table) -> list[ColumnElement[bool]]:
        """Conditions on postings; without conditions on chunks the owner's part of the index is read alone."""
        if not self.conditions:
            return self._own(postings)
        matching = select(self.chunks.c.id).where(*self._own(self.chunks), *self.conditions)
        return [*self._own(postings), postings.c.chunk_id.in_(matching)]


def _asked(questions: Sequence[TermStatistics]) -> TableValuedAlias:
    """The number of each question with its telling terms and their weights."""
    rows = [(n, term, its.idf(term)) for n, its in enumerate(questions, start=1) for term in its.telling()]
    numbers, terms, weights = ([row[place] for row in rows] for place in range(3))
    arrays = literal(numbers, ARRAY(Integer)), literal(terms, ARRAY(TEXT)), literal(weights, ARRAY(Double))
    return func.unnest(*arrays).table_valued("number", "term", "idf", name="asked").render_derived()


def _score(postings: Table, asked: TableValuedAlias, average: float) -> ColumnElement[float]:
    chosen = settings()
    frequency = postings.c.frequency.cast(Double)
    slope = chosen.bm25_k1 * chosen.bm25_b / max(average, 1)
    damping = _double(chosen.bm25_k1 * (1 - chosen.bm25_b)) + _double(slope) * postings.c.length.cast(Double)
    gain = asked.c.idf * frequency * _double(chosen.bm25_k1 + 1) / (frequency + damping)
    # The order of adding moves the last digits of a sum. Rounding numerics instead takes a third of a ranking's time.
    return (func.round(func.sum(gain) * _double(_DIGITS)) / _double(_DIGITS)).cast(Double)


def _double(value: float) -> ColumnElement[float]:
    return literal(value, Double)
