"""A run on a page: the means with their intervals, the gains between stages, and the plots."""

import streamlit as st

from lessons.evaluate.compare import RULE
from lessons.evaluate.evaluation import CEILING, METRICS, Evaluation, cells
from lessons.evaluate.gates import gate_report
from lessons.evaluate.plots import plot_groups, plot_latency, plot_metric
from lessons.evaluate.report import PLAIN
from lessons.pages.common import plain
from lessons.pages.plot import show_plot

GROUPS = ("category", "language")
_INTERVAL = st.column_config.Column(width=130)  # pixels, which a mean with its interval takes


def draw(evaluation: Evaluation) -> None:
    """The table, and of a chosen metric the gains and the plots; for each group also in numbers."""
    known = table(evaluation)
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
            _show(rows, by, evaluation, f"{metric} with 95 % intervals for each {by} and stage")
    show_plot(plot_latency(evaluation, metric), f"{metric} of every stage against its latency", time)


def table(evaluation: Evaluation) -> list[str]:
    """Every metric that has values, with times, calls, tokens and cost below; gives the names of the metrics."""
    known = [metric for metric in METRICS if any(metric in record.metrics for record in evaluation.records)]
    columns = evaluation.columns()
    rows = {evaluation.label(metric): cells(columns, metric) for metric in known}
    for label, value in PLAIN.items():
        rows[label] = ["" if name == CEILING else value(summary) for name, summary in columns.items()]
    table = [{"": name, **dict(zip(columns, values, strict=True))} for name, values in rows.items()]
    _show(table, "", evaluation, "Means with 95 % intervals for each metric and stage")
    st.caption("  \n".join(map(plain, evaluation.remarks)))
    return known


def _group(evaluation: Evaluation, metric: str, by: str, name: str) -> dict[str, str]:
    columns = evaluation.columns(**{by: name})
    return {by: name} | dict(zip(columns, cells(columns, metric), strict=True))


def _show(rows: list[dict[str, str]], first: str, evaluation: Evaluation, alt: str) -> None:
    """The whole table, its first column always in sight."""
    st.dataframe(
        rows,
        hide_index=True,
        height="content",
        column_config=dict.fromkeys([*evaluation.stages, CEILING], _INTERVAL)
        | {first: st.column_config.Column(pinned=True)},
        alt=alt,
    )
