"""Fusing the scored lists of two searches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.search.hybrid import fuse, reciprocal_rank_fusion, standardise, top_margin

FLAT = {f"flat{number}": 10.0 - number * 0.1 for number in range(30)}
TOWERING = {"tower": 40.0} | {f"low{number}": 10.0 - number * 0.1 for number in range(30)}


def test_rank_fusion_sees_ranks_only() -> None:
    assert reciprocal_rank_fusion([FLAT, TOWERING]) == reciprocal_rank_fusion([FLAT, TOWERING | {"tower": 10.1}])
    both = reciprocal_rank_fusion([{"a": 2.0, "b": 1.0}, {"b": 9.0}])
    assert both == {"b": 1 / 62 + 1 / 61, "a": 1 / 61}


scores = st.dictionaries(st.text("abcdef", min_size=1, max_size=2), st.floats(-1e6, 1e6), max_size=40)


def test_the_list_whose_first_hit_stands_out_decides() -> None:
    assert next(iter(fuse([FLAT, TOWERING]))) == "tower"
    assert next(iter(fuse([TOWERING, FLAT]))) == "tower"


def test_a_document_in_both_lists_beats_one_that_is_as_good_in_one() -> None:
    first = {"both": 3.0, "left": 3.0, "x": 1.0, "y": 0.5}
    second = {"both": 3.0, "right": 3.0, "z": 1.0, "w": 0.5}
    assert next(iter(fuse([first, second]))) == "both"


def test_what_a_list_does_not_hold_counts_as_its_last_hit_or_as_told() -> None:
    first, second = {"a": 2.0, "b": 1.0}, {"a": 2.0, "c": 1.0}
    assert fuse([first, second])["b"] == fuse([first, {"a": 2.0, "b": 1.0}])["b"]
    kinder = fuse([first, second], lambda number, id_: 5.0 if number == 1 else None)
    assert next(iter(kinder)) == "b"


def test_one_empty_list_leaves_the_order_of_the_other() -> None:
    assert list(fuse([FLAT, {}])) == list(FLAT)
    assert fuse([{}, {}]) == {}


def test_scores_of_other_scales_fuse_alike() -> None:
    scaled = {id_: 1000 * score + 7 for id_, score in TOWERING.items()}
    assert list(fuse([FLAT, TOWERING])) == list(fuse([FLAT, scaled]))


@given(st.lists(scores, max_size=3))
def test_every_document_comes_out_once_best_first(lists: list[dict[str, float]]) -> None:
    fused = fuse(lists)
    assert set(fused) == {id_ for found in lists for id_ in found}
    assert sorted(fused.values(), reverse=True) == list(fused.values())


@given(scores)
def test_standard_scores_centre_on_zero_and_a_first_hit_never_counts_against_its_list(found: dict[str, float]) -> None:
    standard = standardise(found).values()
    assert abs(sum(standard)) < 1e-6 * max(1, len(found))
    assert top_margin(found) >= 0


@given(st.floats(0.1, 100))
def test_a_list_with_ten_equal_first_hits_does_not_stand_out(score: float) -> None:
    """Rounded, the mean of nine equal numbers is sometimes a little above them."""
    assert top_margin({str(number): score for number in range(10)} | {"last": score / 2}) == pytest.approx(0)
