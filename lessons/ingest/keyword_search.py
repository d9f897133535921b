"""Searches by keyword within a scope: what BM25 must know is counted there, and remembered, and all is ranked at once.

What is counted is the searched scope and nothing else: another owner's documents change no score.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from llama_index.core.vector_stores.types import MetadataFilters
from sqlalchemy import ARRAY, TEXT, Connection, Engine, Select, Table, func, literal, select
from sqlalchemy.sql import ColumnElement

from lessons.ingest.bm25 import asking, ranking
from lessons.ingest.found import FoundChunks, found_chunks, with_words
from lessons.ingest.postings import postings_table
from lessons.ingest.remembered import kept, version
from lessons.ingest.term_statistics import TermStatistics
from lessons.ingest.within import narrowed
from lessons.rag.types import Scope
from lessons.settings import settings
from lessons.text import normalize

_MOST_TERMS = 100_000  # of an owner whose frequencies are remembered


@dataclass(frozen=True)
class KeywordSearch:
    """The chunks that are searched: those within a scope that the filters leave."""

    chunks: Table
    scope: Scope
    filters: MetadataFilters | None = None

    def best(self, connection: Connection, questions: Sequence[Sequence[str]], limit: int) -> list[FoundChunks]:
        """The best chunks for the terms of each question."""
        statistics = self.statistics(connection, chain.from_iterable(questions))
        asked = asking([statistics.of(terms) for terms in questions])
        rows = connection.execute(self.statement(connection.engine, limit, bool(asked["common_terms"])), asked).all()
        return found_chunks(rows, len(questions), "keyword")

    def statement(self, engine: Engine, limit: int, common: bool) -> Select:
        """The SQL of a search; to build it takes as long as to run it among few chunks."""
        candidates = settings().ranked_candidates if common else None

        def built() -> Select:
            hits = ranking(self._postings, self._matching(), limit, candidates)
            return with_words(hits, self.chunks, self.scope.user_id)

        return kept(engine, (*self._key, limit, candidates), None, built)

    def statistics(self, connection: Connection, terms: Iterable[str]) -> TermStatistics:
        """What BM25 needs to know of these terms. What was counted of all the owner's chunks is remembered."""
        wanted = dict.fromkeys(filter(None, map(normalize, terms)), 0)
        if self._conditions():
            return replace(self._totals(connection), frequencies=self._frequencies(connection, wanted))
        now = version(connection, self.chunks, self.scope.user_id)
        known = kept(connection.engine, self._key, now, lambda: self._totals(connection))
        counts = {term: known.frequencies[term] for term in wanted if term in known.frequencies}
        if missing := wanted.keys() - counts.keys():
            counts |= self._frequencies(connection, missing)
            if len(known.frequencies) < _MOST_TERMS:
                known.frequencies.update(counts)
        return replace(known, frequencies=wanted | counts)

    def _totals(self, connection: Connection) -> TermStatistics:
        totals = select(func.count(), func.coalesce(func.avg(self.chunks.c.length), 0))
        number, average = connection.execute(totals.where(*self._own(self.chunks), *self._conditions())).one()
        return TermStatistics(number, float(average), {})

    def _frequencies(self, connection: Connection, terms: Collection[str]) -> dict[str, int]:
        """In how many chunks each of the terms occurs, in their order."""
        postings = self._postings
        counts = select(postings.c.term, func.count()).where(*self._matching()).group_by(postings.c.term)
        counts = counts.where(postings.c.term == func.any(literal(list(terms), ARRAY(TEXT))))
        return dict.fromkeys(terms, 0) | {row[0]: row[1] for row in connection.execute(counts)}

    def _matching(self) -> list[ColumnElement[bool]]:
        """Conditions on postings; without conditions on chunks the owner's part of the index is read alone."""
        own, conditions = self._own(self._postings), self._conditions()
        if not conditions:
            return own
        matching = select(self.chunks.c.id).where(*self._own(self.chunks), *conditions)
        return [*own, self._postings.c.chunk_id.in_(matching)]

    def _own(self, table: Table) -> list[ColumnElement[bool]]:
        return [table.c.user_id == self.scope.user_id]

    def _conditions(self) -> list[ColumnElement[bool]]:
        return narrowed(self.chunks, self.scope, self.filters)

    @property
    def _postings(self) -> Table:
        return postings_table(self.chunks)

    @property
    def _key(self) -> tuple:
        return KeywordSearch, self.chunks, self.scope, repr(self.filters)
