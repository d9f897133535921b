"""The address of the Compare page: read when it is opened, written when something is asked. It never asks itself."""

import streamlit as st

from lessons.pages.asked import Asked, from_link
from lessons.rag.stages import stages

NAMES = ("question", "stages", "file", "filter", "golden", "after")


def follow_link() -> None:
    """Fill the form from an address that was just opened, or from what was asked before another page was looked at."""
    now = _address()
    if any(now.values()) and now != st.session_state.get("linked"):
        asked = from_link({name: values[0] for name, values in now.items() if values}, now["after"], list(stages()))
        if asked != st.session_state.get("asked"):
            st.session_state.pop("compared", None)
        _fill(asked)
        st.session_state.linked = now
    elif "question" not in st.session_state and "asked" in st.session_state:
        _fill(st.session_state.asked)


def write_link(asked: Asked) -> None:
    """Put what is asked into the address."""
    for name, value in asked.link.items():
        if value:
            st.query_params[name] = value
        else:
            st.query_params.pop(name, None)
    st.session_state.asked, st.session_state.linked = asked, _address()


def _address() -> dict[str, list[str]]:
    return {name: st.query_params.get_all(name) for name in NAMES}


def _fill(asked: Asked) -> None:
    st.session_state.question, st.session_state.filter = asked.question, asked.filter_text
    st.session_state.file, st.session_state.before = asked.source_file, asked.before
    if asked.stages:
        st.session_state.stages = list(asked.stages)
