"""Two pages to read: the map of the field, and the health of what runs here."""

import re

import streamlit as st

from lessons.doctor import Report, examine, hidden, issue_report
from lessons.pages.language import N_, _, language
from lessons.settings import ROOT, settings
from lessons.tables import plain

MAPS = {"en": ROOT / "data" / "field.md", "ko": ROOT / "data" / "field.ko.md"}
_LINK_TO_FILE = re.compile(r"\[([^\]]{1,300})\]\(\.\./[^)]{0,300}\)")  # such as a notebook, which the app has not
_LINK_TO_ENTRY = re.compile(r"\[([^\]]{1,300})\]\(#([^)]{1,300})\)")
_HEADING = re.compile(r"^(?=###? )", re.MULTILINE)


def field() -> None:
    """Show the whole map, or the entries that contain the text that is searched for."""
    title, text = _LINK_TO_FILE.sub(r"\1", MAPS[language()].read_text(encoding="utf-8")).split("\n", 1)
    st.title(title.removeprefix("# "), anchor=False)
    example = _("GraphRAG, cache, costs more …")
    query = st.text_input(_("Find a technique"), placeholder=example, key="technique").strip()
    parts, anchors = _HEADING.split(text), dict(_LINK_TO_ENTRY.findall(text))
    if query:
        parts = [part for part in parts if part.startswith("### ") and query.lower() in part.lower()]
        st.caption(_("Entries found: {number}", number=len(parts)))
    with st.container(key="map"):
        for part in parts:
            heading, *rest = part.split("\n", 1)
            if entry := re.match("### (.+)", heading):
                st.subheader(entry[1], anchor=anchors[entry[1]])
            st.markdown("".join(rest) if entry else part)


def health() -> None:
    """Examine on opening and on demand; no secret is shown, whatever a check reports."""
    st.title(_("Health"), anchor=False)
    st.caption(_("What runs here, and what to do if something does not. The command *lessons doctor* says the same."))
    if st.button(_("Check again"), icon=":material/refresh:"):
        _examined.clear()
    with st.spinner(_("Looking …")):
        report = _examined()
    if report.ok:
        st.success(_("Everything works."))
    else:
        _examined.clear()  # only a good report is cached: what is mended is to be seen at once
        st.error(_("Something does not work; the lines marked No say what to do."))
    for check in report:
        colour, word = ("green", _("OK")) if check.ok else ("red", _("No"))
        st.markdown(f":{colour}-badge[{word}] **{plain(_(check.name))}**: {plain(_(hidden(check.detail, settings())))}")
    with st.expander(_("Versions, and what to paste into an issue")):
        if st.button(_("Write the report")):
            st.code(issue_report(), language="markdown")
    st.header(_("Use something else"), anchor=False)
    words = N_(
        "An OpenAI key, a server of your own, your own PostgreSQL or another data folder: put its lines into a "
        "file named `.env` in the workbook's folder, and start the app again. `lessons/models/README.md` has them, "
        "and `.env.example` has all settings."
    )
    st.markdown(_(words))


@st.cache_data(ttl=60, show_spinner=False)
def _examined() -> Report:
    return examine()
