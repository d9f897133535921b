"""Where each passage ranked in every stage: lines from stage to stage, and a table; each passage opens."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import altair as alt
import streamlit as st
from pandas import DataFrame  # type: ignore[import-untyped]  # Streamlit brings it

from lessons.evaluate.comparison import Comparison, Passage
from lessons.evaluate.golden import Evidence
from lessons.evaluate.metrics import ranking
from lessons.evaluate.plots import shortened
from lessons.pages.answer import evidence_line, open_passage
from lessons.pages.common import page_of
from lessons.pages.language import N_, _
from lessons.rag.answer import Answer
from lessons.rag.context import around, best_quote
from lessons.rag.pipeline import standalone
from lessons.rag.types import RetrievedDocument

THICK, THIN = "#2e9e4f", "#999999"  # stand out on a light page and on a dark one
NAME_WIDTH = 32  # columns of a passage's name in the table
MAX_ROWS, ROW_HEIGHT = 10, 35  # of the table that are seen at once; pixels
HOW_TO_READ = N_(
    "Thick: {thick}. Click a point or choose a row to open the passage. ↑ ↓ count the ranks gained or lost."
)

_nearest = lru_cache(maxsize=1_024)(best_quote)


@dataclass(frozen=True)
class Spot:
    """A passage as the last stage found it, and its words that matter here; `quote` is empty if none of them do."""

    place: Passage
    answer: Answer
    document: RetrievedDocument
    quote: str
    is_cited: bool

    @property
    def name(self) -> str:
        """The file without its folders, and the page."""
        return self.document.source.rpartition("/")[2] + page_of(*self.document.pages(self.quote))

    @property
    def words(self) -> str:
        """The quote, or the beginning of the passage."""
        return self.quote or f"{self.place.start.rpartition(' ')[0] or self.place.start} …"


def find_spot(place: Passage, answers: Sequence[Answer], evidence: Sequence[Evidence]) -> Spot:
    """Quote the evidence, or else what an answer cites, or the sentence nearest to the question."""
    cells = [(answer, cell) for answer, cell in zip(answers, place.cells, strict=True) if cell]
    answer, cell = next((pair for pair in reversed(cells) if pair[1].evidence), cells[-1])
    documents = [ranking(answer)[rank - 1] for rank in cell.ranks]
    cited = [
        citation.quote
        for citing, at in reversed(cells)
        for citation in citing.citations
        if citation.chunk_id in {ranking(citing)[rank - 1].id for rank in at.ranks}
    ]
    quotes = [at.quote for number in place.evidence for at in evidence[number].passages] + cited
    exact = ((document, around(quote, document.content)[1]) for quote in quotes for document in documents)
    nearest = _nearest(standalone(answer.trace, answer.question), documents[0].content)
    document, words = next(((document, words) for document, words in exact if words), (documents[0], nearest))
    return Spot(place, answer, document, " ".join(words.split()).lstrip("#| "), bool(cited))


def show_ranks(comparison: Comparison) -> None:
    """Draw the chart and the table; a click on a point or a row opens the passage."""
    answers, alignment = list(comparison.answers.values()), comparison.alignment
    if not (places := sorted(alignment.passages, key=lambda place: not place.evidence)):
        return
    spots, has_stars = [find_spot(place, answers, alignment.evidence) for place in places], bool(places[0].evidence)
    st.header(_("Where each passage ranked"), anchor=False)
    st.caption(_(HOW_TO_READ, thick=_("holds evidence ★") if has_stars else _("cited in the answer")))
    opened = st.session_state.setdefault("opened", 0)  # a new key for each passage, so that none stays selected
    chart, table = f"chart-{opened}", f"table-{opened}"
    names = [name.capitalize() for name in comparison.answers]
    if len(names) > 1:
        st.altair_chart(
            _chart(spots, names, has_stars),
            key=chart,
            on_select=lambda: _open([dot["number"] for dot in st.session_state[chart].selection.get("passage", [])]),
            alt=_("The rank of each passage in every stage, as in the table below"),
        )
    st.dataframe(
        [_row(spot, names) for spot in spots],
        hide_index=True,
        height=ROW_HEIGHT * (1 + min(len(spots), MAX_ROWS)) + 2,
        column_config={_("Passage"): st.column_config.Column(pinned=True, width=230)}
        | dict.fromkeys(names, st.column_config.Column(width=80)),
        key=table,
        on_select=lambda: _open(st.session_state[table].selection.rows),
        selection_mode="single-row",
        alt=_("The rank of each passage in every stage, and its words that matter"),
    )
    for evidence in alignment.missed:
        st.caption(_("No stage found {passage}", passage=evidence_line(evidence)))
    if (number := st.session_state.pop("passage", len(spots))) < len(spots):
        spot = spots[number]
        open_passage(spot.answer, spot.document, [spot.quote] if spot.quote else [])


def _open(numbers: Sequence[int]) -> None:
    if numbers:
        st.session_state.passage = int(numbers[0])
        st.session_state.opened += 1


def _row(spot: Spot, names: Sequence[str]) -> dict[str, str]:
    stars = ["★ " if cell and cell.evidence else "" for cell in spot.place.cells]
    ranks = [rank.replace("new", _("new")).replace("gone", _("gone")) for rank in spot.place.ranks]
    by_stage = dict(zip(names, (star + (rank or "–") for star, rank in zip(stars, ranks, strict=True)), strict=True))
    return {_("Passage"): shortened(spot.name, NAME_WIDTH), **by_stage, _("Matching sentence"): spot.words}


def _chart(spots: Sequence[Spot], names: Sequence[str], has_stars: bool) -> alt.LayerChart:
    """Plot a line for each passage. What is thick falls to a row of its own where a stage did not find it."""
    lowest = 1 + max(cell.ranks[0] for spot in spots for cell in spot.place.cells if cell)
    rows = [
        {"number": number, "passage": spot.name, "words": spot.words, "stage": stage}
        | {"thick": is_thick, "found": bool(cell), "rank": cell.ranks[0] if cell else lowest if is_thick else None}
        for number, spot in reversed([*enumerate(spots)])
        for is_thick in [bool(spot.place.evidence) if has_stars else spot.is_cited]
        for stage, cell in zip(names, spot.place.cells, strict=True)
    ]
    label = f"datum.value == {lowest} ? '{_('not found')}' : datum.label"
    stage = alt.Axis(title=None, orient="top", labelAngle=0, labelFontWeight="bold")
    rank = alt.Axis(title=None, values=[*range(1, lowest + 1)], labelExpr=label, format="d")
    thick = partial(alt.condition, "datum.thick")
    chart = alt.Chart(DataFrame(rows), height=60 + 24 * lowest).encode(
        x=alt.X("stage:O", sort=[*names], axis=stage),
        y=alt.Y("rank:Q", axis=rank, scale=alt.Scale(domain=[lowest + 0.3, 0.3], nice=False, zero=False)),
        detail="number:N",
        color=thick(alt.value(THICK), alt.value(THIN)),
        tooltip=[alt.Tooltip("passage:N", title=_("passage")), alt.Tooltip("words:N", title=" ")],
    )
    lines = chart.mark_line(interpolate="monotone").encode(strokeWidth=thick(alt.value(5), alt.value(1.5)))
    dots = chart.transform_filter("datum.found").mark_circle(opacity=1, cursor="pointer")
    dots = dots.encode(size=thick(alt.value(260), alt.value(120)))
    return lines + dots.add_params(alt.selection_point("passage", fields=["number"]))
