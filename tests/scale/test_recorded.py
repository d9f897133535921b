"""What was measured for this repository, and what it says about other sizes."""

import pytest

from lessons.scale.recorded import (
    GB,
    HEADLINE,
    bytes_a_chunk,
    frameworks,
    measured,
    memory_needed,
    most_chunks,
    plot_breadths,
    plot_measured,
    plot_memory,
    plot_searches,
    sizes,
)


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
    assert " questions, " in table._repr_html_()


def test_every_size_up_to_a_million_has_every_search_beside_its_floor() -> None:
    assert [size.chunks for size in sizes()] == [1_000, 10_000, 100_000, 1_000_000]
    assert all(pair.ms > 0 and pair.floor_ms > 0 for size in sizes() for pair in size.searches)


def test_only_sizes_with_an_index_were_searched_under_filters() -> None:
    assert [bool(size.filtered) for size in sizes()] == [False, False, True, True]


def test_the_plot_shows_every_leg_and_its_sql() -> None:
    axes = plot_searches().axes[0]
    assert len(axes.lines) == 8
    assert list(axes.lines[6].get_ydata()) == [size[HEADLINE].ms for size in sizes()]
