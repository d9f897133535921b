"""The map of the field: techniques by name, what each gained here, and what its authors claim."""

import re

import streamlit as st

from lessons.settings import ROOT

MAP = ROOT / "data" / "field.md"
_TO_A_FILE = re.compile(r"\[([^\]]{1,300})\]\(\.\./[^)]{0,300}\)")  # such as a notebook, which the app does not serve
_TO_AN_ENTRY = re.compile(r"\[([^\]]{1,300})\]\(#([^)]{1,300})\)")
_PART = re.compile(r"^(?=###? )", re.MULTILINE)


def page() -> None:
    """The whole map, or the entries that hold what is typed."""
    title, _, text = _TO_A_FILE.sub(r"\1", MAP.read_text(encoding="utf-8")).partition("\n")
    st.title(title.removeprefix("# "))
    wanted = st.text_input("Find a technique", placeholder="GraphRAG, cache, costs more …", key="wanted").strip()
    parts, anchors = _PART.split(text), dict(_TO_AN_ENTRY.findall(text))
    if wanted:
        parts = [part for part in parts if part.startswith("### ") and wanted.lower() in part.lower()]
        st.caption(f"Entries found: {len(parts)}")
    with st.container(key="map"):
        for part in parts:
            heading, _, rest = part.partition("\n")
            if name := re.match("### (.+)", heading):
                st.subheader(name[1], anchor=anchors[name[1]])
            st.markdown(rest if name else part)
