"""Evaluations on a page: one at a time in the background of the app, stored runs, their table, and what moved.

An evaluation is the same for every tab of the process, which can all watch it and stop it.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import streamlit as st

from lessons.errors import LessonsError
from lessons.evaluate.compare import RULE
from lessons.evaluate.evaluation import CEILING, METRICS, Evaluation, Record, cells, moved
from lessons.evaluate.gates import gate_report
from lessons.evaluate.golden import golden_questions
from lessons.evaluate.plots import plot_groups, plot_latency, plot_metric
from lessons.evaluate.report import PLAIN
from lessons.evaluate.run import Watcher, evaluate
from lessons.evaluate.runs import delete, load, runs, save
from lessons.pages import compare
from lessons.pages.asking import golden_named
from lessons.pages.common import choose_stages, confirmed, show_plot, titled
from lessons.settings import settings
from lessons.tables import plain
from lessons.workspace import Workspace

logger = logging.getLogger(__name__)

UNEXPECTED = "The evaluation broke off for an unexpected reason; the log has the details."
_INTERVAL = st.column_config.Column(width=130)  # pixels, which a mean with its interval takes

SPLITS = {"dev": "dev, for tuning", "test": "test, for reporting"}
SIZES = {20: "20 of them, a quick look", 0: "all of them"}
GROUPS = ("category", "language")

Work = Callable[[Watcher], Evaluation]


@dataclass
class Running:
    """How far an evaluation is. `number` is that of the stored run once it is done, `problem` why it broke off."""

    label: str = "Beginning"
    share: float = 0.0  # from 0 to 1
    owner: str | None = None  # of a private run
    number: int | None = None
    problem: str | None = None
    ended: bool = False
    _stop: threading.Event = field(default_factory=threading.Event, repr=False)

    def stop(self) -> None:
        """End after the question that is being asked; nothing of the run is stored."""
        self._stop.set()

    def watch(self, label: str, done: int, total: int) -> None:
        """Take note of the progress; ends the work if the reader has stopped it."""
        if self._stop.is_set():
            raise LessonsError("The evaluation was stopped; nothing of it was stored.")
        self.label, self.share = f"{label}, {done} of {total}", done / total


def _measure(running: Running, work: Work, place: Workspace) -> None:
    """Do the work and store the run when it is done; with an owner it is private."""
    try:
        running.number = save(work(running.watch), place.engine, running.owner)
    except LessonsError as error:
        running.problem = str(error)
    except Exception:
        logger.exception("an evaluation broke off")
        running.problem = UNEXPECTED
    finally:
        running.ended = True


@st.cache_resource
def current() -> list[Running]:
    """The evaluation of this process, the same for every tab; empty if there is none."""
    return []


def follow(key: str, owner: str | None = None) -> bool:
    """Show the evaluation that is running, if one is. Once it has ended, its outcome is told on its own page.

    The number of its run is then in the session's state under `key`. Another owner's run may be seen, not stopped.
    """
    if not (found := current()):
        return False
    running = found[0]
    if not running.ended:
        _progress(running.owner in (None, owner))
        return True
    if running.owner == owner:
        found.remove(running)
        if running.problem:
            st.warning(plain(running.problem))
        else:
            st.session_state[key] = running.number
            st.success(f"Stored as run {running.number}.")
    return False


def start(work: Work, place: Workspace, owner: str | None = None) -> None:
    """Begin in a thread, unless another tab was faster, and draw the page anew."""
    found = current()
    if not found or found[0].ended:
        found[:] = [Running(owner=owner)]
        threading.Thread(target=_measure, args=(found[0], work, place), daemon=True).start()
    st.rerun()


@st.fragment(run_every=1.0)
def _progress(may_stop: bool) -> None:
    """How far the evaluation is, looked at every second without drawing the rest of the page again."""
    found = current()
    if not found or found[0].ended:
        st.rerun()
    st.progress(found[0].share, plain(found[0].label))
    if may_stop and st.button("Stop measuring"):
        found[0].stop()


def choose_run(key: str, place: Workspace, none: str, owner: str | None = None) -> tuple[int, Evaluation] | None:
    """A stored run with its number, and the way to delete it; None, and the sentence `none`, if nothing is stored.

    With an `owner`, only the private runs of that owner.
    """
    stored = {row.id: str(row) for row in runs(place.engine, owner) if row.user_id == owner}
    if not stored:
        st.info(none)
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        number = st.selectbox("Stored runs", list(stored), format_func=stored.__getitem__, key=key)
        if confirmed("Delete", f"Run {number} will be deleted with all its answers, for good."):
            delete(number, place.engine, owner)
            del st.session_state[key]
            st.rerun()
    return number, load(number, place.engine, owner)


def show_table(evaluation: Evaluation) -> list[str]:
    """Every metric that has values, with times, calls, tokens and cost below; gives the names of the metrics."""
    known = [metric for metric in METRICS if any(metric in record.metrics for record in evaluation.records)]
    columns = evaluation.columns()
    rows = {evaluation.label(metric): cells(columns, metric) for metric in known}
    for label, value in PLAIN.items():
        rows[label] = ["" if name == CEILING else value(summary) for name, summary in columns.items()]
    table = [{"": name, **dict(zip(columns, values, strict=True))} for name, values in rows.items()]
    show_rows(table, "", evaluation, "Means with 95 % intervals for each metric and stage")
    st.caption("  \n".join(map(plain, evaluation.remarks)))
    return known


def show_rows(rows: list[dict[str, str]], first: str, evaluation: Evaluation, alt: str) -> None:
    """The whole table, its first column always in sight."""
    st.dataframe(
        rows,
        hide_index=True,
        height="content",
        column_config=dict.fromkeys([*evaluation.stages, CEILING], _INTERVAL)
        | {first: st.column_config.Column(pinned=True)},
        alt=alt,
    )


def show_record(record: Record, *said: str) -> None:
    """The answer of a stage in a box, below its name and what is said of it."""
    with st.container(border=True):
        st.caption(" · ".join([record.stage.capitalize(), *said]))
        st.markdown(plain(record.answer))


def link_to_compare(record: Record, names: list[str], owner: str) -> None:
    """A link to ask the question again, of these stages; a golden one brings its owner and its conversation."""
    golden = golden_named(record.question_id)
    query: dict[str, str | list[str]] = {"question": record.question, "owner": owner}
    query["stages"] = [name.capitalize() for name in names]
    if golden and golden.question == record.question:
        query |= {"golden": golden.id, "owner": golden.owner}
    elif record.category == "follow-up":
        st.caption("A follow-up: the conversation before it belongs to the question, so it is asked in Chat.")
        return
    target, icon = st.Page(compare.page, default=True), ":material/compare_arrows:"
    st.page_link(target, label="Open in Compare", icon=icon, query_params=query)


@titled(
    "Scoreboard",
    "Every stage on questions with known answers: what each gains over the one before, with 95 % intervals.",
)
def page(place: Workspace, _: str) -> None:
    """Choose a stored run or start one, read its intervals, and follow the questions that moved."""
    _offer_to_measure(place)
    if chosen := choose_run("run", place, "Nothing has been measured yet. Choose stages above and start."):
        _show(chosen[1])
        _show_moved(chosen[1])


def _offer_to_measure(place: Workspace) -> None:
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
