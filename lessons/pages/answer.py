"""An answer on a page: its words, the passages it cites, the chunks that were read, and its trace."""

from collections.abc import Sequence

import streamlit as st

from lessons.errors import LessonsError
from lessons.evaluate.comparison import Alignment, summary, timeline
from lessons.evaluate.golden import Evidence, Golden
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


def show_answer(answer: Answer) -> None:
    """The text with its warnings and citations, and, folded away, the chunks that were read and the trace."""
    show_words(answer)
    with st.expander(plain(f"Trace: {summary(answer.trace)}")):
        show_timeline([answer])


def show_words(answer: Answer) -> None:
    """The text with its warnings, citations that open their passage, and the chunks; what is long is folded away."""
    st.markdown(plain(answer.text))
    for warning in answer.warnings:
        st.warning(plain(warning))
    many = len(answer.citations) > MOST_CITATIONS
    with st.expander(f"Citations ({len(answer.citations)})") if many else st.container():
        for number, citation in enumerate(answer.citations):
            _offer_passage(answer, citation, f"passage-{id(answer)}-{number}")
    if answer.found:
        st.caption(plain(answer.answered_by))
    with st.expander(f"Retrieved chunks ({len(answer.context.documents)})"), st.container(height=420, border=False):
        for number, document in enumerate(answer.context.documents, start=1):
            source = plain(document.source + page_of(document.page))
            st.markdown(f"**{number}** · {source} · score {document.score:.3f}")
            st.caption(plain(document.content))


def _offer_passage(answer: Answer, citation: Citation, key: str) -> None:
    file = citation.source_file.rpartition("/")[2]
    name = plain(f"[{citation.number}] {file}{page_of(citation.page)}")
    with st.container(gap="xxsmall"):
        if st.button(f"**{name}**", key=key, type="tertiary", help="Open the passage in its document"):
            open_passage(answer, citation)
        if citation.quote:
            st.caption(f"“{plain(citation.quote)}”")


@st.dialog("The passage in its document", width="large")
def open_passage(answer: Answer, citation: Citation) -> None:
    """Show the whole chunk between its neighbours. What cannot be found any more is shown as the answer read it."""
    document = next(each for each in answer.context.documents if each.id == citation.chunk_id)
    found = _found(answer, document, citation.quote)
    page = f" · page {citation.page}" if citation.page else ""
    place = f" · chunk {found.number} of {found.chunks}" if found else ""
    st.markdown(f"**{plain_line(citation.source_file)}**{page}{place}")
    if found is None:
        st.warning(GONE)
    elif found.section:
        st.caption(plain_line(found.section))
    _neighbours("The chunk before", found.before if found else ())
    with st.container(border=True):
        before, words, after = around(citation.quote, found.text if found else document.content)
        marked = f":orange-background[**{plain_line(words)}**]" if words else ""
        st.markdown(f"{plain(before)}{marked}{plain(after)}")
    _neighbours("The chunk after", found.after if found else ())


def _neighbours(label: str, texts: Sequence[str]) -> None:
    for text in texts:
        with st.expander(label):
            st.caption(plain(text))


def _found(answer: Answer, document: RetrievedDocument, quote: str) -> Passage | None:
    """The chunk in the index of the stage that answered, or in any; None if none has it with the words of the quote."""
    scope = Scope(document.metadata["user_id"])
    known = [stages()[answer.stage].index] if answer.stage in stages() else indexes()
    try:
        places = (passage(workspace().store(index), scope, document.id) for index in known)
        return next((place for place in places if place and (not quote or around(quote, place.text)[1])), None)
    except LessonsError:
        return None


def show_chunks(alignment: Alignment) -> None:
    """A row for each place with its rank in every stage, and the evidence that no stage found."""
    if not alignment.places:
        return
    st.header("Retrieved chunks", anchor=False)
    st.caption(HOW_TO_READ + (" ★ holds evidence of the golden question." if alignment.evidence else ""))
    rows = []
    for place in alignment.places:
        stars = ["★ " if cell and cell.evidence else "" for cell in place.cells]
        ranks = [plain_line(star + (told or "–")) for star, told in zip(stars, place.told, strict=True)]
        name = f"**{plain_line(place.name)}** {plain_line(place.start)} …"
        rows.append({"Place": name} | dict(zip(map(str.capitalize, alignment.stages), ranks, strict=True)))
    st.table(rows, border="horizontal", hide_index=True, alt="The rank of each place in every stage")
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


def show_timeline(answers: Sequence[Answer]) -> None:
    """The steps of each answer with bars on one scale of milliseconds; below them their queries and notes."""
    longest = max((answer.trace.ms for answer in answers), default=0.0)
    for answer in answers:
        steps = timeline(answer.trace)
        if len(answers) > 1:
            st.markdown(f"**{plain(answer.stage.capitalize())}** · {plain(summary(answer.trace))}")
        st.dataframe(
            [
                {
                    "step": f"{'– ' * step.depth}{step.name}",
                    "ms": round(step.ms, 1),
                    "model calls": step.llm_calls,
                    "tokens in": step.tokens_in,
                    "tokens out": step.tokens_out,
                    "cost ($)": step.cost,
                }
                for step in steps
            ],
            hide_index=True,
            column_config={"ms": st.column_config.ProgressColumn(format="%.1f", max_value=max(longest, 1.0))},
            key=f"steps-{id(answer)}",
            alt=f"Steps of {answer.stage}: {summary(answer.trace)}",
        )
        for name, line in [(step.name, line) for step in steps for line in step.said]:
            st.caption(f"**{plain(name)}** {plain_line(line)}")
