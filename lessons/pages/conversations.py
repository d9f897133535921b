"""The conversations of an owner, and what their answers rest on: listed and shown again as long as they are kept."""

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from sqlalchemy import Engine, func, select

from lessons.database.row_security import scoped
from lessons.memory.messages import MessageRow, StoredMessages, message_store, opened
from lessons.memory.turns import SessionRow, TurnRow, transaction
from lessons.pages.common import is_shared
from lessons.pages.language import _, keep
from lessons.rag.context import CITATION
from lessons.rag.types import Scope
from lessons.tables import plain_line

LISTED, KEPT = 20, 500  # conversations in the list; turns of this process with what they rest on
LONGEST = 60  # characters of a question in the list


@dataclass(frozen=True)
class Turn:
    """A question and what was answered; `how` names stage and memory. What the answer rests on may be forgotten."""

    question: str
    text: str
    answer: Any = None
    how: str = ""


@st.cache_resource
def _kept() -> dict[tuple[str, str, str, str], Turn]:
    return {}


def keep_turn(owner: str, session_id: str, turn: Turn) -> None:
    """Keep what an answer rests on, for a reload."""
    _kept()[owner, session_id, turn.question, _bare(turn.text)] = turn
    for oldest in list(_kept())[:-KEPT]:
        _kept().pop(oldest, None)


def _bare(text: str) -> str:
    """The letters and digits of an answer; a memory keeps it without its citations."""
    return "".join(filter(str.isalnum, CITATION.sub("", text)))


def kept_turn(owner: str, session_id: str, question: str, text: str) -> Turn:
    """The turn with what it rests on, if that is still known.

    Its answer is a copy: two turns may have said the same, and a page names what belongs to an answer after it.
    """
    known = _kept().get((owner, session_id, question, _bare(text)))
    return replace(known, answer=copy(known.answer)) if known else Turn(question, text)


def forget_turns(owner: str, session_id: str = "") -> None:
    """Forget what the answers of a conversation rest on, or of all conversations of the owner."""
    for key in list(_kept()):
        if key[0] == owner and session_id in ("", key[1]):
            _kept().pop(key, None)


def offer_conversations(name: str, found: Callable[[], Iterable[tuple[str, str]]], present: str) -> None:
    """An owner's latest conversations by their first question; none on a shared app, where owners are shared, too.

    `found` gives their ids and questions; the one that is gone back to is kept under `name`.
    """
    others = [] if is_shared() else [each for each in found() if each[0] != present]
    if others:
        with st.sidebar.expander(_("Earlier conversations ({number})", number=len(others)), icon=":material/history:"):
            for session_id, question in others:
                label = plain_line(question[:LONGEST] + (" …" if len(question) > LONGEST else ""))
                st.button(label, key=f"go-{session_id}", type="tertiary", on_click=keep, args=(name, session_id))


def remembered(name: str, engine: Engine, scope: Scope) -> list[tuple[str, str]]:
    """The sessions of a long-term memory begun under a name, with the first question still kept, the latest first."""
    mine = TurnRow.user_id == SessionRow.user_id, TurnRow.session_id == SessionRow.session_id
    question = select(TurnRow.question).where(*mine).order_by(TurnRow.number).limit(1).scalar_subquery()
    named = SessionRow.user_id == scope.user_id, SessionRow.session_id.startswith(f"{name}-", autoescape=True)
    found = select(SessionRow.session_id, question).where(*named).order_by(SessionRow.used_at.desc()).limit(LISTED)
    with transaction(engine, scope) as connection:
        return [(session_id, first) for session_id, first in connection.execute(found) if first]


def stored(engine: Engine, scope: Scope) -> list[tuple[str, str]]:
    """The sessions whose messages are stored, with their first questions, the latest first."""
    if not isinstance(message_store(), StoredMessages):
        return []
    mine = MessageRow.user_id == scope.user_id
    each = select(func.min(MessageRow.id).label("first"), func.max(MessageRow.id).label("last")).where(mine)
    ends = each.group_by(MessageRow.session_id).subquery()
    first = select(MessageRow.session_id, MessageRow.content).join(ends, MessageRow.id == ends.c.first).where(mine)
    with scoped(opened(engine, MessageRow), scope.user_id) as connection:
        rows = connection.execute(first.order_by(ends.c.last.desc()).limit(LISTED)).all()
    return [(row.session_id, row.content) for row in rows]
