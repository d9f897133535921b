"""What compression costs in right answers."""

import pytest

from lessons.evaluate.compression import METHODS, Compressed, CompressionResults, plot_compression

RIGHT = {"cut off": (1.0, 0.0), "extractive": (1.0, 1.0), "abstractive": (0.5, 1.0), "hybrid": (1.0, 0.5)}


@pytest.fixture
def results() -> CompressionResults:
    whole = [Compressed("whole", 1.0, str(number), "en", 1.0, 100, 0) for number in range(2)]
    rest = [
        Compressed(method, share, str(number), "en", RIGHT[method][number], int(100 * share), 0)
        for method in METHODS
        for share in (0.5, 0.25)
        for number in range(2)
    ]
    return CompressionResults((*whole, *rest))


def test_the_whole_context_is_the_same_for_every_method(results: CompressionResults) -> None:
    assert results.correctness("abstractive", 1.0) == [1.0, 1.0]


def test_the_table_has_a_row_for_each_method_and_a_column_for_each_share(results: CompressionResults) -> None:
    assert results.shares == [1.0, 0.5, 0.25]
    assert results._repr_html_().count("<tr>") == 1 + len(METHODS)
    assert "cut off 1.00 [1.00, 1.00] (1.00) 0.50 [0.00, 1.00] (0.50)" in repr(results)


def test_the_plot_has_a_line_for_each_method(results: CompressionResults) -> None:
    legend = plot_compression(results).axes[0].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == list(METHODS)
