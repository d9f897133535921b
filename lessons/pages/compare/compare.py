"""One question to several stages, side by side."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lessons.evaluate.comparison import Comparison, what_changes
from lessons.evaluate.comparison_file import as_markdown
from lessons.pages.common import opened, told_plainly
from lessons.pages.compare.chunks import show_chunks, show_known
from lessons.pages.compare.form import ask_form
from lessons.pages.compare.link import write_link
from lessons.pages.compare.run import begin, follow_up, run
from lessons.pages.show import show_documents, show_words
from lessons.pages.timeline import show_timeline
from lessons.rag.stages import stages
from lessons.tables import plain, plain_line

NARROWEST = 200  # pixels of a stage's column; what does not fit goes below


def page() -> None:
    """Ask, watch the answers come in, and look at what they rest on."""
    st.title("One question, every stage")
    place, owner = opened()
    asked = ask_form(place, owner)
    if asked is not None:
        with told_plainly():
            st.session_state.compared, streams = begin(asked, owner)
        write_link(asked)
        st.session_state.place = 1 - st.session_state.get("place", 0)
        with _place():
            _show_question(st.session_state.compared)
            run(st.session_state.compared, streams, _cells(asked.stages))
        st.rerun()
    chosen = [name for name in stages() if name in st.session_state.stages]
    with _place():
        if "compared" in st.session_state:
            _show(_only(st.session_state.compared, chosen), chosen)
        else:
            st.header("What each stage changes", anchor=False)
            _cells(chosen)


def _place() -> DeltaGenerator:
    """Where answers are drawn. Each question has the other of two places, and the one of the question before is empty.

    In the same place, Streamlit would leave the earlier answers below the new ones until all have come in.
    """
    number = st.session_state.get("place", 0)
    return [st.container() if at == number else st.empty() for at in range(2)][number]


def _only(compared: Comparison, chosen: Sequence[str]) -> Comparison:
    """What the chosen stages answered, in their order."""
    answers = {name: compared.answers[name] for name in chosen if name in compared.answers}
    problems = {name: compared.problems[name] for name in chosen if name in compared.problems}
    return replace(compared, answers=answers, problems=problems)


def _show(compared: Comparison, chosen: Sequence[str]) -> None:
    _show_question(compared)
    for name, cell in _cells(chosen).items():
        with cell:
            _show_stage(name, compared)
    if compared.answers:
        _offer_more(compared)
        show_chunks(compared.alignment)
        st.header("Trace", anchor=False)
        show_timeline(list(compared.answers.values()))


def _show_question(compared: Comparison) -> None:
    st.header(plain_line(compared.question), anchor=False)
    if compared.history:
        st.caption(f"A follow-up to: {plain_line(' · '.join(said for who, said in compared.history if who == 'user'))}")
    if compared.golden:
        show_known(compared.golden)


def _show_stage(name: str, compared: Comparison) -> None:
    if name in compared.problems:
        st.error(plain(compared.problems[name]))
    elif name in compared.answers:
        show_words(compared.answers[name])
        show_documents(compared.answers[name])
    elif name in st.session_state.asked.stages:
        st.caption("The page was left before this stage had answered. Ask again.")
    else:
        st.caption("Not asked yet.")


def _offer_more(compared: Comparison) -> None:
    with st.container(horizontal=True):
        st.button("Ask a follow-up", icon=":material/subdirectory_arrow_right:", on_click=_begin_follow_up)
        st.download_button(
            "Save as Markdown",
            as_markdown(compared),
            "comparison.md",
            "text/markdown",
            on_click="ignore",
            icon=":material/download:",
        )


def _begin_follow_up() -> None:
    st.session_state.before = follow_up(st.session_state.asked, st.session_state.compared)
    st.session_state.question = ""


def _cells(names: Sequence[str]) -> dict[str, DeltaGenerator]:
    """A cell for each stage, side by side as far as there is room, below its name and what it changes."""
    if not names:
        return {}
    grid = st.grid(len(names), min_column_width=NARROWEST, gap="small")
    cells = {name: grid.cell() for name in names}
    for name, cell in cells.items():
        cell.subheader(name.capitalize(), anchor=False)
        cell.caption(plain(what_changes(name)))
    return cells
