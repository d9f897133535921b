"""Where each passage ranked in every stage: lines from stage to stage, and a table; each passage opens."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import altair as alt
import streamlit as st

from lessons.evaluate.comparison import Comparison, Place
from lessons.evaluate.golden import Evidence
from lessons.evaluate.metrics import ranking
from lessons.evaluate.plots import shortened
from lessons.pages.answer import open_passage, passage_of
from lessons.pages.common import page_of
from lessons.pages.language import N_, _
from lessons.rag.answer import Answer
from lessons.rag.context import around, best_quote
from lessons.rag.pipeline import standalone
from lessons.rag.types import RetrievedDocument

THICK, THIN = "#2e9e4f", "#999999"  # stand out on a light page and on a dark one
MOST_NAMED = 32  # columns of a passage's name in the table
MOST_ROWS, ROW = 10, 35  # of the table that are seen at once; pixels
HOW_TO_READ = N_(
    "Thick: {thick}. Click a point or choose a row to open the passage. ↑ ↓ count the ranks gained or lost."
)

_nearest = lru_cache(maxsize=1_024)(best_quote)


@dataclass(frozen=True)
class Spot:
    """A place in a document: the chunk there that the last stage found, and its words that matter here."""

    place: Place
    answer: Answer
    document: RetrievedDocument
    words: str
    is_cited: bool

    @property
    def name(self) -> str:
        """The file without its folders, and the page."""
        return self.document.source.rpartition("/")[2] + page_of(*self.document.pages(self.words))


def spot(place: Place, answers: Sequence[Answer], known: Sequence[Evidence]) -> Spot:
    """The words are evidence, or those that an answer cites, or those nearest to the question."""
    cells = [(answer, cell) for answer, cell in zip(answers, place.cells, strict=True) if cell]
    answer, cell = next((each for each in reversed(cells) if each[1].evidence), cells[-1])
    documents = [ranking(answer)[rank - 1] for rank in cell.ranks]
    cited = [
        each.quote
        for answered, at in reversed(cells)
        for each in answered.citations
        if each.chunk_id in {ranking(answered)[rank - 1].id for rank in at.ranks}
    ]
    quotes = [each.quote for number in place.evidence for each in known[number].places] + cited
    exact = ((each, around(quote, each.content)[1]) for quote in quotes for each in documents)
    begin = f"{place.start.rpartition(' ')[0] or place.start} …"  # up to the end of a word
    nearest = _nearest(standalone(answer.trace, answer.question), documents[0].content) or begin
    document, words = next(((each, words) for each, words in exact if words), (documents[0], nearest))
    return Spot(place, answer, document, " ".join(words.split()).lstrip("#| "), bool(cited))


def show_ranks(compared: Comparison) -> None:
    """The chart and the table; a click on a point or a row opens the passage."""
    answers, alignment = list(compared.answers.values()), compared.alignment
    if not (places := sorted(alignment.places, key=lambda place: not place.evidence)):
        return
    found, stars = [spot(place, answers, alignment.evidence) for place in places], bool(places[0].evidence)
    st.header(_("Where each passage ranked"), anchor=False)
    st.caption(_(HOW_TO_READ, thick=_("holds evidence ★") if stars else _("cited in the answer")))
    opened = st.session_state.setdefault("opened", 0)  # a new key for each passage, so that none stays chosen
    chart, table = f"chart-{opened}", f"table-{opened}"
    names = [name.capitalize() for name in compared.answers]
    if len(names) > 1:
        st.altair_chart(
            _chart(found, names, stars),
            key=chart,
            on_select=lambda: _choose([each["place"] for each in st.session_state[chart].selection.get("passage", [])]),
            alt=_("The rank of each passage in every stage, as in the table below"),
        )
    st.dataframe(
        [_row(spot, names) for spot in found],
        hide_index=True,
        height=ROW * (1 + min(len(found), MOST_ROWS)) + 2,
        column_config={_("Passage"): st.column_config.Column(pinned=True, width=230)}
        | dict.fromkeys(names, st.column_config.Column(width=80)),
        key=table,
        on_select=lambda: _choose(st.session_state[table].selection.rows),
        selection_mode="single-row",
        alt=_("The rank of each passage in every stage, and its words that matter"),
    )
    for each in alignment.missed:
        st.caption(_("No stage found {passage}", passage=passage_of(each)))
    if (number := st.session_state.pop("passage", len(found))) < len(found):
        chosen = found[number]
        is_quote = bool(around(chosen.words, chosen.document.content)[1])  # and not "its beginning …"
        open_passage(chosen.answer, chosen.document, [chosen.words] if is_quote else [])


def _choose(places: Sequence[int]) -> None:
    if places:
        st.session_state.passage = int(places[0])
        st.session_state.opened += 1


def _row(spot: Spot, names: Sequence[str]) -> dict[str, str]:
    stars = ["★ " if cell and cell.evidence else "" for cell in spot.place.cells]
    told = [each.replace("new", _("new")).replace("gone", _("gone")) for each in spot.place.told]
    ranks = [star + (each or "–") for star, each in zip(stars, told, strict=True)]
    by_stage = dict(zip(names, ranks, strict=True))
    return {_("Passage"): shortened(spot.name, MOST_NAMED), **by_stage, _("Matching sentence"): spot.words}


def _chart(found: Sequence[Spot], names: Sequence[str], stars: bool) -> alt.LayerChart:
    """A line for each passage. What is thick falls to a row of its own where a stage did not find it."""
    best = [[cell.ranks[0] if cell else None for cell in spot.place.cells] for spot in found]
    lowest = 1 + max(rank for ranks in best for rank in ranks if rank)
    lines: list[dict[str, object]] = [
        {"place": number, "thick": bool(spot.place.evidence) if stars else spot.is_cited}
        | {"passage": spot.name, "words": spot.words, **dict(zip(names, best[number], strict=True))}
        for number, spot in reversed([*enumerate(found)])
    ]
    lost = _("not found")
    told = f"datum.value == {lowest} ? '{lost}' : datum.label"
    stage = alt.Axis(title=None, orient="top", labelAngle=0, labelFontWeight="bold")
    rank = alt.Axis(title=None, values=[*range(1, lowest + 1)], labelExpr=told, format="d")
    thick = partial(alt.condition, "datum.thick")
    chart = alt.Chart(alt.Data(values=lines), height=60 + 24 * lowest).transform_fold([*names], as_=["stage", "found"])
    chart = chart.transform_calculate(rank=f"datum.found || (datum.thick ? {lowest} : null)").encode(
        x=alt.X("stage:O", sort=[*names], axis=stage),
        y=alt.Y("rank:Q", axis=rank, scale=alt.Scale(domain=[lowest + 0.3, 0.3], nice=False, zero=False)),
        detail="place:N",
        color=thick(alt.value(THICK), alt.value(THIN)),
        tooltip=[alt.Tooltip("passage:N", title=_("passage")), alt.Tooltip("words:N", title=" ")],
    )
    size, width = thick(alt.value(260), alt.value(120)), thick(alt.value(5), alt.value(1.5))
    dots = chart.transform_filter("datum.found").mark_circle(opacity=1, cursor="pointer").encode(size=size)
    drawn = chart.mark_line(interpolate="monotone").encode(strokeWidth=width)
    return drawn + dots.add_params(alt.selection_point("passage", fields=["place"]))
