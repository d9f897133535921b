"""What stands in a plot can be read: no label lies on another, is cut off, or stands for two things."""

from collections.abc import Callable
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from rich.cells import cell_len

from lessons.evaluate.dialogues import plot_growth
from lessons.evaluate.pictures import plot_budget, plot_searches
from lessons.evaluate.plots import (
    STAGE_COLOURS,
    plot_cost,
    plot_groups,
    plot_metric,
    plot_moved,
    shortened,
    stage_colours,
)
from lessons.plan import FittedPart
from lessons.rag.answer import Answer
from lessons.rag.types import Context, RetrievedDocument
from lessons.trace import Trace
from tests.evaluate.records import evaluation

OWN = ["naive", "overlapping", "sections", "keywords", "by score", "filtered", "나의 검색", "no transforms"]
LONG = "누리벌해운의 건화물 매출은 2023년 4분기가 컸나요, 아니면 2024년 4분기가 더 컸나요?"
PATHS = [
    ("reports/nuribeol-haeun-quarterly-report-of-2023-q4-ko.pdf", 3),
    ("reports/nuribeol-haeun-quarterly-report-of-2023-q4-ko.pdf", 3),
    ("reports/nuribeol-haeun-quarterly-report-of-2023-q4-en.pdf", 3),
    ("보고서/누리벌해운_2024년_4분기_실적_보고서_개정판_한국어.pdf", 1),
    ("mina/index.md", None),
    ("joon/index.md", None),
]


def run(stages: list[str]):
    """A run in which all stages are equally good, so that their dots lie on each other."""
    return evaluation({stage: [0.0, 0.5, 1.0] * 12 for stage in stages}, "correctness")


def searched() -> Figure:
    documents = [
        RetrievedDocument(str(place), "text", 0.5, source, {"page_number": page})
        for place, (source, page) in enumerate(PATHS)
    ]
    trace = Trace()
    for query in (LONG, "Nuribeol dry bulk revenue Q4 2024", LONG[::-1]):
        with trace.step("search_documents", {"query": query}) as step:
            step.output = documents
    return plot_searches(Answer("?", "agentic", "m", context=Context("x", tuple(documents), 1), trace=trace))


def saved() -> Figure:
    ways = ("none", "compression", "refine", "manager", "intent", "cache", "all")
    return plot_cost(run(list(ways)))


PLOTS: dict[str, Callable[[], Figure]] = {
    "groups": lambda: plot_groups(run(["smart", "reranked"]), "correctness"),
    "languages": lambda: plot_groups(run(OWN), "correctness", by="language"),
    "metric": lambda: plot_metric(run(OWN), "correctness"),
    "cost": lambda: plot_cost(run(OWN)),
    "moved": lambda: plot_moved(evaluation({"naive": [0.0, 1.0] * 9, "smart": [1.0, 0.0] * 9}), "naive", "smart"),
    "searches": searched,
    "savings": saved,
    "budget": lambda: plot_budget(
        {LONG: (FittedPart("question", 90), FittedPart("documents", 900, 500)), "How?": (FittedPart("history", 300),)},
        1_200,
    ),
    "memories": lambda: plot_growth({name: [0, place, 2 * place] for place, name in enumerate(OWN)}),
}


def visible(figure: Figure) -> list[Text]:
    """The texts of a figure as they were drawn; ticks beyond the ends of an axis are not."""
    FigureCanvasAgg(figure).draw()
    (axes,) = figure.axes
    beyond = {
        id(label)
        for axis in (axes.xaxis, axes.yaxis)
        for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]
        for label in (tick.label1, tick.label2)
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
    }
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text) and text.get_text().strip()]
    return [text for text in texts if text.get_visible() and id(text) not in beyond]


@pytest.mark.parametrize("draw", PLOTS.values(), ids=PLOTS)
def test_no_text_lies_on_another_leaves_the_figure_or_names_two_rows(draw: Callable[[], Figure]) -> None:
    figure = draw()
    boxes = [(text.get_text(), Text.get_window_extent(text)) for text in visible(figure)]  # without arrows
    left, bottom, width, height = figure.bbox.bounds
    outside = [
        name for name, box in boxes
        if box.x0 < left - 1 or box.y0 < bottom - 1 or box.x1 > left + width + 1 or box.y1 > bottom + height + 1
    ]  # fmt: skip
    overlapping = [
        (one, other)
        for (one, first), (other, second) in combinations(boxes, 2)
        if min(first.x1, second.x1) - max(first.x0, second.x0) > 1
        and min(first.y1, second.y1) - max(first.y0, second.y0) > 1
    ]
    assert (outside, overlapping) == ([], [])
    rows = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert len(rows) == len(set(rows))


@pytest.mark.parametrize("count", range(2, 8))
def test_stages_of_a_group_stand_nearer_to_each_other_than_to_the_next_group(count: int) -> None:
    (axes,) = plot_groups(run(OWN[:count]), "correctness").axes
    rows = sorted(
        float(line.get_ydata()[0]) for line in axes.lines if line.get_marker() == "o" and line.get_ydata().size
    )
    gaps = [after - before for before, after in pairwise(rows)]
    within = [gap for place, gap in enumerate(gaps, start=1) if place % count]
    between = [gap for place, gap in enumerate(gaps, start=1) if not place % count]
    assert max(within) < 0.6 * min(between)


@given(st.lists(st.text(max_size=8), max_size=40))
def test_no_two_stages_of_a_plot_have_the_same_colour(names: list[str]) -> None:
    colours = stage_colours([*STAGE_COLOURS, *names])
    assert len(set(colours.values())) == len(colours)
    assert colours.items() >= STAGE_COLOURS.items()


@given(st.text(st.sampled_from("abc 가나다…"), max_size=40), st.integers(6, 30))
def test_a_label_is_cut_only_with_an_ellipsis_and_to_its_width(text: str, most: int) -> None:
    cut = shortened(text, most)
    assert cell_len(cut) <= most
    assert cut == text or "…" in cut


def test_names_that_differ_at_their_end_still_differ_when_cut() -> None:
    assert len({shortened(name, 30) for name, _ in PATHS}) == len({name for name, _ in PATHS})
