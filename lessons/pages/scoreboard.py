"""The scoreboard: how the stages did on golden questions, or on the reader's own, and question by question."""

from collections.abc import Collection

import streamlit as st

from lessons.errors import LessonsError
from lessons.evaluate.compare import RULE
from lessons.evaluate.evaluation import Evaluation, Summary, cells, compare_records, metric_values, moved_records
from lessons.evaluate.gates import gate_report
from lessons.evaluate.golden import Golden
from lessons.evaluate.plots import plot_groups, plot_metric, plot_outcomes
from lessons.evaluate.question_sets import EXAMPLE, read_questions
from lessons.evaluate.run import evaluate, unknown_files
from lessons.evaluate.runs import as_csv, as_jsonl
from lessons.library import indexes, shipped_documents
from lessons.pages import runs
from lessons.pages.common import choose, choose_stages, titled
from lessons.pages.language import N_, _
from lessons.pages.marks import FEWEST
from lessons.pages.verdict import worth
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.settings import settings
from lessons.tables import counted, plain

SETS = {"golden": N_("Golden questions"), "own": N_("Own questions")}
VIEWS = {
    "all": N_("All questions"),
    "category": N_("By category"),
    "language": N_("By language"),
}
HELP = N_(
    "A table with the column question and, as far as you know them, answer, source_file, evidence and history; "
    "or JSON with these keys; or one question a line. The names that ragas and LlamaIndex use are understood, too."
)


@titled(
    N_("Scoreboard"),
    N_("Every stage on questions with known answers: what each gains over the one before, with 95 % intervals."),
    waits=False,
)
def page(workspace: Workspace, owner: str) -> None:
    """Choose golden questions, whose runs `lessons evaluate` stores, or own ones, which can be run here."""
    labels = {name: _(label) for name, label in SETS.items()}
    questions = st.segmented_control(
        _("Questions"),
        labels,
        format_func=labels.__getitem__,
        default="golden",
        key="question-set",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    if questions == "own":
        _own_questions(workspace, owner)
    else:
        _golden_questions(workspace)


# Golden questions


def _golden_questions(workspace: Workspace) -> None:
    runs.follow("run")
    if not (selected := runs.choose_run("run", workspace, "")):
        return
    number, board = selected
    _show_conclusion(runs.conclusion(board))
    alt = _("How each stage answered: right, half, refused or wrong, and wrong where the documents have no answer")
    board.show(plot_outcomes, alt)
    _show_metric(board, runs.show_table(board))
    _show_questions(number, board, workspace)


def _show_conclusion(sentence: str) -> None:
    with st.container(key="verdict"):
        st.markdown(plain(sentence))


def _show_metric(board: runs.Board, metrics: list[str]) -> None:
    """Show one metric from one side; only what is selected is computed."""
    run = board.run
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    words, views = runs.in_plain_words(run, metrics), {name: _(label) for name, label in VIEWS.items()}
    with left:
        metric = choose(_("Metric"), {name: _(run.label(name)) for name in metrics}, key="metric", help=words)
    with right:
        view = st.segmented_control(
            _("View"), views, format_func=views.__getitem__, default="all", key="view", required=True
        )
    if view == "all":
        board.show(plot_metric, _("{metric} of every stage with its interval", metric=_(metric)), metric)
        for gain in board.get(runs.gains_of, metric):
            st.markdown(plain(str(gain).removeprefix(f"{_(metric)}: ")))
        st.caption(plain(_(RULE)))
        with st.expander(_("What the stages promise")):
            st.markdown("  \n".join(plain(str(gate)) for gate in board.get(gate_report) if gate.number))
    else:
        alt = _("{metric} of every stage by {group}, as in the table below", metric=_(metric), group=_(view))
        board.show(plot_groups, alt, metric, view)
        columns = {name: board.get(_group, view, name) for name in run.groups(view)}
        rows = [{view: _(name), **dict(zip(of, cells(of, metric), strict=True))} for name, of in columns.items()]
        alt = _("{metric} with 95 % intervals for each {group} and stage", metric=_(metric), group=_(view))
        runs.show_rows(rows, view, run, alt, {})


def _group(run: Evaluation, by: str, name: str) -> dict[str, Summary]:
    return run.columns(**{by: name})


def _show_questions(number: runs.Name, board: runs.Board, workspace: Workspace) -> None:
    """Show every question in colours, of this run or of a stage in two runs, and the answers to the chosen one."""
    st.header(_("Question by question"), anchor=False)
    other_runs = {name: label for name, label in runs.run_labels(workspace).items() if name != number}
    labels = {number: _("this run")} | other_runs
    last = st.session_state.get("compared-with")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        begin = [*labels].index(last) if last in labels else 0
        name = choose(_("Compared with"), labels, index=begin, key=f"other than {number}")
        st.session_state["compared-with"] = name if name != number else None
        old, new = board.run if name == number else runs.load_run(name, workspace).run, board.run
        suffixes = ("", "") if name == number else (f" ({runs.short_name(name)})", f" ({runs.short_name(number)})")
        shared = [stage for stage in new.stages if stage in old.stages]
        last_shared = new.stages.index([*new.stages, *shared][-1])
        stage = st.selectbox(_("Stage"), new.stages, index=last_shared, key=f"moved-to {name} {number}")
        options = [name for name in old.stages if old is not new or name != stage]
        if not options:
            return
        begin = len(options) - 1 if stage not in options else options.index(stage)
        against = st.selectbox(_("Against"), options, index=begin, key=f"moved-from {old is new} {stage}")
        only_worse = st.toggle(_("Regressions only"), key="regressions", help=_("Only questions that became worse."))
    names = against + suffixes[0], stage + suffixes[1]
    gain = compare_records(old.of(against), new.of(stage), "correctness", *names)
    if not gain.n:
        st.info(_("These two have answered no question in common for which this metric is known. Choose others."))
        return
    moved = moved_records(old.of(against), new.of(stage), "correctness")
    up = sum(later.value("correctness") > earlier.value("correctness") for earlier, later in moved)
    counts = {"up": up, "down": len(moved) - up}
    st.markdown(f"**{plain(str(gain))}** " + _("{up} up, {down} down. Choose a row to read the answers.", **counts))
    worse = {later.question_id for _earlier, later in moved[up:]}
    if old is new:
        rows = [{row.stage: row for row in group} for group in zip(*map(new.of, new.stages), strict=False)]
    else:
        by_id = {record.question_id: record for record in old.of(against)}
        pairs = ((by_id.get(record.question_id), record) for record in new.of(stage))
        rows = [dict(zip(names, pair, strict=True)) for pair in pairs if pair[0]]
    if only_worse:
        rows = [row for row in rows if row[names[1]].question_id in worse]
    if row_chosen := runs.show_matrix(rows, "moved-rows"):
        runs.show_records(row_chosen, ["correctness"], settings().user)


# Own questions


def _own_questions(workspace: Workspace, owner: str) -> None:
    st.caption(_("Your questions on your documents, through every stage. With answers, the stages are measured, too."))
    top, message = st.container(), ""
    if not runs.follow("own-run", owner):
        _offer_to_run(workspace, owner)
        message = _("No questions of yours have been run yet. Give some above and press Run.")
    if selected := runs.choose_run("own-run", workspace, message, owner):
        with top:
            _show_conclusion(_own_conclusion(selected[1].run))
        _show_own_run(selected[1], selected[0], owner)


def _offer_to_run(workspace: Workspace, owner: str) -> None:
    megabytes = max(1, settings().max_file_bytes // 1_000_000)
    upload = st.file_uploader(
        _("A file of questions: CSV, TSV, JSON or TXT, up to {megabytes} MB", megabytes=megabytes),
        ["csv", "tsv", "json", "jsonl", "txt"],
        help=_(HELP),
        key="own-file",
        max_upload_size=megabytes,
    )
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
            runs.start(
                lambda watch: evaluate(stages, watch=watch, workspace=workspace, own_questions=questions),
                workspace,
                owner,
            )
        st.info(_("Give at least one question: a file, or lines in the box."))


def _preview(content: bytes | str, name: str, workspace: Workspace, owner: str) -> list[Golden]:
    """Show what was read of a question file before it is run: its questions, what is used of it, and what is not."""
    notes = list[str]()
    questions = read_questions(content, owner, name, notes.append)
    with_answer = sum(bool(golden.answer) for golden in questions)
    with_source = sum(bool(golden.evidence) for golden in questions)
    number = counted(len(questions), "question")
    st.caption(_(f"{number}, {with_answer} with an answer, {with_source} with a source."))
    lines = [line for line in content.splitlines() if line.strip()]
    is_json = bool(lines) and lines[0].lstrip()[:1] in (b"{", b"[", "{", "[")
    if not is_json and len(lines) - len(questions) > 1:  # one is the head
        joined = N_("Of {lines} lines, {number} are questions: a quotation mark that is not closed joins lines.")
        notes.append(_(joined, lines=len(lines), number=len(questions)))
    stored = {row.source_file for index in indexes() for row in workspace.store(index).documents(Scope(owner))}
    stored |= {row["path"] for row in shipped_documents() if row["owner"] == owner}  # loaded by the first run
    unknown = unknown_files(questions, stored) if with_source else []
    for note in [*notes, *unknown]:
        st.warning(plain(_(note)))
    rows = [_used(golden, stored) for golden in questions]
    with st.expander(_("What was read"), expanded=True):
        st.dataframe(rows, hide_index=True, alt=_("The questions as they were read"))
    return questions


def _used(golden: Golden, stored: Collection[str]) -> dict[str, str]:
    """Return what is used of a question; a source is marked by whether it is a document of the owner's."""
    files = dict.fromkeys(row.source_file for row in golden.evidence)
    cells = {
        _("question"): golden.question,
        _("answer"): golden.answer,
        _("source"): ", ".join(f"{'✓' if name in stored else '✗'} {name}" for name in files),
        _("evidence"): " · ".join(row.quote for row in golden.evidence if row.quote),
        _("earlier"): " · ".join(text for _role, text in golden.history),
    }
    return {name: text for name, text in cells.items() if text}


def _own_conclusion(run: Evaluation) -> str:
    """Say which stage is worth its tokens on the questions whose answers are known; empty if these are too few."""
    right = {name: metric_values(run.of(name), "correctness") for name in run.stages}
    if run.is_stopped or len(right) < 2 or len(right[run.stages[0]]) < FEWEST:
        return ""
    return worth(right, {name: run.mean(name, "tokens") for name in run.stages})


def _show_own_run(board: runs.Board, number: runs.Name, owner: str) -> None:
    run = board.run
    metrics = runs.show_table(board)
    if gains := board.get(runs.gains_of, *metrics):
        with st.expander(_("What each stage gains over the one before")):
            st.markdown("  \n".join(plain(str(gain)) for gain in gains))
    with st.container(horizontal=True):
        csv, jsonl = as_csv(run).encode("utf-8-sig"), as_jsonl(run)
        st.download_button(_("Download as CSV"), csv, f"run-{number}.csv", "text/csv", on_click="ignore")
        name = f"run-{number}.jsonl"
        st.download_button(_("Download as JSONL"), jsonl, name, "application/jsonl", on_click="ignore")
    st.header(_("Answers by stage"), anchor=False)
    rows = [{row.stage: row for row in group} for group in zip(*map(run.of, run.stages), strict=False)]
    if row_chosen := runs.show_matrix(rows, "own-rows", with_answers=True) or next(iter(rows), None):
        runs.show_records(row_chosen, ["correctness", "groundedness"], owner)
