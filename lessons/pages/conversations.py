"""The conversations of an owner: their ids, and their turns with what the answers rest on."""

import re
import secrets
from collections.abc import Iterable
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import streamlit as st
from sqlalchemy import Engine, func, select

from lessons.database.owners import owner_transaction
from lessons.errors import LessonsError
from lessons.memory.conversation import Conversation, Memory
from lessons.memory.messages import MessageRow, Session, StoredMessages, message_store, with_tables
from lessons.pages.language import from_address, to_address
from lessons.rag.answer import Answer
from lessons.rag.context import CITATION
from lessons.rag.types import Scope
from lessons.settings import settings

MAX_CACHED = 500  # conversations of this process
_SESSION_ID = re.compile(r"(?:[a-z]+-)?[\w-]{22}", re.ASCII)  # as `begin_session` makes them


def current_session() -> str:
    """Return the session id in the address, or begin a session. An id that was not made here could be guessed."""
    if not _SESSION_ID.fullmatch(from_address("session")):
        begin_session()
    to_address("session", from_address("session"))
    return from_address("session")


def begin_session() -> None:
    to_address("session", secrets.token_urlsafe(16))


@dataclass(frozen=True)
class Turn:
    """A question and its answer as text; the whole answer only while this process still has it."""

    question: str
    text: str
    answer: Answer | None = None
    answered_by: str = ""  # the stage and its memory


@st.cache_resource(max_entries=MAX_CACHED, show_spinner=False)
def _turns(owner: str, session_id: str) -> dict[tuple[str, str], Turn]:
    return {}


@st.cache_resource(max_entries=MAX_CACHED, show_spinner=False)
def conversation(owner: str, session_id: str, name: str, _memory: Memory) -> Conversation:
    """Return the conversation with the memory of this name; after a reload it still has turns it could not save."""
    return Conversation(_memory)


def cache_turn(owner: str, session_id: str, turn: Turn) -> None:
    """Keep the whole answer for a reload of the page."""
    _turns(owner, session_id)[turn.question, _letters(turn.text)] = turn


def forget_cached() -> None:
    """Drop what this process caches of conversations; their messages stay in the database."""
    _turns.clear()
    conversation.clear()


def _letters(text: str) -> str:
    """Reduce an answer to letters and digits; a memory stores it without its citations."""
    return "".join(filter(str.isalnum, CITATION.sub("", text)))


def turns_of(scope: Scope, session_id: str, messages: Session) -> list[Turn]:
    """Return the turns that the page shows; read from the messages until this tab has a turn of the session."""
    session, turns = st.session_state.get("chat", (None, []))
    if session != (scope.user_id, session_id) or not turns:
        turns = []
        with suppress(LessonsError):  # `show_memory` reports a database that is away
            turns = [_cached_turn(scope.user_id, session_id, *pair) for pair in pairs(messages)]
        st.session_state["chat"] = (scope.user_id, session_id), turns
    return turns


def _cached_turn(owner: str, session_id: str, question: str, text: str) -> Turn:
    turn = _turns(owner, session_id).get((question, _letters(text)))
    # A copy: two turns may have said the same, and the keys of widgets are made from the answer's id.
    return replace(turn, answer=copy(turn.answer)) if turn else Turn(question, text)


def pairs(messages: Session) -> Iterable[tuple[str, str]]:
    texts = [content for _, content in messages.history()]
    return zip(texts[::2], texts[1::2], strict=True)


def is_expired(engine: Engine, scope: Scope, session_id: str) -> bool:
    """Check whether the last message is older than a long-term memory gets without use."""
    if not isinstance(message_store(), StoredMessages):
        return False
    in_session = MessageRow.user_id == scope.user_id, MessageRow.session_id == session_id
    with owner_transaction(with_tables(engine, MessageRow), scope.user_id) as connection:
        last = connection.scalar(select(func.max(MessageRow.timestamp)).where(*in_session))
    return last is not None and datetime.now(UTC) - last > timedelta(hours=settings().memory_ttl_hours)
