"""What is asked on the Compare page: a question, be it typed, golden or a follow-up, and its limits.

An address fills the form when the page is opened, and never asks by itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import streamlit as st

from lessons.errors import LessonsError
from lessons.evaluate.golden import SPLITS, Golden, golden_questions
from lessons.pages.common import choose_stages, keep
from lessons.pages.language import N_, _
from lessons.rag.stages import stages
from lessons.rag.types import Scope
from lessons.tables import plain, plain_line
from lessons.text import normalize
from lessons.workspace import Workspace

EVERYWHERE = N_("all documents")
FILTER_EXAMPLE = 'language == "ko" && page_number >= 2'
FILTER_HELP = N_("""Only chunks that fit are searched, for example
`date >= 2024-07-01 && (doc_type == "faq" || has_steps == true)`.

Operators: `==` `!=` `>` `>=` `<` `<=` `in` `nin`, joined by `&&` and `||`.

Fields: `source_file` `page_number`, and from the enhanced index on `title` `date` `doc_type` `section` `language`
`keywords` `has_steps`.""")


@dataclass(frozen=True)
class Line:
    """A line of the conversation before a follow-up. One without a stage is the same for all stages."""

    role: str
    content: str
    stage: str = ""

    @property
    def speaker(self) -> str:
        return f"{self.stage}, {self.role}" if self.stage else self.role


@dataclass(frozen=True)
class Asked:
    """A question, the stages it goes to, the file and the filter that limit it, and what was said before it."""

    question: str
    stages: tuple[str, ...]
    source_file: str | None = None
    filter_text: str = ""
    golden: Golden | None = None
    before: tuple[Line, ...] = ()

    def history(self, stage: str) -> list[tuple[str, str]]:
        """What was said before as this stage heard it: (role, content), oldest first."""
        return [(line.role, line.content) for line in self.before if line.stage in ("", stage)]


def lines_of(golden: Golden) -> tuple[Line, ...]:
    """What was said before a golden question."""
    return tuple(Line(role, content) for role, content in golden.history)


def golden_named(id: str) -> Golden | None:
    """The golden question with this id."""
    return next((each for each in all_golden() if each.id == id), None)


def golden_for(question: str, owner: str, before: Sequence[Line]) -> Golden | None:
    """The golden question that asks exactly this of these documents after the same words."""
    asked = question.strip(), owner, tuple(before)
    return next((each for each in all_golden() if (each.question, each.owner, lines_of(each)) == asked), None)


@cache
def all_golden() -> list[Golden]:
    """The golden questions of both splits."""
    return [each for split in SPLITS for each in golden_questions(split)]


def question_box(key: str) -> str:
    """The field for a question; its text is in the session's state under the key, too."""
    return st.text_input(_("Your question"), key=key, placeholder=_("In English or Korean")) or ""


def ask_form(place: Workspace, owner: str, pressed: bool) -> Asked | None:
    """What was just asked, or None: a line for the question, and what is seldom changed folded away below it.

    A sample question that was `pressed` is in the field and is asked, too.
    """
    with st.form("ask", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        question = normalize(question_box("question"))
        asked = st.form_submit_button(_("Ask"), type="primary") or pressed
    _show_before()
    with st.expander(_("Options: stages, golden questions, files and filters"), icon=":material/tune:"):
        _pick_golden()
        chosen = tuple(stage.name for stage in choose_stages("stages"))
        files = [EVERYWHERE, *_files(place, owner)]
        if st.session_state.get("file", EVERYWHERE) not in files:
            st.session_state.file = EVERYWHERE
        labels = dict(zip(files, files, strict=True)) | {EVERYWHERE: _(EVERYWHERE)}
        left, right = st.columns(2)
        file = left.selectbox(_("Search in"), files, format_func=labels.__getitem__, key="file")
        typed = right.text_input(_("Filter"), key="filter", placeholder=FILTER_EXAMPLE, help=_(FILTER_HELP))
    if not chosen:
        st.info(_("Choose at least one stage."))
    if not asked or not chosen:
        return None
    before = st.session_state.get("before", ())
    source_file = None if file == EVERYWHERE else file
    return Asked(question, chosen, source_file, normalize(typed), golden_for(question, owner, before), before)


def _show_before() -> None:
    """The conversation that the question goes on with, each line once, and the way out of it."""
    before = st.session_state.get("before", ())
    if not before:
        return
    with st.expander(_("A follow-up to “{question}”", question=plain_line(before[0].content)), icon=":material/forum:"):
        for line in before:
            said = _("answered") if line.role == "assistant" else _("asked")
            st.caption(f"**{plain(f'{line.stage} {said}'.strip().capitalize())}** {plain_line(line.content)}")
        st.button(_("Ask something new instead"), on_click=begin)


def begin(question: str = "", before: tuple[Line, ...] = ()) -> None:
    """Put a question into the form, with the conversation that it goes on with."""
    st.session_state.question, st.session_state.before = question, before


def _files(place: Workspace, owner: str) -> list[str]:
    """The owner's files. None, and the reason on the page, if they cannot be listed: a question may be asked still."""
    try:
        store = place.store(next(iter(stages().values())).index)
        return [document.source_file for document in store.documents(Scope(owner))]
    except LessonsError as error:
        st.error(plain(_(str(error))))
        return []


def _pick_golden() -> None:
    """Choose a golden question; it brings its owner and its conversation with it."""
    st.selectbox(
        _("Golden questions ({number})", number=len(all_golden())),
        all_golden(),
        index=None,
        format_func=_label,
        key="golden-question",
        placeholder=_("Type to search, also for a category"),
        help=_(
            "Their answer and evidence are known. *dev* questions were there for tuning, *test* ones only to report."
        ),
        on_change=_take_golden,
    )


def _label(each: Golden) -> str:
    follows = _(", follow-up") if each.history and each.category != "follow-up" else ""
    return f"{each.question} ({each.split}, {each.category}{follows}, {each.owner})"


def _take_golden() -> None:
    chosen = st.session_state["golden-question"]
    if isinstance(chosen, Golden):  # a browser may send any text
        keep("owner", chosen.owner)
        begin(chosen.question, lines_of(chosen))
