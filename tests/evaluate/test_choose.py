"""The cheapest stage that is not shown to be worse by more than the margin."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lessons.evaluate.choose import choose, questions_needed
from lessons.evaluate.compare import Gain
from lessons.evaluate.evaluation import Evaluation
from tests.evaluate.records import evaluation

TOKENS = {"naive": 100, "smart": 300, "agentic": 2_000}


def measured(**scores: list[float]) -> Evaluation:
    """A run whose stages have these correct answers and the tokens of `TOKENS`."""
    plain = evaluation(scores, "correctness")
    return replace(plain, records=tuple(replace(each, tokens=TOKENS[each.stage]) for each in plain.records))


def test_the_cheaper_of_two_equal_stages_is_taken() -> None:
    assert choose(measured(naive=[1.0, 0.0] * 20, agentic=[1.0, 0.0] * 20)).taken == "naive"


def test_a_stage_that_loses_more_than_the_margin_is_not_taken() -> None:
    assert choose(measured(naive=[0.0] * 40, smart=[1.0] * 40)).taken == "smart"


def test_few_questions_do_not_excuse_a_loss_that_nobody_could_have_seen() -> None:
    few = measured(naive=[1.0, 1.0, 0.0, 1.0], agentic=[1.0] * 4)
    assert choose(few).taken == "agentic"


def test_a_wider_margin_lets_a_cheaper_stage_pass() -> None:
    close = measured(naive=[1.0] * 38 + [0.0] * 2, smart=[1.0] * 40)
    assert choose(close, margin=0.05).taken == "smart"
    assert choose(close, margin=0.2).taken == "naive"


SCORES = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=6, max_size=6)


@settings(deadline=None, max_examples=25)
@given(SCORES, SCORES, SCORES)
def test_some_stage_is_always_taken_and_never_a_dearer_one_than_the_best(
    naive: list[float], smart: list[float], agentic: list[float]
) -> None:
    choice = choose(measured(naive=naive, smart=smart, agentic=agentic))
    assert TOKENS[choice.taken] <= TOKENS[choice.best]


def test_the_table_says_which_stages_pass() -> None:
    shown = choose(measured(naive=[0.0] * 40, smart=[1.0] * 40))._repr_html_()
    assert "Take smart" in shown
    assert "-1.000 [-1.000, -1.000] at 99 %" in shown


@pytest.mark.parametrize(("half_width", "needed"), [(0.1, 80), (0.05, 20), (0.0, 0)])
def test_half_the_width_takes_four_times_the_questions(half_width: float, needed: int) -> None:
    gain = Gain("naive", "smart", "correctness", 20, 0.5, 0.6, 0.1, 0.1 - half_width, 0.1 + half_width, 0.5)
    assert questions_needed(gain, 0.05) == pytest.approx(needed, abs=1)
