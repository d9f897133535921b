"""Intervals, p values, and when the words 'better' and 'worse' may be used."""

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.evaluate.compare import COMPARISONS, FEWEST, LEVEL, Gains, interval, mean_with_interval, paired_gain
from lessons.evaluate.gates import gate_report
from lessons.language import VARIABLES
from tests.evaluate.records import evaluation

SCORES = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=FEWEST, max_size=40)


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


def test_missing_values_are_left_out_and_few_values_have_no_interval() -> None:
    assert interval([1.0, nan] * FEWEST) == (1.0, 1.0)
    assert all(map(isnan, interval([1.0, nan] * (FEWEST - 1))))
    assert all(map(isnan, interval([nan])))


def test_a_dash_stands_for_what_is_not_known() -> None:
    assert mean_with_interval(0.625, (0.5, 0.75)) == "0.62 [0.50, 0.75]"
    assert mean_with_interval(0.625, (nan, nan), ".1%") == "62.5% [–]"
    assert mean_with_interval(nan, (nan, nan)) == "–"


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
    assert (gain.n, gain.baseline_mean, gain.candidate_mean) == (1, 0.0, 1.0)


def test_without_a_shared_question_nothing_is_shown() -> None:
    gain = paired_gain("a", "b", "recall@5", [nan], [1.0])
    assert (gain.n, gain.verdict) == (0, "no difference shown")


@given(SCORES, st.randoms(use_true_random=False))
def test_better_and_worse_are_said_only_where_the_interval_excludes_zero(old: list[float], random) -> None:
    new = [random.choice([0.0, 0.5, 1.0]) for _ in old]
    gain = paired_gain("a", "b", "recall@5", old, new)
    if gain.ci_low <= 0 <= gain.ci_high:
        assert "better" not in str(gain)
        assert "worse" not in str(gain)


def test_the_p_value_of_a_few_questions_is_that_of_all_sign_flips_for_each_of_five_looks() -> None:
    """Of the 32 ways to flip five equal gains, two are as extreme as what was seen: 1/16, for one look."""
    for looks in (1, COMPARISONS):
        gain = paired_gain("a", "b", "recall@5", [0.0] * 5, [1.0] * 5, looks)
        assert gain.p == pytest.approx(looks / 16, abs=0.05)


def test_equal_answers_differ_by_nothing_at_all() -> None:
    gain = paired_gain("a", "b", "recall@5", [0.0, 1.0], [0.0, 1.0])
    assert (gain.delta, gain.ci_low, gain.ci_high, gain.p) == (0, 0, 0, 1)


def test_a_difference_is_judged_alike_alone_and_among_others() -> None:
    """Twenty questions of sixty gain, ten lose: what one pair of stages shows, a run of five stages shows as well."""
    old, new = [0.0] * 60, [0.0] * 40 + [1.0] * 20
    some = {"naive": old, "enhanced": new}
    others = {"smart": new[::-1], "reranked": old, "agentic": new}
    alone, among = (evaluation(scores).gains(["recall@5"])[0] for scores in (some, some | others))
    assert alone == among
    (gate,) = [each for each in gate_report(evaluation(some)) if "above naive" in each.promise]
    assert (alone.verdict == "better") is (gate.status != "not shown")


def test_a_full_run_makes_as_many_comparisons_as_each_is_judged_by() -> None:
    run = evaluation({stage: [0.0, 1.0] for stage in ("naive", "enhanced", "smart", "reranked", "agentic")})
    pairs = [(gain.baseline, gain.candidate) for gain in run.gains(["all@10"])]
    assert ("smart", "agentic") in pairs
    assert len(pairs) == COMPARISONS


def test_where_nothing_changed_a_full_run_seldom_shows_a_difference() -> None:
    """The share of such runs with any verdict is below 5 %, but for what 60 of them leave to chance."""
    rng, runs = np.random.default_rng(4), 60
    shown = sum(
        any(
            paired_gain("a", "b", "recall@5", *(rng.random((2, 40)) < 0.5).astype(float), COMPARISONS).verdict
            != "no difference shown"
            for _ in range(COMPARISONS)
        )
        for _ in range(runs)
    )
    assert shown / runs <= 0.1


def test_a_difference_that_a_single_look_would_show_is_not_called_one() -> None:
    """Seven of sixty questions gain and none loses: 1/64 for one look, too much for five."""
    values = [0.0] * 60, [0.0] * 53 + [1.0] * 7
    gain = paired_gain("a", "b", "recall@5", *values, COMPARISONS)
    assert gain.p / COMPARISONS < 0.05 < gain.p
    assert gain.verdict == "no difference shown"
    assert (gain.ci_low > 0) == ("the interval excludes zero" in str(gain))
    assert paired_gain("a", "b", "recall@5", *values).verdict == "better"


def test_a_difference_that_is_not_shown_says_which_would_be() -> None:
    gain = paired_gain("a", "b", "recall@5", [0.0, 1.0] * 30, [0.0, 1.0] * 28 + [1.0, 1.0, 0.0, 0.0])
    assert gain.verdict == "no difference shown"
    assert gain.detectable == pytest.approx((gain.ci_high - gain.ci_low) / 2)
    assert f"one of at least {gain.detectable:.2f} would show" in str(gain)


@pytest.mark.parametrize(("metric", "best"), [("recall@5", 1.0), ("wrong", 0.0)])
def test_where_the_stage_before_left_nothing_to_gain_there_is_no_room(metric: str, best: float) -> None:
    gain = paired_gain("a", "b", metric, [best] * 30, [best] * 30)
    assert (gain.room, gain.verdict) == (0, "no room")


def test_only_the_primary_metric_of_a_stage_is_judged_alone() -> None:
    stages = ("naive", "enhanced", "smart", "reranked", "agentic")
    run = evaluation({stage: [0.0, 1.0] for stage in stages})
    levels = {(gain.baseline, gain.candidate, gain.metric): gain.level for gain in run.gains(["recall@5", "all@10"])}
    assert levels["naive", "enhanced", "recall@5"] == levels["smart", "agentic", "all@10"] == 0.95
    assert levels["naive", "enhanced", "all@10"] == pytest.approx(0.99)


def test_gains_are_drawn_with_a_bar_for_each() -> None:
    table = Gains([paired_gain("a", "<b>", "recall@5", [0.0] * 30, [1.0] * 30)])
    assert table._repr_html_().count("<svg") == 1
    assert "<b>" not in table._repr_html_()
    assert repr(table) == str(table[0])


def test_room_counts_by_category_what_each_stage_leaves() -> None:
    run = evaluation({"naive": [0.0, 0.5, 1.0], "smart": [1.0] * 3})
    rows = {name: left for name, *left in run.room("recall@5").rows}
    assert rows["all"] == ["2 / 3", "0 / 3"]


def test_a_gain_says_its_interval_its_level_and_how_many_questions_moved() -> None:
    gain = paired_gain("naive", "smart", "recall@5", [0.0] * 30, [0.0] * 10 + [1.0] * 20)
    assert (gain.ci_low, gain.ci_high) == interval([0.0] * 10 + [1.0] * 20, LEVEL)
    assert "(95 %)" in str(gain)
    assert "20 of 30 questions moved: better" in str(gain)
    assert (gain.as_dict()["level"], gain.as_dict()["moved"]) == (pytest.approx(0.95), 20)


@pytest.mark.parametrize(("moved", "said"), [(3, ", p = 0.2"), (20, ", p < 0.001, ")])
def test_a_p_value_is_never_said_to_be_zero(moved: int, said: str) -> None:
    gain = paired_gain("naive", "smart", "recall@5", [0.0] * 30, [0.0] * (30 - moved) + [1.0] * moved)
    assert said in str(gain)


def test_a_gain_is_said_in_the_language_of_the_reader_and_judged_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    gain = paired_gain("naive", "by score", "recall@5", [0.0] * 30, [0.0] * 10 + [1.0] * 20)
    for name in VARIABLES:
        monkeypatch.setenv(name, "ko")
    said = str(gain)
    assert said.startswith(f"Recall@5: naive 대비 by score {gain.change} (95%), p < 0.001, ")
    assert said.endswith("질문 30개 중 20개가 달라짐. 더 나음")
    assert (gain.verdict, gain.as_dict()["verdict"]) == ("better", "better")
