"""The conversations of an owner, their memory, and its panel in the side bar, which forgets on demand."""

import re
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import Any

import streamlit as st
from sqlalchemy import Engine, func, select

from lessons.context.cache import AnswerTable
from lessons.database.owners import owner_transaction
from lessons.errors import LessonsError
from lessons.evaluate.feedback import Ratings
from lessons.memory.conversation import Conversation, Memory, NoMemory, Recollection, Window, log_failure
from lessons.memory.messages import MessageRow, Session, StoredMessages, message_store, with_tables
from lessons.memory.profile import Profile, Slot, forget_user
from lessons.memory.summaries import LongTerm, RecursiveSummary, Tiers
from lessons.memory.turns import Turns
from lessons.pages.common import errors_shown, offer_to_delete
from lessons.pages.language import N_, _, from_address, to_address
from lessons.rag.answer import Answer
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.settings import settings
from lessons.tables import counted, plain
from lessons.text import normalize

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
def _turns(owner: str, session_id: str) -> list[Turn]:
    """Return the turns of this process, which every tab shows; a later process has only their texts."""
    return []


@st.cache_resource(max_entries=MAX_CACHED, show_spinner=False)
def conversation(owner: str, session_id: str, name: str, _memory: Memory) -> Conversation:
    """Return the conversation with the memory of this name; after a reload it still has turns it could not save."""
    return Conversation(_memory)


def forget_cached() -> None:
    """Drop what this process caches of conversations; their messages stay in the database."""
    _turns.clear()
    conversation.clear()


def turns_of(scope: Scope, session_id: str, messages: Session) -> list[Turn]:
    """Return the turns that the page shows, to which it adds; at first those of the messages."""
    turns = _turns(scope.user_id, session_id)
    if not turns:
        with suppress(LessonsError):  # `show_memory` reports a database that is away
            turns.extend(Turn(*pair) for pair in pairs(messages))
    return turns


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


# Its memory

MEMORIES = {
    "none": N_("None"),
    "window": N_("Window"),
    "tiers": N_("Three tiers"),
    "recursive": N_("Recursive summary"),
}
_LONG_TERM: dict[str, type[LongTerm]] = {"tiers": Tiers, "recursive": RecursiveSummary}


@dataclass(frozen=True)
class Recorded:
    """A memory whose turns are also stored as messages, so that the page shows them after a reload."""

    memory: Memory
    messages: Session

    def recall(self, question: str) -> Recollection:
        return self.memory.recall(question)

    def remember(self, question: str, answer: str) -> None:
        self.messages.add(("user", question), ("assistant", answer))
        if not isinstance(self.memory, Window):
            with log_failure("a memory takes the turn up from the messages when the page is drawn again: %s"):
                self.memory.remember(question, answer)


def open_memory(
    name: str, workspace: Workspace, scope: Scope, session_id: str, messages: Session, knows_user: bool = True
) -> Recorded:
    """Return the memory of a session. A long-term one first takes up the turns that were said under another.

    If it knows none of the stored messages and they are older than its lifetime, it has dropped them.
    """
    if name not in _LONG_TERM:
        return Recorded(Window(messages) if name == "window" else NoMemory(), messages)
    memory = _LONG_TERM[name].of(workspace, scope, session_id, knows_user)
    with suppress(LessonsError):  # `show_memory` reports a database that is away
        last = {turn.question for turn in memory.turns.last(1)}
        newer = [*takewhile(lambda pair: normalize(pair[0]) not in last, reversed([*pairs(messages)]))]
        if last or (newer and not is_expired(workspace.engine, scope, session_id)):
            for question, answer in reversed(newer):
                memory.remember(question, answer)
    return Recorded(memory, messages)


def show_memory(memory: Memory, turns: Sequence[Turn], workspace: Workspace, scope: Scope) -> None:
    """Show in the side bar what the memory hands to the next answer, part by part, and the profile of the user.

    While the database is away, the side bar says why there is nothing to show, and the page goes on.
    """
    with st.sidebar:
        st.subheader(_("Memory"), anchor=False)
        try:
            _show_parts(memory, turns, Profile(workspace.engine, scope))
            _offer_to_forget_me(workspace, scope)
        except LessonsError as error:
            missing = _("What was said before and what the memory knows cannot be shown.")
            st.caption(plain(f"{missing} {_(str(error))}"))


def _show_parts(memory: Memory, turns: Sequence[Turn], profile: Profile) -> None:
    long_term = memory if isinstance(memory, LongTerm) else None
    is_updating = long_term is not None and long_term.has_open_turns()

    @st.fragment(run_every=1 if is_updating else None)
    def panel() -> None:
        with errors_shown():
            if is_updating and long_term and not st.session_state.get("reading") and not long_term.has_open_turns():
                st.rerun()
            recalled = memory.recall(turns[-1].question if turns else "")
            st.caption(_("About {tokens:,} tokens go with the next question.", tokens=recalled.tokens))
            questions = [plain(content) for role, content in recalled.history if role == "user"]
            _fold(_(f"Window: {counted(len(questions), 'turn')} word for word"), questions)
            if long_term:
                lines = [plain(_(line)) for line in recalled.memory.splitlines() if line]
                number = sum(not line.endswith(":") for line in lines)  # the others head them
                _fold(_("Recalled from before ({number})", number=number), lines)
            _show_profile(profile, "" if long_term else _(": this memory does not use it"))

    panel()


def _fold(title: str, lines: Sequence[str]) -> None:
    with st.expander(title, expanded=bool(lines)):
        for line in lines:
            st.caption(line)


def _show_profile(profile: Profile, note: str) -> None:
    slots = profile.slots()
    with st.expander(_("Profile ({number})", number=len(slots)) + note, bool(slots)):
        words = N_("What you said about yourself, for all your conversations. An emptied field is forgotten.")
        st.caption(_(words))
        for slot in reversed(slots):
            key = f"slot-{slot.key}-{slot.value}"  # another value has a field of its own
            quoted = _("You said: “{words}”", words=plain(slot.said)) if slot.said else None
            change: dict[str, Any] = {"on_change": errors_shown()(_correct), "args": (profile, slot, key)}
            st.text_input(plain(slot.key), slot.value, key=key, help=quoted, **change)


def _correct(profile: Profile, slot: Slot, key: str) -> None:
    """Store the value in the field; an empty one deletes the fact."""
    if value := st.session_state[key].strip():
        profile.put(slot.key, value, slot.said)
    else:
        profile.delete(slot.key)


def offer_to_forget(workspace: Workspace, scope: Scope, session_id: str) -> None:
    """Offer to delete this conversation, with what every memory has of it."""
    warning = N_(
        "What was said here will be deleted for good, with what was made of it. Your profile, your ratings and the "
        "answers kept for reuse stay."
    )

    def forget() -> None:
        Turns(workspace.engine, scope, session_id).forget()
        message_store().remove(scope, session_id)
        forget_cached()
        begin_session()

    offer_to_delete(_("Forget this conversation"), _(warning), forget)


def _offer_to_forget_me(workspace: Workspace, scope: Scope) -> None:
    """Offer to delete everything that conversations left behind about this owner."""
    warning = _(
        "This deletes for good, for **{owner}**: the messages, turns, summaries and entities of all conversations, "
        "the profile, the answers kept for reuse, and your ratings. Your documents stay.",
        owner=plain(scope.user_id),
    )

    def forget() -> None:
        forget_user(workspace.engine, scope, message_store())
        AnswerTable(workspace.engine).clear(scope.user_id)
        Ratings(workspace.engine, scope).forget()
        forget_cached()
        to_address("session", "")

    offer_to_delete(_("Forget me"), warning, forget, _("Delete all of it"), ":material/delete_forever:")
