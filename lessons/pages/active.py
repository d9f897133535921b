"""Active retrieval: a stage with its wrappers, each of which can be switched off, and what they saved."""

from contextlib import suppress

import streamlit as st

from lessons.context.active import ActiveAgent, ActiveState
from lessons.errors import LessonsError
from lessons.memory.turns import Turns
from lessons.pages.answer import show_answer
from lessons.pages.asking import is_pressed, offer_samples, question_box
from lessons.pages.common import allow_questions, show_reuse, titled
from lessons.pages.conversations import begin_session, session
from lessons.pages.language import N_, _
from lessons.rag.answer import Answer
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.settings import settings
from lessons.stages import stages
from lessons.tables import counted, plain

STAGE = "smart"
WRAPPERS = {
    "cache": (N_("Cache"), N_("A question that asks the same as an answered one gets that answer.")),
    "intent": (
        N_("Intent"),
        N_("Small talk is not searched for; a simple question gets {simple} chunks, a complex one {complex}."),
    ),
    "manager": (N_("Context manager"), N_("Each part of the prompt has its share of {tokens:,} tokens.")),
    "refine": (N_("Refine"), N_("The answer is judged; what it lacks is searched for, and it is answered again.")),
    "compression": (N_("Compression"), N_("Chunks that do not fit are shortened to the sentences that matter.")),
    "memory": (N_("Memory"), N_("The last turns, what you said about yourself, and what matters of older turns.")),
}
"""What those that can be switched off are called and do."""


@titled(
    N_("Active retrieval"),
    N_(
        "One agent: it looks a question up, sorts it by intent, remembers, keeps to a budget, judges its answer and "
        "searches again for what is missing."
    ),
)
def page(place: Workspace, owner: str) -> None:
    """Ask with the wrappers that are switched on, beside the bare stage."""
    name = session("active")
    if (question := _form(owner)) is not None:
        with st.spinner(_("Thinking …")):
            allow_questions(owner, 2)
            off = [wrapper for wrapper in WRAPPERS if not st.session_state[f"wrapper-{wrapper}"]]
            state = ActiveAgent(stages()[STAGE]).without(*off).ask(question, name, owner)
            st.session_state["active-result"] = owner, name, state, stages()[STAGE].ask(question, user=owner)
    show_reuse(place, owner)
    _show_memory(place, owner, name)
    *asked_in, state, bare = st.session_state.get("active-result", (None, None))
    if asked_in == [owner, name]:
        _show(state, bare)
    else:
        st.info(_("Nothing has been asked yet. Ask a question above."))


def _form(owner: str) -> str | None:
    offer_samples(owner, "active-question", "Thank you!")
    with st.form("active-form", border=False):
        question = question_box("active-question")
        with st.container(horizontal=True):
            chosen = settings()
            numbers = {"simple": chosen.simple_top_k, "complex": chosen.complex_top_k}
            numbers["tokens"] = chosen.managed_tokens - chosen.managed_prompt_tokens
            for wrapper, (label, told) in WRAPPERS.items():
                st.toggle(_(label), True, key=f"wrapper-{wrapper}", help=_(told, **numbers))
        return question if st.form_submit_button(_("Ask"), type="primary") or is_pressed("active-question") else None


def _show_memory(place: Workspace, owner: str, name: str) -> None:
    with suppress(LessonsError):  # the answer has told of a database that is away
        if turns := Turns(place.engine, Scope(owner), name).count():
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(_(f"This conversation has {counted(turns, 'turn')}."), width="content")
                st.button(_("New conversation"), on_click=begin_session, args=("active",))


def _show(state: ActiveState, bare: Answer) -> None:
    with st.container(horizontal=True):
        for label, mine, other in (
            (_("Model calls"), state.answer.trace.llm_calls, bare.trace.llm_calls),
            (_("Tokens"), state.answer.trace.tokens, bare.trace.tokens),
            (_("Milliseconds"), round(state.answer.trace.ms), round(bare.trace.ms)),
        ):
            # Its sign comes first in every language: the metric takes its colour from it.
            against = _("{number:+,} against {stage} alone", number=mine - other, stage=STAGE.capitalize())
            st.metric(label, f"{mine:,}", against, "inverse", width="content")
        if state.quality is not None:
            st.metric(_("Quality of the answer"), f"{state.quality:.2f}", width="content")
    st.header(_("The answer"), anchor=False)
    show_answer(state.answer)
    with st.expander(plain(_("What {stage} answers alone", stage=STAGE.capitalize()))):
        st.markdown(plain(bare.text))
    _show_steps(state)


def _show_steps(state: ActiveState) -> None:
    st.header(_("What the agent did"), anchor=False)
    rows = [{_("step"): _(step), _("what happened"): _(happened)} for step, happened in state.rows]
    width = {_("step"): st.column_config.Column(width=130)}
    st.dataframe(rows, hide_index=True, column_config=width, alt=_("What each step of the agent did"))
    for number, each in enumerate(state.iterations, start=1):
        title = _("Answer {number}: quality {quality:.2f}", number=number, quality=each.quality)
        lacking = _(", lacks: {words}", words="; ".join(each.missing)) if each.missing else ""
        with st.expander(plain(title + lacking)):
            if each.queries:
                st.caption(plain(_("Searched again for: {queries}", queries="; ".join(each.queries))))
            st.markdown(plain(each.answer))
