"""What is asked on the Compare page: a question of one's own, a golden one, or a follow-up, and where to search."""

import streamlit as st

from lessons.errors import LessonsError
from lessons.pages.asked import Asked, golden_for
from lessons.pages.common import plain
from lessons.pages.compare.link import follow_link
from lessons.pages.golden_picker import pick_golden, sample_questions
from lessons.rag.stages import stages
from lessons.rag.types import Scope
from lessons.tables import plain_line
from lessons.workspace import Workspace

EVERYWHERE = "all documents"
FILTER_EXAMPLE = 'language == "ko" && page_number >= 2'
FILTER_HELP = """Only chunks that fit are searched, for example
`date >= 2024-07-01 && (doc_type == "faq" || has_steps == true)`.

Operators: `==` `!=` `>` `>=` `<` `<=` `in` `nin`, joined by `&&` and `||`.

Fields: `source_file` `page_number`, and from the enhanced index on `title` `date` `doc_type` `section` `language`
`keywords` `has_steps`."""


def ask_form(place: Workspace, owner: str) -> Asked | None:
    """What was just asked, or None."""
    follow_link()
    st.pills("Try one of these", sample_questions(owner), key="sample", on_change=_take_sample)
    pick_golden()
    names = list(stages())
    st.session_state.setdefault("stages", names)
    st.pills("Stages", names, selection_mode="multi", format_func=str.capitalize, key="stages")
    if not st.session_state.stages:
        st.info("Choose at least one stage.")
    _show_before()
    return _ask(_files(place, owner), owner)


def _ask(files: list[str], owner: str) -> Asked | None:
    if st.session_state.get("file") not in files:
        st.session_state.file = EVERYWHERE
    with st.form("ask", border=False):
        question = st.text_area("Your question", key="question", height=80, placeholder="In English or Korean")
        left, right = st.columns(2)
        source_file = left.selectbox("Search in", [EVERYWHERE, *files], key="file")
        filter_text = right.text_input("Filter", key="filter", placeholder=FILTER_EXAMPLE, help=FILTER_HELP)
        asked = st.form_submit_button("Ask", type="primary")
    chosen = tuple(name for name in stages() if name in st.session_state.stages)
    if not asked or not chosen:
        return None
    before = st.session_state.get("before", ())
    golden = golden_for(question, owner, before)
    file = None if source_file == EVERYWHERE else source_file
    return Asked(question, chosen, file, filter_text, golden.id if golden else "", before)


def _show_before() -> None:
    """The conversation that the question goes on with, each line once, and the way out of it."""
    before = st.session_state.get("before", ())
    if not before:
        return
    with st.container(border=True):
        st.markdown("**A follow-up to**")
        for line in before:
            said = "answered" if line.role == "assistant" else "asked"
            st.caption(f"**{plain(f'{line.stage} {said}'.strip().capitalize())}** {plain_line(line.content)}")
        st.button("Ask something new instead", on_click=_begin_anew)


def _begin_anew() -> None:
    st.session_state.before, st.session_state.question = (), ""


def _take_sample() -> None:
    if st.session_state.sample:
        st.session_state.before, st.session_state.question = (), st.session_state.sample


def _files(place: Workspace, owner: str) -> list[str]:
    """The owner's files. None, and the reason on the page, if they cannot be listed: a question may be asked still."""
    try:
        store = place.store(next(iter(stages().values())).index)
        return [document.source_file for document in store.documents(Scope(owner))]
    except LessonsError as error:
        st.error(plain(str(error)))
        return []
