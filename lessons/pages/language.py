"""The language of the pages, English or Korean: as the address says, or this tab has chosen, or the browser prefers.

Messages are marked as gettext's are: `_("…")` where one is shown, and `N_("…")` where a constant names one that `_`
shows later. The catalogue ko.po has the Korean under the English.
"""

from functools import cache
from pathlib import Path

import streamlit as st
from babel.messages.pofile import read_po
from streamlit.runtime.scriptrunner import get_script_run_ctx

CATALOGUE = Path(__file__).with_name("ko.po")
LANGUAGES = {"en": "English", "ko": "한국어"}


@cache
def korean() -> dict[str, str]:
    """The Korean of each message."""
    with CATALOGUE.open("rb") as file:
        return {str(each.id): str(each.string) for each in read_po(file) if each.id}


def N_(message: str) -> str:  # noqa: N802  # gettext's name
    """The message as it is; marked to be in the catalogue."""
    return message


def _(message: str, **values: object) -> str:
    """The message in the language of the visitor, with its placeholders filled; English where no page is drawn."""
    said = korean().get(message, message) if language() == "ko" else message
    return said.format(**values) if values else said


def language() -> str:
    """The language that was chosen, or the browser's if it is Korean, or English."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return "en"
    chosen = st.query_params.get("lang") or st.session_state.get("lang")
    return chosen if chosen in LANGUAGES else _preferred()


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
