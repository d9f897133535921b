"""Where each passage ranked in every stage, as a table; each passage opens."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import streamlit as st

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

NAME_WIDTH = 32  # columns of a passage's name in the table
MAX_ROWS, ROW_HEIGHT = 10, 35  # of the table that are seen at once; pixels
HOW_TO_READ = N_("Choose a row to open its passage. ↑ ↓ count the ranks gained or lost, ★ marks the evidence.")

_nearest = lru_cache(maxsize=1_024)(best_quote)


@dataclass(frozen=True)
class Spot:
    """A passage as the last stage found it, and its words that matter here; `quote` is empty if none of them do."""

    place: Passage
    answer: Answer
    document: RetrievedDocument
    quote: str

    @property
    def name(self) -> str:
        """The file without its folders, and the page."""
        return self.document.source.rpartition("/")[2] + page_of(*self.document.pages(self.quote))

    @property
    def words(self) -> str:
        """The quote, or the beginning of the passage."""
        return self.quote or f"{self.place.start.rpartition(' ')[0] or self.place.start} …"


def find_spot(passage: Passage, answers: Sequence[Answer], evidence: Sequence[Evidence]) -> Spot:
    """Quote the evidence, or else what an answer cites, or the sentence nearest to the question."""
    cells = [(answer, cell) for answer, cell in zip(answers, passage.cells, strict=True) if cell]
    answer, cell = next((pair for pair in reversed(cells) if pair[1].evidence), cells[-1])
    documents = [ranking(answer)[rank - 1] for rank in cell.ranks]
    cited = [
        citation.quote
        for citing, at in reversed(cells)
        for citation in citing.citations
        if citation.chunk_id in {ranking(citing)[rank - 1].id for rank in at.ranks}
    ]
    quotes = [at.quote for number in passage.evidence for at in evidence[number].passages] + cited
    exact = ((document, around(quote, document.content)[1]) for quote in quotes for document in documents)
    nearest = _nearest(standalone(answer.trace, answer.question), documents[0].content)
    document, words = next(((document, words) for document, words in exact if words), (documents[0], nearest))
    return Spot(passage, answer, document, " ".join(words.split()).lstrip("#| "))


def show_ranks(comparison: Comparison) -> None:
    """Draw the table; a click on a row opens its passage."""
    answers, alignment = list(comparison.answers.values()), comparison.alignment
    if not (places := sorted(alignment.passages, key=lambda place: not place.evidence)):
        return
    spots = [find_spot(place, answers, alignment.evidence) for place in places]
    st.header(_("Where each passage ranked"), anchor=False)
    st.caption(_(HOW_TO_READ))
    opened = st.session_state.setdefault("opened", 0)  # a new key for each passage, so that none stays selected
    table, names = f"table-{opened}", [name.capitalize() for name in comparison.answers]
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
