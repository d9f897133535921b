"""The copilot: a support chat that shows what it calls, how it judges what it finds, and how it ends."""

from contextlib import closing
from dataclasses import dataclass

import streamlit as st

from lessons.copilot.copilot import Copilot, CopilotAnswer
from lessons.copilot.telling import telling, told
from lessons.memory.manager import Conversation
from lessons.memory.recursive_summary import RecursiveSummary
from lessons.pages.chat_memory import memory_panel
from lessons.pages.common import begin_session, opened, plain, session, told_plainly
from lessons.pages.copilot_cost import cost_model
from lessons.pages.limits import allow_questions
from lessons.pages.show import show_answer
from lessons.rag.types import Scope
from lessons.settings import settings
from lessons.workspace import Workspace

OUTCOMES = {
    "answered": ("Answered", "green"),
    "best_effort": ("Best effort: it may be incomplete", "orange"),
    "nothing_relevant": ("Nothing relevant found: see these menus", "orange"),
    "not_documented": ("Not documented yet", "gray"),
    "unavailable": ("The documents could not be searched", "red"),
}


@dataclass(frozen=True)
class Turn:
    """A question with what came of it; None for one from before the page was reloaded."""

    question: str
    text: str
    answer: CopilotAnswer | None = None


def page() -> None:
    """Go on with the conversation that the address names, and what a month of such conversations costs."""
    st.title("Copilot")
    st.caption(
        "Answers from the FAQ and the guides of a product. At most three calls; it says so when they do not suffice."
    )
    place, owner = opened()
    chat, cost = st.tabs(["Conversation", "Cost of a month"])
    with chat:
        _conversation(place, owner)
    with cost:
        cost_model(place, owner)


def _conversation(place: Workspace, owner: str) -> None:
    session_id = session("copilot")
    with told_plainly():
        memory = RecursiveSummary.of(place, Scope(owner), session_id, knows_user=False)
        turns = _turns(memory, owner, session_id)
    if turns:
        st.button("New conversation", on_click=begin_session, args=("copilot",))
    else:
        st.info("Nothing has been said yet. Ask below, in English or Korean.")
    for turn in turns:
        _show(turn)
    with st.sidebar:
        memory_panel(memory, turns[-1].question if turns else "", place, Scope(owner))
    if question := st.chat_input("Ask about the product, in English or Korean"):
        with told_plainly():
            allow_questions(owner)
            turns.append(_answered(question, owner, Conversation(memory)))
        st.rerun()


def _turns(memory: RecursiveSummary, owner: str, session_id: str) -> list[Turn]:
    """What this page shows; after a reload the turns that the memory still has word for word."""
    shown = st.session_state.get("copilot-turns")
    if shown is None or shown[0] != (owner, session_id):
        before = [Turn(turn.question, turn.answer) for turn in memory.turns.last(2 * settings().memory_window)]
        shown = st.session_state["copilot-turns"] = (owner, session_id), before
    return shown[1]


def _show(turn: Turn) -> None:
    with st.chat_message("user"):
        st.markdown(plain(turn.question))
    with st.chat_message("assistant"):
        if turn.answer is None:
            st.markdown(plain(turn.text))
            return
        label, colour = OUTCOMES[turn.answer.outcome]
        st.badge(label, color=colour)  # type: ignore[arg-type]
        show_answer(turn.answer)
        for menu in turn.answer.menus:
            st.link_button(menu.name(turn.question), menu.url)
        _show_decisions(turn.answer)


def _show_decisions(answer: CopilotAnswer) -> None:
    calls = len(answer.gathered.calls)
    with st.expander(f"Calls and decisions ({calls} of {settings().copilot_calls})"):
        for row in told(answer.gathered):
            decided = " · ".join(f"{name}: {value}" for name, value in row.items() if name != "call" and value != "")
            st.markdown(f"**{plain(str(row['call']))}**  \n:small[{plain(decided)}]")
    if answer.layout is not None:
        layout = answer.layout
        with st.expander(f"Prompt: {layout.tokens:,} of {layout.limit:,} tokens"):
            for part in layout.parts:
                share = part.tokens / part.limit if part.limit else 0.0
                cut = ", the rest did not fit" if part.cut else ""
                st.progress(min(1.0, share), f"{part.name}: {part.tokens:,} of {part.limit:,}{cut}")


def _answered(question: str, owner: str, conversation: Conversation) -> Turn:
    """Stream the answer below the calls that lead to it; one that fails is not remembered."""
    with st.chat_message("user"):
        st.markdown(plain(question))
    with st.chat_message("assistant"), st.spinner("Thinking …"):
        steps, place = st.container(), st.empty()
        with closing(conversation.stream(Copilot(), question, user=owner)) as stream:
            for event in stream.events():
                if isinstance(event, str):
                    place.markdown(plain(stream.answer.text))
                else:
                    steps.caption(plain(telling(event)))
    answer = stream.answer
    assert isinstance(answer, CopilotAnswer)
    return Turn(answer.question, answer.text, answer)
