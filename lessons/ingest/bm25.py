"""BM25 in SQL (Robertson & Zaragoza, *The Probabilistic Relevance Framework*, 2009).

A chunk scores for every distinct term of the question that it contains

    idf · f · (k1 + 1) / (f + k1 · (1 − b + b · length / average length)),    idf = ln(1 + (n − df + ½) / (df + ½))

with f the term's frequency in the chunk, df the number of chunks that contain it, n the number of chunks.

Among very many chunks the rare terms of a question find its candidates, and the common ones only add to the scores of
the best of these (the idea of MaxScore; Turtle & Flood, *Query Evaluation: Strategies and Optimizations*, 1995). What
common terms alone would find is missed.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ARRAY, TEXT, Double, Integer, Select, Table, bindparam, func, literal, select, text, true
from sqlalchemy.sql import ColumnElement
from sqlalchemy.sql.selectable import TableValuedAlias

from lessons.ingest.term_statistics import TermStatistics
from lessons.settings import settings

_DIGITS = 1e9  # a score is rounded to one part in so many


def asking(questions: Sequence[TermStatistics]) -> dict[str, Any]:
    """The parameters of a ranking for these questions, which share what was counted beside their terms."""
    chosen, average = settings(), max((each.average_length for each in questions), default=0.0)
    rare = [(n, term, its.idf(term)) for n, its in enumerate(questions, start=1) for term in its.rare()]
    common = [(n, term, its.idf(term)) for n, its in enumerate(questions, start=1) for term in its.common()]
    return {
        "questions": len(questions),
        **_columns("rare", rare),
        **_columns("common", common),
        "gain": chosen.bm25_k1 + 1,
        "base": chosen.bm25_k1 * (1 - chosen.bm25_b),
        "slope": chosen.bm25_k1 * chosen.bm25_b / max(average, 1),
    }


def ranking(postings: Table, matching: Sequence[ColumnElement[bool]], limit: int, candidates: int | None) -> Select:
    """For each question's terms the best chunks: `number` from 1, `chunk_id`, `score`; older chunks before equals.

    Which questions, `asking` tells when the statement is executed. `matching` are conditions on postings, of which the
    first names the owner. With `candidates` so many are found by rare terms and ranked by all.
    """
    count = bindparam("questions", type_=Integer)
    question = func.generate_series(1, count).table_valued("number", name="question").render_derived()
    rare = _asked("rare")
    score = _score(rare, postings).label("score")
    found = select(postings.c.chunk_id, score).join_from(rare, postings, rare.c.term == postings.c.term)
    found = found.where(rare.c.number == question.c.number, *matching).group_by(postings.c.chunk_id).correlate(question)
    if candidates:
        candidate = _best(found, max(candidates, limit)).subquery("candidate")
        common = _asked("common")
        more = select(_score(common, postings)).join_from(common, postings, common.c.term == postings.c.term)
        more = more.where(common.c.number == question.c.number, postings.c.chunk_id == candidate.c.chunk_id)
        added = func.coalesce(more.where(matching[0]).correlate(question, candidate).scalar_subquery(), 0.0)
        found = select(candidate.c.chunk_id, (candidate.c.score + added).label("score"))
    best = _best(found, limit).lateral("best")
    return select(question.c.number, best).select_from(question.join(best, true()))


def _columns(name: str, rows: Sequence[tuple[int, str, float]]) -> dict[str, list]:
    places = enumerate(("numbers", "terms", "weights"))
    return {f"{name}_{column}": [row[place] for row in rows] for place, column in places}


def _asked(name: str) -> TableValuedAlias:
    """Terms with the number of their question and their weight."""
    columns: dict[str, Any] = {"numbers": Integer, "terms": TEXT, "weights": Double}
    arrays: list[ColumnElement] = [bindparam(f"{name}_{column}", type_=ARRAY(kind)) for column, kind in columns.items()]
    return func.unnest(*arrays).table_valued("number", "term", "idf", name=name).render_derived()


def _best(scored: Select, limit: int) -> Select:
    return scored.order_by(text("score DESC"), text("chunk_id")).limit(limit)


def _score(asked: TableValuedAlias, postings: Table) -> ColumnElement[float]:
    gain, base, slope = (bindparam(name, type_=Double) for name in ("gain", "base", "slope"))
    frequency = postings.c.frequency.cast(Double)
    gained = asked.c.idf * frequency * gain / (frequency + base + slope * postings.c.length.cast(Double))
    # The order of adding moves the last digits of a sum. Rounding numerics instead takes a third of a ranking's time.
    digits = literal(_DIGITS, Double)
    return (func.round(func.sum(gained) * digits) / digits).cast(Double)
