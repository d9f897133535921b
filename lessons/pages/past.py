"""The last comparisons, so that Back, a reload and a link bring the answers again. They last as long as the process."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlencode

import streamlit as st

from lessons.evaluate.comparison import Comparison
from lessons.evaluate.plots import shortened
from lessons.pages.asking import EVERYWHERE, Asked, begin, golden_named, lines_of
from lessons.pages.common import is_shared, offered, show_dialog
from lessons.pages.language import _
from lessons.tables import plain_line
from lessons.text import normalize

LISTED, KEPT = 20, 200  # comparisons of an owner in the side bar; of everybody in this process
LONGEST = 60  # columns of a question in the list


@dataclass(frozen=True)
class Past:
    """A comparison, what was asked for it, and the owner who may see it."""

    owner: str  # who may see it
    asked: Asked
    compared: Comparison


@st.cache_resource
def _kept() -> dict[str, Past]:
    return {}


def remember(past: Past) -> None:
    """Show and keep a comparison."""
    _kept()[name := secrets.token_urlsafe(16)] = past
    for oldest in list(_kept())[:-KEPT]:
        _kept().pop(oldest, None)
    st.session_state.setdefault("mine", set()).add(name)
    _show(name, past)


def _show(name: str, past: Past) -> None:
    """Its address, which fills the form also when the answers are no longer kept, becomes an entry of the history."""
    st.session_state.shown, st.session_state.past = name, past
    asked, golden = past.asked, past.asked.golden.id if past.asked.golden else ""
    question = "" if asked.follows else asked.question
    said = {"golden": golden, "question": question, "file": asked.source_file, "filter": asked.filter_text}
    kept = {key: value or "" for key, value in said.items() if value or key in st.query_params}
    st.query_params.update({"asked": name, "owner": past.owner, "stages": asked.stages, **kept})


def arrive(owner: str) -> None:
    """Show what the address names, or what was asked before another page was seen; else fill the form at most."""
    named, shown = st.query_params.get("asked", ""), st.session_state.get("shown", "")
    is_new = "question" not in st.session_state
    if is_new and not {"asked", "golden", "question"} & {*st.query_params}:
        named = shown
    past, is_other = _kept().get(named), is_new or named != shown
    if past and past.owner == owner:
        if is_other:
            _show(named, past)
            _fill(past.asked)
        return
    st.session_state.pop("past", None)
    st.session_state.shown = ""
    if is_other:
        _fill(_named())


def _named() -> Asked:
    """What the address asks, without what it names in vain."""
    named, golden = st.query_params, golden_named(st.query_params.get("golden", ""))
    question = golden.question if golden else normalize(named.get("question", ""))
    known, chosen = offered(), {each.lower() for each in named.get_all("stages")}
    wanted = tuple(name for name in known if name.lower() in chosen) or tuple(known)
    before = lines_of(golden) if golden else ()
    return Asked(question, wanted, named.get("file"), normalize(named.get("filter", "")), golden, before)


def _fill(asked: Asked) -> None:
    """Put it into the form, unless it follows answers: they are not in the form."""
    if asked.follows:
        begin()
    else:
        begin(asked.question, asked.before)
    st.session_state["follow-up"] = ""
    st.session_state.filter, st.session_state.file = asked.filter_text, asked.source_file or EVERYWHERE
    st.session_state.stages = list(asked.stages)


def show_past(owner: str, page: Callable[[], None]) -> None:
    """The owner's latest comparisons in the side bar, each a link; on a shared app only those of this tab."""
    mine = st.session_state.get("mine", set())
    found = [(name, past) for name, past in list(_kept().items()) if past.owner == owner]
    listed = [each for each in reversed(found) if not is_shared() or each[0] in mine][:LISTED]
    if not listed:
        return
    with st.sidebar.expander(_("Asked before ({number})", number=len(listed)), icon=":material/history:"):
        for name, past in listed:
            label, query = plain_line(shortened(past.asked.question, LONGEST)), {"asked": name, "owner": owner}
            st.page_link(st.Page(page, default=True), label=label, query_params=query)


def offer_link() -> None:
    """The address of what is shown, to be copied."""
    if st.button(_("Copy link"), icon=":material/link:"):
        show_dialog(_("Copy link"), _show_link)


def _show_link() -> None:
    address = [(name, value) for name in st.query_params for value in st.query_params.get_all(name) if value]
    st.code(f"{st.context.url or ''}?{urlencode(address)}", language=None, wrap_lines=True)
    st.caption(_("It fills in the question, and shows these answers as long as the app is not started anew."))
