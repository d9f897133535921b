"""Pictures of one question: a budget, two searches, and the error of the token estimate."""

import dataclasses
import json

import pytest
from pandas import DataFrame

from lessons.budget import Budget
from lessons.context.compress import ContextManager
from lessons.evaluate.golden import Evidence, Golden
from lessons.evaluate.pictures import TEXTS, plot_budget, plot_fusion, plot_token_error
from lessons.models.tokens import ExactTokenCounter, TokenEstimator
from lessons.plan import FittedPart, Part
from lessons.rag.types import RetrievedDocument


def test_every_part_has_its_width_and_what_was_left_out_is_hatched() -> None:
    figure = plot_budget({"one": (FittedPart("question", 10), FittedPart("documents", 30, 20))}, total=50)
    bars = [(patch.get_x(), patch.get_width()) for patch in figure.axes[0].patches if patch.get_width()]
    assert bars == [(0, 10), (10, 30), (40, 20)]
    assert [patch.get_hatch() for patch in figure.axes[0].patches if patch.get_width()] == [None, None, "///"]
    assert [line.get_xdata()[0] for line in figure.axes[0].lines if len(line.get_xdata())] == [50]


def test_each_budget_has_a_line_at_its_own_total() -> None:
    parts = (FittedPart("question", 10),)
    axes = plot_budget({"one": parts, "two": parts}, {"one": 50, "two": 30}).axes[0]
    assert [list(line.get_xdata()) for line in axes.lines if len(line.get_xdata())] == [[50, 50], [30, 30]]


@pytest.mark.parametrize("korean", [False, True])
def test_plans_and_managed_contexts_are_drawn(korean: bool) -> None:
    question = "환불은 며칠 걸리나요?" if korean else "How long does a refund take?"
    plan = Budget(window=6_000).plan([Part("question", [question], keep="all"), Part("documents", ["a " * 900] * 9)])
    for each in (plan, ContextManager().fit(question, ["a " * 900] * 9)):
        figure, pieces = plot_budget({question: each.pieces}, each.room), each.pieces
        labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
        assert set(labels) == {piece.name for piece in pieces if piece.tokens or piece.dropped}
        assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == [question]


QUESTION = Golden("q", "How long?", "en", "fact", evidence=(Evidence("a.pdf", "twenty hours"),))
RIGHT = RetrievedDocument("1", "It takes twenty hours.", 1.0, "a.pdf", legs={"meaning": 0.1, "words": 9.0})
WRONG = dataclasses.replace(RIGHT, id="2", content="It takes long.", score=0.5, legs={"meaning": 0.2})


def test_every_chunk_is_a_point_and_evidence_has_a_colour_of_its_own() -> None:
    axes = plot_fusion([RIGHT, WRONG], QUESTION).axes[0]
    points = {found.get_label(): found.get_offsets().tolist() for found in axes.collections}
    assert points == {"other chunk": [[0.2, 9.0]], "holds evidence": [[0.1, 9.0]]}


def test_a_search_that_found_nothing_is_an_empty_plot() -> None:
    assert plot_fusion([], QUESTION)._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]


def test_every_text_is_a_point_in_the_row_of_its_kind() -> None:
    counts = DataFrame([("a", 3, 2), ("a", 1, 2), ("b", 1, 4)], columns=["kind", "estimated", "exact"])
    axes = plot_token_error(counts).axes[0]
    points = [found.get_offsets().tolist() for found in axes.collections]  # type: ignore[union-attr]
    assert points == [[[50.0, 0.0], [-50.0, 0.0]], [[-75.0, 1.0]]]
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([0.0, -75.0])  # type: ignore[attr-defined]


def test_faces_and_flags_cost_more_than_the_estimate_says_and_sentences_about_as_much() -> None:
    texts = json.loads(TEXTS.read_text(encoding="utf-8"))
    estimated, exact = TokenEstimator().count, ExactTokenCounter().count
    errors = {kind: sum(map(estimated, group)) / sum(map(exact, group)) - 1 for kind, group in texts.items()}
    assert errors.pop("emoji") < -0.3
    assert all(abs(error) < 0.25 for error in errors.values())
