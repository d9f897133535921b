"""Evaluations: one at a time in the background of the app, the stored ones to choose from, and their table."""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st
from pandas import DataFrame  # type: ignore[import-untyped]  # Streamlit brings it

from lessons.errors import LessonsError
from lessons.evaluate.compare import LOWER_IS_BETTER
from lessons.evaluate.evaluation import (
    COMPARED,
    METRICS,
    USAGE,
    WITH_EVIDENCE,
    Evaluation,
    Record,
    cells,
    metric_values,
)
from lessons.evaluate.run import StoppedError, Watcher
from lessons.evaluate.runs import delete, load, runs, save, shipped
from lessons.pages import compare
from lessons.pages.asking import golden_named
from lessons.pages.common import choose, offer_to_delete
from lessons.pages.language import N_, _
from lessons.pages.verdict import what_is_new
from lessons.rag.workspace import Workspace
from lessons.tables import plain, plain_line

UNEXPECTED = N_("The evaluation broke off for an unexpected reason; the log has the details.")
INTERVAL_WIDTH = 130  # pixels of a mean with its interval

Name = int | str  # the number of a stored run, or the name of one that ships with the workbook
PLAIN_WORDS = {
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


# In the background


@dataclass
class Running:
    """How far an evaluation is. `number` is that of the stored run at the end, `problem` why it broke off."""

    label: str = N_("Beginning")
    share: float = 0.0  # from 0 to 1
    owner: str | None = None  # of a private run
    is_stopped: bool = False  # after the question that is being asked; what was answered up to then is stored
    number: int | None = None
    problem: str | None = None
    has_ended: bool = False

    def watch(self, label: str, count: int, total: int) -> None:
        """Take note of the progress; end the work if the reader has stopped it."""
        if self.is_stopped:
            raise StoppedError(N_("The evaluation was stopped before there was an answer to store."))
        self.label, self.share = f"{label}, {count} of {total}", count / total


def _measure(running: Running, work: Callable[[Watcher], Evaluation], workspace: Workspace) -> None:
    """Do the work and store the run; with an owner it is private."""
    try:
        running.number = save(work(running.watch), workspace.engine, running.owner)
    except LessonsError as error:
        running.problem = str(error)
    except Exception:
        logging.getLogger(__name__).exception("an evaluation broke off")
        running.problem = UNEXPECTED
    finally:
        running.has_ended = True


@st.cache_resource
def current() -> list[Running]:
    """Return the evaluation of this process, which every tab can watch and stop; empty if there is none."""
    return []


def start(work: Callable[[Watcher], Evaluation], workspace: Workspace, owner: str | None = None) -> None:
    """Begin in a thread, unless another tab was faster, and draw the page anew."""
    slot = current()
    if not slot or slot[0].has_ended:
        slot[:] = [Running(owner=owner)]
        threading.Thread(target=_measure, args=(slot[0], work, workspace), daemon=True).start()
    st.rerun()


def follow(key: str, owner: str | None = None) -> bool:
    """Show the running evaluation and return True while there is one; its outcome is reported on its own page.

    The number of its run is then in the session's state under `key`. Another owner's run may be seen, not stopped.
    """
    slot = current()
    if not slot:
        return False
    running = slot[0]
    if not running.has_ended:
        st.info(_("An evaluation is under way. The next one can begin when it has ended."))
        _show_progress(running.owner in (None, owner))
        return True
    if running.owner == owner:
        slot.remove(running)
        if running.problem:
            st.warning(plain(_(running.problem)))
        else:
            st.session_state[key] = running.number
            stopped = N_("Stopped. What was measured is stored as run {number}.")
            st.success(_(stopped if running.is_stopped else N_("Stored as run {number}."), number=running.number))
    return False


@st.fragment(run_every=1.0)
def _show_progress(may_stop: bool) -> None:
    slot = current()
    if not slot or slot[0].has_ended:
        st.rerun()
    st.progress(slot[0].share, plain(_(slot[0].label)))
    if may_stop and st.button(_("Stop measuring")):
        slot[0].is_stopped = True


# The stored ones


def choose_run(
    key: str, workspace: Workspace, message: str, owner: str | None = None
) -> tuple[Name, Evaluation] | None:
    """Choose a run, of an `owner` only private ones, and offer to delete it; show the message if there is none."""
    labels = run_labels(workspace, owner)
    if not labels:
        if message:
            st.info(message)
        return None
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"row of {key}"):
        name = choose(_("Runs"), labels, key=key)
        if isinstance(name, int):
            _offer_to_delete(name, key, workspace, owner)
    return name, load_run(name, workspace, owner)


def run_labels(workspace: Workspace, owner: str | None = None) -> dict[Name, str]:
    """Label stored runs, the latest first, and below them those that ship with the workbook."""
    rows = (row for row in runs(workspace.engine, owner) if row.user_id == owner)
    labels: dict[Name, str] = {row.id: _(str(row)) for row in rows}
    for name, run in shipped().items() if owner is None else ():
        labels[name] = _("reference · {run} · {at:%Y-%m-%d}", run=name, at=run.at)
    return labels


def short_name(name: Name) -> str:
    """Name a run in a sentence."""
    return _("run {number}", number=name) if isinstance(name, int) else name


def load_run(name: Name, workspace: Workspace, owner: str | None = None) -> Evaluation:
    """Load a stored or a shipped run."""
    return load(name, workspace.engine, owner) if isinstance(name, int) else shipped()[name]


def _offer_to_delete(number: int, key: str, workspace: Workspace, owner: str | None) -> None:
    def delete_run() -> None:
        delete(number, workspace.engine, owner)
        if names := [*run_labels(workspace, owner)]:
            st.session_state[key] = names[0]  # else the field goes on showing the deleted run
        else:
            del st.session_state[key]

    warning = _("Run {number} will be deleted with all its answers, for good.", number=number)
    offer_to_delete(_("Delete"), warning, delete_run)


# Their tables


def show_table(evaluation: Evaluation) -> list[str]:
    """Show every metric that has values, with times, calls, tokens and cost below; return the names of the metrics."""
    metrics = [metric for metric in METRICS if metric_values(evaluation.records, metric)]
    columns = evaluation.columns()
    rows = {metric: cells(columns, metric) for metric in metrics}
    for label, value in USAGE.items():
        rows[label] = ["" if name == WITH_EVIDENCE else _(value(summary)) for name, summary in columns.items()]
    names = {row: _(evaluation.label(row)) for row in rows}
    table = [{"": names[row], **dict(zip(columns, values, strict=True))} for row, values in rows.items()]
    compared = [] if evaluation.is_stopped else [metric for metric in metrics if metric in COMPARED]
    best = {names[metric]: _best_stages(evaluation, metric) for metric in compared}
    show_rows(table, "", evaluation, _("Means with 95 % intervals for each metric and stage"), best)
    legend = [_("Bold: the best of the stages.")] if best else []
    st.caption("  \n".join([*legend, *(plain(_(remark)) for remark in evaluation.remarks)]))
    with st.expander(_("The rows in plain words")):
        st.caption(in_plain_words(evaluation, rows))
    return metrics


def in_plain_words(evaluation: Evaluation, rows: Iterable[str]) -> str:
    """Explain the rows of the table, a line each, as Markdown."""
    explained = [row for row in rows if row in PLAIN_WORDS]
    lines = (f"**{plain_line(_(evaluation.label(row)))}** · {plain(_(PLAIN_WORDS[row]))}" for row in explained)
    return "\n\n".join(lines)


def _best_stages(evaluation: Evaluation, metric: str) -> list[str]:
    means = {stage: round(evaluation.summary(stage).means[metric], 2) for stage in evaluation.stages}
    best = (min if metric in LOWER_IS_BETTER else max)(means.values())
    return [stage for stage, mean in means.items() if mean == best]


def show_rows(
    rows: list[dict[str, str]], first: str, evaluation: Evaluation, alt: str, best: Mapping[str, Sequence[str]]
) -> None:
    """Show the whole table, its first column always in sight; in each row the cells of the `best` columns are bold."""
    table = DataFrame(rows).style.apply(
        lambda row: ["font-weight: bold" if name in best.get(row[first], ()) else "" for name in row.index], axis=1
    )
    helps = {name: what_is_new(name) for name in evaluation.stages}
    helps[WITH_EVIDENCE] = _("The model gets the evidence instead of searching for it.")
    config = {name: st.column_config.Column(_(name), width=INTERVAL_WIDTH, help=text) for name, text in helps.items()}
    config[first] = st.column_config.Column(_(first), pinned=True)
    st.dataframe(table, hide_index=True, height="content", column_config=config, alt=alt)


def show_records(records: Mapping[str, Record], metrics: Sequence[str], owner: str) -> None:
    """Show answers to one question side by side under their names, and a link to ask these stages again on Compare."""
    first, *_others = records.values()
    st.markdown(f"**{plain(first.question)}**")
    grid = st.grid(len(records), min_column_width=200, gap="small")
    for name, record in records.items():
        scores = (f"{_(metric)} {record.metrics[metric]:.2f}" for metric in metrics if metric in record.metrics)
        facts = *scores, f"{record.ms:,.0f} ms", _("{number:,} tokens", number=record.tokens)
        with grid.cell(), st.container(border=True):
            st.caption(plain(" · ".join([name, *facts])))
            st.markdown(plain(record.answer))
    stages = list(dict.fromkeys(record.stage.capitalize() for record in records.values()))
    query: dict[str, str | list[str]] = {"question": first.question, "owner": owner, "stages": stages}
    golden = golden_named(first.question_id)
    if golden and golden.question == first.question:
        query |= {"golden": golden.id, "owner": golden.owner}
    elif first.category == "follow-up":
        st.caption(_("A follow-up: the conversation before it belongs to the question, so it is asked in Chat."))
        return
    page, icon = st.Page(compare.page, default=True), ":material/compare_arrows:"
    st.page_link(page, label=_("Open in Compare"), icon=icon, query_params=query)
