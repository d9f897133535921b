"""Plots say one thing each, with units, the colour of the stage, and Korean that can be read."""

import io
import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from lessons.evaluate.evaluation import Evaluation
from lessons.evaluate.plots import (
    OUTCOME_COLOURS,
    STAGE_COLOURS,
    canvas,
    plot_cost,
    plot_groups,
    plot_metric,
    plot_moved,
    plot_outcomes,
    stage_colour,
    translate,
)
from lessons.language import VARIABLES
from tests.evaluate.records import evaluation, record

RUN = evaluation({"naive": [0.0, 0.5] * 20, "smart": [1.0, 0.0] * 20, "reranked": [1.0] * 40})
PLOTS: list[Callable[[Evaluation], Figure]] = [
    plot_metric,
    plot_groups,
    lambda run: plot_groups(run, by="language"),
    plot_cost,
    lambda run: plot_moved(run, run.stages[0], run.stages[-1]),
]


def drawn(figure: Figure) -> list[str]:
    """Draw a figure, and return what matplotlib complained about."""
    with warnings.catch_warnings(record=True) as complaints:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)  # of an earlier test, told when its garbage is collected
        figure.savefig(io.BytesIO(), format="png")
    return [str(complaint.message) for complaint in complaints]


@pytest.mark.parametrize("plot", PLOTS)
def test_a_plot_is_drawn_with_labelled_axes_and_every_letter(plot: Callable[[Evaluation], Figure]) -> None:
    figure = plot(RUN)
    assert drawn(figure) == []
    (axes,) = figure.axes
    assert axes.get_xlabel()
    assert axes.get_title() or figure.get_suptitle()


@pytest.mark.parametrize("plot", PLOTS)
def test_a_run_without_any_value_is_drawn_empty(plot: Callable[[Evaluation], Figure]) -> None:
    nothing = evaluation({"naive": [float("nan")] * 3}, "recall@5")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ResourceWarning)
        assert drawn(plot(nothing)) == []


def test_the_outcomes_of_a_stage_are_one_bar_and_those_without_an_answer_stand_beside_it() -> None:
    run = evaluation({"naive": [0.0, 0.5], "smart": [1.0] * 2}, "correctness")
    invented = [record(name, 2, metrics={"correctness": 0.0}, answerable=False) for name in run.stages]
    figure = plot_outcomes(replace(run, records=(*run.records, *invented)))
    assert drawn(figure) == []
    answerable, unanswerable = figure.axes
    assert [label.get_text() for label in answerable.get_yticklabels()] == run.stages
    for axes, widths in ((answerable, [0, 0.5, 0, 0.5, 1, 0, 0, 0]), (unanswerable, [0, 1, 0, 1])):
        assert [bar.get_width() for bar in axes.patches] == widths
    assert (answerable.get_xlabel(), unanswerable.get_xlabel()) == ("share of 2 questions", "share of 1 questions")


def luminance(rgb: np.ndarray) -> float:
    """The relative luminance of a colour, as WCAG 2.2 defines it."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("outcome", OUTCOME_COLOURS)
def test_a_number_in_a_bar_is_read_on_a_light_and_on_a_dark_page(outcome: str) -> None:
    light = np.array(to_rgb(OUTCOME_COLOURS[outcome]))
    inverted = 1 - light
    dark = np.clip(2 * inverted @ [0.213, 0.715, 0.072] - inverted, 0, 1)  # invert(1) hue-rotate(180deg) in style.css
    assert 1.05 / (luminance(light) + 0.05) > 4.5
    assert (luminance(dark) + 0.05) / 0.05 > 4.5


def test_outcomes_without_any_verdict_are_drawn_empty() -> None:
    figure = plot_outcomes(evaluation({"naive": [float("nan")] * 3}, "correctness"))
    assert not any(axes.patches for axes in figure.axes)
    assert drawn(figure) == []


def test_a_stage_has_the_same_colour_in_every_plot() -> None:
    (axes,) = plot_metric(RUN).axes
    colours = [to_hex(line.get_color()) for line in axes.get_lines() if line.get_marker() == "o"]
    assert colours == [STAGE_COLOURS[stage] for stage in RUN.stages]


def test_a_stage_of_the_reader_has_a_colour_too() -> None:
    assert stage_colour("my own") == stage_colour("my own") not in STAGE_COLOURS.values()


def test_the_moved_questions_are_counted_both_ways() -> None:
    (axes,) = plot_moved(RUN, "naive", "smart").axes
    assert axes.figure.get_suptitle() == "20 questions up, 20 down, 0 unmoved from naive to smart"


def test_a_question_without_a_value_is_not_counted() -> None:
    run = evaluation({"naive": [0.0, float("nan"), 0.5], "smart": [1.0, float("nan"), 0.5]})
    (axes,) = plot_groups(run, by="language").axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["en (n = 2)"]
    assert plot_moved(run, "naive", "smart").get_suptitle() == "1 question up, 0 down, 1 unmoved from naive to smart"
    half = evaluation({"naive": [0.0, 0.5], "smart": [1.0, float("nan")]})
    assert plot_moved(half, "naive", "smart").get_suptitle() == "1 question up, 0 down, 0 unmoved from naive to smart"


def test_few_questions_have_a_mean_without_an_interval() -> None:
    (axes,) = plot_metric(evaluation({"naive": [0.0, 1.0], "smart": [0.0, 1.0] * 10})).axes
    assert [list(each.lines[0].get_xdata()) for each in axes.containers] == [[0.5], [0.5]]
    few, many = (each.lines[2][0].get_segments()[0] for each in axes.containers)
    assert not few.size
    assert many[0][0] < 0.5 < many[1][0]
    assert drawn(axes.figure) == []


def test_many_moved_questions_stay_readable() -> None:
    (axes,) = plot_moved(RUN, "naive", "smart").axes
    assert len(axes.get_yticklabels()) == 30


def test_a_plot_of_a_korean_notebook_is_written_in_korean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.setenv(name, "ko")
    figure, axes = canvas(3, 2)
    axes.set(title="What a model is sent", xlabel="nDCG@10")
    figure.savefig(io.BytesIO())  # as Jupyter does for pandas, which does not ask the figure
    assert (axes.get_title(), axes.get_xlabel()) == ("모델에 보내는 것", "nDCG@10")


def test_a_plot_stays_in_the_language_of_the_page_that_asked_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.setenv(name, "en")
    figure, axes = canvas(3, 2)
    axes.set(title="What a model is sent")
    translate(figure)
    for name in VARIABLES:
        monkeypatch.setenv(name, "ko")
    figure.savefig(io.BytesIO())
    assert axes.get_title() == "What a model is sent"
