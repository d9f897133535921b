"""What compression costs in right answers."""

import pytest

from lessons.evaluate.compression import METHODS, WHOLE, CompressionResults, by_method, plot_compression
from lessons.evaluate.evaluation import Evaluation, Record
from tests.evaluate.records import record

RIGHT = {"cut off": (1.0, 0.0), "extractive": (1.0, 1.0), "abstractive": (0.5, 1.0), "hybrid": (1.0, 0.5)}


def answered(method: str, share: str, number: int, right: float) -> Record:
    return record(method, number, category=share, metrics={"correctness": right, "strict": float(right == 1)})


@pytest.fixture
def results() -> CompressionResults:
    whole = [answered(WHOLE, "100%", number, 1.0) for number in range(2)]
    shares = ("50%", "25%")
    rest = [answered(way, share, at, RIGHT[way][at]) for way in METHODS for share in shares for at in range(2)]
    return CompressionResults.of(Evaluation("golden", "dev", (*whole, *rest)))


def test_the_whole_context_is_the_same_for_every_method(results: CompressionResults) -> None:
    assert {each[0].means["correctness"] for each in by_method(results.evaluation).values()} == {1.0}


def test_the_table_has_a_row_for_each_method_and_a_column_for_each_share(results: CompressionResults) -> None:
    assert results.head[1:] == ["100%", "50%", "25%"]
    assert results._repr_html_().count("<tr>") == 1 + len(METHODS)
    assert "cut off | 1.00 [1.00, 1.00] (1.00) | 0.50 [0.00, 1.00] (0.50)" in repr(results)


def test_the_plot_has_a_line_for_each_method(results: CompressionResults) -> None:
    legend = plot_compression(results).axes[0].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == list(METHODS)
