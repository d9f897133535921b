"""The passage that a citation points at: its chunk in its document, the quoted words marked."""

import streamlit as st

from lessons.errors import LessonsError
from lessons.ingest.index import Index
from lessons.library import indexes
from lessons.rag.answer import Answer, Citation
from lessons.rag.citations import around
from lessons.rag.stages import stages
from lessons.rag.types import RetrievedDocument, Scope
from lessons.search.catalog import Passage, passage
from lessons.tables import plain, plain_line
from lessons.workspace import workspace

GONE = """This is the chunk as the answer read it. It cannot be found like that in its document: the chunk was shortened
for the answer, the document has changed since, or the database is away."""


@st.dialog("The passage in its document", width="large")
def open_passage(answer: Answer, citation: Citation) -> None:
    """Show the whole chunk between its neighbours. What cannot be found any more is shown as the answer read it."""
    document = next(each for each in answer.context.documents if each.id == citation.chunk_id)
    found = _found(answer, document, citation.quote)
    page_of = f" · page {citation.page}" if citation.page else ""
    place = f" · chunk {found.number} of {found.chunks}" if found else ""
    st.markdown(f"**{plain_line(citation.source_file)}**{page_of}{place}")
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
