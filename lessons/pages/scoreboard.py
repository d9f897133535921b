"""The scoreboard: how the stages did on golden questions, or on the reader's own, and question by question."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import streamlit as st
from pandas import DataFrame  # type: ignore[import-untyped]  # Streamlit brings it

from lessons.errors import LessonsError
from lessons.evaluate import evaluation
from lessons.evaluate.compare import PRIMARY, RULE, Gain
from lessons.evaluate.evaluation import Evaluation, Record, compare_records, metric_values
from lessons.evaluate.gates import gate_report
from lessons.evaluate.golden import Golden
from lessons.evaluate.judge import is_unanswerable
from lessons.evaluate.plots import OUTCOME_COLOURS, plot_metric, plot_outcomes
from lessons.evaluate.question_sets import EXAMPLE, read_questions
from lessons.evaluate.run import evaluate, unknown_files
from lessons.evaluate.runs import as_csv, as_jsonl
from lessons.library import indexes, shipped_documents
from lessons.pages.answer import REFUSAL_IS_RIGHT, show_records, sign_of
from lessons.pages.common import SIGNS, choose, choose_stages, titled
from lessons.pages.language import N_, _
from lessons.pages.runs import Board, Name, choose_run, follow, load_run, run_labels, start
from lessons.pages.verdict import FEWEST, what_is_new, worth
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.settings import settings
from lessons.tables import Table, counted, plain, plain_line

SETS = {"golden": N_("Golden questions"), "own": N_("Own questions")}
HELP = N_(
    "A table with the column question and, as far as you know them, answer, source_file, evidence and history; "
    "or JSON with these keys; or one question a line. The names that ragas and LlamaIndex use are understood, too."
)
CONCLUSIONS = {
    "better": N_("{stage} is better than {before}: {change}, at {times} times the tokens."),
    "worse": N_("{stage} is worse than {before}: {change}, at {times} times the tokens."),
}
LABEL_WIDTH, INTERVAL_WIDTH = 184, 118  # pixels of a metric's name, and of a mean with its interval
MATRIX_HEIGHT = 420  # pixels
OUTCOMES = {"✓": N_("right"), "◐": N_("partly right"), "○": N_("refused"), "✗": N_("wrong"), "·": N_("not judged")}
COLOURS = {SIGNS[outcome]: f"background-color: {colour}55" for outcome, colour in OUTCOME_COLOURS.items()}
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


@titled(
    N_("Scoreboard"),
    N_("Every stage on questions with known answers: what each gains over the one before, with 95 % intervals."),
    waits=False,
)
def page(workspace: Workspace, owner: str) -> None:
    """Choose golden questions, whose runs `lessons evaluate` stores, or own ones, which can be run here."""
    questions = st.segmented_control(
        _("Questions"),
        SETS,
        format_func=lambda name: _(SETS[name]),
        default="golden",
        key="question-set",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    private, is_running = (owner if questions == "own" else None), False
    if private:
        if "own-text" in st.session_state:  # while they are run the box is not drawn, and would be empty after it
            st.session_state["own-text"] = st.session_state["own-text"]
        words = N_("Your questions on your documents, through every stage. With answers, the stages are measured, too.")
        st.caption(_(words))
    top = st.empty()
    if private and not (is_running := follow("own-run", private)):
        _offer_to_run(workspace, private)
    if board := choose_run("own-run" if private else "run", workspace, private):
        if sentence := own_conclusion(board.run) if private else conclusion(board):
            top.info(plain(sentence))
        _show_run(board)
        _show_questions(board, workspace, private)
    elif not is_running:
        st.info(_("No questions of yours have been run yet. Give some above and press Run."))


# A run


def gains_of(run: Evaluation, *metrics: str) -> list[Gain]:
    """Compare each stage with the one before it."""
    return [gain for gain in run.gains(metrics) if gain.n]


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
        metric = _(run.label(gain.metric))
        facts = {"stage": stage.capitalize(), "before": before.capitalize(), "times": times, "metric": metric}
        if gain.verdict in CONCLUSIONS:
            change = f"{metric} {gain.baseline_mean:.2f} → {gain.candidate_mean:.2f}"
            better_ones.append(_(CONCLUSIONS[gain.verdict], change=change, **facts))
        else:
            unproven.append(_("{stage} than {before} by {metric} (at {times} times the tokens)", **facts))
    lasts = [_("Not shown to be better: {stages}.", stages=", ".join(unproven))] if unproven else []
    return " ".join([*better_ones, *lasts])


def own_conclusion(run: Evaluation) -> str:
    """Say which stage is worth its tokens on the questions whose answers are known; empty if these are too few."""
    right = {name: metric_values(run.of(name), "correctness") for name in run.stages}
    if run.is_stopped or len(right) < 2 or len(right[run.stages[0]]) < FEWEST:
        return ""
    return worth(right, {name: run.mean(name, "tokens") for name in run.stages})


def _show_run(board: Board) -> None:
    """Show the shares of right and wrong answers, every metric, and one of them more closely."""
    run, metrics = board.run, board.get(_measured)
    if "right" in metrics:
        alt = _("How each stage answered: right, half, refused or wrong, and wrong where the documents have no answer")
        board.show(plot_outcomes, alt)
    gains = [] if run.is_stopped else board.get(gains_of, *(name for name in metrics if name in evaluation.COMPARED))
    better = {(_(run.label(gain.metric)), gain.candidate) for gain in gains if gain.verdict == "better"}
    show_table(board.get(Evaluation.table, metrics), run, better)
    legend = [_("Bold: shown to be better than a stage before.")] if better else []
    st.caption("  \n".join([*legend, *(plain(_(remark)) for remark in run.remarks)]))
    with st.expander(_("The rows in plain words")):
        rows = [row for row in (*metrics, *evaluation.USAGE) if row in PLAIN_WORDS]
        st.caption("\n\n".join(f"**{plain_line(_(run.label(row)))}** · {plain(_(PLAIN_WORDS[row]))}" for row in rows))
    if metrics:
        _show_metric(board, metrics)
    with st.container(horizontal=True):
        csv, jsonl = as_csv(run).encode("utf-8-sig"), as_jsonl(run).encode()
        st.download_button(_("Download as CSV"), csv, f"run-{board.name}.csv", on_click="ignore")
        st.download_button(_("Download as JSONL"), jsonl, f"run-{board.name}.jsonl", on_click="ignore")


def _measured(run: Evaluation) -> tuple[str, ...]:
    """Return the metrics that have values."""
    return tuple(metric for metric in evaluation.METRICS if metric_values(run.records, metric))


def show_table(table: Table, run: Evaluation, better: Collection[tuple[str, str]] = ()) -> None:
    """Show a table of a run whole, its first column always in sight; bold are the rows and stages in `better`."""
    first, *_names = table.head
    styled = DataFrame(table.rows, columns=table.head).style.apply(
        lambda row: ["font-weight: bold" if (row[first], name) in better else "" for name in row.index], axis=1
    )
    helps = {name: what_is_new(name) for name in run.stages}
    helps[_(evaluation.WITH_EVIDENCE)] = _("The model gets the evidence instead of searching for it.")
    config = {name: st.column_config.Column(width=INTERVAL_WIDTH, help=text) for name, text in helps.items()}
    config[first] = st.column_config.Column(pinned=True, width=LABEL_WIDTH)
    st.dataframe(styled, hide_index=True, height="content", column_config=config, alt=table.caption)


def _show_metric(board: Board, metrics: Sequence[str]) -> None:
    run = board.run
    metric = choose(_("Metric"), {name: _(run.label(name)) for name in metrics}, key="metric")
    board.show(plot_metric, _("{metric} of every stage with its interval", metric=_(metric)), metric)
    gains = board.get(gains_of, metric)
    st.markdown("  \n".join(plain(str(gain).removeprefix(f"{_(metric)}: ")) for gain in gains))
    if gains:
        st.caption(plain(_(RULE)))
    with st.expander(_("By category and language")):
        show_table(board.get(Evaluation.group_table, metric), run)
    with st.expander(_("What the stages promise")):
        st.markdown("  \n".join(plain(str(gate)) for gate in board.get(gate_report) if gate.number))


# Question by question

Row = Mapping[str, Record]  # the answers to a question, under the names of stages


def _show_questions(board: Board, workspace: Workspace, owner: str | None) -> None:
    """Show every question in colours, of this run or beside another one, and the answers to the chosen one."""
    st.header(_("Question by question"), anchor=False)
    labels = {board.name: "", **run_labels(workspace, owner)} | {board.name: _("this run")}
    if (other := choose(_("Compared with"), labels, key="compared-with")) == board.name:
        answers = zip(*map(board.run.of, board.run.stages), strict=False)
        rows: list[Row] = [{record.stage: record for record in records} for records in answers]
    else:
        rows, gains = board.get(_rows_beside, board.name, load_run(other, workspace, owner))
        if not gains:
            st.info(_("These two have answered no question in common for which this metric is known. Choose others."))
            return
        st.markdown("  \n".join(plain(str(gain)) for gain in gains))
        st.caption(_("Questions that became worse come first."))
    st.caption(_("Choose a row to read the answers."))
    first = next(iter(rows), None) if owner else None
    if row := _show_matrix(rows, with_answers=owner is not None) or first:
        show_records(row, ["correctness", "groundedness"], owner or settings().user)


def _rows_beside(run: Evaluation, name: Name, other: Board) -> tuple[list[Row], list[Gain]]:
    """Return what both runs have answered by the same stages, losses first, and what each stage gained or lost."""
    gains, columns = list[Gain](), dict[str, dict[str, Record]]()
    for stage in (stage for stage in run.stages if stage in other.run.stages):
        names, old, new = (_column(stage, other.name), _column(stage, name)), other.run.of(stage), run.of(stage)
        gains.append(compare_records(old, new, "correctness", *names))
        for column, records in zip(names, (old, new), strict=True):
            columns[column] = {record.question_id: record for record in records}
    ids = [id for id in next(iter(columns.values()), {}) if all(id in column for column in columns.values())]
    rows: list[Row] = [{name: column[id] for name, column in columns.items()} for id in ids]
    return sorted(rows, key=_gained), [gain for gain in gains if gain.n]


def _column(stage: str, name: Name) -> str:
    run = _("run {number}", number=name) if isinstance(name, int) else name
    return f"{stage} ({run})"


def _gained(row: Row) -> float:
    """Add up what the stages of a new run gained on a question."""
    values = metric_values(row.values(), "correctness")
    return sum(values[1::2]) - sum(values[::2])


def _show_matrix(rows: Sequence[Row], with_answers: bool) -> Row | None:
    """Show how each question was answered, in colours, a row each; return the row that is chosen."""
    if not rows:
        return None
    table = [
        {name: f"{sign_of(record)} {record.answer if with_answers else ''}".strip() for name, record in row.items()}
        | {_("question"): next(iter(row.values())).question}
        for row in rows
    ]
    styled = DataFrame(table).style.map(lambda text: COLOURS.get(text[0], ""), subset=[*rows[0]])
    alt, key = _("How each stage answered each question"), "matrix"
    how: dict[str, Any] = {"on_select": "rerun", "selection_mode": "single-row", "height": MATRIX_HEIGHT}
    chosen = st.dataframe(styled, hide_index=True, key=key, alt=alt, **how).selection.rows
    st.caption(plain(" · ".join(f"{sign} {_(words)}" for sign, words in OUTCOMES.items())))
    return rows[chosen[0]] if chosen and chosen[0] < len(rows) else None


# Own questions


def _offer_to_run(workspace: Workspace, owner: str) -> None:
    megabytes = max(1, settings().max_file_bytes // 1_000_000)
    label = _("A file of questions: CSV, TSV, JSON or TXT, up to {megabytes} MB", megabytes=megabytes)
    formats = ["csv", "tsv", "json", "jsonl", "txt"]
    upload = st.file_uploader(label, formats, help=_(HELP), key="own-file", max_upload_size=megabytes)
    text = st.text_area(_("Or paste them here"), key="own-text", height=120, placeholder=EXAMPLE, help=_(HELP))
    questions, is_unusable = list[Golden](), False
    if upload or text.strip():
        try:
            content, name = (upload.getvalue(), upload.name) if upload else (text, "")
            questions = _preview(content, name, workspace, owner)
        except LessonsError as error:
            st.error(plain(_(str(error))))
            is_unusable = True
    stages = choose_stages("own-stages")
    # Without questions it is enabled all the same: disabled, it would lose the click that ends the typing.
    if st.button(_("Run"), type="primary", disabled=is_unusable or not stages):
        if questions:
            work = partial(evaluate, stages, workspace=workspace, own_questions=questions)
            start(lambda watch: work(watch=watch), workspace, owner)
        st.info(_("Give at least one question: a file, or lines in the box."))


def _preview(content: bytes | str, name: str, workspace: Workspace, owner: str) -> list[Golden]:
    """Show what was read of a question file before it is run: its questions, what is used of it, and what is not."""
    notes = list[str]()
    questions = read_questions(content, owner, name, notes.append)
    with_answer = sum(bool(golden.answer) for golden in questions)
    with_source = sum(bool(golden.evidence) for golden in questions)
    number = counted(len(questions), "question")
    st.caption(_(f"{number}, {with_answer} with an answer, {with_source} with a source."))
    text = content if isinstance(content, str) else content.decode("latin-1")  # only its lines count
    lines = [line for line in text.splitlines() if line.strip(' ,;\t"')]
    if '"' in text and text.lstrip()[:1] not in "{[" and len(lines) - len(questions) > 1:  # one is the head
        joined = N_("Of {lines} lines, {number} are questions: a quotation mark that is not closed joins lines.")
        notes.append(_(joined, lines=len(lines), number=len(questions)))
    stored = {row.source_file for index in indexes() for row in workspace.store(index).documents(Scope(owner))}
    stored |= {row["path"] for row in shipped_documents() if row["owner"] == owner}  # loaded by the first run
    for note in [*notes, *(unknown_files(questions, stored) if with_source else [])]:
        st.warning(plain(_(note)))
    with st.expander(_("What was read"), expanded=True):
        rows = [_used(golden, stored) for golden in questions]
        used = [name for name in rows[0] if any(row[name] for row in rows)]
        table = [{name: row[name] for name in used} for row in rows]
        st.dataframe(table, hide_index=True, alt=_("The questions as they were read"))
    return questions


def _used(golden: Golden, stored: Collection[str]) -> dict[str, str]:
    """Return what is used of a question; a source is marked by whether it is a document of the owner's."""
    files = dict.fromkeys(row.source_file for row in golden.evidence)
    return {
        _("question"): golden.question,
        _("expected answer"): golden.answer or (_(REFUSAL_IS_RIGHT) if is_unanswerable(golden) else ""),
        _("source"): ", ".join(f"{'✓' if name in stored else '✗'} {name}" for name in files),
        _("evidence"): " · ".join(row.quote for row in golden.evidence if row.quote),
        _("earlier"): " · ".join(text for _role, text in golden.history),
    }
