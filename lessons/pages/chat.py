"""A conversation with one stage: follow-ups are understood from what was said, also after a reload."""

from contextlib import closing
from dataclasses import dataclass

import streamlit as st

from lessons.agent.telling import telling
from lessons.memory.manager import Conversation
from lessons.memory.stores import message_store
from lessons.memory.turns import Turns
from lessons.pages.chat_memory import choose_memory, memory_named, memory_panel
from lessons.pages.common import answering, begin_session, opened, plain, session, told_plainly
from lessons.pages.limits import allow_questions
from lessons.pages.show import show_answer
from lessons.rag.answer import Answer
from lessons.rag.stages import Stage, stages
from lessons.rag.types import Scope
from lessons.workspace import workspace


@dataclass(frozen=True)
class Turn:
    """A question and what was answered. What an answer rests on is known until the page is reloaded."""

    question: str
    text: str
    answer: Answer | None = None


def page() -> None:
    """Go on with the conversation that the address names, or begin one."""
    st.title("Chat")
    st.caption("A conversation with one stage. Follow-ups are understood from what was said, also after a reload.")
    place, owner = opened()
    scope, session_id = Scope(owner), session("session")
    turns = _turns(scope, session_id)
    stage, named = _controls(scope, session_id, bool(turns))
    said = [(turn.question, turn.text) for turn in turns]
    with told_plainly():
        memory = memory_named(named, place, scope, session_id, said)
    if not turns:
        st.info("Nothing has been said yet. Ask below, in English or Korean.")
    for turn in turns:
        _show(turn)
    with st.sidebar:
        memory_panel(memory.memory, turns[-1].question if turns else "", place, scope)
    if question := st.chat_input("In English or Korean"):
        with told_plainly():
            allow_questions(owner)
            turns.append(_answered(stage, question, owner, Conversation(memory)))
        st.rerun()


def _turns(scope: Scope, session_id: str) -> list[Turn]:
    """What this page shows, read from the store when it comes to a session for the first time."""
    shown = st.session_state.get("chat")
    if shown is None or shown[0] != (scope.user_id, session_id):
        with told_plainly():
            said = [content for _, content in message_store().get_or_create(scope, session_id).history()]
        shown = (scope.user_id, session_id), [Turn(*pair) for pair in zip(said[::2], said[1::2], strict=True)]
        st.session_state.chat = shown
    return shown[1]


def _controls(scope: Scope, session_id: str, begun: bool) -> tuple[Stage, str]:
    """The stage that answers and the name of its memory; a conversation that has begun can be left or forgotten."""
    names = list(stages())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Stage", names, index=len(names) - 1, format_func=str.capitalize, key="stage", width=200)
        memory = choose_memory()
        if begun:
            st.button("New conversation", on_click=begin_session, args=("session",))
            _offer_to_forget(scope, session_id)
    return stages()[name], memory


def _offer_to_forget(scope: Scope, session_id: str) -> None:
    with st.popover("Forget this conversation"):
        st.markdown("What was said here will be deleted for good, with what was made of it. Your profile stays.")
        if st.button("Delete it", type="primary"):
            with told_plainly():
                Turns(workspace().engine, scope, session_id).forget()
                message_store().remove(scope, session_id)
            begin_session("session")
            st.rerun()


def _show(turn: Turn) -> None:
    with st.chat_message("user"):
        st.markdown(plain(turn.question))
    with st.chat_message("assistant"):
        if turn.answer:
            show_answer(turn.answer)
        else:
            st.markdown(plain(turn.text))


def _answered(stage: Stage, question: str, owner: str, conversation: Conversation) -> Turn:
    """Stream the answer; one that fails is not remembered (row A5)."""
    with st.chat_message("user"):
        st.markdown(plain(question))
    with st.chat_message("assistant"), st.spinner("Thinking …"):
        place = st.empty()
        with closing(conversation.stream(answering(stage), question, user=owner)) as stream:
            for event in stream.events():
                place.markdown(plain(stream.answer.text if isinstance(event, str) else telling(event)))
    answer = stream.answer
    return Turn(answer.question, answer.text, answer)
