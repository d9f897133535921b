"""A conversation with one stage: follow-ups are understood from what was said, also after a reload."""

import re
import secrets
from contextlib import closing
from dataclasses import dataclass

import streamlit as st

from lessons.agent.telling import telling
from lessons.answer.answer import Answer
from lessons.ingest.scope import Scope
from lessons.memory.conversation import Conversation
from lessons.pages.common import answering, keep, kept, opened, plain, told_plainly
from lessons.pages.show import show_answer
from lessons.settings import settings
from lessons.stages import Stage, stages

_SESSION = re.compile(r"[\w-]{22}", re.ASCII)  # what `secrets.token_urlsafe(16)` gives


@dataclass(frozen=True)
class Turn:
    """A question and what was answered. What an answer rests on is known until the page is reloaded."""

    question: str
    text: str
    answer: Answer | None = None


def page() -> None:
    """Go on with the conversation that the address names, or begin one."""
    st.title("Chat")
    place, owner = opened()
    session = _session()
    conversation = Conversation(place.engine, Scope(owner), session)
    turns = _turns(conversation, owner, session)
    stage = _controls(conversation, bool(turns))
    for turn in turns:
        _show(turn)
    if question := st.chat_input("In English or Korean"):
        with told_plainly():
            turns.append(_answered(stage, question, owner, conversation))
        st.rerun()


def _session() -> str:
    """The session that was kept, or a new one. Nobody can guess an id that was made here, and others are not taken."""
    named = kept("session")
    session = named if _SESSION.fullmatch(named) else secrets.token_urlsafe(16)
    keep("session", session)
    return session


def _begin() -> None:
    keep("session", secrets.token_urlsafe(16))


def _turns(conversation: Conversation, owner: str, session: str) -> list[Turn]:
    """What this page shows, read from the store when it comes to a session for the first time."""
    shown = st.session_state.get("chat")
    if shown is None or shown[0] != (owner, session):
        said = [content for _, content in conversation.history(settings().session_messages // 2)]
        shown = (owner, session), [Turn(*pair) for pair in zip(said[::2], said[1::2], strict=True)]
        st.session_state.chat = shown
    return shown[1]


def _controls(conversation: Conversation, begun: bool) -> Stage:
    """The stage that answers; a conversation that has begun can be left or forgotten."""
    names = list(stages())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Stage", names, index=len(names) - 1, format_func=str.capitalize, key="stage", width=200)
        if begun:
            st.button("New conversation", on_click=_begin)
            _offer_to_forget(conversation)
    return stages()[name]


def _offer_to_forget(conversation: Conversation) -> None:
    with st.popover("Forget this conversation"):
        st.markdown("What was said here will be deleted for good.")
        if st.button("Delete it", type="primary"):
            with told_plainly():
                conversation.forget()
            _begin()
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
    """Stream the answer; only one that came to its end is remembered (row A5)."""
    with st.chat_message("user"):
        st.markdown(plain(question))
    with st.chat_message("assistant"), st.spinner("Thinking …"):
        place = st.empty()
        with closing(answering(stage).stream(question, user=owner, history=conversation.history())) as stream:
            for event in stream.events():
                place.markdown(plain(stream.answer.text if isinstance(event, str) else telling(event)))
    answer = stream.answer
    conversation.remember(answer.question, answer.text)
    return Turn(answer.question, answer.text, answer)
