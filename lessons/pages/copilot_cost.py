"""The cost model of the copilot with its sliders, from a run that is measured here."""

import secrets

import streamlit as st

from lessons.copilot.copilot import Copilot
from lessons.copilot.cost import CostModel, measured
from lessons.evaluate.pictures import NAMES, plot_monthly
from lessons.evaluate.support import support_questions
from lessons.memory.recursive_summary import RecursiveSummary
from lessons.pages.common import told_plainly
from lessons.pages.plot import show_plot
from lessons.rag.types import Scope
from lessons.settings import settings
from lessons.workspace import Workspace

QUESTIONS = 6  # one more than the memory's window, so that it is updated once


def cost_model(place: Workspace, owner: str) -> None:
    """Measure, then move the sliders."""
    st.markdown(f"What {QUESTIONS} questions use in calls and tokens, carried over to a month.")
    if st.button("Measure", help="Asks the questions in a conversation of their own."):
        with told_plainly(), st.spinner("Asking …"):
            st.session_state["copilot-cost"] = _measured(place, owner)
    model = st.session_state.get("copilot-cost")
    if model is None:
        return
    st.html(model._repr_html_())
    left, right = st.columns(2)
    sessions = left.slider("Sessions a day", 10, 10_000, 500, 10)
    turns = right.slider("Turns in a session", 1, 40, 12)
    chosen = settings()
    prices = (
        left.number_input("US dollars for a million tokens in", 0.0, 100.0, chosen.price_per_million_input_tokens),
        right.number_input("US dollars for a million tokens out", 0.0, 100.0, chosen.price_per_million_output_tokens),
    )
    costs = model.monthly(sessions, turns, *prices)
    for column, (name, dollars) in zip(st.columns(4), [*costs.items(), ("all", sum(costs.values()))], strict=True):
        column.metric(NAMES.get(name, "in all, a month").capitalize(), f"${dollars:,.2f}")
    show_plot(plot_monthly(model, sessions, range(1, 41), prices), "US dollars a month by the turns of a session")


def _measured(place: Workspace, owner: str) -> CostModel:
    """The rates of a conversation that is forgotten at once."""
    memory = RecursiveSummary.of(place, Scope(owner), secrets.token_urlsafe(16), knows_user=False)
    questions = [one.question for one in support_questions("dev") if not one.history][::3][:QUESTIONS]
    try:
        return measured(Copilot(), questions, memory, owner)
    finally:
        memory.forget()
