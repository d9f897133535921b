"""The plot of the token estimate's error."""

import pytest

from lessons.evaluate.plots.tokens import Estimate, estimates, plot_token_error
from lessons.models.tokens import ExactTokenCounter


def test_an_error_is_a_share_of_the_exact_count() -> None:
    assert [Estimate("", "", estimated, 10).error for estimated in (15, 10, 5)] == pytest.approx([0.5, 0.0, -0.5])


def test_every_text_is_a_point_in_the_row_of_its_kind() -> None:
    axes = plot_token_error([Estimate("a", "", 3, 2), Estimate("a", "", 1, 2), Estimate("b", "", 1, 4)]).axes[0]
    points = [found.get_offsets().tolist() for found in axes.collections]  # type: ignore[union-attr]
    assert points == [[[50.0, 0.0], [-50.0, 0.0]], [[-75.0, 1.0]]]
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([0.0, -75.0])  # type: ignore[attr-defined]


def test_faces_and_flags_cost_more_than_the_estimate_says_and_sentences_about_as_much() -> None:
    by_kind: dict[str, list[Estimate]] = {}
    for each in estimates(ExactTokenCounter()):
        by_kind.setdefault(each.kind, []).append(each)
    together = {
        kind: sum(each.estimated for each in own) / sum(each.exact for each in own) - 1 for kind, own in by_kind.items()
    }
    assert together.pop("emoji") < -0.3
    assert all(abs(error) < 0.25 for error in together.values())
