"""Retrieval metrics agree with trec_eval, and several passages in one chunk change nothing about their limits."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lessons.evaluate.metrics import all_found, ndcg, recall, reciprocal_rank

GRADES = st.lists(st.integers(1, 3), min_size=1, max_size=8)
CUTS = st.integers(1, 15)


@st.composite
def rankings(draw: st.DrawFn) -> tuple[list[set[int]], list[int]]:
    """Hits of a ranking of distinct documents, each at most one gold item, and the grades of the items."""
    grades = draw(GRADES)
    documents = draw(st.permutations([*range(len(grades)), *[None] * draw(st.integers(0, 12))]))
    shown = documents[: draw(st.integers(1, len(documents)))]
    return [set() if item is None else {item} for item in shown], grades


@st.composite
def covering(draw: st.DrawFn) -> tuple[list[set[int]], list[int]]:
    """Hits of chunks that may cover several passages, and cover the same ones again."""
    grades = draw(GRADES)
    chunk = st.sets(st.integers(0, len(grades) - 1))
    return draw(st.lists(chunk, max_size=12)), grades


def by_trec_eval(hits: list[set[int]], grades: list[int], measure: str, k: int) -> float:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    judged = {"q": {f"gold{item}": grade for item, grade in enumerate(grades)}}
    names = [f"gold{next(iter(covered))}" if covered else f"other{rank}" for rank, covered in enumerate(hits)]
    run = {"q": {name: float(-rank) for rank, name in enumerate(names)}}
    return next(iter(pytrec_eval.RelevanceEvaluator(judged, {f"{measure}.{k}"}).evaluate(run)["q"].values()))


@settings(deadline=None)
@given(rankings(), CUTS)
def test_recall_is_that_of_trec_eval(ranked: tuple[list[set[int]], list[int]], k: int) -> None:
    hits, grades = ranked
    assert recall(hits, len(grades), k) == pytest.approx(by_trec_eval(hits, grades, "recall", k), abs=1e-6)


@settings(deadline=None)
@given(rankings(), CUTS)
def test_ndcg_is_that_of_trec_eval(ranked: tuple[list[set[int]], list[int]], k: int) -> None:
    hits, grades = ranked
    assert ndcg(hits, grades, k) == pytest.approx(by_trec_eval(hits, grades, "ndcg_cut", k), abs=1e-6)


@settings(deadline=None)
@given(rankings(), CUTS)
def test_the_reciprocal_rank_is_that_of_trec_eval(ranked: tuple[list[set[int]], list[int]], k: int) -> None:
    """trec_eval has no cut for it, so it is given the cut ranking."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    hits, grades = ranked
    judged = {"q": {f"gold{item}": grade for item, grade in enumerate(grades)}}
    names = [f"gold{next(iter(covered))}" if covered else f"other{rank}" for rank, covered in enumerate(hits[:k])]
    run = {"q": {name: float(-rank) for rank, name in enumerate(names)}}
    theirs = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank"}).evaluate(run)["q"]["recip_rank"]
    assert reciprocal_rank(hits, k) == pytest.approx(theirs, abs=1e-6)


@settings(deadline=None)
@given(rankings(), CUTS)
def test_all_found_is_a_recall_of_one(ranked: tuple[list[set[int]], list[int]], k: int) -> None:
    hits, grades = ranked
    assert all_found(hits, len(grades), k) == (by_trec_eval(hits, grades, "recall", k) == 1)


@settings(deadline=None)
@given(covering(), CUTS)
def test_no_metric_leaves_the_range_from_0_to_1(ranked: tuple[list[set[int]], list[int]], k: int) -> None:
    hits, grades = ranked
    values = [recall(hits, len(grades), k), all_found(hits, len(grades), k), reciprocal_rank(hits, k)]
    assert all(0 <= value <= 1 for value in values)
    assert 0 <= ndcg(hits, grades, k) <= 1 + 1e-12


@settings(deadline=None)
@given(covering(), CUTS)
def test_covering_a_passage_again_gains_nothing(ranked: tuple[list[set[int]], list[int]], k: int) -> None:
    hits, grades = ranked
    seen: set[int] = set()
    once = []
    for covered in hits:
        once.append(covered - seen)
        seen |= covered
    assert ndcg(hits, grades, k) == pytest.approx(ndcg(once, grades, k))
    assert recall(hits, len(grades), k) == recall(once, len(grades), k)


@settings(deadline=None)
@given(covering(), CUTS, st.data())
def test_covering_a_passage_at_another_rank_too_never_lowers_a_metric(
    ranked: tuple[list[set[int]], list[int]], k: int, data: st.DataObject
) -> None:
    hits, grades = ranked
    items = len(grades)
    extra = data.draw(st.sets(st.tuples(st.integers(0, 11), st.integers(0, items - 1)), max_size=6))
    more = [covered | {item for rank, item in extra if rank == number} for number, covered in enumerate(hits)]
    for metric in (recall, all_found):
        assert metric(hits, items, k) <= metric(more, items, k)
    assert reciprocal_rank(hits, k) <= reciprocal_rank(more, k)
    assert ndcg(hits, [1] * items, k) <= ndcg(more, [1] * items, k) + 1e-12


def test_a_chunk_with_nothing_new_takes_no_place_from_what_follows() -> None:
    assert ndcg([{0, 1}, {1}, {2}], [1, 1, 1], 10) == ndcg([{0, 1}, set(), {2}], [1, 1, 1], 10) == 1


def test_one_chunk_with_every_passage_is_a_perfect_ranking() -> None:
    assert ndcg([{0, 1, 2}], [1, 1, 1], 10) == 1
    assert all_found([{0, 1, 2}], 3, 1) == 1


def test_a_passage_found_later_is_worth_less() -> None:
    assert ndcg([{0}, set(), {1}], [1, 1], 10) < ndcg([{0}, {1}, set()], [1, 1], 10) == 1
