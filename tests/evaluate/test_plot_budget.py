"""The picture of a budget."""

import pytest

from lessons.budget import Budget, Piece
from lessons.context.manager import ContextManager
from lessons.evaluate.plots.budget import plot_budget


def test_every_part_has_its_width_and_what_was_left_out_is_hatched() -> None:
    figure = plot_budget({"one": (Piece("question", 10), Piece("documents", 30, 20))}, total=50)
    bars = [(patch.get_x(), patch.get_width()) for patch in figure.axes[0].patches if patch.get_width()]
    assert bars == [(0, 10), (10, 30), (40, 20)]
    assert [patch.get_hatch() for patch in figure.axes[0].patches if patch.get_width()] == [None, None, "///"]
    assert [line.get_xdata()[0] for line in figure.axes[0].lines] == [50]


@pytest.mark.parametrize("korean", [False, True])
def test_plans_and_managed_contexts_are_drawn(korean: bool) -> None:
    question = "환불은 며칠 걸리나요?" if korean else "How long does a refund take?"
    plan = Budget(window=6_000).plan("You answer.", question, documents=["a " * 900] * 9, history=[("user", "b " * 99)])
    fitted = ContextManager().fit(question, ["a " * 900] * 9)
    for pieces, total in ((plan.pieces, plan.window), (fitted.pieces, fitted.available)):
        figure = plot_budget({question: pieces}, total)
        labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
        assert set(labels) == {piece.name for piece in pieces if piece.tokens or piece.dropped}
        assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == [question]
