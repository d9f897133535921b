"""A conversation with a stage, with active retrieval or with the copilot, and the memory beside it."""

from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from functools import partial
from itertools import cycle
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import RerunException, StopException

from lessons import agent
from lessons.context.active import SWITCHES, ActiveAgent
from lessons.context.cache import AnswerTable, with_cache
from lessons.context.intent import with_top_k
from lessons.copilot.copilot import Copilot, CopilotAnswer
from lessons.errors import LessonsError
from lessons.evaluate.decisions import support_questions
from lessons.memory.conversation import Answerer
from lessons.memory.messages import message_store
from lessons.pages import memory as memories
from lessons.pages.answer import show_answer
from lessons.pages.asking import EVERYWHERE, Sample, files_of, offer_samples, samples_for
from lessons.pages.common import choose, offered, titled
from lessons.pages.language import N_, _
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
REDRAW_AFTER = 0.1  # seconds from the end of an answer until the browser asks for the page anew
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


@titled(
    N_("Chat"),
    N_(
        "A conversation with one stage, with active retrieval or with the copilot. Follow-ups are understood from what "
        "was said, also after a reload."
    ),
)
def page(workspace: Workspace, owner: str) -> None:
    """Go on with the conversation that the address names, or begin one."""
    scope, session_id = Scope(owner), memories.current_session()
    messages = message_store().get_or_create(scope, session_id)
    turns = memories.turns_of(scope, session_id, messages)
    name, memory_name, answerer, searched = _choose_partner(workspace, scope, session_id, bool(turns))
    if not turns:
        _offer_samples(name, owner)
    memory = memories.open_memory(memory_name, workspace, scope, session_id, messages, name != COPILOT)
    memories.show_memory(memory.memory, turns, workspace, scope)
    # Now: once somebody has pressed Stop, to ask for the language ends the script.
    stage = _(AGENTS[name]) if name in AGENTS else name.capitalize()
    label = _("{stage}, memory: {memory}", stage=stage, memory=_(memories.MEMORIES[memory_name]))

    def ask(question: str) -> AnswerStream:
        return memories.conversation(owner, session_id, memory_name, memory).stream(answerer, question, user=searched)

    _show_turns(turns)

    def add(answer: Answer) -> None:
        turns.append(memories.Turn(answer.question, answer.text, answer, label))

    _converse(turns, ask, add)


def _choose_partner(
    workspace: Workspace, scope: Scope, session_id: str, has_begun: bool
) -> tuple[str, str, Answerer, Scope]:
    """Choose what answers; return its name, the name of its memory, itself, and the documents it searches."""
    own_stages = offered()
    names = {name: name.capitalize() for name in own_stages} | {name: _(label) for name, label in AGENTS.items()}
    labels = {name: _(label) for name, label in memories.MEMORIES.items()}
    default = {"bind": "query-params", "width": 200}
    purpose: Purpose = "chat"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choose(_("Answered by"), names, index=len(stages()) - 1, key="stage", **default)
        memory = "recursive"
        if name != COPILOT:
            memory = choose(_("Memory"), labels, index=len(labels) - 1, key="memory", **default)
        if name in own_stages:
            purposes = {key: _(label, chunks=top_k_for(key)) for key, label in PURPOSES.items()}
            explanation = _("How many chunks each search of the stage hands over.")
            purpose = choose(_("Chunks for"), purposes, key="purpose", help=explanation, width=250)
        if has_begun:
            st.button(_("New conversation"), on_click=memories.begin_session)
            memories.offer_to_forget(workspace, scope, session_id)
    if name == COPILOT:
        return name, memory, Copilot(), scope
    if name == ACTIVE:
        with suppress(LessonsError):  # a database that cannot tell is reported by what needs it
            stored, hits = AnswerTable(workspace.engine).counts(scope.user_id)
            st.sidebar.caption(_("Answers kept for reuse: {stored:,}, reused: {hits:,}.", stored=stored, hits=hits))
        return name, memory, _choose_devices(), scope
    searched = scope if purpose == "chat" else _within_materials(workspace, scope)
    return name, memory, with_cache(with_top_k(own_stages[name], top_k_for(purpose))), searched


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
    how: dict[str, Any] = {"placeholder": _(EVERYWHERE), "filter_mode": "contains", "select_all": False}
    materials = st.multiselect(_("Materials of the plan"), files, key="materials", **how)
    return scope.only(materials) if materials else scope


def _offer_samples(name: str, owner: str) -> None:
    if name == COPILOT:
        questions = [row for row in support_questions("dev") if not row.history and owner == settings().user]
        kinds = zip(dict.fromkeys(row.kind for row in questions), cycle(("en", "ko")), strict=False)
        texts = [next(row.question for row in questions if (row.kind, row.language) == kind) for kind in kinds]
    else:
        texts = [sample.question for sample in samples_for(owner) if not sample.history]
    offer_samples([Sample(text) for text in texts], "again")


# Drawing the conversation


def _converse(
    turns: Sequence[memories.Turn], ask: Callable[[str], AnswerStream], add: Callable[[Answer], None]
) -> None:
    """Draw the field and, if a question was typed or is to be asked again, its answer as it comes in.

    An answer that is stopped is kept as far as it has come.
    """
    below = st.empty()
    with below.container():
        if turns:
            _offer_retry(turns[-1].question, "ask again")
        else:
            st.info(_("Nothing has been said yet. Ask below, in English or Korean."))
    # Streamlit opens a page with a field at its foot scrolled to its end.
    field = st if turns else st.container()
    typed = field.chat_input(_("In English or Korean"), submit_mode="stop")
    if question := st.session_state.pop("again", None) or typed:
        with below.container():
            _answer(question, ask, add)


def _answer(question: str, ask: Callable[[str], AnswerStream], add: Callable[[Answer], None]) -> None:
    """Draw the answer as it comes in, after it the page anew. What remains if it is stopped is drawn before it.

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
    _draw_anew()


def _draw_anew() -> None:
    """Let the browser ask for the page anew, once it has seen the answer end and has no Stop any more.

    `st.rerun` would not wait for it: Stop, pressed as the answer ends, would leave the page blank.
    """
    is_seen = False

    @st.fragment(run_every=REDRAW_AFTER)
    def redraw() -> None:
        nonlocal is_seen
        if is_seen:
            st.rerun()
        is_seen = True

    redraw()


def _read(stream: AnswerStream, add: Callable[[Answer], None]) -> None:
    """Show the pieces of an answer as they come in, and what its steps do; the copilot's steps stay in sight."""
    steps, text = st.container(), st.empty()
    is_copilot = isinstance(stream.answer, CopilotAnswer)
    try:
        with closing(stream):
            for event in stream.events():
                if isinstance(event, str):
                    text.markdown(plain(stream.answer.text))
                else:
                    (steps.caption if is_copilot else text.markdown)(plain(_(agent.describe_step(event))))
    except (StopException, RerunException):  # raised by the next `st.…` after somebody pressed Stop, or anything else
        if stream.answer.text:
            add(stream.answer)
        raise
    add(stream.answer)


def _show_question(question: str) -> None:
    with st.chat_message("user"):
        st.markdown(plain(question))


def _show_turns(turns: Sequence[memories.Turn]) -> None:
    for turn in turns:
        _show_question(turn.question)
        with st.chat_message("assistant"):
            if not turn.answer:
                st.markdown(plain(turn.text))
            else:
                show_answer(turn.answer)
                with st.expander(_("Copy")):  # Streamlit has a button that copies on code alone
                    st.code(turn.answer.text, language=None, wrap_lines=True)
            if turn.answered_by:
                st.caption(plain(turn.answered_by))


def _offer_retry(question: str, key: str) -> None:
    retry = partial(st.session_state.__setitem__, "again", question)
    st.button(_("Ask again"), icon=":material/refresh:", key=key, on_click=retry)
