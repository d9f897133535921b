"""What a visitor has chosen, kept in the address: first of all the language of the pages, English or Korean."""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from lessons.language import N_, _, ask_first, language

__all__ = ["N_", "_", "choose_language", "keep", "kept", "language"]

LANGUAGES = {"en": "English", "ko": "한국어"}


def kept(name: str) -> str:
    """What the address says under this name, or what this tab kept under it on another page; empty if neither."""
    from lessons.text import normalize  # takes a moment, and the app first says that it is being opened

    return normalize(st.query_params.get(name, "")) or st.session_state.get(name, "")


def keep(name: str, value: str, default: str = "") -> None:
    """Write it into the address, so that it outlives a reload, and keep it for the other pages.

    An address without the name stands for the default: what nobody has changed makes no entry in the history.
    """
    st.session_state[name] = value
    if st.query_params.get(name, default) != value:
        st.query_params[name] = value


def _visitor() -> str:
    """The language that was chosen, or the browser's if it is Korean, or English; empty where no page is drawn."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return ""
    chosen = st.query_params.get("lang") or st.session_state.get("lang")
    return chosen if chosen in LANGUAGES else _preferred()


ask_first(_visitor)


def _preferred() -> str:
    return "ko" if (st.context.locale or "").lower().startswith("ko") else "en"


def choose_language() -> None:
    """The switch in the side bar. What differs from the browser's language is kept in the address of every page."""
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
    keep("lang", language(), _preferred())


def _switch() -> None:
    """Keep what was chosen, and choose again in every field: a browser would go on showing the old words."""
    keep("lang", st.session_state["language-box"], _preferred())
    for key, value in list(st.session_state.items()):
        if isinstance(value, str):
            st.session_state[key] = value
