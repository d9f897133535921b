"""Keyword search: BM25 in SQL over the table of terms (Robertson & Zaragoza, *The Probabilistic Relevance Framework*,
2009).

A chunk scores for every distinct term of the question that it contains

    idf · f · (k1 + 1) / (f + k1 · (1 − b + b · length / average length)),    idf = ln(1 + (n − df + ½) / (df + ½))

with f the term's frequency in the chunk, df the number of chunks that contain it, n the number of chunks. What is
counted is the searched scope and nothing else: another owner's documents change no score.

Among very many chunks the rare terms of a question find its candidates, and the common ones only add to the scores of
the best of these (the idea of MaxScore; Turtle & Flood, *Query Evaluation: Strategies and Optimizations*, 1995). What
common terms alone would find is missed.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, product
from math import log
from typing import Any

from sqlalchemy import Connection, text

from lessons.rag.types import Where
from lessons.rag.versions import kept, term_table_name, version
from lessons.settings import settings
from lessons.text import normalize

Questions = Sequence[Sequence[str]]
"""The terms of each question."""

_MOST_TERMS = 100_000  # of an owner whose frequencies are remembered

# Adding up in another order moves the last digits of a sum, so a score is rounded to nine places.
SCORE = "round(sum(idf * frequency * :gain / (frequency + :base + :slope * length)) * 1e9) / 1e9"

ASKED = """unnest(cast(:{kind}_numbers AS int[]), cast(:{kind}_terms AS text[]), cast(:{kind}_weights AS float8[]))
        AS asked (number, term, idf)"""

KEYWORD_SEARCH = f"""
SELECT question.number, best.chunk_id, best.score
FROM generate_series(1, cast(:questions AS int)) AS question (number) CROSS JOIN LATERAL (
    SELECT chunk_id, {SCORE} AS score
    FROM {ASKED.format(kind="rare")} JOIN {{terms}} USING (term)
    WHERE asked.number = question.number AND {{matching}}
    GROUP BY chunk_id ORDER BY score DESC, chunk_id LIMIT :limit
) AS best"""

RANKED_BY_ALL_TERMS = f"""
SELECT question.number, best.chunk_id, best.score
FROM generate_series(1, cast(:questions AS int)) AS question (number) CROSS JOIN LATERAL (
    SELECT candidate.chunk_id, candidate.score + coalesce((
        SELECT {SCORE} FROM {ASKED.format(kind="common")} JOIN {{terms}} AS posting USING (term)
        WHERE asked.number = question.number AND posting.chunk_id = candidate.chunk_id AND posting.user_id = :user_id
    ), 0) AS score
    FROM (
        SELECT chunk_id, {SCORE} AS score
        FROM {ASKED.format(kind="rare")} JOIN {{terms}} USING (term)
        WHERE asked.number = question.number AND {{matching}}
        GROUP BY chunk_id ORDER BY score DESC, chunk_id LIMIT :candidates
    ) AS candidate
    ORDER BY score DESC, chunk_id LIMIT :limit
) AS best"""


@dataclass(frozen=True)
class TermStatistics:
    """What a scope holds: its chunks, their mean length in terms, and how many of them hold each term asked for."""

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

    def split(self) -> tuple[list[str], list[str]]:
        """The terms that find chunks, rarest first, and among very many chunks the common ones, which only rank."""
        found = sorted((term for term, count in self.frequencies.items() if count), key=self.frequencies.__getitem__)
        if self.chunks <= settings().exact_search_chunks:
            return found, []
        read = accumulate(self.frequencies[term] for term in found)
        rare = max(1, sum(postings <= settings().ranked_postings for postings in read))
        return found[:rare], found[rare:]


@dataclass(frozen=True)
class KeywordSearch:
    """A search by keyword of an owner's chunks in one table, all of them or those that `where` leaves."""

    table: str
    where: Where

    def ranking(self, connection: Connection, questions: Questions, limit: int) -> tuple[str, dict]:
        """The SQL that finds the best chunks for the terms of each question, and the values that it binds."""
        known = self.statistics(connection, chain.from_iterable(questions))
        values = {**self.where.values, **_asked([known.of(terms) for terms in questions]), "limit": limit}
        sql = KEYWORD_SEARCH
        if values["common_terms"]:
            sql, values["candidates"] = RANKED_BY_ALL_TERMS, max(settings().ranked_candidates, limit)
        else:
            values = {name: value for name, value in values.items() if not name.startswith("common")}
        return sql.format(terms=f'"{term_table_name(self.table)}"', matching=self._matching()), values

    def statistics(self, connection: Connection, terms: Iterable[str]) -> TermStatistics:
        """What BM25 needs to know of these terms. What was counted of all the owner's chunks is remembered."""
        wanted = dict.fromkeys(filter(None, map(normalize, terms)), 0)
        if self.where.narrow:
            return replace(self._totals(connection), frequencies=wanted | self._frequencies(connection, wanted))
        user_id = self.where.values["user_id"]
        now, key = version(connection, self.table, user_id), (TermStatistics, self.table, user_id)
        known = kept(connection.engine, key, now, lambda: self._totals(connection))
        counts = {term: known.frequencies[term] for term in wanted if term in known.frequencies}
        if missing := wanted.keys() - counts.keys():
            counts |= dict.fromkeys(missing, 0) | self._frequencies(connection, missing)
            if len(known.frequencies) < _MOST_TERMS:
                known.frequencies.update(counts)
        return replace(known, frequencies=wanted | counts)

    def _totals(self, connection: Connection) -> TermStatistics:
        sql = f'SELECT count(*), coalesce(avg(length), 0) FROM "{self.table}" WHERE {self.where.sql}'
        number, average = connection.execute(text(sql), self.where.values).one()
        return TermStatistics(number, float(average), {})

    def _frequencies(self, connection: Connection, terms: Collection[str]) -> dict[str, int]:
        """In how many chunks each of the terms occurs; those that occur in none are left out."""
        sql = f"""SELECT term, count(*) FROM "{term_table_name(self.table)}"
            WHERE term = ANY (cast(:asked_terms AS text[])) AND {self._matching()} GROUP BY term"""
        found = connection.execute(text(sql), {**self.where.values, "asked_terms": list(terms)})
        return {row[0]: row[1] for row in found}

    def _matching(self) -> str:
        """The condition on terms; without one on chunks, the owner's part of the key is read alone."""
        if not self.where.narrow:
            return "user_id = :user_id"
        return f'user_id = :user_id AND chunk_id IN (SELECT id FROM "{self.table}" WHERE {self.where.sql})'


def _asked(questions: Sequence[TermStatistics]) -> dict[str, Any]:
    """The values of a search for these questions, which share what was counted beside their terms."""
    chosen, average = settings(), max((each.average_length for each in questions), default=0.0)
    parts = product(("rare", "common"), ("numbers", "terms", "weights"))
    columns: dict[str, list] = {f"{kind}_{column}": [] for kind, column in parts}
    for number, its in enumerate(questions, start=1):
        for kind, terms in zip(("rare", "common"), its.split(), strict=True):
            columns[f"{kind}_numbers"] += [number] * len(terms)
            columns[f"{kind}_terms"] += terms
            columns[f"{kind}_weights"] += map(its.idf, terms)
    return {
        "questions": len(questions),
        **columns,
        "gain": chosen.bm25_k1 + 1,
        "base": chosen.bm25_k1 * (1 - chosen.bm25_b),
        "slope": chosen.bm25_k1 * chosen.bm25_b / max(average, 1),
    }
