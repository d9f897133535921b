"""Every stage on questions with known answers: stored runs, what moved, and a new run with one button."""

from functools import cache

import streamlit as st

from lessons.evaluate.golden import golden_questions
from lessons.evaluate.run import evaluate
from lessons.evaluate.runs import delete, load, runs
from lessons.pages import moved, results
from lessons.pages.common import opened, told_plainly
from lessons.pages.running import follow, start
from lessons.rag.stages import stages
from lessons.workspace import Workspace

SPLITS = {"dev": "dev, for tuning", "test": "test, for reporting"}
ALL = 0
SIZES = {20: "20 of them, a quick look", ALL: "all of them"}


def page() -> None:
    """Choose a stored run or start one, read its intervals, and follow the questions that moved."""
    st.title("Scoreboard")
    st.caption("Every stage on questions with known answers: what each gains over the one before, with 95 % intervals.")
    place, _ = opened()
    with told_plainly():
        _measure(place)
        stored = {row.id: str(row) for row in runs(place.engine)}
    if not stored:
        st.info("Nothing has been measured yet. Choose stages above and start.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        number = st.selectbox("Stored runs", list(stored), format_func=stored.__getitem__, key="run")
        _offer_to_delete(number, place)
    with told_plainly():
        evaluation = load(number, place.engine)
    results.draw(evaluation)
    moved.draw(evaluation)


def _measure(place: Workspace) -> None:
    if follow("run"):
        return
    with st.expander("Measure again", icon=":material/play_arrow:", expanded=False), st.form("measure", border=False):
        chosen = st.pills(
            "Stages", list(stages()), selection_mode="multi", default=list(stages()), format_func=str.capitalize
        )
        left, right = st.columns(2)
        split = left.selectbox("Questions", list(SPLITS), format_func=SPLITS.__getitem__)
        limit = right.selectbox("How many", list(SIZES), format_func=SIZES.__getitem__)
        st.caption(_counts())
        if st.form_submit_button("Measure", type="primary") and chosen:
            asked = [stages()[name] for name in stages() if name in chosen]
            start(lambda watch: evaluate(asked, split, limit=limit or None, watch=watch, place=place), place)


@cache
def _counts() -> str:
    return f"dev has {len(golden_questions('dev'))} questions, test {len(golden_questions('test'))}."


def _offer_to_delete(number: int, place: Workspace) -> None:
    with st.popover("Delete"):
        st.markdown(f"Run {number} will be deleted with all its answers, for good.")
        if st.button("Delete it", type="primary"):
            with told_plainly():
                delete(number, place.engine)
            del st.session_state.run
            st.rerun()
