"""An answer on a page: its words, what they rest on, and how it came about."""

import streamlit as st

from lessons.evaluate.comparison import summary
from lessons.pages.passage import open_passage
from lessons.pages.timeline import show_timeline
from lessons.rag.answer import Answer, Citation
from lessons.tables import plain

MOST_CITATIONS = 6


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
    page_of = f", p. {citation.page}" if citation.page else ""
    file = citation.source_file.rpartition("/")[2]
    name = plain(f"[{citation.number}] {file}{page_of}")
    with st.container(gap="xxsmall"):
        if st.button(f"**{name}**", key=key, type="tertiary", help="Open the passage in its document"):
            open_passage(answer, citation)
        if citation.quote:
            st.caption(f"“{plain(citation.quote)}”")


def show_documents(answer: Answer) -> None:
    """The chunks that were read, folded away."""
    with st.expander(f"Retrieved chunks ({len(answer.context.documents)})"), st.container(height=420, border=False):
        for number, document in enumerate(answer.context.documents, start=1):
            page_of = f", p. {document.page}" if document.page else ""
            st.markdown(f"**{number}** · {plain(document.source + page_of)} · score {document.score:.3f}")
            st.caption(plain(document.content))
