"""The conversations of an owner: their ids, their turns with what the answers rest on, and the list of earlier ones."""

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
from lessons.pages.common import is_shared
from lessons.pages.language import _, from_address, to_address
from lessons.rag.answer import Answer
from lessons.rag.context import CITATION
from lessons.rag.types import Scope
from lessons.settings import settings
from lessons.tables import plain_line

LISTED = 20  # conversations in the side bar
MAX_CACHED = 500  # conversations of this process
LONGEST = 60  # characters of a question in the list
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


# Earlier conversations


def offer_conversations(engine: Engine, scope: Scope, current: str) -> None:
    """List earlier conversations in the side bar; none on a shared app, where owners are shared, too."""
    rows: list[tuple[str, str]] = []
    with suppress(LessonsError):  # `show_memory` reports a database that is away
        rows = [] if is_shared() else [row for row in _stored(engine, scope) if row[0] != current]
    if rows:
        with st.sidebar.expander(_("Earlier conversations ({number})", number=len(rows)), icon=":material/history:"):
            for session_id, question in rows:
                label = plain_line(question[:LONGEST] + (" …" if len(question) > LONGEST else ""))
                key = f"go-{session_id}"
                st.button(label, key=key, type="tertiary", on_click=to_address, args=("session", session_id))


def _stored(engine: Engine, scope: Scope) -> list[tuple[str, str]]:
    """Read the sessions with stored messages and their first questions, the latest session first."""
    if not isinstance(message_store(), StoredMessages):
        return []
    is_owned = MessageRow.user_id == scope.user_id
    ids = select(func.min(MessageRow.id).label("first"), func.max(MessageRow.id).label("last")).where(is_owned)
    ends = ids.group_by(MessageRow.session_id).subquery()
    first = select(MessageRow.session_id, MessageRow.content).join(ends, MessageRow.id == ends.c.first).where(is_owned)
    with owner_transaction(with_tables(engine, MessageRow), scope.user_id) as connection:
        rows = connection.execute(first.order_by(ends.c.last.desc()).limit(LISTED)).all()
    return [(row.session_id, row.content) for row in rows]


def is_expired(engine: Engine, scope: Scope, session_id: str) -> bool:
    """Check whether the last message is older than a long-term memory gets without use."""
    if not isinstance(message_store(), StoredMessages):
        return False
    in_session = MessageRow.user_id == scope.user_id, MessageRow.session_id == session_id
    with owner_transaction(with_tables(engine, MessageRow), scope.user_id) as connection:
        last = connection.scalar(select(func.max(MessageRow.timestamp)).where(*in_session))
    return last is not None and datetime.now(UTC) - last > timedelta(hours=settings().memory_ttl_hours)
