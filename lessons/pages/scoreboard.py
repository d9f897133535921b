"""Every stage on questions with known answers: stored runs, what moved, and a new run with one button."""

from functools import cache

import streamlit as st

from lessons.evaluate.compare import RULE
from lessons.evaluate.evaluation import METRICS, Evaluation, Record, cells, moved
from lessons.evaluate.gates import gate_report
from lessons.evaluate.golden import golden_questions
from lessons.evaluate.plots import plot_groups, plot_latency, plot_metric
from lessons.evaluate.run import evaluate
from lessons.pages.common import choose_stages, show_plot, titled
from lessons.pages.running import choose_run, follow, link_to_compare, show_record, show_rows, show_table, start
from lessons.settings import settings
from lessons.tables import plain
from lessons.workspace import Workspace

SPLITS = {"dev": "dev, for tuning", "test": "test, for reporting"}
SIZES = {20: "20 of them, a quick look", 0: "all of them"}
GROUPS = ("category", "language")


@titled(
    "Scoreboard",
    "Every stage on questions with known answers: what each gains over the one before, with 95 % intervals.",
)
def page(place: Workspace, _: str) -> None:
    """Choose a stored run or start one, read its intervals, and follow the questions that moved."""
    _measure(place)
    if chosen := choose_run("run", place, "Nothing has been measured yet. Choose stages above and start."):
        _show(chosen[1])
        _show_moved(chosen[1])


def _measure(place: Workspace) -> None:
    if follow("run"):
        return
    with st.expander("Measure again", icon=":material/play_arrow:", expanded=False), st.form("measure", border=False):
        asked = choose_stages("measure-stages")
        left, right = st.columns(2)
        split = left.selectbox("Questions", list(SPLITS), format_func=SPLITS.__getitem__)
        limit = right.selectbox("How many", list(SIZES), format_func=SIZES.__getitem__)
        st.caption(_counts())
        if st.form_submit_button("Measure", type="primary") and asked:
            start(lambda watch: evaluate(asked, split, limit=limit or None, watch=watch, place=place), place)


@cache
def _counts() -> str:
    return f"dev has {len(golden_questions('dev'))} questions, test {len(golden_questions('test'))}."


def _show(evaluation: Evaluation) -> None:
    """The table, and of a chosen metric the gains and the plots; for each group also in numbers."""
    known = show_table(evaluation)
    metric = st.selectbox("Metric", known, format_func=evaluation.label, key="metric")
    gains = [str(gain) for gain in evaluation.gains([metric]) if gain.n]
    if gains:
        st.markdown("  \n".join(map(plain, gains)))
        st.caption(plain(RULE))
    with st.expander("What the stages promise"):
        st.markdown("  \n".join(plain(str(gate)) for gate in gate_report(evaluation) if gate.number))
    whole, *grouped, time = st.tabs(["All questions", *(f"By {by}" for by in GROUPS), "Against time"])
    show_plot(plot_metric(evaluation, metric), f"{metric} of every stage with its interval", whole)
    for tab, by in zip(grouped, GROUPS, strict=True):
        with tab:
            show_plot(plot_groups(evaluation, metric, by), f"{metric} of every stage by {by}, as in the table below")
            rows = [_group(evaluation, metric, by, name) for name in evaluation.groups(by)]
            show_rows(rows, by, evaluation, f"{metric} with 95 % intervals for each {by} and stage")
    show_plot(plot_latency(evaluation, metric), f"{metric} of every stage against its latency", time)


def _group(evaluation: Evaluation, metric: str, by: str, name: str) -> dict[str, str]:
    columns = evaluation.columns(**{by: name})
    return {by: name} | dict(zip(columns, cells(columns, metric), strict=True))


def _show_moved(evaluation: Evaluation) -> None:
    """Choose two stages; the questions that moved, and both answers to one of them. Nothing with a single stage."""
    if len(evaluation.stages) < 2:
        return
    st.header("Questions that moved")
    with st.container(horizontal=True):
        before = st.selectbox("From", evaluation.stages[:-1], index=len(evaluation.stages) - 2, key="moved-from")
        later = evaluation.stages[evaluation.stages.index(before) + 1 :]
        after = st.selectbox("To", later, key="moved-to")
        first = METRICS.index("correctness")
        metric = st.selectbox("Moved in", METRICS, first, format_func=evaluation.label, key="moved-metric")
    pairs = moved(evaluation, before, after, metric)
    up = sum(new.value(metric) > old.value(metric) for old, new in pairs)
    st.caption(f"{up} up, {len(pairs) - up} down. Choose a row, by keys with Shift and Space, to read both answers.")
    if not pairs:
        return
    table = [_row(old, new, metric) for old, new in pairs]
    event = st.dataframe(
        table,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key="moved-rows",
        alt="Questions with the metric of both stages",
    )
    if event.selection.rows:
        _answers(*pairs[event.selection.rows[0]], metric)


def _row(old: Record, new: Record, metric: str) -> dict[str, str | float]:
    """Values first: on a phone, what follows the beginning of the question is out of sight."""
    return {
        old.stage: round(old.value(metric), 2),
        new.stage: round(new.value(metric), 2),
        "question": old.question,
        "category": old.category,
        "language": old.language,
    }


def _answers(old: Record, new: Record, metric: str) -> None:
    st.markdown(f"**{plain(old.question)}**")
    for column, record in zip(st.columns(2), (old, new), strict=True):
        with column:
            show_record(record, f"{metric} {record.value(metric):.2f}")
    link_to_compare(old, [old.stage, new.stage], settings().user)
