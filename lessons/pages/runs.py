"""Evaluations: one at a time in the background of the app, the stored ones to choose from, and their table."""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st
from pandas import DataFrame  # type: ignore[import-untyped]  # Streamlit brings it

from lessons.errors import LessonsError
from lessons.evaluate.compare import LOWER_IS_BETTER
from lessons.evaluate.evaluation import COMPARED, METRICS, WITH_EVIDENCE, Evaluation, Record, cells, measured
from lessons.evaluate.report import PLAIN
from lessons.evaluate.run import StoppedError, Watcher
from lessons.evaluate.runs import delete, load, rename, runs, save, shipped
from lessons.pages import compare
from lessons.pages.asking import golden_named
from lessons.pages.common import choose, finish_button, offer_to_delete, show_dialog
from lessons.pages.language import N_, _
from lessons.pages.verdict import what_is_new
from lessons.rag.workspace import Workspace
from lessons.tables import plain, plain_line

UNEXPECTED = N_("The evaluation broke off for an unexpected reason; the log has the details.")
INTERVAL = 130  # pixels, which a mean with its interval takes

Name = int | str  # the number of a stored run, or the name of one that ships with the workbook
MEANS = {
    "recall@5": N_("share of the evidence among the first 5 chunks"),
    "all@1000tok": N_("all evidence within the first 1,000 tokens"),
    "all@2500tok": N_("all evidence within the first 2,500 tokens"),
    "all@10": N_("questions with all of their evidence among the first 10 chunks"),
    "mrr@10": N_("1 where the first chunk has evidence, 1/2 where the second is the first that has, …"),
    "ndcg@10": N_("how far up the evidence stands; 1 is the best order"),
    "doc_recall@5": N_("share of the documents with evidence among the first 5 chunks"),
    "correctness": N_("right answers, half a point for those partly right"),
    "right": N_("share of the questions with an answer that are answered in full"),
    "half": N_("share of them of which a third or more of the answer is given"),
    "refused": N_("share of them where the answer says that the documents do not tell"),
    "wrong": N_("share of them that are answered with something else"),
    "wrong_unanswerable": N_("share of the questions without an answer that were answered all the same"),
    "belonging": N_("share of the quoted sentences that hold a key fact or stand in the evidence"),
    "groundedness": N_("share of what is said that stands in the cited chunks"),
    "p50 (ms)": N_("half of the answers came within this time"),
    "p95 (ms)": N_("19 of 20 answers came within this time"),
    "steps by": N_("which model did the steps"),
    "model calls": N_("calls to the model for one answer"),
    "tokens": N_("tokens in and out for one answer"),
    "US$ per 1,000": N_("price of a thousand answers at the prices of the settings"),
}
"""What the rows of the table count, in plain words."""


@dataclass
class Running:
    """How far an evaluation is. `number` is that of the stored run once it is done, `problem` why it broke off."""

    label: str = N_("Beginning")
    share: float = 0.0  # from 0 to 1
    owner: str | None = None  # of a private run
    is_stopped: bool = False  # after the question that is being asked; what was answered up to then is stored
    number: int | None = None
    problem: str | None = None
    ended: bool = False

    def watch(self, label: str, done: int, total: int) -> None:
        """Take note of the progress; ends the work if the reader has stopped it."""
        if self.is_stopped:
            raise StoppedError(N_("The evaluation was stopped before there was an answer to store."))
        self.label, self.share = f"{label}, {done} of {total}", done / total


def _measure(running: Running, work: Callable[[Watcher], Evaluation], place: Workspace) -> None:
    """Do the work and store the run when it is done; with an owner it is private."""
    try:
        running.number = save(work(running.watch), place.engine, running.owner)
    except LessonsError as error:
        running.problem = str(error)
    except Exception:
        logging.getLogger(__name__).exception("an evaluation broke off")
        running.problem = UNEXPECTED
    finally:
        running.ended = True


@st.cache_resource
def current() -> list[Running]:
    """The evaluation of this process, which every tab can watch and stop; empty if there is none."""
    return []


def follow(key: str, owner: str | None = None) -> bool:
    """Show the evaluation that is running, if one is. Once it has ended, its outcome is told on its own page.

    The number of its run is then in the session's state under `key`. Another owner's run may be seen, not stopped.
    """
    if not (found := current()):
        return False
    running = found[0]
    if not running.ended:
        st.info(_("An evaluation is under way. The next one can begin when it has ended."))
        _progress(running.owner in (None, owner))
        return True
    if running.owner == owner:
        found.remove(running)
        if running.problem:
            st.warning(plain(_(running.problem)))
        else:
            st.session_state[key] = running.number
            stopped, whole = N_("Stopped. What was measured is stored as run {number}."), N_("Stored as run {number}.")
            st.success(_(stopped if running.is_stopped else whole, number=running.number))
    return False


def start(work: Callable[[Watcher], Evaluation], place: Workspace, owner: str | None = None) -> None:
    """Begin in a thread, unless another tab was faster, and draw the page anew."""
    found = current()
    if not found or found[0].ended:
        found[:] = [Running(owner=owner)]
        threading.Thread(target=_measure, args=(found[0], work, place), daemon=True).start()
    st.rerun()


@st.fragment(run_every=1.0)
def _progress(may_stop: bool) -> None:
    found = current()
    if not found or found[0].ended:
        st.rerun()
    st.progress(found[0].share, plain(_(found[0].label)))
    if may_stop and st.button(_("Stop measuring")):
        found[0].is_stopped = True


def choose_run(key: str, place: Workspace, none: str, owner: str | None = None) -> tuple[Name, Evaluation] | None:
    """A run, an `owner`'s private ones only, with its number or name, which can be changed; else `none` is said."""
    known = known_runs(place, owner)
    if not known:
        if none:
            st.info(none)
        return None
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"row of {key}"):
        name = choose(_("Runs"), known, key=key)
        if isinstance(name, int):
            _offer_to_change(name, key, place, owner)
    return name, loaded(name, place, owner)


def known_runs(place: Workspace, owner: str | None = None) -> dict[Name, str]:
    """What stored runs are called, the latest first, and below them those that ship with the workbook."""
    mine = (row for row in runs(place.engine, owner) if row.user_id == owner)
    known: dict[Name, str] = {row.id: " · ".join(filter(None, [row.note, _(str(row))])) for row in mine}
    for name, run in shipped().items() if owner is None else ():
        known[name] = _("reference · {run} · {at:%Y-%m-%d}", run=name, at=run.at)
    return known


def short_name(name: Name) -> str:
    """What a run is called in a sentence."""
    return _("run {number}", number=name) if isinstance(name, int) else name


def loaded(name: Name, place: Workspace, owner: str | None = None) -> Evaluation:
    return load(name, place.engine, owner) if isinstance(name, int) else shipped()[name]


def _offer_to_change(number: int, key: str, place: Workspace, owner: str | None) -> None:
    def deleted() -> None:
        delete(number, place.engine, owner)
        if left := [*known_runs(place, owner)]:
            st.session_state[key] = left[0]  # else the field goes on showing this one
        else:
            del st.session_state[key]

    if st.button(_("Name"), icon=":material/edit:"):
        show_dialog(_("Name"), _show_name, number, key, place, owner)
    warning = _("Run {number} will be deleted with all its answers, for good.", number=number)
    offer_to_delete(_("Delete"), warning, deleted)


def _show_name(number: int, key: str, place: Workspace, owner: str | None) -> None:
    field, row = f"note of {number}", next(row for row in runs(place.engine, owner) if row.id == number)

    def save() -> None:
        rename(number, st.session_state[field], place.engine, owner)
        st.session_state[key] = number  # else the field goes on showing the name before

    with st.form("name", border=False):
        st.text_input(_("A name or a note for this run"), row.note or "", max_chars=80, key=field)
        finish_button(_("Save"), save, st.form_submit_button)


def show_table(evaluation: Evaluation) -> list[str]:
    """Every metric that has values, with times, calls, tokens and cost below; gives the names of the metrics."""
    known = [metric for metric in METRICS if measured(evaluation.records, metric)]
    columns = evaluation.columns()
    rows = {metric: cells(columns, metric) for metric in known}
    for label, value in PLAIN.items():
        rows[label] = ["" if name == WITH_EVIDENCE else _(value(summary)) for name, summary in columns.items()]
    names = {row: _(evaluation.label(row)) for row in rows}
    table = [{"": names[row], **dict(zip(columns, values, strict=True))} for row, values in rows.items()]
    best = {} if evaluation.is_stopped else {names[each]: _best(evaluation, each) for each in known if each in COMPARED}
    show_rows(table, "", evaluation, _("Means with 95 % intervals for each metric and stage"), best)
    bold = [_("Bold: the best of the stages.")] if best else []
    st.caption("  \n".join([*bold, *(plain(_(each)) for each in evaluation.remarks)]))
    with st.expander(_("The rows in plain words")):
        st.caption(in_plain_words(evaluation, rows))
    return known


def in_plain_words(evaluation: Evaluation, rows: Iterable[str]) -> str:
    """What rows of the table count, a line each, as Markdown."""
    known = [row for row in rows if row in MEANS]
    return "\n\n".join(f"**{plain_line(_(evaluation.label(row)))}** · {plain(_(MEANS[row]))}" for row in known)


def _best(evaluation: Evaluation, metric: str) -> list[str]:
    means = {stage: round(evaluation.summary(stage).means[metric], 2) for stage in evaluation.stages}
    best = (min if metric in LOWER_IS_BETTER else max)(means.values())
    return [stage for stage, mean in means.items() if mean == best]


def show_rows(
    rows: list[dict[str, str]], first: str, evaluation: Evaluation, alt: str, best: Mapping[str, Sequence[str]]
) -> None:
    """The whole table, its first column always in sight; of each row the cells of the `best` columns are bold."""
    table = DataFrame(rows).style.apply(
        lambda row: ["font-weight: bold" if name in best.get(row[first], ()) else "" for name in row.index], axis=1
    )
    helps = {name: what_is_new(name) for name in evaluation.stages}
    helps[WITH_EVIDENCE] = _("The model gets the evidence instead of searching for it.")
    known = {name: st.column_config.Column(_(name), width=INTERVAL, help=told) for name, told in helps.items()}
    known[first] = st.column_config.Column(_(first), pinned=True)
    st.dataframe(table, hide_index=True, height="content", column_config=known, alt=alt)


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
