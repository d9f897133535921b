"""A conversation with one stage, and the memory beside it: what is known, as it changes, and how to forget it."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import dropwhile, takewhile
from typing import Any

import streamlit as st

from lessons.agent import telling
from lessons.context.cache import AnswerTable
from lessons.context.intent import with_top_k
from lessons.errors import LessonsError
from lessons.memory.manager import Conversation
from lessons.memory.messages import Session, message_store
from lessons.memory.profile import Profile, Slot, forget_user, known_of
from lessons.memory.summaries import LongTerm, RecursiveSummary, Tiers
from lessons.memory.turns import Turns
from lessons.memory.types import Memory, NoMemory, Recollection, Window
from lessons.pages.answer import show_answer
from lessons.pages.common import (
    allow_questions,
    answering,
    begin_session,
    confirmed,
    errors_shown,
    keep,
    offer_reuse,
    session,
    titled,
)
from lessons.pages.conversations import Turn, forget_turns, keep_turn, kept_turn, offer_conversations, stored
from lessons.rag.stages import AnswerStream, Stage, stages
from lessons.rag.types import Scope
from lessons.search.materials import Purpose, top_k_for
from lessons.settings import settings
from lessons.tables import counted, plain
from lessons.trace import Step
from lessons.workspace import Workspace, workspace

NAMES = {"none": "None", "window": "Window", "tiers": "Three tiers", "recursive": "Recursive summary"}
PURPOSES: dict[Purpose, str] = {"chat": "A chat", "plan": "A learning plan", "session": "A session of a plan"}
_KINDS: dict[str, type[LongTerm]] = {"tiers": Tiers, "recursive": RecursiveSummary}
_SECOND = 1.0


@titled("Chat", "A conversation with one stage. Follow-ups are understood from what was said, also after a reload.")
def page(place: Workspace, owner: str) -> None:
    """Go on with the conversation that the address names, or begin one."""
    offer_reuse()
    scope, session_id = Scope(owner), session("session")
    messages = message_store().get_or_create(scope, session_id)
    offer_conversations("session", partial(stored, place.engine, scope), session_id)
    turns = turns_of("chat", scope, session_id, lambda: _pairs(messages))
    stage, named = _controls(scope, session_id, bool(turns))
    memory = _memory_named(named, place, scope, session_id, messages, turns)
    show_memory(memory.memory, turns, place, scope)

    def ask(question: str) -> AnswerStream:
        allow_questions(owner)
        return Conversation(memory).stream(answering(stage), question, user=owner)

    how = f"{stage.name.capitalize()}, memory: {NAMES[named]}"
    converse(turns, "In English or Korean", ask, show_answer, telling, partial(keep_turn, owner, session_id), how)


def _pairs(messages: Session) -> Iterable[tuple[str, str]]:
    said = [content for _, content in messages.history()]
    return zip(said[::2], said[1::2], strict=True)


def turns_of(key: str, scope: Scope, session_id: str, stored: Callable[[], Iterable[tuple[str, str]]]) -> list[Turn]:
    """What a page shows; read from where it is stored when the page comes to a session for the first time."""
    shown, named = st.session_state.get(key), (scope.user_id, session_id)
    if shown is None or shown[0] != named:
        shown = st.session_state[key] = named, [kept_turn(*named, *pair) for pair in stored()]
    return shown[1]


def converse(
    turns: list[Turn],
    prompt: str,
    ask: Callable[[str], AnswerStream],
    show: Callable[[Any], None],
    tell: Callable[[Step], str],
    done: Callable[[Turn], None],
    how: str = "",
    every_step: bool = False,
) -> None:
    """The conversation so far, its answers as `show` draws them, or as mere text where only that is known. Go on below.

    While an answer comes in, what its steps are about stands above it: the last of them, or each. It can be stopped;
    then it is not part of the conversation. `done` is told a turn that is complete, `how` names stage and memory.
    """
    if not turns:
        st.info("Nothing has been said yet. Ask below, in English or Korean.")
    for turn in turns:
        _show_turn(turn, show)
    if turns:
        _offer_copy_and_retry(turns[-1])
    typed = st.chat_input(prompt, submit_mode="stop")
    if question := st.session_state.pop("again", None) or typed:
        with st.chat_message("user"):
            st.markdown(plain(question))
        with st.chat_message("assistant"):
            try:
                with st.spinner("Thinking …"):
                    turns.append(_answered(ask(question), tell, how, every_step))
            except LessonsError as error:
                st.error(plain(str(error)))
                _offer_retry(question, "retry")
                return
        done(turns[-1])
        st.rerun()


def _show_turn(turn: Turn, show: Callable[[Any], None]) -> None:
    with st.chat_message("user"):
        st.markdown(plain(turn.question))
    with st.chat_message("assistant"):
        if turn.answer:
            show(turn.answer)
        else:
            st.markdown(plain(turn.text))
        if turn.how:
            st.caption(plain(turn.how))


def _offer_copy_and_retry(turn: Turn) -> None:
    with st.container(horizontal=True):
        with st.popover("Copy", icon=":material/content_copy:"):
            st.code(turn.text, language=None, wrap_lines=True)
        _offer_retry(turn.question, "ask again")


def _offer_retry(question: str, key: str) -> None:
    again = partial(st.session_state.__setitem__, "again", question)
    st.button("Ask again", icon=":material/refresh:", key=key, on_click=again)


def _answered(stream: AnswerStream, tell: Callable[[Step], str], how: str, every_step: bool) -> Turn:
    steps, place = st.container(), st.empty()
    with closing(stream):
        for event in stream.events():
            if isinstance(event, str):
                place.markdown(plain(stream.answer.text))
            elif every_step:
                steps.caption(plain(tell(event)))
            else:
                place.markdown(plain(tell(event)))
    return Turn(stream.answer.question, stream.answer.text, stream.answer, how)


def _controls(scope: Scope, session_id: str, begun: bool) -> tuple[Stage, str]:
    """The stage that answers, with as many chunks as its purpose needs, and the name of its memory.

    A conversation that has begun can be left or forgotten.
    """
    names = list(stages())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Stage", names, index=len(names) - 1, format_func=str.capitalize, key="stage", width=200)
        memory = st.selectbox(
            "Memory", list(NAMES), len(NAMES) - 1, NAMES.__getitem__, key="memory", width=200, bind="query-params"
        )
        purpose = st.selectbox(
            "For",
            list(PURPOSES),
            format_func=lambda each: f"{PURPOSES[each]}: {counted(top_k_for(each), 'chunk')}",
            key="purpose",
            help="How many chunks each search of the stage hands over.",
            width=250,
        )
        if begun:
            st.button("New conversation", on_click=begin_session, args=("session",))
            _offer_to_forget(scope, session_id)
    return with_top_k(stages()[name], top_k_for(purpose)), memory


def _offer_to_forget(scope: Scope, session_id: str) -> None:
    gone = "What was said here will be deleted for good, with what was made of it. Your profile stays."
    if confirmed("Forget this conversation", gone):
        Turns(workspace().engine, scope, session_id).forget()
        message_store().remove(scope, session_id)
        forget_turns(scope.user_id, session_id)
        begin_session("session")
        st.rerun()


@dataclass(frozen=True)
class Recorded:
    """A memory whose turns are also kept as messages, so that the page shows them after a reload."""

    memory: Memory
    messages: Session

    def recall(self, question: str) -> Recollection:
        return self.memory.recall(question)

    def remember(self, question: str, answer: str) -> None:
        self.messages.add(("user", question), ("assistant", answer))
        if not isinstance(self.memory, Window):
            self.memory.remember(question, answer)


def _memory_named(
    name: str, place: Workspace, scope: Scope, session_id: str, messages: Session, turns: Sequence[Turn]
) -> Recorded:
    """The memory of a session. A long-term one first takes up the turns that were said under another."""
    if name not in _KINDS:
        return Recorded(Window(messages) if name == "window" else NoMemory(), messages)
    memory = _KINDS[name].of(place, scope, session_id)
    for turn in turns[memory.turns.count() :]:
        memory.remember(turn.question, turn.text)
    return Recorded(memory, messages)


def show_memory(memory: Memory, turns: Sequence[Turn], place: Workspace, scope: Scope) -> None:
    """In the side bar: what the memory would hand to the next answer, part by part, and the profile of the user."""
    long_term = memory if isinstance(memory, LongTerm) else None
    awaits = long_term is not None and long_term.awaits_update()

    @st.fragment(run_every=_SECOND if awaits else None)
    def panel() -> None:
        if awaits and long_term and not long_term.awaits_update():
            st.rerun()
        with errors_shown():
            recalled = memory.recall(turns[-1].question if turns else "")
            st.caption(f"About {recalled.tokens:,} tokens go with the next question.")
            asked = [plain(content) for role, content in recalled.history if role == "user"]
            _fold(f"Window: {counted(len(asked), 'turn')} word for word", asked)
            if long_term:
                _show_long_term(long_term, recalled)
            _show_profile(Profile(place.engine, scope), "" if long_term else ": this memory does not use it")

    with st.sidebar:
        panel()
        _offer_to_forget_me(place, scope)


def _fold(title: str, lines: Sequence[str]) -> None:
    """Lines of Markdown below a title; folded away if there are none."""
    with st.expander(title, expanded=bool(lines)):
        for line in lines:
            st.caption(line)


def _show_long_term(memory: LongTerm, recalled: Recollection) -> None:
    state, chosen = memory.state, settings()
    lines = [plain(line) for line in state.summary.split("\n") if line]
    limited = isinstance(memory, RecursiveSummary)
    many = f"{len(lines)} of {chosen.summary_sentences} sentences" if limited else counted(len(lines), "sentence")
    upto = f"turns 1–{state.upto}" if state.upto > 1 else "turn 1"
    _fold(f"Summary: {many}, {upto}" if lines else "Summary: empty", lines)
    if isinstance(memory, Tiers):
        older = [plain(line) for line in _section(recalled.memory, "Older turns")]
        _fold(f"Older turns found by meaning: {counted(len(older), 'line')}", older)
    else:
        known = [f"**{plain(one.key)}** {plain(one.value)} · turn {one.turn}" for one in reversed(state.entities)]
        _fold(f"Entities: {len(known)} of {chosen.entities_kept}", known)


def _section(memory: str, title: str) -> list[str]:
    """The lines under a title, up to the next one."""
    _, *lines = [*dropwhile(lambda line: not line.startswith(title), memory.splitlines())] or [""]
    return [*takewhile(lambda line: not line.endswith(":") or line.startswith(("user: ", "assistant: ", "- ")), lines)]


def _show_profile(profile: Profile, note: str) -> None:
    slots = profile.slots()
    with st.expander(f"Profile ({len(slots)}){note}", bool(slots)):
        st.caption("What you said about yourself. It goes with you from conversation to conversation.")
        for slot in reversed(slots):
            with st.popover(f"{plain(slot.key)}: {plain(slot.value)}", width="stretch"):
                _show_slot(profile, slot)


def _show_slot(profile: Profile, slot: Slot) -> None:
    if slot.said:
        st.caption(f"You said: “{plain(slot.said)}”")
    value = st.text_input("Value", slot.value, key=f"slot-{slot.key}")
    if st.button("Save", key=f"save-{slot.key}"):
        profile.put(slot.key, value, slot.said)
        st.rerun()
    if st.button("Delete", key=f"delete-{slot.key}"):
        profile.delete(slot.key)
        st.rerun()


def _offer_to_forget_me(place: Workspace, scope: Scope) -> None:
    """After a second click, everything that conversations left behind about this owner is gone."""
    known = known_of(place.engine, scope)
    warning = (
        f"This deletes for good, for **{plain(scope.user_id)}**: the messages of all conversations, "
        f"the turns, summaries and entities of {known.sessions} of them, "
        f"{counted(known.facts, 'fact')} of the profile, "
        "and the answers kept for reuse. Your documents stay."
    )
    if confirmed("Forget me", warning, "Delete all of it", ":material/delete_forever:"):
        forget_user(place.engine, scope, message_store())
        AnswerTable(place.engine).clear(scope.user_id)
        forget_turns(scope.user_id)
        st.session_state.pop("chat", None)
        keep("session", "")
        st.rerun()
