"""The language of the pages, English or Korean: as the address says, or this tab has chosen, or the browser prefers."""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from lessons.language import N_, _, ask_first, language

__all__ = ["N_", "_", "choose_language", "language"]

LANGUAGES = {"en": "English", "ko": "한국어"}


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
    _keep(language())


def _switch() -> None:
    """Keep what was chosen, and choose again in every field: a browser would go on showing the old words."""
    _keep(st.session_state["language-box"])
    for key, value in list(st.session_state.items()):
        if isinstance(value, str):
            st.session_state[key] = value


def _keep(chosen: str) -> None:
    st.session_state["lang"] = chosen
    if st.query_params.get("lang", _preferred()) != chosen:
        st.query_params["lang"] = chosen
