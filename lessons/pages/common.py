"""What every page needs: the workspace, the owner, and text that is shown but never interpreted."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from lessons.errors import LessonsError
from lessons.library import ensure_corpus, shipped_documents
from lessons.models.llm import describe
from lessons.settings import settings
from lessons.workspace import Workspace, workspace

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def plain(text: str) -> str:
    """Markdown that shows `text` as it is: no markup, image, link or HTML of a document comes alive."""
    return _PUNCTUATION.sub(r"\\\1", text).replace("\n", "  \n")


@contextmanager
def told_plainly() -> Iterator[None]:
    """Show a known problem as its sentence instead of a traceback, and end the page there.

    Lines after the sentence are shown in equal widths, so that a caret stays under its column.
    """
    try:
        yield
    except LessonsError as error:
        sentence, _, lines = str(error).partition("\n")
        st.error(plain(sentence))
        if lines:
            st.code(lines, language=None)
        st.stop()


def opened() -> tuple[Workspace, str]:
    """The workspace with the shipped documents loaded, and the owner chosen in the side bar."""
    owners = list(dict.fromkeys([settings().user, *(document["owner"] for document in shipped_documents())]))
    with told_plainly():
        owner = st.sidebar.selectbox(
            "Owner of the documents",
            owners,
            index=owners.index(kept("owner")) if kept("owner") in owners else 0,
            key="owner-box",
            help="Only this owner's documents are searched.",
        )
        keep("owner", owner)
        place = _open()
        st.sidebar.caption(plain(f"Answers come from the {describe(place.llm)}."))
    return place, owner


def kept(name: str) -> str:
    """What the address says under this name, or what this tab kept under it on another page; empty if neither."""
    return st.query_params.get(name) or st.session_state.get(name, "")


def keep(name: str, value: str) -> None:
    """Write it into the address, so that it outlives a reload, and keep it for the other pages."""
    st.session_state[name] = value
    if st.query_params.get(name) != value:
        st.query_params[name] = value


@st.cache_resource(show_spinner="Opening the database …")
def _open() -> Workspace:
    place = workspace()
    bar = st.empty()
    ensure_corpus(
        place,
        place.settings.user,
        lambda done, total: bar.progress(done / total, f"Loading the shipped documents, {done} of {total} …"),
    )
    bar.empty()
    return place
