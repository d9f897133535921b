"""Questions to choose from: a few to begin with, and every golden question by category and language."""

from functools import cache

import streamlit as st

from lessons.evaluate.golden import Golden
from lessons.pages.asked import all_golden, lines_of
from lessons.pages.common import keep

ANY = "any"
LANGUAGES = {ANY: "any", "en": "English", "ko": "한국어"}


@cache
def sample_questions(owner: str) -> list[str]:
    """One question of each category that stands alone, alternating between the languages."""
    found: dict[str, str] = {}
    for each in all_golden():
        wanted_language = "ko" if len(found) % 2 else "en"
        fits = each.split == "dev" and each.owner == owner and not each.history and each.language == wanted_language
        if fits:
            found.setdefault(each.category, each.question)
    return list(found.values())


def pick_golden() -> None:
    """Choose a golden question; it brings its owner and its conversation with it."""
    with st.popover("Choose a golden question", icon=":material/star:"):
        st.caption("Their evidence is known. *dev* questions were there for tuning, *test* ones only to report.")
        left, right = st.columns(2)
        categories = list(dict.fromkeys(each.category for each in all_golden()))
        category = left.selectbox("Category", [ANY, *categories], key="golden-category")
        language = right.selectbox(
            "Language", list(LANGUAGES), format_func=LANGUAGES.__getitem__, key="golden-language"
        )
        fitting = [
            each for each in all_golden() if category in (ANY, each.category) and language in (ANY, each.language)
        ]
        st.selectbox(
            f"Question ({len(fitting)})",
            fitting,
            index=None,
            format_func=_label,
            key="golden-question",
            placeholder="Type to search",
            on_change=_take,
        )


def _label(each: Golden) -> str:
    follows = ", follow-up" if each.history and each.category != "follow-up" else ""
    return f"{each.question} ({each.split}, {each.category}{follows}, {each.owner})"


def _take() -> None:
    chosen: Golden | None = st.session_state["golden-question"]
    if chosen:
        keep("owner", chosen.owner)
        st.session_state.question, st.session_state.before = chosen.question, lines_of(chosen)
