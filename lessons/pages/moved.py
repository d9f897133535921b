"""The questions whose metric changed between two stages, and from there into Compare."""

import streamlit as st

from lessons.evaluate.evaluation import METRICS, Evaluation, Record
from lessons.pages.asked import golden_named
from lessons.pages.common import plain
from lessons.pages.compare import compare
from lessons.settings import settings

Pair = tuple[Record, Record]


def draw(evaluation: Evaluation) -> None:
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


def moved(evaluation: Evaluation, before: str, after: str, metric: str) -> list[Pair]:
    """The records of both stages for each question whose metric changed, the largest gain first."""
    later = {record.question_id: record for record in evaluation.of(after)}
    pairs = [(old, later[old.question_id]) for old in evaluation.of(before) if old.question_id in later]
    changed = [(old, new) for old, new in pairs if abs(new.value(metric) - old.value(metric)) > 0]
    return sorted(changed, key=lambda pair: pair[0].value(metric) - pair[1].value(metric))


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
        with column.container(border=True):
            st.caption(f"{record.stage.capitalize()}, {metric} {record.value(metric):.2f}")
            st.markdown(plain(record.answer))
    link_to_compare(old, [old.stage, new.stage], settings().user)


def link_to_compare(record: Record, names: list[str], owner: str) -> None:
    """A link to ask the question again, of these stages; a golden one brings its owner and its conversation."""
    golden = golden_named(record.question_id)
    query = {"question": record.question, "stages": ",".join(names), "owner": owner}
    if golden and golden.question == record.question:
        query |= {"golden": golden.id, "owner": golden.owner}
    elif record.category == "follow-up":
        st.caption("A follow-up: the conversation before it belongs to the question, so it is asked in Chat.")
        return
    target, icon = st.Page(compare.page, default=True), ":material/compare_arrows:"
    st.page_link(target, label="Open in Compare", icon=icon, query_params=query)
