"""Keyword search: BM25 in SQL over the table of terms (Robertson & Zaragoza, *The Probabilistic Relevance Framework*,
2009).

A chunk scores for every distinct term of the question that it contains

    idf · f · (k1 + 1) / (f + k1 · (1 − b + b · length / average length)),    idf = ln(1 + (n − df + ½) / (df + ½))

with f the term's frequency in the chunk, df the number of chunks that contain it, n the number of chunks. Only the
searched scope is counted: another owner's documents change no score.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from lessons.text import normalize

# The order of adding moves the last digits of a sum, so scores are rounded to nine places.
BM25_K1 = 1.2  # how soon another occurrence of a term stops counting
BM25_B = 0.75  # how much a long chunk has to make up for its length
KEYWORD_SEARCH = """
WITH asked AS (
    SELECT number, term FROM unnest(cast(:numbers AS int[]), cast(:terms AS text[])) AS asked (number, term)
),
corpus AS (
    SELECT cast(count(*) AS float8) AS chunks, cast(avg(length) AS float8) AS average_length
    FROM {chunks} WHERE {within}
),
posting AS MATERIALIZED (
    SELECT term, chunk_id, frequency, length FROM {terms}
    WHERE user_id = :user_id AND term = ANY (cast(:terms AS text[])) AND {in_scope}
),
weight AS (
    SELECT term, ln(1 + (chunks - count(*) + 0.5) / (count(*) + 0.5)) AS idf
    FROM posting CROSS JOIN corpus GROUP BY term, chunks
)
SELECT question.number, best.chunk_id, best.score
FROM generate_series(1, cast(:questions AS int)) AS question (number) CROSS JOIN LATERAL (
    SELECT chunk_id, round(sum(
        idf * frequency * (:k1 + 1) / (frequency + :k1 * (1 - :b + :b * length / average_length))
    ) * 1e9) / 1e9 AS score
    FROM asked JOIN weight USING (term) JOIN posting USING (term) CROSS JOIN corpus
    WHERE asked.number = question.number
    GROUP BY chunk_id ORDER BY score DESC, chunk_id LIMIT :limit
) AS best"""
"""The best chunks for the terms of each of several questions."""

DOCUMENT_FREQUENCIES = """
SELECT term, count(*) FROM {terms}
WHERE user_id = :user_id AND term = ANY (cast(:terms AS text[])) AND {in_scope} GROUP BY term"""

IN_SCOPE = "chunk_id IN (SELECT id FROM {chunks} WHERE {within})"


def search_values(questions: Sequence[Iterable[str]], limit: int) -> dict[str, Any]:
    """Return the values that KEYWORD_SEARCH binds for the terms of each question, beside those of its scope."""
    pairs = [(number, term) for number, terms in enumerate(questions, start=1) for term in distinct(terms)]
    return {
        "questions": len(questions),
        "numbers": [number for number, _ in pairs],
        "terms": [term for _, term in pairs],
        "limit": limit,
        "k1": BM25_K1,
        "b": BM25_B,
    }


def distinct(terms: Iterable[str]) -> list[str]:
    """Return each term once, in a form that can be stored; what has none is left out."""
    return list(dict.fromkeys(filter(None, map(normalize, terms))))
