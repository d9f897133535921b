"""The app's table of contents. Start it with `make app` or `uv run lessons app`."""

import sys
from pathlib import Path

import streamlit as st

from lessons import pages
from lessons.pages.language import _, choose_language

st.set_page_config(page_title=_("RAG workbook"), page_icon="📚", layout="wide")
st.html(Path(pages.__file__).with_name("style.css"))
st.html("<style>:root {{ --upload: '{}'; --drop: '{}'; }}</style>".format(_("Choose files"), _("Drop files here")))
opening = st.empty()
if sys.modules.get("lessons.pages.compare") is None:  # what the pages need takes seconds to load, once in a process
    opening.markdown(_("**RAG workbook.** One question, five ways to search and answer. The app is being opened …"))

from lessons.pages import about, chat, compare, documents, scoreboard

opening.empty()
choose_language()
current = st.navigation(
    [
        st.Page(compare.page, title=_("Compare"), icon=":material/compare_arrows:", default=True),
        st.Page(chat.page, title=_("Chat"), icon=":material/chat:", url_path="chat"),
        st.Page(documents.page, title=_("Documents"), icon=":material/folder_open:", url_path="documents"),
        st.Page(scoreboard.page, title=_("Scoreboard"), icon=":material/leaderboard:", url_path="scoreboard"),
        st.Page(about.field, title=_("The field"), icon=":material/map:", url_path="field"),
        st.Page(about.health, title=_("Health"), icon=":material/health_and_safety:", url_path="health"),
    ]
)
st.set_page_config(page_title=f"{current.title} · {_('RAG workbook')}")  # so that tabs and history can be told apart
current.run()
