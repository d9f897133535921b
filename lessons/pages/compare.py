"""One question to several stages, side by side."""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lessons.answer.answer import Answer
from lessons.errors import LessonsError
from lessons.ingest.scope import Scope
from lessons.pages.common import answering, opened, plain, told_plainly
from lessons.pages.show import show_answer
from lessons.pages.streaming import answers_of
from lessons.retrieve.filter_text import parse_filter
from lessons.settings import ROOT
from lessons.stages import changed, stages
from lessons.workspace import Workspace

EVERYWHERE = "all documents"
NARROWEST = 200  # pixels of a stage's column; what does not fit goes below
FILTER_EXAMPLE = 'language == "ko" && page_number >= 2'
FILTER_HELP = """Only chunks that fit are searched, for example
`date >= 2024-07-01 && (doc_type == "faq" || has_steps == true)`.

Operators: `==` `!=` `>` `>=` `<` `<=` `in` `nin`, joined by `&&` and `||`.

Fields: `source_file` `page_number`, and from the enhanced index on `title` `date` `doc_type` `section` `language`
`keywords` `has_steps`."""


def page() -> None:
    """Ask, watch the answers come in, and look at what they rest on."""
    st.title("One question, every stage")
    place, owner = opened()
    names = list(stages())
    _follow_link()
    asked = _question(place, owner)
    chosen = [name for name in names if name in st.session_state.stages]
    if asked is not None and chosen:
        with told_plainly():
            st.session_state.answers = _stream(owner, asked, chosen)
        st.session_state.linked = st.query_params["question"] = asked.question
        st.query_params["stages"] = ",".join(chosen)
        st.rerun()
    answers = st.session_state.get("answers", {})
    for name, cell in _cells(chosen).items():
        with cell:
            if name in answers:
                st.caption(plain(answers[name].question))
                show_answer(answers[name])


@dataclass(frozen=True)
class Asked:
    """What the form says: the question, the file it is limited to, and a filter as text."""

    question: str
    source_file: str | None
    filter_text: str


def _question(place: Workspace, owner: str) -> Asked | None:
    """What was just asked, or None."""
    st.pills("Try one of these", sample_questions(owner), key="sample", on_change=_take_sample)
    names = list(stages())
    st.session_state.setdefault("stages", names)
    st.pills("Stages", names, selection_mode="multi", format_func=str.capitalize, key="stages")
    if not st.session_state.stages:
        st.info("Choose at least one stage.")
    files = _files(place, owner)
    with st.form("ask", border=False):
        text = st.text_area("Your question", key="question", height=80, placeholder="In English or Korean")
        left, right = st.columns(2)
        source_file = left.selectbox("Search in", [EVERYWHERE, *files])
        filter_text = right.text_input("Filter", key="filter", placeholder=FILTER_EXAMPLE, help=FILTER_HELP)
        asked = st.form_submit_button("Ask", type="primary")
    if not asked:
        return None
    return Asked(text, None if source_file == EVERYWHERE else source_file, filter_text)


def _files(place: Workspace, owner: str) -> list[str]:
    """The owner's files. None, and the reason on the page, if they cannot be listed: a question may be asked still."""
    try:
        store = place.store(next(iter(stages().values())).index)
        return [document.source_file for document in store.documents(Scope(owner))]
    except LessonsError as error:
        st.error(plain(str(error)))
        return []


def _follow_link() -> None:
    """Fill in the question and the stages of an address that was opened, once."""
    linked = st.query_params.get("question")
    if linked and linked != st.session_state.get("linked"):
        st.session_state.linked = st.session_state.question = linked
        if named := [name for name in st.query_params.get("stages", "").split(",") if name in stages()]:
            st.session_state.stages = named


def _take_sample() -> None:
    if st.session_state.sample:
        st.session_state.question = st.session_state.sample


@cache
def sample_questions(owner: str) -> list[str]:
    """One shipped question of each category that stands alone, alternating between the languages."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / "data" / "golden").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            item = json.loads(line)
            wanted_language = "ko" if len(found) % 2 else "en"
            fits = item["split"] == "dev" and item.get("owner", "reader") == owner and not item.get("history")
            if fits and item["category"] not in found and item["language"] == wanted_language:
                found[item["category"]] = item["question"]
    return list(found.values())


def _cells(names: list[str]) -> dict[str, DeltaGenerator]:
    """A cell for each stage, side by side as far as there is room, below its name and what it changes."""
    if not names:
        return {}
    grid = st.grid(len(names), min_column_width=NARROWEST, gap="small")
    cells = {name: grid.cell() for name in names}
    for name, cell in cells.items():
        cell.subheader(name.capitalize())
        cell.caption(plain(_change(name)))
    return cells


def _change(name: str) -> str:
    taught = list(stages().values())
    number = list(stages()).index(name)
    if number == 0:
        return "The first stage"
    return f"{taught[number - 1].name.capitalize()} with another {', '.join(changed(*taught[number - 1 : number + 1]))}"


def _stream(owner: str, asked: Asked, names: list[str]) -> dict[str, Answer]:
    """Stream the stages into their cells, all at once; the answers by the names of the stages."""
    filters = parse_filter(asked.filter_text) if asked.filter_text.strip() else None
    limits: dict[str, Any] = {"user": owner, "source_file": asked.source_file, "filters": filters}
    streams = [answering(stages()[name]).stream(asked.question, **limits) for name in names]
    places = [cell.empty() for cell in _cells(names).values()]
    with st.spinner("Thinking …"):
        answers = answers_of(streams, lambda number, text: places[number].markdown(plain(text)))
    return dict(zip(names, answers, strict=True))
