"""What a visitor has chosen, kept in the address: first of all the language of the pages, English or Korean."""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from lessons.language import N_, _, ask_first, language

__all__ = ["N_", "_", "choose_language", "from_address", "language", "to_address"]

LANGUAGES = {"en": "English", "ko": "한국어"}


def from_address(name: str) -> str:
    """Read a choice from the address, else from what this tab chose on another page; empty if neither has it."""
    from lessons.text import normalize  # takes a moment, and the app first says that it is being opened

    return normalize(st.query_params.get(name, "")) or st.session_state.get(name, "")


def to_address(name: str, value: str, default: str = "") -> None:
    """Write a choice into the address, so that it outlives a reload, and keep it for the other pages.

    An address without the name stands for the default: what nobody has changed makes no entry in the history.
    """
    st.session_state[name] = value
    if st.query_params.get(name, default) != value:
        st.query_params[name] = value


def _visitor_language() -> str:
    """Return the chosen language, or Korean if the browser's is, or English; empty where no page is drawn."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return ""
    choice = st.query_params.get("lang") or st.session_state.get("lang")
    return choice if choice in LANGUAGES else _browser_language()


ask_first(_visitor_language)


def _browser_language() -> str:
    return "ko" if (st.context.locale or "").lower().startswith("ko") else "en"


def choose_language() -> None:
    """Draw the switch in the side bar. A choice other than the browser's language stays in every page's address."""
    st.session_state["language-box"] = language()
    st.sidebar.segmented_control(
        "English · 한국어",
        LANGUAGES,
        format_func=LANGUAGES.__getitem__,
        key="language-box",
        on_change=_switch,
        required=True,
        label_visibility="collapsed",
    )
    to_address("lang", language(), _browser_language())


def _switch() -> None:
    """Store the choice, and set every field again: a browser would go on showing the old words."""
    to_address("lang", st.session_state["language-box"], _browser_language())
    for key, value in list(st.session_state.items()):
        if isinstance(value, str):
            st.session_state[key] = value
