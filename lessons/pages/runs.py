"""Evaluations: one at a time in the background of the app, the stored ones to choose from, and their table."""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeVar

import streamlit as st
from matplotlib.figure import Figure
from pandas import DataFrame  # type: ignore[import-untyped]  # Streamlit brings it

from lessons.errors import LessonsError
from lessons.evaluate.compare import PRIMARY, Gain
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
from lessons.pages.asking import golden_named
from lessons.pages.common import Picture, choose, draw, offer_to_delete, pages, show_picture
from lessons.pages.language import N_, _, language
from lessons.pages.verdict import what_is_new
from lessons.rag.workspace import Workspace
from lessons.tables import plain, plain_line

CONCLUSIONS = {
    "better": N_("{stage} is better than {before}: {change}, at {times} times the tokens."),
    "worse": N_("{stage} is worse than {before}: {change}, at {times} times the tokens."),
}
UNEXPECTED = N_("The evaluation broke off for an unexpected reason; the log has the details.")
MATRIX_HEIGHT = 420  # pixels
OUTCOMES_SHOWN = {
    "✓": ("#2e9e4f55", N_("right")),
    "◐": ("#d9a40055", N_("partly right")),
    "○": ("#88888855", N_("refused")),
    "✗": ("#d63b3b55", N_("wrong")),
    "·": ("transparent", N_("not judged")),
}
"""The signs of outcomes, with their colours and names."""
INTERVAL_WIDTH = 130  # pixels of a mean with its interval

Result = TypeVar("Result")
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


def choose_run(key: str, workspace: Workspace, message: str, owner: str | None = None) -> tuple[Name, "Board"] | None:
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


@dataclass(frozen=True)
class Board:
    """A run, and what has been computed of it: every click draws the page anew, and intervals take seconds."""

    run: Evaluation
    _results: dict[tuple[object, ...], Any] = field(default_factory=dict)

    def get(self, compute: Callable[..., Result], *arguments: str) -> Result:
        """Return what `compute` makes of the run, with its words in the language of the page."""
        key = compute, language(), *arguments
        if key not in self._results:
            self._results[key] = compute(self.run, *arguments)
        return self._results[key]

    def show(self, plot: Callable[..., Figure], alt: str, *arguments: str) -> None:
        """Show a plot of the run."""
        show_picture(self.get(_drawn, plot, *arguments), alt)  # type: ignore[arg-type]


def _drawn(run: Evaluation, plot: Callable[..., Figure], *arguments: str) -> Picture:
    return draw(plot(run, *arguments))


def gains_of(run: Evaluation, *metrics: str) -> list[Gain]:
    """Compare each stage with the one before it."""
    return [gain for gain in run.gains(metrics) if gain.n]


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


@st.cache_resource(max_entries=20, show_spinner=False)
def load_run(name: Name, _workspace: Workspace, owner: str | None = None) -> Board:
    """Load a stored or a shipped run; neither ever changes."""
    return Board(load(name, _workspace.engine, owner) if isinstance(name, int) else shipped()[name])


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


def show_table(board: Board) -> list[str]:
    """Show every metric that has values, with times, calls, tokens and cost below; return the names of the metrics."""
    evaluation = board.run
    metrics = [metric for metric in METRICS if metric_values(evaluation.records, metric)]
    columns = board.get(Evaluation.columns)
    rows = {metric: cells(columns, metric) for metric in metrics}
    for label, value in USAGE.items():
        rows[label] = ["" if name == WITH_EVIDENCE else _(value(summary)) for name, summary in columns.items()]
    names = {row: _(evaluation.label(row)) for row in rows}
    table = [{"": names[row], **dict(zip(columns, values, strict=True))} for row, values in rows.items()]
    better: dict[str, list[str]] = {}
    for gain in [] if evaluation.is_stopped else board.get(gains_of, *(row for row in metrics if row in COMPARED)):
        if gain.verdict == "better":
            better.setdefault(names[gain.metric], []).append(gain.candidate)
    show_rows(table, "", evaluation, _("Means with 95 % intervals for each metric and stage"), better)
    legend = [_("Bold: shown to be better than a stage before.")] if better else []
    st.caption("  \n".join([*legend, *(plain(_(remark)) for remark in evaluation.remarks)]))
    with st.expander(_("The rows in plain words")):
        st.caption(in_plain_words(evaluation, rows))
    return metrics


def conclusion(board: Board) -> str:
    """Say which stages are shown to be better than the one before, which ones are not, and at what cost."""
    run, better_ones, unproven = board.run, list[str](), list[str]()
    if run.is_stopped or len(run.stages) < 2:
        return ""
    gains = {(row.baseline, row.candidate, row.metric): row for row in board.get(gains_of, *PRIMARY.values())}
    for before, stage in pairwise(run.stages):
        if not (gain := gains.get((before, stage, PRIMARY.get((before, stage), "correctness")))):
            continue
        times = f"{run.mean(stage, 'tokens') / max(1.0, run.mean(before, 'tokens')):.1f}"
        facts = {"stage": stage.capitalize(), "before": before.capitalize(), "times": times}
        if gain.verdict in CONCLUSIONS:
            change = f"{_(run.label(gain.metric))} {gain.baseline_mean:.2f} → {gain.candidate_mean:.2f}"
            better_ones.append(_(CONCLUSIONS[gain.verdict], change=change, **facts))
        else:
            unproven.append(_("{stage} than {before} (at {times} times the tokens)", **facts))
    lasts = [_("Not shown to be better: {stages}.", stages=", ".join(unproven))] if unproven else []
    return " ".join([*better_ones, *lasts])


def in_plain_words(evaluation: Evaluation, rows: Iterable[str]) -> str:
    """Explain the rows of the table, a line each, as Markdown."""
    explained = [row for row in rows if row in PLAIN_WORDS]
    lines = (f"**{plain_line(_(evaluation.label(row)))}** · {plain(_(PLAIN_WORDS[row]))}" for row in explained)
    return "\n\n".join(lines)


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


def show_matrix(
    rows: Sequence[Mapping[str, Record]], key: str, with_answers: bool = False
) -> Mapping[str, Record] | None:
    """Show how each question was answered, in colours, a row each; return the row that is chosen."""
    if not rows:
        return None
    table = [
        {name: f"{_sign(row)} {row.answer if with_answers else ''}".strip() for name, row in records.items()}
        | {_("question"): next(iter(records.values())).question}
        for records in rows
    ]
    colours = [{name: OUTCOMES_SHOWN[_sign(row)][0] for name, row in records.items()} for records in rows]
    styled = DataFrame(table).style.apply(
        lambda column: [f"background-color: {row[column.name]}" if column.name in row else "" for row in colours]
    )
    legend = " · ".join(f"{sign} {_(words)}" for sign, (_colour, words) in OUTCOMES_SHOWN.items())
    alt = _("How each stage answered each question")
    event = st.dataframe(
        styled, hide_index=True, on_select="rerun", selection_mode="single-row", key=key, alt=alt, height=MATRIX_HEIGHT
    )
    st.caption(plain(legend))
    selected_rows = event.selection.rows
    return rows[selected_rows[0]] if selected_rows and selected_rows[0] < len(rows) else None


def _sign(record: Record) -> str:
    """Return the sign of an outcome; to refuse is right where the documents do not say."""
    if record.outcome == "refused" and not record.answerable:
        return "✓"
    return {"right": "✓", "half": "◐", "refused": "○", "wrong": "✗"}.get(record.outcome, "·")


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
    if compare := pages.get("compare"):
        page, icon = st.Page(compare, default=True), ":material/compare_arrows:"
        st.page_link(page, label=_("Open in Compare"), icon=icon, query_params=query)
