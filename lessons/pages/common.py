"""What every page needs: the workspace, the owner, and text that is shown but never interpreted."""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import streamlit as st

from lessons.context.cache.cache import Cached, with_cache
from lessons.errors import LessonsError
from lessons.library import ensure_corpus, indexes, shipped_documents
from lessons.models.llm import describe
from lessons.pages.limits import is_shared
from lessons.rag.stages import Stage
from lessons.rag.types import Scope
from lessons.settings import settings
from lessons.tables import plain
from lessons.workspace import Workspace, workspace

_SESSION = re.compile(r"[\w-]{22}", re.ASCII)  # what `secrets.token_urlsafe(16)` gives
TYPE_ANOTHER = " Type a name to choose another, such as the one of `lessons ingest --user`; a new name begins empty."


def counted(number: int, noun: str) -> str:
    """For example `1 turn` or `1,200 turns`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


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
    with told_plainly():
        owner = _choose_owner()
        place = _open()
        _tell_of_none(place, owner)
        st.sidebar.caption(plain(f"Answers come from the {describe(place.llm)}."))
        _offer_cache()
    return place, owner


def _choose_owner() -> str:
    """One of the known owners or, at home, any that is typed or in the address. A shared app never takes another name.

    The owners of the database are not listed: no statement looks beyond one owner (row-level security).
    """
    shipped = (document["owner"] for document in shipped_documents())
    known: dict[str, None] = st.session_state.setdefault("owners", dict.fromkeys([settings().user, *shipped]))
    if kept("owner") and not is_shared():
        known[kept("owner")] = None
    if kept("owner") in known:
        st.session_state["owner-box"] = kept("owner")
    chosen = st.sidebar.selectbox(
        "Owner of the documents",
        list(known),
        key="owner-box",
        on_change=lambda: keep("owner", st.session_state["owner-box"]),
        help="Only this owner's documents are searched." + ("" if is_shared() else TYPE_ANOTHER),
        accept_new_options=not is_shared(),
    )
    owner = Scope(chosen or settings().user).user_id
    keep("owner", owner)
    return owner


def _tell_of_none(place: Workspace, owner: str) -> None:
    """A name may be mistyped. A database that cannot say so is told of by what needs it."""
    with suppress(LessonsError):
        if not place.store(indexes()[0]).documents(Scope(owner)):
            none = f"{owner} has no documents yet. Add some on the page Documents, or check the name."
            st.sidebar.caption(plain(none))


def answering(stage: Stage) -> Stage | Cached:
    """The stage, with the response cache around it if the side bar says so."""
    return with_cache(stage, kept("cache") == "on")


def _offer_cache() -> None:
    begin = (kept("cache") or ("on" if settings().response_cache else "off")) == "on"
    help_text = "A question that asks the same as an earlier one gets its answer, as long as no document changes."
    wanted = st.sidebar.toggle("Reuse earlier answers", begin, key="cache-box", help=help_text)
    keep("cache", "on" if wanted else "off")


def kept(name: str) -> str:
    """What the address says under this name, or what this tab kept under it on another page; empty if neither."""
    return st.query_params.get(name) or st.session_state.get(name, "")


def keep(name: str, value: str) -> None:
    """Write it into the address, so that it outlives a reload, and keep it for the other pages."""
    st.session_state[name] = value
    if st.query_params.get(name) != value:
        st.query_params[name] = value


def session(name: str) -> str:
    """The session kept under this name, or a new one. Nobody can guess an id made here, and others are not taken."""
    if not _SESSION.fullmatch(kept(name)):
        begin_session(name)
    keep(name, kept(name))
    return kept(name)


def begin_session(name: str) -> None:
    """Keep a new session under this name."""
    keep(name, secrets.token_urlsafe(16))


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
