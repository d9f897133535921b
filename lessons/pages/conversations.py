"""The conversations of an owner: listed and shown again with what their answers rest on, and their answers rated."""

import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import streamlit as st
from sqlalchemy import Engine, func, select

from lessons.database.owners import owner_transaction
from lessons.errors import LessonsError
from lessons.evaluate.feedback import Rating, Ratings, question_lines
from lessons.memory.conversation import Conversation, Memory
from lessons.memory.messages import MessageRow, StoredMessages, message_store, with_tables
from lessons.memory.turns import SessionRow, TurnRow, transaction
from lessons.pages.common import errors_shown, is_shared
from lessons.pages.language import _, keep, kept
from lessons.rag.answer import Answer
from lessons.rag.context import CITATION
from lessons.rag.types import Scope
from lessons.settings import settings
from lessons.tables import plain, plain_line

LISTED, KEPT = 20, 500  # conversations in the list; turns of this process with what they rest on, or conversations
LONGEST = 60  # characters of a question in the list
THUMBS = ":material/thumb_down:", ":material/thumb_up:"
RATED = 20  # of the rated answers
_SESSION = re.compile(r"(?:[a-z]+-)?[\w-]{22}", re.ASCII)  # what `begin_session` makes


def session(name: str) -> str:
    """The session kept under this name, or a new one. Nobody can guess an id made here, and others are not taken."""
    if not _SESSION.fullmatch(kept(name)):
        begin_session(name)
    keep(name, kept(name))
    return kept(name)


def begin_session(name: str) -> None:
    keep(name, f"{name}-{secrets.token_urlsafe(16)}")


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
    _drop_oldest(_kept())


def _drop_oldest(known: dict[Any, Any]) -> None:
    for oldest in list(known)[:-KEPT]:
        known.pop(oldest, None)


def _bare(text: str) -> str:
    """The letters and digits of an answer; a memory keeps it without its citations."""
    return "".join(filter(str.isalnum, CITATION.sub("", text)))


def kept_turn(owner: str, session_id: str, question: str, text: str) -> Turn:
    """The turn with what it rests on, if that is still known."""
    known = _kept().get((owner, session_id, question, _bare(text)))
    # A copy: two turns may have said the same, and a page names what belongs to an answer after it.
    return replace(known, answer=copy(known.answer)) if known else Turn(question, text)


@st.cache_resource
def _conversations() -> dict[tuple[str, str, str], Conversation]:
    return {}


def conversation(owner: str, session_id: str, name: str, memory: Memory) -> Conversation:
    """The conversation under a memory of this name, with the turns that could not be saved yet, after a reload too."""
    known = _conversations().setdefault((owner, session_id, name), Conversation(memory))
    _drop_oldest(_conversations())
    return known


def forget_turns(owner: str, session_id: str = "") -> None:
    """Forget what is kept of a conversation here, or of all conversations of the owner."""
    known: list[dict[Any, Any]] = [_kept(), _conversations()]
    for each in known:
        for key in list(each):
            if key[0] == owner and session_id in ("", key[1]):
                each.pop(key, None)


def offer_conversations(name: str, found: Callable[[], Iterable[tuple[str, str]]], present: str) -> None:
    """The conversations `found`, ids and first questions, to go back to; none on a shared app, which shares owners."""
    others: list[tuple[str, str]] = []
    with suppress(LessonsError):  # `show_memory` tells of a database that is away
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
    with owner_transaction(with_tables(engine, MessageRow), scope.user_id) as connection:
        rows = connection.execute(first.order_by(ends.c.last.desc()).limit(LISTED)).all()
    return [(row.session_id, row.content) for row in rows]


def is_old(engine: Engine, scope: Scope, session_id: str) -> bool:
    """Whether the last stored message of a session is older than a long-term memory gets without use."""
    if not isinstance(message_store(), StoredMessages):
        return False
    mine = MessageRow.user_id == scope.user_id, MessageRow.session_id == session_id
    with owner_transaction(with_tables(engine, MessageRow), scope.user_id) as connection:
        last = connection.scalar(select(func.max(MessageRow.timestamp)).where(*mine))
    return last is not None and datetime.now(UTC) - last > timedelta(hours=settings().memory_ttl_hours)


# Ratings


def offer_feedback(
    ratings: Ratings, given: Mapping[str, Rating], answer: Answer, history: Iterable[str], at: int
) -> None:
    """Rate the answer of turn `at`; after 👎 there is a line for what is right. A second click takes a rating back.

    Only what is done here is written: another tab, or a turn that says the same, may have rated it otherwise.
    """
    rating = Rating.of(answer, True, history=history)
    known, thumb, field = given.get(rating.id), f"thumbs-{at}-{rating.id}", f"right-{at}-{rating.id}"
    right = known.right if known else ""

    def rate() -> None:
        if (chosen := st.session_state[thumb]) is None:
            ratings.take_back(rating.id)
        else:
            said = st.session_state.get(field, right).strip()
            ratings.rate(replace(rating, is_good=bool(chosen), right=said))

    default = int(known.is_good) if known else None
    if st.feedback("thumbs", key=thumb, default=default, on_change=errors_shown()(rate)) == 0:
        st.text_input(
            _("What would be right? (optional)"),
            right,
            key=field,
            on_change=errors_shown()(rate),
            help=_("With it, the question can be taken over on the page Own questions."),
        )


def offer_rated(ratings: Ratings, key: str) -> None:
    """The rated answers, what is right of each to be seen and corrected, and a button that puts them under the key."""
    given = ratings.all()[:RATED]
    if not given:
        return
    with st.expander(_("Rated answers of the chat ({number})", number=len(given)), icon=":material/thumbs_up_down:"):
        st.caption(
            _(
                "With :material/thumb_up: the answer is what is expected, and the passage that it cites first is the "
                "evidence. With :material/thumb_down: write what is right; until then the question does not count."
            )
        )
        seen = [_shown(ratings, rating) for rating in given]
        counted = [rating for rating in seen if rating.expected]
        there = st.session_state.get(key, "").strip()
        st.button(
            _("Take over the questions that count ({number})", number=len(counted)),
            help=_("They go into the field below, one JSON object a line, after those that are there in this form."),
            disabled=not counted or not (there or "{").startswith("{"),
            on_click=_take_over,
            args=(key, counted),
        )


def _shown(ratings: Ratings, rating: Rating) -> Rating:
    with st.container(border=True, gap="xxsmall"):
        st.markdown(f"{THUMBS[rating.is_good]} **{plain_line(rating.question)}**")
        if not rating.is_good:
            st.caption(plain(_("{stage} answered: {answer}", stage=rating.stage.capitalize(), answer=rating.answer)))
        for file, quote in rating.passages[:1] if rating.is_good else ():
            st.caption(f"**{plain_line(file)}**: “{plain_line(quote)}”")
        field = f"expected-{rating.id}"

        def correct() -> None:
            """Only what is done here is written: another tab may have corrected it, too, or taken it back."""
            now = {each.id: each for each in ratings.all()}.get(rating.id)
            if now and (said := st.session_state[field].strip()):
                ratings.rate(replace(now, right=said))

        written = errors_shown()(correct)
        right = st.text_input(_("Expected answer"), rating.expected, key=field, on_change=written).strip()
    return replace(rating, right=right) if right and right != rating.expected else rating


def _take_over(key: str, counted: Sequence[Rating]) -> None:
    """In a callback, because a field is filled only before it is drawn. Lines that are there stay."""
    there = st.session_state.get(key, "").splitlines()
    new = [line for line in question_lines(counted).splitlines() if line not in there]
    st.session_state[key] = "\n".join([*there, *new])
