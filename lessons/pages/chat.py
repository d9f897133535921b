"""A conversation with one stage, and the memory beside it: what is known, as it changes, and how to forget it."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from itertools import dropwhile, takewhile
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import RerunException, StopException

from lessons.agent import telling
from lessons.context.cache import AnswerTable
from lessons.context.intent import with_top_k
from lessons.errors import LessonsError
from lessons.evaluate.feedback import Rating, Ratings
from lessons.memory.conversation import Memory, NoMemory, Recollection, Window, log_failure
from lessons.memory.messages import Session, message_store
from lessons.memory.profile import Profile, Slot, StoredAbout, forget_user, stored_about
from lessons.memory.summaries import LongTerm, RecursiveSummary, Tiers
from lessons.memory.turns import Turns
from lessons.pages import conversations
from lessons.pages.answer import show_answer
from lessons.pages.asking import EVERYWHERE, files_of, offer_samples
from lessons.pages.common import (
    allow_questions,
    answering,
    choose,
    errors_shown,
    finish_button,
    offer_reuse,
    offer_to_delete,
    offered,
    show_dialog,
    titled,
)
from lessons.pages.conversations import Turn, begin_session, kept_turn, session
from lessons.pages.language import N_, _, keep
from lessons.rag.answer import Answer
from lessons.rag.pipeline import AnswerStream, Stage
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace, workspace
from lessons.search.materials import Purpose, top_k_for
from lessons.settings import settings
from lessons.stages import stages
from lessons.tables import counted, plain
from lessons.text import normalize
from lessons.trace import Step

NAMES = {"none": N_("None"), "window": N_("Window"), "tiers": N_("Three tiers"), "recursive": N_("Recursive summary")}
PURPOSES: dict[Purpose, str] = {
    "chat": N_("A chat: {chunks} chunks"),
    "plan": N_("A learning plan: {chunks} chunks"),
    "session": N_("A session of a plan: {chunks} chunks"),
}
_KINDS: dict[str, type[LongTerm]] = {"tiers": Tiers, "recursive": RecursiveSummary}


@titled(
    N_("Chat"),
    N_("A conversation with one stage. Follow-ups are understood from what was said, also after a reload."),
)
def page(place: Workspace, owner: str) -> None:
    """Go on with the conversation that the address names, or begin one."""
    offer_reuse(place, owner)
    scope, session_id = Scope(owner), session("session")
    messages = message_store().get_or_create(scope, session_id)
    conversations.offer_conversations("session", partial(conversations.stored, place.engine, scope), session_id)
    turns = turns_of("chat", scope, session_id, lambda: _pairs(messages))
    stage, named, searched = _controls(place, scope, session_id, bool(turns))
    if not turns:
        offer_samples(owner, "again")
    memory = _memory_named(named, place, scope, session_id, messages)
    show_memory(memory.memory, turns, place, scope)

    def ask(question: str) -> AnswerStream:
        allow_questions(owner)
        conversation = conversations.conversation(owner, session_id, named, memory)
        return conversation.stream(answering(stage), question, user=searched)

    how = _("{stage}, memory: {memory}", stage=stage.name.capitalize(), memory=_(NAMES[named]))
    ratings: Ratings | None = None
    given: dict[str, Rating] = {}
    with suppress(LessonsError):  # `show_memory` has told of a database that is away
        ratings = Ratings(place.engine, scope)
        given = {each.id: each for each in ratings.all()} if turns else {}

    def show(answer: Answer, at: int) -> None:
        show_answer(answer)
        before = turns[max(0, at - settings().memory_window) : at]
        said = [said for turn in before for said in (turn.question, turn.text)]
        if ratings is not None:
            conversations.offer_feedback(ratings, given, answer, said, at)

    done = partial(conversations.keep_turn, owner, session_id)
    converse(turns, _("In English or Korean"), ask, show, telling, done, how)


def _pairs(messages: Session) -> Iterable[tuple[str, str]]:
    said = [content for _, content in messages.history()]
    return zip(said[::2], said[1::2], strict=True)


def turns_of(key: str, scope: Scope, session_id: str, stored: Callable[[], Iterable[tuple[str, str]]]) -> list[Turn]:
    """What a page shows; read from where it is stored until the page has a turn of the session to show."""
    shown, named = st.session_state.get(key), (scope.user_id, session_id)
    if shown is None or shown[0] != named or not shown[1]:
        shown = st.session_state[key] = named, list[Turn]()
        with suppress(LessonsError):  # `show_memory` tells of a database that is away
            shown[1].extend(kept_turn(*named, *pair) for pair in stored())
    return shown[1]


def converse(
    turns: list[Turn],
    prompt: str,
    ask: Callable[[str], AnswerStream],
    show: Callable[[Any, int], None],
    tell: Callable[[Step], str],
    done: Callable[[Turn], None],
    how: str = "",
    every_step: bool = False,
) -> None:
    """The conversation so far. Go on below.

    An answer is drawn by `show`, which is told its number, too, or as mere text where only that is known. While one
    comes in, what its steps are about stands above it: the last of them, or each. It can be stopped; then what was said
    so far is kept. `done` is told each turn, `how` names stage and memory.
    """
    for at, turn in enumerate(turns):
        _show_turn(turn, at, show)
    below = st.empty()
    with below.container():
        if turns:
            _offer_copy_and_retry(turns[-1])
        else:
            st.info(_("Nothing has been said yet. Ask below, in English or Korean."))

    def add(answer: Any) -> None:
        turns.append(Turn(answer.question, answer.text, answer, how))
        done(turns[-1])

    typed = st.chat_input(prompt, submit_mode="stop")
    if question := st.session_state.pop("again", None) or typed:
        with below.container():
            _ask(question, lambda: _answer(ask(question), tell, every_step, add))


def _ask(question: str, answer: Callable[[], None]) -> None:
    """Draw the answer as it comes in, then the page anew. What is left if it is stopped is drawn before it."""
    _said(question)
    with st.chat_message("assistant"):
        place, stopped = st.container(), st.empty()
        with stopped.container(key="stopped"):
            st.caption(_("Stopped."))
            _offer_retry(question, "after stop")
        with place:
            try:
                with st.spinner(_("Thinking …")):
                    answer()
            except LessonsError as error:
                stopped.empty()
                st.error(plain(_(str(error))))
                _offer_retry(question, "retry")
                return
    stopped.empty()  # before the run ends, or it would be seen until the next one begins
    st.rerun()


def _said(question: str) -> None:
    with st.chat_message("user"):
        st.markdown(plain(question))


def _show_turn(turn: Turn, at: int, show: Callable[[Any, int], None]) -> None:
    _said(turn.question)
    with st.chat_message("assistant"):
        if turn.answer:
            show(turn.answer, at)
        else:
            st.markdown(plain(turn.text))
        if turn.how:
            st.caption(plain(turn.how))


def _offer_copy_and_retry(turn: Turn) -> None:
    with st.container(horizontal=True):
        if st.button(_("Copy"), icon=":material/content_copy:", key="copy"):
            show_dialog(_("Copy"), partial(st.code, language=None, wrap_lines=True), turn.text, width="large")
        _offer_retry(turn.question, "ask again")


def _offer_retry(question: str, key: str) -> None:
    again = partial(st.session_state.__setitem__, "again", question)
    st.button(_("Ask again"), icon=":material/refresh:", key=key, on_click=again)


def _answer(stream: AnswerStream, tell: Callable[[Step], str], every_step: bool, keep: Callable[[Any], None]) -> None:
    """Show an answer while it comes in. `keep` is told it at its end, or as far as it came when it was stopped."""
    steps, place = st.container(), st.empty()
    told = steps.caption if every_step else place.markdown
    try:
        with closing(stream):
            for event in stream.events():
                if isinstance(event, str):
                    place.markdown(plain(stream.answer.text))
                else:
                    told(plain(_(tell(event))))
    except (StopException, RerunException):  # the next `st.…` after somebody pressed Stop, or anything else
        if stream.answer.text:
            keep(stream.answer)
        raise
    keep(stream.answer)


def _controls(place: Workspace, scope: Scope, session_id: str, begun: bool) -> tuple[Stage, str, Scope]:
    """The stage that answers, with as many chunks as its purpose needs, its memory's name, and what is searched."""
    known, last = offered(), len(NAMES) - 1
    names = {name: name.capitalize() for name in known}
    memories = {each: _(label) for each, label in NAMES.items()}
    purposes = {each: _(label, chunks=top_k_for(each)) for each, label in PURPOSES.items()}
    many = _("How many chunks each search of the stage hands over.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choose(_("Stage"), names, index=len(stages()) - 1, key="stage", width=200)
        memory = choose(_("Memory"), memories, index=last, key="memory", width=200, bind="query-params")
        purpose = choose(_("Chunks for"), purposes, key="purpose", help=many, width=250)
        if begun:
            st.button(_("New conversation"), on_click=begin_session, args=("session",))
            _offer_to_forget(scope, session_id)
    searched = scope if purpose == "chat" else _within_materials(place, scope)
    return with_top_k(known[name], top_k_for(purpose)), memory, searched


def _within_materials(place: Workspace, scope: Scope) -> Scope:
    """The scope with no other documents than those that are chosen; all of it if none is."""
    files = files_of(place, scope.user_id)
    st.session_state.materials = [name for name in st.session_state.get("materials", []) if name in files]
    chosen = st.multiselect(
        _("Materials of the plan"),
        files,
        key="materials",
        placeholder=_(EVERYWHERE),
        filter_mode="contains",
        select_all=False,
    )
    return scope.only(chosen) if chosen else scope


def _offer_to_forget(scope: Scope, session_id: str) -> None:
    gone = _(
        "What was said here will be deleted for good, with what was made of it. Your profile, your ratings and the "
        "answers kept for reuse stay."
    )

    def forget() -> None:
        Turns(workspace().engine, scope, session_id).forget()
        message_store().remove(scope, session_id)
        conversations.forget_turns(scope.user_id, session_id)
        begin_session("session")

    offer_to_delete(_("Forget this conversation"), gone, forget)


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
            with log_failure("a memory takes the turn up from the messages when the page is drawn again"):
                self.memory.remember(question, answer)


def _memory_named(name: str, place: Workspace, scope: Scope, session_id: str, messages: Session) -> Recorded:
    """The memory of a session. A long-term one first takes up the turns that were said under another.

    The stored messages say which: what a tab shows may be older, or forgotten by another tab. If the memory knows none
    of them and they are older than it keeps anything, it has dropped them.
    """
    if name not in _KINDS:
        return Recorded(Window(messages) if name == "window" else NoMemory(), messages)
    memory = _KINDS[name].of(place, scope, session_id)
    with suppress(LessonsError):  # `show_memory` tells of a database that is away
        known = {turn.question for turn in memory.turns.last(1)}
        newer = [*takewhile(lambda pair: normalize(pair[0]) not in known, reversed([*_pairs(messages)]))]
        if known or (newer and not conversations.is_old(place.engine, scope, session_id)):
            for question, answer in reversed(newer):
                memory.remember(question, answer)
    return Recorded(memory, messages)


def show_memory(memory: Memory, turns: Sequence[Turn], place: Workspace, scope: Scope) -> None:
    """In the side bar: what the memory would hand to the next answer, part by part, and the profile of the user.

    While the database is away, the side bar says why there is nothing to show, and the page goes on.
    """
    with st.sidebar:
        st.subheader(_("Memory"), anchor=False)
        try:
            known = stored_about(place.engine, scope)
            _show_parts(memory, turns, Profile(place.engine, scope))
            _offer_to_forget_me(place, scope, known)
        except LessonsError as error:
            missing = _("What was said before and what the memory knows cannot be shown.")
            st.caption(plain(f"{missing} {_(str(error))}"))


def _show_parts(memory: Memory, turns: Sequence[Turn], profile: Profile) -> None:
    long_term = memory if isinstance(memory, LongTerm) else None
    awaits = long_term is not None and long_term.has_open_turns()

    @st.fragment(run_every=1 if awaits else None)
    def panel() -> None:
        with errors_shown():
            if awaits and long_term and not st.session_state.get("reading") and not long_term.has_open_turns():
                st.rerun()
            recalled = memory.recall(turns[-1].question if turns else "")
            st.caption(_("About {tokens:,} tokens go with the next question.", tokens=recalled.tokens))
            asked = [plain(content) for role, content in recalled.history if role == "user"]
            _fold(_(f"Window: {counted(len(asked), 'turn')} word for word"), asked)
            if long_term:
                _show_long_term(long_term, recalled)
            _show_profile(profile, "" if long_term else _(": this memory does not use it"))

    panel()


def _fold(title: str, lines: Sequence[str]) -> None:
    with st.expander(title, expanded=bool(lines)):
        for line in lines:
            st.caption(line)


def _show_long_term(memory: LongTerm, recalled: Recollection) -> None:
    state, chosen = memory.state, settings()
    lines = [plain(line) for line in state.summary.split("\n") if line]
    if isinstance(memory, RecursiveSummary):
        many = _("{number} of {most} sentences", number=len(lines), most=chosen.summary_sentences)
    else:
        many = _("1 sentence") if len(lines) == 1 else _("{number:,} sentences", number=len(lines))
    upto = _("turns 1–{number}", number=state.upto) if state.upto > 1 else _("turn 1")
    _fold(_("Summary: {sentences}, {turns}", sentences=many, turns=upto) if lines else _("Summary: empty"), lines)
    if isinstance(memory, Tiers):
        older = [plain(line) for line in _older_turns(recalled.memory)]
        _fold(_(f"Older turns found by meaning: {counted(len(older), 'line')}"), older)
    else:
        known = [
            f"**{plain(each.key)}** {plain(each.value)} · " + _("turn {number}", number=each.turn)
            for each in reversed(state.entities)
        ]
        _fold(_("Entities: {number} of {most}", number=len(known), most=chosen.entities_kept), known)


def _older_turns(memory: str) -> list[str]:
    lines = [*dropwhile(lambda line: not line.startswith("Older turns"), memory.splitlines())][1:]
    return [*takewhile(lambda line: not line.endswith(":") or line.startswith(("user: ", "assistant: ", "- ")), lines)]


def _show_profile(profile: Profile, note: str) -> None:
    slots = profile.slots()
    with st.expander(_("Profile ({number})", number=len(slots)) + note, bool(slots)):
        st.caption(_("What you said about yourself. It goes with you from conversation to conversation."))
        for slot in reversed(slots):
            if st.button(f"{plain(slot.key)}: {plain(slot.value)}", key=f"open-{slot.key}", width="stretch"):
                show_dialog(plain(slot.key), _show_slot, profile, slot)


def _show_slot(profile: Profile, slot: Slot) -> None:
    def save() -> None:
        if st.session_state[field].strip():  # to delete has a button of its own
            profile.put(slot.key, st.session_state[field], slot.said)

    if slot.said:
        st.caption(_("You said: “{words}”", words=plain(slot.said)))
    with st.form(f"form-{slot.key}", border=False):
        st.text_input(_("Value"), slot.value, key=(field := f"slot-{slot.key}"))
        finish_button(_("Save"), save, st.form_submit_button, key=f"save-{slot.key}")
    finish_button(_("Delete"), partial(profile.delete, slot.key), key=f"delete-{slot.key}")


def _offer_to_forget_me(place: Workspace, scope: Scope, known: StoredAbout) -> None:
    """After a second click, everything that conversations left behind about this owner is gone."""
    warning = _(
        "This deletes for good, for **{owner}**: the messages of all conversations, the turns, summaries and entities "
        "of {sessions} of them, {facts} of the profile, the answers kept for reuse, and your ratings. "
        "Your documents stay.",
        owner=plain(scope.user_id),
        sessions=known.sessions,
        facts=_("1 fact") if known.facts == 1 else _("{number:,} facts", number=known.facts),
    )

    def forget() -> None:
        forget_user(place.engine, scope, message_store())
        AnswerTable(place.engine).clear(scope.user_id)
        Ratings(place.engine, scope).forget()
        conversations.forget_turns(scope.user_id)
        st.session_state.pop("chat", None)
        keep("session", "")

    offer_to_delete(_("Forget me"), warning, forget, _("Delete all of it"), ":material/delete_forever:")
