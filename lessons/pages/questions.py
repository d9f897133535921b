"""The reader's own questions: give a set, run it through stages on one's own documents, compare the answers."""

import streamlit as st

from lessons.errors import LessonsError
from lessons.evaluate.evaluation import Evaluation, Record
from lessons.evaluate.feedback import Ratings
from lessons.evaluate.golden import Golden
from lessons.evaluate.own_questions import EXAMPLE, read_questions
from lessons.evaluate.run import evaluate, unknown_files
from lessons.evaluate.runs import as_csv, as_jsonl
from lessons.library import indexes, shipped_documents
from lessons.pages.common import allow_questions, choose, choose_stages, titled
from lessons.pages.conversations import offer_rated
from lessons.pages.language import N_, _
from lessons.pages.runs import choose_run, follow, link_to_compare, show_record, show_table, start
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.settings import settings
from lessons.tables import counted, plain

HELP = N_(
    "A table with the column question and, as far as you know them, answer, source_file, evidence and history; "
    "or JSON with these keys; or one question a line. The names that ragas and LlamaIndex use are understood, too."
)


@titled(
    N_("Own questions"),
    N_("Your questions on your documents, through every stage. With answers, the stages are measured, too."),
)
def page(place: Workspace, owner: str) -> None:
    """Give questions and run them; read a stored run of the owner's."""
    none = ""
    if not follow("own-run", owner):
        _ask(place, owner)
        none = _("No questions of yours have been run yet. Give some above and press Run.")
    if chosen := choose_run("own-run", place, none, owner):
        _show(chosen[1], chosen[0], owner)


def _ask(place: Workspace, owner: str) -> None:
    offer_rated(Ratings(place.engine, owner), "own-text")
    megabytes = max(1, settings().max_file_bytes // 1_000_000)
    upload = st.file_uploader(
        _("A file of questions: CSV, TSV, JSON or TXT, up to {megabytes} MB", megabytes=megabytes),
        ["csv", "tsv", "json", "jsonl", "txt"],
        help=_(HELP),
        key="own-file",
        max_upload_size=megabytes,
    )
    pasted = st.text_area(_("Or paste them here"), key="own-text", height=120, placeholder=EXAMPLE, help=_(HELP))
    questions, unusable = list[Golden](), False
    if upload or pasted.strip():
        try:
            given, notes = upload.getvalue() if upload else pasted, list[str]()
            questions = read_questions(given, owner, upload.name if upload else "", notes.append)
            st.caption(_counted(questions))
            for note in [*notes, *_unknown_files(questions, place, owner)]:
                st.warning(plain(_(note)))
        except LessonsError as error:
            st.error(plain(_(str(error))))
            unusable = True
    asked = choose_stages("own-stages")
    # Without questions it is enabled all the same: disabled, it would lose the click that ends the typing.
    if st.button(_("Run"), type="primary", disabled=unusable or not asked):
        if not questions:
            st.info(_("Give at least one question: a file, or lines in the box."))
            return
        allow_questions(owner, 1)
        start(lambda watch: evaluate(asked, watch=watch, place=place, own=questions), place, owner)


def _unknown_files(questions: list[Golden], place: Workspace, owner: str) -> list[str]:
    stored = {each.source_file for index in indexes() for each in place.store(index).documents(Scope(owner))}
    shipped = {each["path"] for each in shipped_documents() if each["owner"] == owner}  # loaded by the first run
    return unknown_files(questions, stored | shipped) if any(each.evidence for each in questions) else []


def _counted(questions: list[Golden]) -> str:
    answered, supported = sum(bool(each.answer) for each in questions), sum(bool(each.evidence) for each in questions)
    number = counted(len(questions), "question")
    return _(f"{number}, {answered} with an answer, {supported} with a source.")


def _show(evaluation: Evaluation, number: int | str, owner: str) -> None:
    known = show_table(evaluation)
    if gains := [str(gain) for gain in evaluation.gains(known) if gain.n]:
        with st.expander(_("What each stage gains over the one before")):
            st.markdown("  \n".join(map(plain, gains)))
    with st.container(horizontal=True):
        csv, jsonl = as_csv(evaluation).encode("utf-8-sig"), as_jsonl(evaluation)
        st.download_button(_("Download as CSV"), csv, f"run-{number}.csv", "text/csv", on_click="ignore")
        name = f"run-{number}.jsonl"
        st.download_button(_("Download as JSONL"), jsonl, name, "application/jsonl", on_click="ignore")
    st.header(_("Answers by stage"), anchor=False)
    rows, head = answers_by_stage(evaluation), {"question": _("question")}
    st.dataframe(rows, hide_index=True, column_config=head, alt=_("Each question with the answer of every stage"))
    at = choose(_("Question"), {at: row["question"] for at, row in enumerate(rows)}, key="own-question")
    _show_question([evaluation.of(stage)[at] for stage in evaluation.stages], owner)


def answers_by_stage(evaluation: Evaluation) -> list[dict[str, str]]:
    """A row for each question: the question, then the answer of each stage."""
    asked = zip(*map(evaluation.of, evaluation.stages), strict=False)
    return [{"question": said[0].question} | {each.stage: each.answer for each in said} for said in asked]


def _show_question(answers: list[Record], owner: str) -> None:
    st.markdown(f"**{plain(answers[0].question)}**")
    grid = st.grid(len(answers), min_column_width=200, gap="small")
    for record in answers:
        with grid.cell():
            scores = {name: record.metrics.get(name) for name in ("correctness", "groundedness")}
            said = [f"{_(name)} {score:.2f}" for name, score in scores.items() if score is not None]
            tokens = _("{number:,} tokens", number=record.tokens)
            show_record(record, record.stage.capitalize(), *said, f"{record.ms:,.0f} ms", tokens)
    link_to_compare(answers[0], [record.stage for record in answers], owner)
