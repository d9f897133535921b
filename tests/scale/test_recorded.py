"""What was measured for this repository, and what it says about other sizes."""

import pytest

from lessons.scale.recorded import (
    HEADLINE,
    LEGS,
    bytes_a_chunk,
    frameworks,
    measured,
    plot_breadths,
    plot_measured,
    plot_memory,
    plot_searches,
    sizes,
)


@pytest.mark.parametrize("precision", ["float32", "halfvec", "bits"])
def test_the_formula_meets_every_measured_size_to_within_two_per_cent(precision: str) -> None:
    for graph in measured().query("precision == @precision").itertuples():
        assert graph.chunks * bytes_a_chunk(precision) == pytest.approx(graph.index_bytes, rel=0.02)


def test_fewer_bits_need_less_memory() -> None:
    assert bytes_a_chunk("float32") > bytes_a_chunk("halfvec") > bytes_a_chunk("bits")


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
    assert len(table.rows) >= 5
    assert "LangChain EnsembleRetriever" in repr(table)
    assert {row[0].removesuffix(", Kiwi") for row in table.rows if row[0].endswith("Kiwi")} >= {
        "LangChain EnsembleRetriever",
        "LlamaIndex QueryFusionRetriever",
        "txtai hybrid",
    }
    assert " questions, " in table._repr_html_()


def test_every_size_up_to_a_million_has_every_search_beside_its_floor() -> None:
    assert [size["chunks"] for size in sizes()] == [1_000, 10_000, 100_000, 1_000_000]
    assert all(pair["ms"] > 0 and pair["floor_ms"] > 0 for size in sizes() for pair in size["searches"])


def test_only_sizes_with_an_index_were_searched_under_filters() -> None:
    assert [bool(size["filtered"]) for size in sizes()] == [False, False, True, True]


def test_the_plot_shows_every_leg_and_its_sql() -> None:
    axes = plot_searches().axes[0]
    assert len(axes.lines) == 2 * len(LEGS)
    times = [pair["ms"] for size in sizes() for pair in size["searches"] if pair["name"] == HEADLINE]
    assert list(axes.lines[-1].get_ydata()) == times
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [*LEGS]
