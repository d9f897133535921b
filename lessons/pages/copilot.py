"""The copilot: a support chat that shows what it calls, how it judges what it finds, and how it ends."""

import secrets
from functools import partial
from itertools import cycle

import streamlit as st

from lessons.copilot.copilot import Copilot, CopilotAnswer, describe_step
from lessons.copilot.cost import CostModel, measure_cost
from lessons.evaluate.pictures import NAMES, plot_monthly
from lessons.evaluate.support import support_questions
from lessons.memory.summaries import RecursiveSummary
from lessons.pages.answer import show_basis
from lessons.pages.chat import converse, show_memory, turns_of
from lessons.pages.common import allow_questions, show_plot, titled
from lessons.pages.conversations import (
    begin_session,
    conversation,
    keep_turn,
    offer_conversations,
    remembered,
    session,
)
from lessons.pages.language import N_, _
from lessons.rag.pipeline import AnswerStream
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.settings import settings
from lessons.tables import plain

OUTCOMES = {
    "answered": (N_("Answered"), "green"),
    "best_effort": (N_("Best effort: it may be incomplete"), "orange"),
    "nothing_relevant": (N_("Nothing relevant found: see these menus"), "orange"),
    "not_documented": (N_("Not documented yet"), "gray"),
    "unavailable": (N_("The documents could not be searched"), "red"),
}
ACTIONS = {
    "get_section": N_("next: read the whole section"),
    "search_again": N_("next: search again"),
    "none": N_("next: answer"),
}
IN_ALL = N_("in all, a month")
QUESTIONS = 6  # one more than the memory's window, so that it is updated once
LONGEST = 100  # turns of a session


@titled(
    N_("Copilot"),
    N_("Answers from the FAQ and the guides of a product. At most three calls; it says so when they do not suffice."),
)
def page(place: Workspace, owner: str) -> None:
    """Go on with the conversation that the address names, and what a month of such conversations costs."""
    chat, cost = st.tabs([_("Conversation"), _("Cost of a month")])
    with chat:
        _conversation(place, owner)
    with cost:
        _cost_model(place, owner)


def _conversation(place: Workspace, owner: str) -> None:
    scope, session_id = Scope(owner), session("copilot")
    offer_conversations("copilot", partial(remembered, "copilot", place.engine, scope), session_id)
    memory = RecursiveSummary.of(place, scope, session_id, with_profile=False)
    last = 2 * settings().memory_window  # turns that the memory still has word for word
    turns = turns_of(
        "copilot-turns", scope, session_id, lambda: [(turn.question, turn.answer) for turn in memory.turns.last(last)]
    )
    if turns:
        st.button(_("New conversation"), on_click=begin_session, args=("copilot",))
    elif owner == place.settings.user:
        _offer_samples()
    show_memory(memory, turns, place, scope)

    def ask(question: str) -> AnswerStream:
        allow_questions(owner)
        return conversation(owner, session_id, memory.name, memory).stream(Copilot(), question, user=owner)

    done = partial(keep_turn, owner, session_id)
    converse(turns, _("Ask about the product, in English or Korean"), ask, _show, describe_step, done, every_step=True)


def _offer_samples() -> None:
    """A question of each kind about the shipped product, in both languages; one that is pressed is asked at once."""
    asked = [one for one in support_questions("dev") if not one.history]
    spoken = zip(dict.fromkeys(one.kind for one in asked), cycle(("en", "ko")), strict=False)
    samples = [next(one.question for one in asked if (one.kind, one.language) == each) for each in spoken]

    def pressed() -> None:
        st.session_state["again"] = st.session_state.pop("copilot-sample")

    st.pills(_("Try one of these"), samples, key="copilot-sample", on_change=pressed)


def _show(answer: CopilotAnswer, number: int) -> None:
    label, colour = OUTCOMES[answer.outcome]
    st.badge(_(label), color=colour)  # type: ignore[arg-type]
    st.markdown(plain(answer.text))
    for menu in answer.menus:
        st.link_button(menu.name(answer.question), menu.url)
    show_basis(answer)
    _show_decisions(answer)


def _show_decisions(answer: CopilotAnswer) -> None:
    calls = len(answer.gathered.calls)
    with st.expander(_("Calls and decisions ({calls} of {most})", calls=calls, most=settings().copilot_calls)):
        for call, decision in zip(answer.gathered.calls, answer.gathered.decisions, strict=False):
            told = [
                _("helpful: {number}", number=len(decision.ranked_indices)),
                _("sufficient") if decision.is_sufficient else _("not sufficient"),
                _("confidence: {number}", number=round(decision.confidence, 2)),
                *([_("missing: {words}", words=decision.missing)] if decision.missing else []),
                _(ACTIONS[decision.next_action]),
            ]
            st.markdown(f"**{plain(str(call))}**  \n:small[{plain(' · '.join(told))}]")
    if answer.layout is not None:
        plan = answer.layout.plan
        with st.expander(_("Prompt: {tokens:,} of {room:,} tokens", tokens=plan.tokens, room=plan.room)):
            for part in plan.pieces:
                share = part.tokens / part.limit if part.limit else 0.0
                name = N_("instructions") if part.name == "system" else part.name
                said = _("{part}: {tokens:,} of {limit:,}", part=_(name), tokens=part.tokens, limit=part.limit)
                st.progress(min(1.0, share), said + (_(", the rest did not fit") if part.dropped else ""))


def _cost_model(place: Workspace, owner: str) -> None:
    st.markdown(_("What {number} questions use in calls and tokens, carried over to a month.", number=QUESTIONS))
    if st.button(_("Measure"), help=_("Asks the questions in a conversation of their own.")):
        allow_questions(owner, QUESTIONS)
        with st.spinner(_("Asking …")):
            st.session_state["copilot-cost"] = _measured(place, owner)
    if (model := st.session_state.get("copilot-cost")) is None:
        return
    st.html(model._repr_html_())
    (left, right), chosen = st.columns(2), settings()
    sessions = left.slider(_("Sessions a day"), 10, 10_000, 500, 10)
    turns = right.slider(_("Turns in a session"), 1, LONGEST, 12)
    cost_in, cost_out = chosen.price_per_million_input_tokens, chosen.price_per_million_output_tokens
    price_in = left.number_input(_("US dollars for a million tokens in"), 0.0, value=cost_in)
    price_out = right.number_input(_("US dollars for a million tokens out"), 0.0, value=cost_out)
    costs = model.monthly(sessions, turns, price_in, price_out)
    for column, (name, dollars) in zip(st.columns(4), [*costs.items(), ("all", sum(costs.values()))], strict=True):
        column.metric(_(NAMES.get(name, IN_ALL)).capitalize(), f"${dollars:,.2f}")
    plot = plot_monthly(model, sessions, range(1, LONGEST + 1), (price_in, price_out))
    show_plot(plot, _("US dollars a month by the turns of a session"))


def _measured(place: Workspace, owner: str) -> CostModel:
    memory = RecursiveSummary.of(place, Scope(owner), secrets.token_urlsafe(16), with_profile=False)
    questions = [one.question for one in support_questions("dev") if not one.history][::3][:QUESTIONS]
    try:
        return measure_cost(Copilot(), questions, memory, owner)
    finally:
        memory.forget()
