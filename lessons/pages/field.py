"""The map of the field: techniques by name, what each gained here, and what its authors claim."""

import re

import streamlit as st

from lessons.pages.language import _, language
from lessons.settings import ROOT

MAPS = {"en": ROOT / "data" / "field.md", "ko": ROOT / "data" / "field.ko.md"}
_TO_A_FILE = re.compile(r"\[([^\]]{1,300})\]\(\.\./[^)]{0,300}\)")  # such as a notebook, which the app does not serve
_TO_AN_ENTRY = re.compile(r"\[([^\]]{1,300})\]\(#([^)]{1,300})\)")
_PART = re.compile(r"^(?=###? )", re.MULTILINE)


def page() -> None:
    """The whole map, or the entries that hold what is typed."""
    title, text = _TO_A_FILE.sub(r"\1", MAPS[language()].read_text(encoding="utf-8")).split("\n", 1)
    st.title(title.removeprefix("# "), anchor=False)
    typed = st.text_input(_("Find a technique"), placeholder=_("GraphRAG, cache, costs more …"), key="wanted")
    wanted = typed.strip()
    parts, anchors = _PART.split(text), dict(_TO_AN_ENTRY.findall(text))
    if wanted:
        parts = [part for part in parts if part.startswith("### ") and wanted.lower() in part.lower()]
        st.caption(_("Entries found: {number}", number=len(parts)))
    with st.container(key="map"):
        for part in parts:
            heading, *rest = part.split("\n", 1)
            if name := re.match("### (.+)", heading):
                st.subheader(name[1], anchor=anchors[name[1]])
            st.markdown("".join(rest) if name else part)
