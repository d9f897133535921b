"""A conversation with a stage, with active retrieval or with the copilot, and the memory beside it."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import cycle

import streamlit as st
from streamlit.runtime.scriptrunner import RerunException, StopException

from lessons import agent
from lessons.context.active import SWITCHES, ActiveAgent
from lessons.context.cache import with_cache
from lessons.context.intent import with_top_k
from lessons.copilot import copilot
from lessons.copilot.copilot import Copilot
from lessons.errors import LessonsError
from lessons.evaluate.decisions import support_questions
from lessons.memory.conversation import Answerer
from lessons.memory.messages import message_store
from lessons.pages.answer import show_answer
from lessons.pages.asking import EVERYWHERE, Sample, files_of, offer_samples, samples_for
from lessons.pages.common import (
    choose,
    offer_copy,
    offered,
    show_reuse,
    titled,
)
from lessons.pages.conversations import (
    Turn,
    begin_session,
    cache_turn,
    conversation,
    current_session,
    turns_of,
)
from lessons.pages.language import N_, _
from lessons.pages.memory import MEMORIES, offer_to_forget, open_memory, show_memory
from lessons.rag.answer import Answer
from lessons.rag.pipeline import AnswerStream
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.search.materials import Purpose, top_k_for
from lessons.settings import settings
from lessons.stages import stages
from lessons.tables import plain

ACTIVE, COPILOT = "active retrieval", "copilot"
ACTIVE_STAGE = "smart"
AGENTS = {ACTIVE: N_("Active retrieval"), COPILOT: N_("Copilot")}
DEVICES = {
    "cache": (N_("Cache"), N_("A question that asks the same as an answered one gets that answer.")),
    "intent": (
        N_("Intent"),
        N_("Small talk is not searched for; a simple question gets {simple} chunks, a complex one {complex}."),
    ),
    "manager": (N_("Context manager"), N_("Each part of the prompt has its share of {tokens:,} tokens.")),
    "refine": (N_("Refine"), N_("The answer is judged; what it lacks is searched for, and it is answered again.")),
    "compression": (N_("Compression"), N_("Chunks that do not fit are shortened to the sentences that matter.")),
}
"""The switches of active retrieval, with their names and what they do; the memory has a menu of its own."""

PURPOSES: dict[Purpose, str] = {
    "chat": N_("A chat: {chunks} chunks"),
    "plan": N_("A learning plan: {chunks} chunks"),
    "session": N_("A session of a plan: {chunks} chunks"),
}


@dataclass(frozen=True)
class Partner:
    """What answers in the conversation, the name of its memory, and the documents it searches."""

    name: str
    answerer: Answerer
    memory: str
    scope: Scope

    @property
    def is_copilot(self) -> bool:
        return self.name == COPILOT

    @property
    def label(self) -> str:
        name = _(AGENTS[self.name]) if self.name in AGENTS else self.name.capitalize()
        return _("{stage}, memory: {memory}", stage=name, memory=_(MEMORIES[self.memory]))


@titled(
    N_("Chat"),
    N_(
        "A conversation with one stage, with active retrieval or with the copilot. Follow-ups are understood from what "
        "was said, also after a reload."
    ),
)
def page(workspace: Workspace, owner: str) -> None:
    """Go on with the conversation that the address names, or begin one."""
    scope, session_id = Scope(owner), current_session()
    messages = message_store().get_or_create(scope, session_id)
    turns = turns_of(scope, session_id, messages)
    partner = _choose_partner(workspace, scope, session_id, bool(turns))
    if not turns:
        _offer_samples(partner, owner)
    memory = open_memory(partner.memory, workspace, scope, session_id, messages, not partner.is_copilot)
    show_memory(memory.memory, turns, workspace, scope)

    def ask(question: str) -> AnswerStream:
        talk = conversation(owner, session_id, partner.memory, memory)
        return talk.stream(partner.answerer, question, user=partner.scope)

    _show_turns(turns)

    label = partner.label  # now: once somebody has pressed Stop, to ask for the language ends the script

    label = partner.label  # now: once somebody has pressed Stop, to ask for the language ends the script

    def add(answer: Answer) -> None:
        turns.append(Turn(answer.question, answer.text, answer, label))
        cache_turn(owner, session_id, turns[-1])

    _converse(turns, ask, add)


def _choose_partner(workspace: Workspace, scope: Scope, session_id: str, has_begun: bool) -> Partner:
    own_stages = offered()
    names = {name: name.capitalize() for name in own_stages} | {name: _(label) for name, label in AGENTS.items()}
    memories = {name: _(label) for name, label in MEMORIES.items()}
    default = {"bind": "query-params", "width": 200}
    purpose: Purpose = "chat"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choose(_("Answered by"), names, index=len(stages()) - 1, key="stage", **default)
        memory = "recursive"
        if name != COPILOT:
            memory = choose(_("Memory"), memories, index=len(memories) - 1, key="memory", **default)
        if name in own_stages:
            purposes = {key: _(label, chunks=top_k_for(key)) for key, label in PURPOSES.items()}
            explanation = _("How many chunks each search of the stage hands over.")
            purpose = choose(_("Chunks for"), purposes, key="purpose", help=explanation, width=250)
        if has_begun:
            st.button(_("New conversation"), on_click=begin_session)
            offer_to_forget(workspace, scope, session_id)
    if name == COPILOT:
        return Partner(name, Copilot(), memory, scope)
    if name == ACTIVE:
        show_reuse(workspace, scope.user_id)
        return Partner(name, _choose_devices(), memory, scope)
    searched = scope if purpose == "chat" else _within_materials(workspace, scope)
    return Partner(name, with_cache(with_top_k(own_stages[name], top_k_for(purpose))), memory, searched)


def _choose_devices() -> Answerer:
    """Return active retrieval around its stage, with the devices that are switched on."""
    numbers = {
        "simple": settings().simple_top_k,
        "complex": settings().complex_top_k,
        "tokens": settings().managed_tokens - settings().managed_prompt_tokens,
    }
    with st.container(horizontal=True):
        switches = {
            name: st.toggle(_(label), True, key=f"device-{name}", help=_(explanation, **numbers))
            for name, (label, explanation) in DEVICES.items()
        }
    return ActiveAgent(stages()[ACTIVE_STAGE], [name for name in SWITCHES if switches.get(name)]).pipeline


def _within_materials(workspace: Workspace, scope: Scope) -> Scope:
    """Limit the scope to the chosen documents; no choice is no limit."""
    files = files_of(workspace, scope.user_id)
    st.session_state.materials = [name for name in st.session_state.get("materials", []) if name in files]
    materials = st.multiselect(
        _("Materials of the plan"),
        files,
        key="materials",
        placeholder=_(EVERYWHERE),
        filter_mode="contains",
        select_all=False,
    )
    return scope.only(materials) if materials else scope


def _offer_samples(partner: Partner, owner: str) -> None:
    if partner.is_copilot:
        questions = [row for row in support_questions("dev") if not row.history and owner == settings().user]
        kinds = zip(dict.fromkeys(row.kind for row in questions), cycle(("en", "ko")), strict=False)
        texts = [next(row.question for row in questions if (row.kind, row.language) == kind) for kind in kinds]
    else:
        texts = [sample.question for sample in samples_for(owner) if not sample.history]
    offer_samples([Sample(text) for text in texts], "again")


# Drawing the conversation


def _converse(turns: Sequence[Turn], ask: Callable[[str], AnswerStream], add: Callable[[Answer], None]) -> None:
    """Draw the field and, if a question was typed or is to be asked again, its answer as it comes in.

    An answer that is stopped is kept as far as it has come.
    """
    below = st.empty()
    with below.container():
        if turns:
            _offer_retry(turns[-1].question, "ask again")
        else:
            st.info(_("Nothing has been said yet. Ask below, in English or Korean."))
    typed = st.chat_input(_("In English or Korean"), submit_mode="stop")
    if question := st.session_state.pop("again", None) or typed:
        with below.container():
            _answer(question, ask, add)


def _answer(question: str, ask: Callable[[str], AnswerStream], add: Callable[[Answer], None]) -> None:
    """Draw the answer as it comes in, then the page anew. What remains if it is stopped is drawn before it.

    From then on it can be stopped (style.css): before, the page would be left without its messages.
    """
    _show_question(question)
    with st.chat_message("assistant"):
        answer_area, stopped = st.container(), st.empty()
        with stopped.container(key="stopped"):
            st.caption(_("Stopped."))
            _offer_retry(question, "after stop")
        with answer_area:
            try:
                with st.spinner(_("Thinking …")):
                    _read(ask(question), add)
            except LessonsError as error:
                stopped.empty()
                st.error(plain(_(str(error))))
                _offer_retry(question, "retry")
                return
    stopped.empty()  # before the run ends, or it would be seen until the next one begins
    st.rerun()


def _read(stream: AnswerStream, add: Callable[[Answer], None]) -> None:
    """Show the pieces of an answer as they come in, and what its steps do; the copilot's steps stay in sight."""
    steps, text = st.container(), st.empty()
    is_copilot = isinstance(stream.answer, copilot.CopilotAnswer)
    try:
        with closing(stream):
            for event in stream.events():
                if isinstance(event, str):
                    text.markdown(plain(stream.answer.text))
                elif is_copilot:
                    steps.caption(plain(_(copilot.describe_step(event))))
                else:
                    text.markdown(plain(_(agent.describe_step(event))))
    except (StopException, RerunException):  # raised by the next `st.…` after somebody pressed Stop, or anything else
        if stream.answer.text:
            add(stream.answer)
        raise
    add(stream.answer)


def _show_question(question: str) -> None:
    with st.chat_message("user"):
        st.markdown(plain(question))


def _show_turns(turns: Sequence[Turn]) -> None:
    for turn in turns:
        _show_question(turn.question)
        with st.chat_message("assistant"):
            if not turn.answer:
                st.markdown(plain(turn.text))
            else:
                show_answer(turn.answer)
                offer_copy(turn.answer.text)
            if turn.answered_by:
                st.caption(plain(turn.answered_by))


def _offer_retry(question: str, key: str) -> None:
    retry = partial(st.session_state.__setitem__, "again", question)
    st.button(_("Ask again"), icon=":material/refresh:", key=key, on_click=retry)
