"""The scoreboard: how the stages of a run did, and question by question what moved between two of them."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from lessons.evaluate.compare import LOWER_IS_BETTER, RULE
from lessons.evaluate.evaluation import METRICS, Evaluation, Record, cells, compare_records, moved_records
from lessons.evaluate.gates import gate_report
from lessons.evaluate.plots import plot_groups, plot_latency, plot_metric, plot_outcomes
from lessons.evaluate.run import evaluate
from lessons.pages import runs
from lessons.pages.asking import all_golden
from lessons.pages.common import choose, choose_stages, show_plot, titled
from lessons.pages.language import N_, _
from lessons.rag.workspace import Workspace
from lessons.settings import settings
from lessons.tables import plain

SPLITS = {"dev": N_("dev, for tuning"), "test": N_("test, for reporting")}
SIZES = {20: N_("20 of them, a quick look"), 0: N_("all of them")}
GROUPS = {"category": N_("By category"), "language": N_("By language")}


@titled(
    N_("Scoreboard"),
    N_("Every stage on questions with known answers: what each gains over the one before, with 95 % intervals."),
    owned=False,
)
def page(place: Workspace, owner: str) -> None:
    """Choose a run or start one, read its intervals, and compare its stages, or those of another run, by question."""
    _offer_to_measure(place)
    if chosen := runs.choose_run("run", place, _("Nothing has been measured yet. Choose stages above and start.")):
        number, run = chosen
        _show(run)
        st.header(_("Question by question"), anchor=False)
        known = runs.known_runs(place)
        others = {number: _("this run")} | {other: label for other, label in known.items() if other != number}
        last = st.session_state.get("compared-with")
        begin = [*others].index(last) if last in others else 0
        old = choose(_("Compared with"), others, index=begin, key=f"other than {number}")
        st.session_state["compared-with"] = old if old != number else None
        named = tuple("" if old == number else runs.short_name(each) for each in (old, number))
        show_moved(run if old == number else runs.loaded(old, place), run, *named)


def _offer_to_measure(place: Workspace) -> None:
    if runs.follow("run"):
        return
    again = st.expander(_("Measure again"), icon=":material/play_arrow:", expanded=False)
    with again, st.form("measure", border=False):
        asked = choose_stages("measure-stages")
        left, right = st.columns(2)
        split = choose(_("Questions"), {each: _(label) for each, label in SPLITS.items()}, left)
        limit = choose(_("How many"), {each: _(label) for each, label in SIZES.items()}, right)
        counts = Counter(golden.split for golden in all_golden())
        st.caption(_("dev has {dev} questions, test {test}.", **counts))
        if st.form_submit_button(_("Measure"), type="primary") and asked:
            runs.start(lambda watch: evaluate(asked, split, limit=limit or None, watch=watch, place=place), place)


def _show(evaluation: Evaluation) -> None:
    said = _("How each stage answered: right, half, refused or wrong, and wrong where the documents have no answer")
    show_plot(plot_outcomes(evaluation), said)
    known = runs.show_table(evaluation)
    words = runs.in_plain_words(evaluation, known)
    metric = st.selectbox(
        _("Metric"), known, format_func=lambda name: _(evaluation.label(name)), key="metric", help=words
    )
    whole, *grouped, time = st.tabs([_("All questions"), *map(_, GROUPS.values()), _("Against time")])
    with whole:
        _show_gains(evaluation, metric)
    for tab, by in zip(grouped, GROUPS, strict=True):
        with tab:
            said = _("{metric} of every stage by {group}, as in the table below", metric=_(metric), group=_(by))
            show_plot(plot_groups(evaluation, metric, by), said)
            columns = {name: evaluation.columns(**{by: name}) for name in evaluation.groups(by)}
            rows = [{by: _(name), **dict(zip(of, cells(of, metric), strict=True))} for name, of in columns.items()]
            said = _("{metric} with 95 % intervals for each {group} and stage", metric=_(metric), group=_(by))
            runs.show_rows(rows, by, evaluation, said, {})
    said = _("{metric} of every stage against its latency", metric=_(metric))
    show_plot(plot_latency(evaluation, metric), said, time)


def _show_gains(evaluation: Evaluation, metric: str) -> None:
    left, right = st.columns(2)
    show_plot(plot_metric(evaluation, metric), _("{metric} of every stage with its interval", metric=_(metric)), left)
    with right:
        if gains := [gain for gain in evaluation.gains([metric]) if gain.n]:
            for gain in gains:
                st.markdown(plain(str(gain).removeprefix(f"{_(metric)}: ")))
            st.caption(plain(_(RULE)))
        with st.expander(_("What the stages promise")):
            said = (plain(str(gate)) for gate in gate_report(evaluation) if gate.number)
            st.markdown("  \n".join(said))


def show_moved(old: Evaluation, new: Evaluation, old_name: str = "", new_name: str = "") -> None:
    """Choose a stage of each run and a metric, and see what moved; the runs have names if they are two."""
    is_same = old is new
    if is_same and len(new.stages) < 2:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        shared = [at for at, stage in enumerate(new.stages) if stage in old.stages]
        last = shared[-1] if shared else len(new.stages) - 1
        after = st.selectbox(_("Stage"), new.stages, index=last, key=f"moved-to {new_name} {old_name}")
        others = [stage for stage in old.stages if not (is_same and stage == after)]
        begin = len(others) - 1 if is_same or after not in others else others.index(after)
        before = st.selectbox(_("Against"), others, index=begin, key=f"moved-from {is_same} {after}")
        labels, first = {name: _(new.label(name)) for name in METRICS}, METRICS.index("correctness")
        metric = choose(_("Moved in"), labels, index=first, key="moved-metric")
        worse = st.toggle(_("Regressions only"), key="regressions", help=_("Only questions that became worse."))
    names = [f"{stage} ({run})" if run else stage for stage, run in ((before, old_name), (after, new_name))]
    records = old.of(before), new.of(after)
    gain = compare_records(*records, metric, names[0], names[1])
    if not gain.n:
        st.info(_("These two have answered no question in common for which this metric is known. Choose others."))
        return
    st.markdown(f"**{plain(str(gain))}**")
    st.caption(plain(_(RULE)))
    pairs = moved_records(*records, metric)
    up = sum(later.value(metric) > earlier.value(metric) for earlier, later in pairs)
    moved = {"up": up, "down": len(pairs) - up}
    st.caption(_("{up} up, {down} down. Choose a row, by keys with Shift and Space, to read both answers.", **moved))
    regressions = pairs[:up] if metric in LOWER_IS_BETTER else pairs[up:][::-1]
    _table(regressions if worse else pairs, metric, names)


def _table(pairs: Sequence[tuple[Record, Record]], metric: str, names: Sequence[str]) -> None:
    if not pairs:
        return
    head = _("question"), _("category"), _("language")
    rows = [  # values first: on a phone, what follows the beginning of the question is out of sight
        {name: round(each.value(metric), 2) for name, each in zip(names, pair, strict=True)}
        | dict(zip(head, (pair[0].question, _(pair[0].category), pair[0].language), strict=True))
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


def _answers(old: Record, new: Record, metric: str, names: Sequence[str]) -> None:
    st.markdown(f"**{plain(old.question)}**")
    for column, record, name in zip(st.columns(2), (old, new), names, strict=True):
        with column:
            runs.show_record(record, name, f"{_(metric)} {record.value(metric):.2f}")
    runs.link_to_compare(old, list(dict.fromkeys([old.stage, new.stage])), settings().user)
