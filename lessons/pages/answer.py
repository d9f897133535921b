"""An answer on a page: its words, the passages it cites, the chunks that were read, and its trace as a timeline."""

import re
from collections.abc import Sequence
from typing import Any

import streamlit as st

from lessons.errors import LessonsError
from lessons.evaluate.canvas import stage_colour
from lessons.evaluate.comparison import Alignment, Bar, Place, summary, timeline
from lessons.evaluate.golden import Evidence, Golden
from lessons.ingest.index import Index
from lessons.library import indexes
from lessons.pages.common import page_of
from lessons.rag.answer import Answer, Citation
from lessons.rag.context import around
from lessons.rag.stages import stages
from lessons.rag.types import RetrievedDocument, Scope
from lessons.search.materials import Passage, passage
from lessons.tables import plain, plain_line
from lessons.workspace import workspace

MOST_CITATIONS = 6
GONE = """This is the chunk as the answer read it. It cannot be found like that in its document: the chunk was shortened
for the answer, the document has changed since, or the database is away."""
HOW_TO_READ = """A row is a place in a document, with the ranks of each stage's chunks there. ↑ ↓ tell how many
ranks better or worse than in the stage before."""
PLACE, RANK = 330, 56  # pixels that a place and a rank need at least
_ROW, _AXIS = 34, 50  # pixels
_INK = "#808495"  # grey enough for a light and a dark page
_COLOURS = {"↑": "green", "↓": "orange", "new": "blue", "gone": "red", "=": "gray"}
_CHANGE = re.compile("(?:" + "|".join(_COLOURS) + r")\d*")


def show_answer(answer: Answer) -> None:
    """The text with its warnings and citations, and, folded away, the chunks that were read and the trace."""
    show_words(answer)
    show_documents(answer)
    with st.expander(plain(f"Trace: {summary(answer.trace)}")):
        show_timeline([answer])


def show_words(answer: Answer) -> None:
    """The text with its warnings, and citations that open their passage; many are folded away."""
    st.markdown(plain(answer.text))
    for warning in answer.warnings:
        st.warning(plain(warning))
    many = len(answer.citations) > MOST_CITATIONS
    with st.expander(f"Citations ({len(answer.citations)})") if many else st.container():
        for number, citation in enumerate(answer.citations):
            _offer_passage(answer, citation, f"passage-{id(answer)}-{number}")
    if answer.found:
        st.caption(plain(answer.answered_by))


def _offer_passage(answer: Answer, citation: Citation, key: str) -> None:
    file = citation.source_file.rpartition("/")[2]
    name = plain(f"[{citation.number}] {file}{page_of(citation.page)}")
    with st.container(gap="xxsmall"):
        if st.button(f"**{name}**", key=key, type="tertiary", help="Open the passage in its document"):
            open_passage(answer, citation)
        if citation.quote:
            st.caption(f"“{plain(citation.quote)}”")


def show_documents(answer: Answer) -> None:
    """The chunks that were read, folded away."""
    with st.expander(f"Retrieved chunks ({len(answer.context.documents)})"), st.container(height=420, border=False):
        for number, document in enumerate(answer.context.documents, start=1):
            source = plain(document.source + page_of(document.page))
            st.markdown(f"**{number}** · {source} · score {document.score:.3f}")
            st.caption(plain(document.content))


@st.dialog("The passage in its document", width="large")
def open_passage(answer: Answer, citation: Citation) -> None:
    """Show the whole chunk between its neighbours. What cannot be found any more is shown as the answer read it."""
    document = next(each for each in answer.context.documents if each.id == citation.chunk_id)
    found = _found(answer, document, citation.quote)
    page = f" · page {citation.page}" if citation.page else ""
    place = f" · chunk {found.number} of {found.chunks}" if found else ""
    st.markdown(f"**{plain_line(citation.source_file)}**{page}{place}")
    if found and found.section:
        st.caption(plain_line(found.section))
    if found is None:
        st.warning(GONE)
    for text in found.before if found else ():
        _neighbour("The chunk before", text)
    with st.container(border=True):
        st.markdown(marked(citation.quote, found.text if found else document.content))
    for text in found.after if found else ():
        _neighbour("The chunk after", text)


def marked(quote: str, content: str) -> str:
    """Markdown that shows the content as it is, with the quote on a coloured ground."""
    before, words, after = around(quote, content)
    ground = f":orange-background[**{plain_line(words)}**]" if words else ""
    return f"{plain(before)}{ground}{plain(after)}"


def _neighbour(label: str, text: str) -> None:
    with st.expander(label):
        st.caption(plain(text))


def _found(answer: Answer, document: RetrievedDocument, quote: str) -> Passage | None:
    """The chunk in the index of the stage that answered, or in any; None if none has it with the words of the quote."""
    scope = Scope(document.metadata["user_id"])
    known: list[Index] = [stages()[answer.stage].index] if answer.stage in stages() else indexes()
    try:
        places = (passage(workspace().store(index), scope, document.id) for index in known)
        return next((place for place in places if place and (not quote or around(quote, place.text)[1])), None)
    except LessonsError:
        return None


def show_chunks(alignment: Alignment) -> None:
    """The table, and the evidence that no stage found."""
    if not alignment.places:
        return
    st.header("Retrieved chunks", anchor=False)
    st.caption(HOW_TO_READ + (" ★ holds evidence of the golden question." if alignment.evidence else ""))
    for place in alignment.places:
        _show_place(place, alignment.stages)
    for each in alignment.missed:
        st.warning(f"No stage found {_evidence(each)}: “{plain_line(each.quote)}”")


def show_known(golden: Golden) -> None:
    """What is known about a golden question, folded away: the answer it should get, and the evidence."""
    with st.expander(plain(f"Golden question {golden.id} ({golden.split}, {golden.category}): what is known")):
        st.markdown(plain(golden.answer) or "The documents do not say; an honest refusal is right.")
        for number, each in enumerate(golden.evidence, start=1):
            st.markdown(f"★ {number} {_evidence(each)}  \n“{plain_line(each.quote)}”")


def _evidence(each: Evidence) -> str:
    return f"**{plain_line(each.source_file)}**{page_of(each.page)}"


def _show_place(place: Place, stages: tuple[str, ...]) -> None:
    """The place beside its ranks, or above them on a narrow screen; each rank below the name of its stage."""
    row = st.container(border=True).grid(2, min_column_width=PLACE, gap="xsmall")
    row.markdown(f"**{plain_line(place.name)}**  \n:small[{plain_line(place.start)} …]")
    ranks = row.cell().grid(len(stages), min_column_width=RANK, gap="xsmall")
    for stage, told, cell in zip(stages, place.told, place.cells, strict=True):
        star = "★ " if cell and cell.evidence else ""
        ranks.markdown(f":small[:gray[{plain_line(stage.capitalize())}]]  \n{star}{_coloured(told) or '–'}")


def _coloured(told: str) -> str:
    """The change in a colour of its own; the words and arrows say the same without it."""
    return _CHANGE.sub(lambda sign: f":{_COLOURS[re.sub('[0-9]', '', sign[0])]}[{sign[0]}]", told)


def show_timeline(answers: Sequence[Answer]) -> None:
    """A chart for each answer, all on one time axis, and its steps with their queries and notes; of several, folded."""
    longest = max((answer.trace.ms for answer in answers), default=0.0)
    for answer in answers:
        bars, several = timeline(answer.trace), len(answers) > 1
        if several:
            st.markdown(f"**{plain(answer.stage.capitalize())}** · {plain(summary(answer.trace))}")
        alt = f"Timeline of {answer.stage}: {summary(answer.trace)}"
        rows = [
            {"step": number, "from": bar.start, "to": bar.end, "within": bar.depth > 0, "said": _label(number, bar)}
            for number, bar in enumerate(bars, start=1)
        ]
        st.vega_lite_chart(rows, _chart(answer.stage, len(bars), longest), alt=alt)
        with st.expander(f"Steps of {plain(answer.stage)}") if several else st.container():
            _show_steps(answer, bars)


def _label(number: int, bar: Bar) -> str:
    used = [f"{bar.ms:,.0f} ms"]
    if bar.llm_calls:
        used += [f"{bar.llm_calls} × model", f"{bar.tokens_in:,} → {bar.tokens_out:,} tokens"]
    if bar.cost:
        used.append(f"${bar.cost:.4f}")
    return f"{number} {_named(bar)}: {', '.join(used)}"


def _chart(stage: str, rows: int, longest: float) -> dict[str, Any]:
    """A Vega-Lite chart of the steps; those within a step are paler."""
    time = {"type": "quantitative", "scale": {"domain": [0, longest], "nice": False}}
    axis = {"title": "milliseconds", "tickCount": 5}
    bar = {"type": "bar", "color": stage_colour(stage), "height": 8, "yOffset": 9}
    opacity = {"condition": {"test": "datum.within", "value": 0.5}, "value": 1}
    text = {"type": "text", "align": "left", "dy": -5, "color": _INK, "fontSize": 12}
    return {
        "height": rows * _ROW + _AXIS,
        "encoding": {"y": {"field": "step", "type": "ordinal", "axis": None}},
        "layer": [
            {
                "mark": bar,
                "encoding": {"x": {"field": "from", **time, "axis": axis}, "x2": {"field": "to"}, "opacity": opacity},
            },
            {"mark": text, "encoding": {"x": {"value": 0}, "text": {"field": "said"}}},
        ],
    }


def _show_steps(answer: Answer, bars: Sequence[Bar]) -> None:
    for bar in bars:
        for line in bar.said:
            st.caption(f"**{plain(bar.name)}** {plain_line(line)}")
    used = [
        {
            "step": _named(bar),
            "ms": round(bar.ms, 1),
            "model calls": bar.llm_calls,
            "tokens in": bar.tokens_in,
            "tokens out": bar.tokens_out,
            "cost ($)": bar.cost,
        }
        for bar in bars
    ]
    st.dataframe(used, hide_index=True, key=f"steps-{id(answer)}")


def _named(bar: Bar) -> str:
    """The name of the step, behind a dash if it is within another; Vega would cut off spaces at the beginning."""
    return f"{'– ' * bar.depth}{bar.name}"
