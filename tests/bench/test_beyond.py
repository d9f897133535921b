"""What the measured sizes say about others."""

import pytest

from lessons.bench.beyond import (
    GB,
    bytes_a_chunk,
    measured,
    memory_needed,
    most_chunks,
    plot_breadths,
    plot_measured,
    plot_memory,
)
from lessons.bench.frameworks import frameworks


@pytest.mark.parametrize("precision", ["float32", "halfvec", "bits"])
def test_the_formula_meets_every_measured_size_to_within_two_per_cent(precision: str) -> None:
    for graph in (each for each in measured() if each.precision == precision):
        assert memory_needed(graph.chunks, precision) == pytest.approx(graph.index_bytes, rel=0.02)


def test_fewer_bits_need_less_memory() -> None:
    assert bytes_a_chunk("float32") > bytes_a_chunk("halfvec") > bytes_a_chunk("bits")


@pytest.mark.parametrize("precision", ["float32", "halfvec", "bits"])
def test_as_many_chunks_as_fit_fit_and_one_more_does_not(precision: str) -> None:
    most = most_chunks(64 * GB, precision)
    assert memory_needed(most, precision) <= 64 * GB < memory_needed(most + 1, precision)


def test_the_plots_name_their_axes_and_every_precision() -> None:
    memory, recall = plot_memory().axes[0], plot_measured("recall", "recall@10").axes[0]
    assert (memory.get_xlabel(), memory.get_ylabel()) == ("chunks", "memory of the index (GB)")
    assert [text.get_text() for text in recall.get_legend().get_texts()] == ["none", "float32", "halfvec", "bits"]


def test_more_candidates_find_more_and_take_longer() -> None:
    for line in plot_breadths(1_000_000).axes[0].lines:
        for values in (line.get_xdata(), line.get_ydata()):
            assert list(values) == sorted(values)


def test_the_other_frameworks_stand_beside_ours_with_intervals() -> None:
    table = frameworks()
    assert len(table.rows) == len(table.searches) >= 5
    assert "LangChain EnsembleRetriever" in repr(table)
    assert {each["name"].removesuffix(", Kiwi") for each in table.searches if each["name"].endswith("Kiwi")} >= {
        "LangChain EnsembleRetriever",
        "LlamaIndex QueryFusionRetriever",
        "txtai hybrid",
    }
    assert f"{table.questions} questions" in table._repr_html_()
