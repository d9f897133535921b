"""What is asked on the Compare page: a question of one's own, a golden one or a follow-up, its limits, and its address.

The same address brings back the same question. It fills the form when the page is opened, and never asks by itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import streamlit as st

from lessons.errors import LessonsError
from lessons.evaluate.golden import SPLITS, Golden, golden_questions
from lessons.pages.common import choose_stages, keep
from lessons.rag.stages import stages
from lessons.rag.types import Scope
from lessons.tables import plain, plain_line
from lessons.text import normalize
from lessons.workspace import Workspace

LINKED = ("question", "stages", "file", "filter", "golden", "after")
"""The parameters of an address."""

ANY = "any"
LANGUAGES = {ANY: "any", "en": "English", "ko": "한국어"}
EVERYWHERE = "all documents"
FILTER_EXAMPLE = 'language == "ko" && page_number >= 2'
FILTER_HELP = """Only chunks that fit are searched, for example
`date >= 2024-07-01 && (doc_type == "faq" || has_steps == true)`.

Operators: `==` `!=` `>` `>=` `<` `<=` `in` `nin`, joined by `&&` and `||`.

Fields: `source_file` `page_number`, and from the enhanced index on `title` `date` `doc_type` `section` `language`
`keywords` `has_steps`."""


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
    """A question, the stages it goes to, the file and the filter that limit it, and what was said before it.

    `golden` is the id of the golden question it is, empty for one's own.
    """

    question: str
    stages: tuple[str, ...]
    source_file: str | None = None
    filter_text: str = ""
    golden: str = ""
    before: tuple[Line, ...] = ()

    def history(self, stage: str) -> list[tuple[str, str]]:
        """What was said before as this stage heard it: (role, content), oldest first."""
        return [(line.role, line.content) for line in self.before if line.stage in ("", stage)]

    @property
    def link(self) -> dict[str, str | list[str]]:
        """The parameters of its address; empty ones are to be left out.

        What the stages answered before a follow-up is not in it, only what they were asked.
        """
        golden = golden_named(self.golden)
        known = golden is not None and self.before == lines_of(golden)
        return {
            "question": self.question,
            "stages": ",".join(self.stages),
            "file": self.source_file or "",
            "filter": self.filter_text,
            "golden": self.golden,
            "after": [] if known else [line.content for line in self.before if line.role == "user"],
        }


def from_link(link: Mapping[str, str], after: Sequence[str], known_stages: Sequence[str]) -> Asked:
    """What an address asks. Unknown names are left out; a golden question brings its own words and conversation."""
    stages = tuple(name for name in known_stages if name in link.get("stages", "").split(","))
    limits = link.get("file") or None, link.get("filter", "")
    golden = golden_named(link.get("golden", ""))
    if golden:
        return Asked(golden.question, stages, *limits, golden.id, lines_of(golden))
    return Asked(link.get("question", ""), stages, *limits, before=tuple(Line("user", said) for said in after))


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


@cache
def sample_questions(owner: str) -> list[str]:
    """One question of each category that stands alone, alternating between the languages."""
    found: dict[str, str] = {}
    for each in all_golden():
        wanted = "ko" if len(found) % 2 else "en"
        if each.split == "dev" and each.owner == owner and not each.history and each.language == wanted:
            found.setdefault(each.category, each.question)
    return list(found.values())


def ask_form(place: Workspace, owner: str) -> Asked | None:
    """What was just asked, or None."""
    _follow_link()
    st.pills("Try one of these", sample_questions(owner), key="sample", on_change=_take_sample)
    _pick_golden()
    chosen = tuple(stage.name for stage in choose_stages("stages"))
    if not chosen:
        st.info("Choose at least one stage.")
    _show_before()
    files = _files(place, owner)
    if st.session_state.get("file") not in files:
        st.session_state.file = EVERYWHERE
    with st.form("ask", border=False):
        question = st.text_area("Your question", key="question", height=80, placeholder="In English or Korean")
        left, right = st.columns(2)
        source_file = left.selectbox("Search in", [EVERYWHERE, *files], key="file")
        filter_text = right.text_input("Filter", key="filter", placeholder=FILTER_EXAMPLE, help=FILTER_HELP)
        asked = st.form_submit_button("Ask", type="primary")
    if not asked or not chosen:
        return None
    before = st.session_state.get("before", ())
    golden = golden_for(question, owner, before)
    file = None if source_file == EVERYWHERE else source_file
    return Asked(question, chosen, file, filter_text, golden.id if golden else "", before)


def _show_before() -> None:
    """The conversation that the question goes on with, each line once, and the way out of it."""
    before = st.session_state.get("before", ())
    if not before:
        return
    with st.container(border=True):
        st.markdown("**A follow-up to**")
        for line in before:
            said = "answered" if line.role == "assistant" else "asked"
            st.caption(f"**{plain(f'{line.stage} {said}'.strip().capitalize())}** {plain_line(line.content)}")
        st.button("Ask something new instead", on_click=begin)


def begin(question: str = "", before: tuple[Line, ...] = ()) -> None:
    """Put a question into the form, with the conversation that it goes on with."""
    st.session_state.question, st.session_state.before = question, before


def _take_sample() -> None:
    if st.session_state.sample:
        begin(st.session_state.sample)


def _files(place: Workspace, owner: str) -> list[str]:
    """The owner's files. None, and the reason on the page, if they cannot be listed: a question may be asked still."""
    try:
        store = place.store(next(iter(stages().values())).index)
        return [document.source_file for document in store.documents(Scope(owner))]
    except LessonsError as error:
        st.error(plain(str(error)))
        return []


def _pick_golden() -> None:
    """Choose a golden question; it brings its owner and its conversation with it."""
    with st.popover("Choose a golden question", icon=":material/star:"):
        st.caption("Their evidence is known. *dev* questions were there for tuning, *test* ones only to report.")
        left, right = st.columns(2)
        categories = list(dict.fromkeys(each.category for each in all_golden()))
        category = left.selectbox("Category", [ANY, *categories], key="golden-category")
        language = right.selectbox("Language", LANGUAGES, format_func=LANGUAGES.__getitem__, key="golden-language")
        known = [each for each in all_golden() if category in (ANY, each.category)]
        fitting = [each for each in known if language in (ANY, each.language)]
        st.selectbox(
            f"Question ({len(fitting)})",
            fitting,
            index=None,
            format_func=_label,
            key="golden-question",
            placeholder="Type to search",
            on_change=_take_golden,
        )


def _label(each: Golden) -> str:
    follows = ", follow-up" if each.history and each.category != "follow-up" else ""
    return f"{each.question} ({each.split}, {each.category}{follows}, {each.owner})"


def _take_golden() -> None:
    chosen = st.session_state["golden-question"]
    if isinstance(chosen, Golden):  # a browser may send any text
        keep("owner", chosen.owner)
        begin(chosen.question, lines_of(chosen))


def write_link(asked: Asked) -> None:
    """Put what is asked into the address."""
    for name, value in asked.link.items():
        if value:
            st.query_params[name] = value
        else:
            st.query_params.pop(name, None)
    st.session_state.asked, st.session_state.linked = asked, _address()


def _follow_link() -> None:
    """Fill the form from an address that was just opened, or from what was asked before another page was looked at."""
    now = _address()
    if any(now.values()) and now != st.session_state.get("linked"):
        asked = from_link({name: values[0] for name, values in now.items() if values}, now["after"], list(stages()))
        if asked != st.session_state.get("asked"):
            st.session_state.pop("compared", None)
        _fill(asked)
        st.session_state.linked = now
    elif "question" not in st.session_state and "asked" in st.session_state:
        _fill(st.session_state.asked)


def _address() -> dict[str, list[str]]:
    return {name: [normalize(value) for value in st.query_params.get_all(name)] for name in LINKED}


def _fill(asked: Asked) -> None:
    begin(asked.question, asked.before)
    st.session_state.filter, st.session_state.file = asked.filter_text, asked.source_file
    if asked.stages:
        st.session_state.stages = list(asked.stages)
