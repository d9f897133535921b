"""Intervals, p values, and when the words 'better' and 'worse' may be used."""

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lessons.evaluate.compare import Gain, corrected, interval, paired_gain

SCORES = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=2, max_size=40)


def gain_with(p: float, low: float = 0.1, high: float = 0.3) -> Gain:
    return Gain("naive", "smart", "recall@5", 50, 0.5, 0.7, 0.2, low, high, p)


@settings(deadline=None)
@given(SCORES)
def test_an_interval_always_holds_the_mean(values: list[float]) -> None:
    low, high = interval(values)
    assert low <= np.mean(values) + 1e-9
    assert high >= np.mean(values) - 1e-9


def test_the_interval_of_many_values_is_that_of_the_normal_approximation() -> None:
    values = np.random.default_rng(1).random(400)
    low, high = interval(values)
    half = 1.96 * values.std(ddof=1) / np.sqrt(400)
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.003)


def test_an_interval_covers_the_true_mean_about_as_often_as_it_promises() -> None:
    rng = np.random.default_rng(2)
    bounds = [interval(rng.random(60) < 0.6) for _ in range(200)]
    assert 0.90 <= np.mean([low <= 0.6 <= high for low, high in bounds]) <= 0.99


def test_missing_values_are_left_out_and_no_value_has_no_interval() -> None:
    assert interval([1.0, nan, 1.0]) == (1.0, 1.0)
    assert all(map(isnan, interval([nan])))


def test_the_same_numbers_give_the_same_interval_each_time() -> None:
    values = np.random.default_rng(3).random(50)
    assert interval(values) == interval(values)


def test_a_gain_on_every_question_is_better_and_its_mirror_worse() -> None:
    old, new = [0.0] * 30, [0.0] * 10 + [1.0] * 20
    assert paired_gain("a", "b", "recall@5", old, new).verdict == "better"
    assert paired_gain("b", "a", "recall@5", new, old).verdict == "worse"


def test_one_question_proves_nothing() -> None:
    gain = paired_gain("a", "b", "recall@5", [0.0], [1.0])
    assert gain.delta == 1
    assert gain.verdict == "no difference shown"


def test_pairs_with_a_missing_value_are_left_out_on_both_sides() -> None:
    gain = paired_gain("a", "b", "recall@5", [0.0, nan, 1.0], [1.0, 1.0, nan])
    assert (gain.n, gain.mean_before, gain.mean_after) == (1, 0.0, 1.0)


def test_without_a_shared_question_nothing_is_shown() -> None:
    gain = paired_gain("a", "b", "recall@5", [nan], [1.0])
    assert (gain.n, gain.verdict) == (0, "no difference shown")


@settings(deadline=None)
@given(SCORES, st.randoms(use_true_random=False))
def test_better_and_worse_are_said_only_where_the_interval_excludes_zero(old: list[float], random) -> None:
    new = [random.choice([0.0, 0.5, 1.0]) for _ in old]
    gain = paired_gain("a", "b", "recall@5", old, new)
    if gain.ci_low <= 0 <= gain.ci_high:
        assert "better" not in str(gain)
        assert "worse" not in str(gain)


def test_the_p_value_of_a_few_questions_is_that_of_all_sign_flips() -> None:
    """Of the 32 ways to flip five equal gains, two are as extreme as what was seen: 1/16."""
    assert paired_gain("a", "b", "recall@5", [0.0] * 5, [1.0] * 5).p == pytest.approx(1 / 16, abs=0.01)


def test_equal_answers_differ_by_nothing_at_all() -> None:
    gain = paired_gain("a", "b", "recall@5", [0.0, 1.0], [0.0, 1.0])
    assert (gain.delta, gain.ci_low, gain.ci_high, gain.p) == (0, 0, 0, 1)


def test_p_values_are_corrected_as_holm_does() -> None:
    """Worked by hand: 0.01 × 4, 0.02 × 3, then 0.03 × 2 and 0.04 × 1, none below the one before."""
    gains = [gain_with(p) for p in (0.01, 0.04, 0.03, 0.02)]
    assert [gain.p for gain in corrected(gains)] == pytest.approx([0.04, 0.06, 0.06, 0.06])


def test_a_gain_that_the_correction_takes_away_is_not_called_one() -> None:
    assert gain_with(0.03).verdict == "better"
    assert [gain.verdict for gain in corrected([gain_with(0.03)] * 3)] == ["no difference shown"] * 3


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_a_correction_never_makes_a_p_value_smaller_nor_larger_than_one(ps: list[float]) -> None:
    adjusted = [gain.p for gain in corrected([gain_with(p) for p in ps])]
    assert all(p <= q <= 1 for p, q in zip(ps, adjusted, strict=True))
