"""Two stages, or two runs, question by question: what moved, by how much, and both answers to one question."""

from collections.abc import Sequence

import streamlit as st

from lessons.evaluate.compare import RULE
from lessons.evaluate.evaluation import METRICS, Evaluation, Record, compare_records, moved_records
from lessons.pages import compare
from lessons.pages.asking import golden_named
from lessons.pages.common import choose
from lessons.pages.language import _
from lessons.settings import settings
from lessons.tables import plain


def show_moved(old: Evaluation, new: Evaluation) -> None:
    """Choose a stage of each run and a metric; the difference with its interval, and the questions that moved."""
    is_same = old is new
    if is_same and len(new.stages) < 2:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        after = st.selectbox(_("Stage"), new.stages, index=len(new.stages) - 1, key="moved-to")
        others = [stage for stage in old.stages if not (is_same and stage == after)]
        begin = len(others) - 1 if is_same or after not in others else others.index(after)
        before = st.selectbox(_("Against"), others, index=begin, key=f"moved-from {is_same} {after}")
        labels, first = {name: _(new.label(name)) for name in METRICS}, METRICS.index("correctness")
        metric = choose(_("Moved in"), labels, index=first, key="moved-metric")
        worse = st.toggle(_("Regressions only"), key="regressions", help=_("Only questions that became worse."))
    names = before, after
    if before == after:
        names = _("{stage} before", stage=before), _("{stage} after", stage=after)
    records = old.of(before), new.of(after)
    gain = compare_records(*records, metric, *names)
    if not gain.n:
        st.info(_("These two have answered no question in common for which this metric is known. Choose others."))
        return
    st.markdown(f"**{plain(str(gain))}**")
    st.caption(plain(_(RULE)))
    pairs = moved_records(*records, metric)
    up = sum(later.value(metric) > earlier.value(metric) for earlier, later in pairs)
    moved = {"up": up, "down": len(pairs) - up}
    st.caption(_("{up} up, {down} down. Choose a row, by keys with Shift and Space, to read both answers.", **moved))
    _table(pairs[up:][::-1] if worse else pairs, metric, names)


def _table(pairs: Sequence[tuple[Record, Record]], metric: str, names: tuple[str, str]) -> None:
    if not pairs:
        return
    told = {_("question"): "question", _("category"): "category", _("language"): "language"}
    rows = [  # values first: on a phone, what follows the beginning of the question is out of sight
        {name: round(each.value(metric), 2) for name, each in zip(names, pair, strict=True)}
        | {label: getattr(pair[0], name) for label, name in told.items()}
        for pair in pairs
    ]
    event = st.dataframe(
        rows,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key="moved-rows",
        alt=_("Questions with the metric of both stages"),
    )
    if event.selection.rows and event.selection.rows[0] < len(pairs):
        _answers(*pairs[event.selection.rows[0]], metric, names)


def _answers(old: Record, new: Record, metric: str, names: tuple[str, str]) -> None:
    st.markdown(f"**{plain(old.question)}**")
    for column, record, name in zip(st.columns(2), (old, new), names, strict=True):
        with column:
            show_record(record, name, f"{_(metric)} {record.value(metric):.2f}")
    link_to_compare(old, list(dict.fromkeys([old.stage, new.stage])), settings().user)


def show_record(record: Record, *said: str) -> None:
    """The answer of a stage in a box, below what is said of it."""
    with st.container(border=True):
        st.caption(plain(" · ".join(said)))
        st.markdown(plain(record.answer))


def link_to_compare(record: Record, names: list[str], owner: str) -> None:
    """A link to ask the question again, of these stages; a golden one brings its owner and its conversation."""
    golden = golden_named(record.question_id)
    query: dict[str, str | list[str]] = {"question": record.question, "owner": owner, "stages": names}
    if golden and golden.question == record.question:
        query |= {"golden": golden.id, "owner": golden.owner}
    elif record.category == "follow-up":
        st.caption(_("A follow-up: the conversation before it belongs to the question, so it is asked in Chat."))
        return
    target, icon = st.Page(compare.page, default=True), ":material/compare_arrows:"
    st.page_link(target, label=_("Open in Compare"), icon=icon, query_params=query)
