"""The memory of a conversation, and its panel in the side bar: it shows what is known, and forgets on demand."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import dropwhile, takewhile

import streamlit as st

from lessons.context.cache import AnswerTable
from lessons.errors import LessonsError
from lessons.evaluate.feedback import Ratings
from lessons.memory.conversation import Memory, NoMemory, Recollection, Window, log_failure
from lessons.memory.messages import Session, message_store
from lessons.memory.profile import Profile, Slot, forget_user
from lessons.memory.summaries import LongTerm, RecursiveSummary, Tiers
from lessons.memory.turns import Turns
from lessons.pages.common import errors_shown, offer_to_delete
from lessons.pages.conversations import Turn, begin_session, forget_cached, is_expired, pairs
from lessons.pages.language import N_, _, to_address
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.settings import settings
from lessons.tables import counted, plain
from lessons.text import normalize

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
            with log_failure("a memory takes the turn up from the messages when the page is drawn again"):
                self.memory.remember(question, answer)


def open_memory(
    name: str, workspace: Workspace, scope: Scope, session_id: str, messages: Session, knows_user: bool = True
) -> Recorded:
    """Return the memory of a session. A long-term one first takes up the turns that were said under another.

    The stored messages tell which: what a tab shows may be older, or forgotten by another tab. If the memory knows none
    of them and they are older than its lifetime, it has dropped them.
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
                _show_long_term(long_term, recalled)
            _show_profile(profile, "" if long_term else _(": this memory does not use it"))

    panel()


def _fold(title: str, lines: Sequence[str]) -> None:
    with st.expander(title, expanded=bool(lines)):
        for line in lines:
            st.caption(line)


def _show_long_term(memory: LongTerm, recalled: Recollection) -> None:
    state = memory.state
    lines = [plain(line) for line in state.summary.split("\n") if line]
    if isinstance(memory, RecursiveSummary):
        limit = settings().summary_sentences
        sentences = _("{number} of {most} sentences", number=len(lines), most=limit)
    else:
        sentences = _("1 sentence") if len(lines) == 1 else _("{number:,} sentences", number=len(lines))
    covered = _("turns 1–{number}", number=state.upto) if state.upto > 1 else _("turn 1")
    title = _("Summary: {sentences}, {turns}", sentences=sentences, turns=covered) if lines else _("Summary: empty")
    _fold(title, lines)
    if isinstance(memory, Tiers):
        older = [plain(line) for line in _older_turns(recalled.memory)]
        _fold(_(f"Older turns found by meaning: {counted(len(older), 'line')}"), older)
    else:
        entities = [
            f"**{plain(entity.key)}** {plain(entity.value)} · " + _("turn {number}", number=entity.turn)
            for entity in reversed(state.entities)
        ]
        limit = settings().entities_kept
        _fold(_("Entities: {number} of {most}", number=len(entities), most=limit), entities)


def _older_turns(memory: str) -> list[str]:
    lines = [*dropwhile(lambda line: not line.startswith("Older turns"), memory.splitlines())][1:]
    return [*takewhile(lambda line: not line.endswith(":") or line.startswith(("user: ", "assistant: ", "- ")), lines)]


def _show_profile(profile: Profile, note: str) -> None:
    slots = profile.slots()
    with st.expander(_("Profile ({number})", number=len(slots)) + note, bool(slots)):
        st.caption(
            _(
                "What you said about yourself. It goes with you from conversation to conversation. An emptied field is "
                "forgotten."
            )
        )
        for slot in reversed(slots):
            key = f"slot-{slot.key}-{slot.value}"  # another value has a field of its own
            words = _("You said: “{words}”", words=plain(slot.said)) if slot.said else None
            st.text_input(
                plain(slot.key),
                slot.value,
                key=key,
                help=words,
                on_change=errors_shown()(_correct),
                args=(profile, slot, key),
            )


def _correct(profile: Profile, slot: Slot, key: str) -> None:
    """Store the value in the field; an empty one deletes the fact."""
    if value := st.session_state[key].strip():
        profile.put(slot.key, value, slot.said)
    else:
        profile.delete(slot.key)


def offer_to_forget(workspace: Workspace, scope: Scope, session_id: str) -> None:
    """Offer to delete this conversation, with what every memory has of it."""
    warning = _(
        "What was said here will be deleted for good, with what was made of it. Your profile, your ratings and the "
        "answers kept for reuse stay."
    )

    def forget() -> None:
        Turns(workspace.engine, scope, session_id).forget()
        message_store().remove(scope, session_id)
        forget_cached()
        begin_session()

    offer_to_delete(_("Forget this conversation"), warning, forget)


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
        st.session_state.pop("chat", None)
        to_address("session", "")

    offer_to_delete(_("Forget me"), warning, forget, _("Delete all of it"), ":material/delete_forever:")
