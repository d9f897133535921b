"""The scoreboard: how the stages did on golden questions, or on the reader's own, and question by question."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from lessons.errors import LessonsError
from lessons.evaluate.compare import LOWER_IS_BETTER, RULE
from lessons.evaluate.evaluation import METRICS, Evaluation, Record, cells, compare_records, moved_records
from lessons.evaluate.feedback import Ratings, question_lines
from lessons.evaluate.gates import gate_report
from lessons.evaluate.golden import Golden
from lessons.evaluate.plots import plot_groups, plot_latency, plot_metric, plot_outcomes
from lessons.evaluate.question_sets import EXAMPLE, read_questions
from lessons.evaluate.run import evaluate, unknown_files
from lessons.evaluate.runs import as_csv, as_jsonl
from lessons.library import indexes, shipped_documents
from lessons.pages import runs
from lessons.pages.asking import all_golden
from lessons.pages.common import choose, choose_stages, show_plot, titled
from lessons.pages.language import N_, _
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.settings import settings
from lessons.tables import counted, plain

SETS = {"golden": N_("Golden questions"), "own": N_("Own questions")}
SPLITS = {"dev": N_("dev, for tuning"), "test": N_("test, for reporting")}
SIZES = {20: N_("20 of them, a quick look"), 0: N_("all of them")}
VIEWS = {
    "all": N_("All questions"),
    "category": N_("By category"),
    "language": N_("By language"),
    "time": N_("Against time"),
}
HELP = N_(
    "A table with the column question and, as far as you know them, answer, source_file, evidence and history; "
    "or JSON with these keys; or one question a line. The names that ragas and LlamaIndex use are understood, too."
)


@titled(
    N_("Scoreboard"),
    N_("Every stage on questions with known answers: what each gains over the one before, with 95 % intervals."),
)
def page(workspace: Workspace, owner: str) -> None:
    """Choose golden or own questions; start a run of them or read a stored one."""
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
    _offer_to_measure(workspace)
    message = _("Nothing has been measured yet. Choose stages above and start.")
    if not (selected := runs.choose_run("run", workspace, message)):
        return
    number, run = selected
    alt = _("How each stage answered: right, half, refused or wrong, and wrong where the documents have no answer")
    show_plot(plot_outcomes(run), alt)
    _show_metric(run, runs.show_table(run))
    st.header(_("Question by question"), anchor=False)
    others = {name: label for name, label in runs.run_labels(workspace).items() if name != number}
    labels = {number: _("this run")} | others
    last = st.session_state.get("compared-with")
    begin = [*labels].index(last) if last in labels else 0
    old = choose(_("Compared with"), labels, index=begin, key=f"other than {number}")
    st.session_state["compared-with"] = old if old != number else None
    if old == number:
        show_moved(run, run)
    else:
        show_moved(runs.load_run(old, workspace), run, runs.short_name(old), runs.short_name(number))


def _offer_to_measure(workspace: Workspace) -> None:
    if runs.follow("run"):
        return
    with st.expander(_("Measure again"), icon=":material/play_arrow:"), st.form("measure", border=False):
        stages = choose_stages("measure-stages")
        left, right = st.columns(2)
        with left:
            split = choose(_("Questions"), {name: _(label) for name, label in SPLITS.items()})
        with right:
            limit = choose(_("How many"), {number: _(label) for number, label in SIZES.items()})
        counts = Counter(golden.split for golden in all_golden())
        st.caption(_("dev has {dev} questions, test {test}.", **counts))
        if st.form_submit_button(_("Measure"), type="primary") and stages:
            runs.start(
                lambda watch: evaluate(stages, split, limit=limit or None, watch=watch, workspace=workspace), workspace
            )


def _show_metric(run: Evaluation, metrics: list[str]) -> None:
    """Show one metric from one side; only what is selected is computed."""
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    words, views = runs.in_plain_words(run, metrics), {name: _(label) for name, label in VIEWS.items()}
    with left:
        metric = choose(_("Metric"), {name: _(run.label(name)) for name in metrics}, key="metric", help=words)
    with right:
        view = st.segmented_control(
            _("View"), views, format_func=views.__getitem__, default="all", key="view", required=True
        )
    if view == "all":
        _show_gains(run, metric)
    elif view == "time":
        show_plot(plot_latency(run, metric), _("{metric} of every stage against its latency", metric=_(metric)))
    else:
        alt = _("{metric} of every stage by {group}, as in the table below", metric=_(metric), group=_(view))
        show_plot(plot_groups(run, metric, view), alt)
        columns = {name: run.columns(**{view: name}) for name in run.groups(view)}
        rows = [{view: _(name), **dict(zip(of, cells(of, metric), strict=True))} for name, of in columns.items()]
        alt = _("{metric} with 95 % intervals for each {group} and stage", metric=_(metric), group=_(view))
        runs.show_rows(rows, view, run, alt, {})


def _show_gains(run: Evaluation, metric: str) -> None:
    left, right = st.columns(2)
    with left:
        show_plot(plot_metric(run, metric), _("{metric} of every stage with its interval", metric=_(metric)))
    with right:
        if gains := [gain for gain in run.gains([metric]) if gain.n]:
            for gain in gains:
                st.markdown(plain(str(gain).removeprefix(f"{_(metric)}: ")))
            st.caption(plain(_(RULE)))
        with st.expander(_("What the stages promise")):
            st.markdown("  \n".join(plain(str(gate)) for gate in gate_report(run) if gate.number))


def show_moved(old: Evaluation, new: Evaluation, old_name: str = "", new_name: str = "") -> None:
    """Choose a stage of each run and a metric, and see what moved; the runs have names if they are two."""
    is_same = old is new
    if is_same and len(new.stages) < 2:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        shared = [at for at, stage in enumerate(new.stages) if stage in old.stages]
        last = shared[-1] if shared else len(new.stages) - 1
        new_stage = st.selectbox(_("Stage"), new.stages, index=last, key=f"moved-to {new_name} {old_name}")
        options = [stage for stage in old.stages if not (is_same and stage == new_stage)]
        begin = len(options) - 1 if is_same or new_stage not in options else options.index(new_stage)
        old_stage = st.selectbox(_("Against"), options, index=begin, key=f"moved-from {is_same} {new_stage}")
        labels, first = {name: _(new.label(name)) for name in METRICS}, METRICS.index("correctness")
        metric = choose(_("Moved in"), labels, index=first, key="moved-metric")
        only_worse = st.toggle(_("Regressions only"), key="regressions", help=_("Only questions that became worse."))
    pairs = (old_stage, old_name), (new_stage, new_name)
    names = [f"{stage} ({run})" if run else stage for stage, run in pairs]
    records = old.of(old_stage), new.of(new_stage)
    gain = compare_records(*records, metric, names[0], names[1])
    if not gain.n:
        st.info(_("These two have answered no question in common for which this metric is known. Choose others."))
        return
    st.markdown(f"**{plain(str(gain))}**")
    st.caption(plain(_(RULE)))
    moved = moved_records(*records, metric)
    up = sum(later.value(metric) > earlier.value(metric) for earlier, later in moved)
    counts = {"up": up, "down": len(moved) - up}
    st.caption(_("{up} up, {down} down. Choose a row, by keys with Shift and Space, to read both answers.", **counts))
    regressions = moved[:up] if metric in LOWER_IS_BETTER else moved[up:][::-1]
    _show_pairs(regressions if only_worse else moved, metric, names)


def _show_pairs(pairs: Sequence[tuple[Record, Record]], metric: str, names: Sequence[str]) -> None:
    if not pairs:
        return
    head = _("question"), _("category"), _("language")
    rows = [  # values first: on a phone, what follows the beginning of the question is out of sight
        {name: round(record.value(metric), 2) for name, record in zip(names, pair, strict=True)}
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
        pair = pairs[event.selection.rows[0]]
        runs.show_records(dict(zip(names, pair, strict=True)), [metric], settings().user)


# Own questions


def _own_questions(workspace: Workspace, owner: str) -> None:
    st.caption(_("Your questions on your documents, through every stage. With answers, the stages are measured, too."))
    message = ""
    if not runs.follow("own-run", owner):
        _offer_to_run(workspace, owner)
        message = _("No questions of yours have been run yet. Give some above and press Run.")
    if selected := runs.choose_run("own-run", workspace, message, owner):
        _show_own_run(selected[1], selected[0], owner)


def _offer_to_run(workspace: Workspace, owner: str) -> None:
    _offer_rated(Ratings(workspace.engine, owner))
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
            notes = list[str]()
            content, name = (upload.getvalue(), upload.name) if upload else (text, "")
            questions = read_questions(content, owner, name, notes.append)
            with_answer = sum(bool(golden.answer) for golden in questions)
            with_source = sum(bool(golden.evidence) for golden in questions)
            number = counted(len(questions), "question")
            st.caption(_(f"{number}, {with_answer} with an answer, {with_source} with a source."))
            for note in [*notes, *_unknown_files(questions, workspace, owner)]:
                st.warning(plain(_(note)))
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


def _offer_rated(ratings: Ratings) -> None:
    """Offer to put the rated answers of the chat, as far as it is known what is right, into the field."""
    rated = [rating for rating in ratings.all() if rating.expected]
    if not rated:
        return

    def take_over() -> None:
        lines = st.session_state.get("own-text", "").splitlines()
        new = [line for line in question_lines(rated).splitlines() if line not in lines]
        st.session_state["own-text"] = "\n".join([*lines, *new])

    text = st.session_state.get("own-text", "").strip()
    st.button(
        _("Take over the rated answers of the chat ({number})", number=len(rated)),
        help=_(
            "They go into the field below, one JSON object a line, after those that are there in this form. With a "
            "thumb up, the answer is what is expected; with a thumb down, what was written below it."
        ),
        icon=":material/thumbs_up_down:",
        disabled=not (text or "{").startswith("{"),
        on_click=take_over,
    )


def _unknown_files(questions: list[Golden], workspace: Workspace, owner: str) -> list[str]:
    stored = {row.source_file for index in indexes() for row in workspace.store(index).documents(Scope(owner))}
    shipped = {row["path"] for row in shipped_documents() if row["owner"] == owner}  # loaded by the first run
    return unknown_files(questions, stored | shipped) if any(golden.evidence for golden in questions) else []


def _show_own_run(run: Evaluation, number: runs.Name, owner: str) -> None:
    metrics = runs.show_table(run)
    if gains := [str(gain) for gain in run.gains(metrics) if gain.n]:
        with st.expander(_("What each stage gains over the one before")):
            st.markdown("  \n".join(map(plain, gains)))
    with st.container(horizontal=True):
        csv, jsonl = as_csv(run).encode("utf-8-sig"), as_jsonl(run)
        st.download_button(_("Download as CSV"), csv, f"run-{number}.csv", "text/csv", on_click="ignore")
        name = f"run-{number}.jsonl"
        st.download_button(_("Download as JSONL"), jsonl, name, "application/jsonl", on_click="ignore")
    st.header(_("Answers by stage"), anchor=False)
    by_question = list(zip(*map(run.of, run.stages), strict=False))
    rows = [
        {_("question"): records[0].question} | {row.stage: row.answer for row in records} for records in by_question
    ]
    st.dataframe(rows, hide_index=True, alt=_("Each question with the answer of every stage"))
    labels = {at: records[0].question for at, records in enumerate(by_question)}
    records = by_question[choose(_("Question"), labels, key="own-question")]
    by_stage = {record.stage.capitalize(): record for record in records}
    runs.show_records(by_stage, ["correctness", "groundedness"], owner)
