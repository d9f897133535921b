"""What the benchmark measured for this repository, as the notebook shows it."""

from lessons.bench.bench import HEADLINE
from lessons.bench.recorded import plot_searches, sizes


def test_every_size_up_to_a_million_has_every_search_beside_its_floor() -> None:
    assert [size.chunks for size in sizes()] == [1_000, 10_000, 100_000, 1_000_000]
    assert all(pair.ms > 0 and pair.floor_ms > 0 for size in sizes() for pair in size.searches)


def test_only_sizes_with_an_index_were_searched_under_filters() -> None:
    assert [bool(size.filtered) for size in sizes()] == [False, False, True, True]


def test_the_plot_shows_every_leg_and_its_sql() -> None:
    axes = plot_searches().axes[0]
    assert len(axes.lines) == 8
    assert list(axes.lines[6].get_ydata()) == [size[HEADLINE].ms for size in sizes()]
