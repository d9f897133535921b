"""Every stage on questions with known answers: stored runs, what moved, and a new run with one button."""

from functools import cache

import streamlit as st

from lessons.evaluate.evaluation import METRICS, Evaluation
from lessons.evaluate.golden import golden_questions
from lessons.evaluate.plots import plot_groups, plot_latency, plot_metric
from lessons.evaluate.runs import delete, load, runs
from lessons.pages import moved
from lessons.pages.common import opened, plain, told_plainly
from lessons.pages.running import Running, begin
from lessons.stages import stages
from lessons.workspace import Workspace

SPLITS = {"dev": "dev, for tuning", "test": "test, for reporting"}
GROUPS = ("category", "language")
ALL = 0
SIZES = {20: "20 of them, a quick look", ALL: "all of them"}


def page() -> None:
    """Choose a stored run or start one, read its intervals, and follow the questions that moved."""
    st.title("Scoreboard")
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
    _show(evaluation)
    moved.draw(evaluation)


@st.cache_resource
def _current() -> list[Running]:
    """The evaluation of this process, the same for every tab; empty if there is none."""
    return []


def _measure(place: Workspace) -> None:
    current = _current()
    if current and not current[0].ended:
        _progress()
        return
    if current:
        _outcome(current.pop())
    with st.expander("Measure again", icon=":material/play_arrow:", expanded=False), st.form("measure", border=False):
        chosen = st.pills(
            "Stages", list(stages()), selection_mode="multi", default=list(stages()), format_func=str.capitalize
        )
        left, right = st.columns(2)
        split = left.selectbox("Questions", list(SPLITS), format_func=SPLITS.__getitem__)
        limit = right.selectbox("How many", list(SIZES), format_func=SIZES.__getitem__)
        st.caption(_counts())
        if st.form_submit_button("Measure", type="primary") and chosen:
            current.append(begin([stages()[name] for name in stages() if name in chosen], split, limit or None, place))
            st.rerun()


@cache
def _counts() -> str:
    return f"dev has {len(golden_questions('dev'))} questions, test {len(golden_questions('test'))}."


@st.fragment(run_every=1.0)
def _progress() -> None:
    """How far the evaluation is, looked at every second without drawing the rest of the page again."""
    current = _current()
    if not current or current[0].ended:
        st.rerun()
    st.progress(current[0].share, plain(current[0].label))
    if st.button("Stop measuring"):
        current[0].stop()


def _outcome(running: Running) -> None:
    if running.problem:
        st.warning(plain(running.problem))
    else:
        st.session_state.run = running.number
        st.success(f"Stored as run {running.number}.")


def _offer_to_delete(number: int, place: Workspace) -> None:
    with st.popover("Delete"):
        st.markdown(f"Run {number} will be deleted with all its answers, for good.")
        if st.button("Delete it", type="primary"):
            with told_plainly():
                delete(number, place.engine)
            del st.session_state.run
            st.rerun()


def _show(evaluation: Evaluation) -> None:
    summaries = {stage: evaluation.summary(stage) for stage in evaluation.stages}
    rows: dict[str, list[str]] = {
        metric: [summary.with_interval(metric) for summary in summaries.values()] for metric in METRICS
    }
    rows |= {
        "p50, p95 (ms)": [f"{each.p50_ms:,.0f}, {each.p95_ms:,.0f}" for each in summaries.values()],
        "model calls": [f"{each.llm_calls:.1f}" for each in summaries.values()],
        "tokens": [f"{each.tokens:,.0f}" for each in summaries.values()],
        "US$ per 1,000 questions": [f"{1_000 * each.cost:.2f}" for each in summaries.values()],
    }
    table = [{"": name, **dict(zip(summaries, values, strict=True))} for name, values in rows.items()]
    st.dataframe(table, hide_index=True, height="content", alt="Means with 95 % intervals for each metric and stage")
    metric = st.selectbox("Metric", METRICS, key="metric")
    gains = [str(gain) for gain in evaluation.gains([metric]) if gain.n]
    if gains:
        st.markdown("  \n".join(map(plain, gains)))
    whole, *grouped, time = st.tabs(["All questions", *(f"By {by}" for by in GROUPS), "Against time"])
    whole.pyplot(plot_metric(evaluation, metric), width="content")
    for tab, by in zip(grouped, GROUPS, strict=True):
        tab.pyplot(plot_groups(evaluation, metric, by), width="content")
    time.pyplot(plot_latency(evaluation, metric), width="content")
