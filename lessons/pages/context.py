"""What a model is sent: the intent of a question, the share of every part, and the documents before and after."""

from collections.abc import Callable
from functools import partial
from itertools import cycle
from typing import Any

import streamlit as st

from lessons.context.compress import (
    Abstractive,
    ContextManager,
    Extractive,
    Hybrid,
    Managed,
    Shares,
    TokenManager,
    retrieved_documents,
)
from lessons.context.intent import Decision, Intent
from lessons.evaluate.pictures import plot_budget
from lessons.pages.answer import show_answer
from lessons.pages.asking import is_pressed, offer_samples, question_box
from lessons.pages.common import allow_questions, choose, show_plot, titled
from lessons.pages.language import N_, _
from lessons.plan import Plan
from lessons.rag.answer import Answer
from lessons.rag.types import Compressor
from lessons.rag.workspace import Workspace
from lessons.settings import settings
from lessons.stages import stages
from lessons.tables import plain

WAYS: dict[str, Compressor | None] = {
    N_("Cut to their beginnings"): None,
    N_("Extractive"): Extractive(),
    N_("Abstractive"): Abstractive(),
    N_("Hybrid"): Hybrid(),
}
INTENTS = {
    "chat": N_("Small talk"),
    "simple": N_("Simple question"),
    "moderate": N_("Moderate question"),
    "complex": N_("Complex question"),
}
EARLIER = """\
How do I set a budget?
Open Budgets and choose New.
예산은 몇 개까지 만들 수 있나요?
200개까지 만들 수 있습니다."""
NOTED = "About the user:\n- name: Mina\n- uses: Altis Cloud"


@titled(
    N_("Context"),
    N_("What a model is sent for a question: the share of every part, and what is cut when it does not fit."),
)
def page(place: Workspace, owner: str) -> None:
    """Ask a question and look at what was sent for it."""
    if (asked := _form(owner)) is not None:
        way, ask = asked
        with st.spinner(_("Thinking …")):
            allow_questions(owner)
            st.session_state.sent = owner, way, ask()
    answered_for, *shown = st.session_state.get("sent", (None,))
    if answered_for == owner:
        _show(*shown)
    else:
        st.info(_("Nothing has been sent yet. Ask a question above."))


def _form(owner: str) -> tuple[str, Callable[[], Answer]] | None:
    """How documents are shortened, and the question asked of the reranked stage by intent; None if nothing is asked."""
    offer_samples(owner, "context-question", "Thank you!", "감사합니다")
    with st.form("context", border=False):
        question, most = question_box("context-question"), settings().managed_tokens
        left, middle, right = st.columns(3)
        way = choose(_("Documents that do not fit"), {way: _(way) for way in WAYS}, left, index=1, key="way")
        total = middle.slider(_("Tokens in all"), 600, most, most, 100)
        documents = right.slider(_("Share of the documents"), 50, 2_000, settings().share_documents, 50)
        with st.expander(_("What was said before"), expanded=True):
            history = st.text_area(_("Question and answer in turn, a line each"), EARLIER, key="earlier")
            memory = st.text_area(_("What is noted"), NOTED, key="noted")
        if not (st.form_submit_button(_("Ask"), type="primary") or is_pressed("context-question")):
            return None
    manager = ContextManager(TokenManager(total), Shares(documents=documents))
    stage = Managed(stages()["reranked"].but("reranked", compressor=WAYS[way]), manager=manager)
    said = zip(cycle(("user", "assistant")), filter(str.strip, history.splitlines()), strict=False)
    wrapper = Intent(stage, name="reranked")
    return way, partial(wrapper.ask, question, user=owner, history=tuple(said), memory=memory)


def _show(way: str, answer: Answer) -> None:
    decision: Decision = answer.trace["intent"].output
    with st.container(horizontal=True, gap="large"):
        st.metric(_("Intent"), _(INTENTS[decision.intent]), width="content")
        st.metric(_("Passages fetched"), decision.top_k or _("no search"), width="content")
    outputs: dict[str, Any] = {step.name: step.output for step in answer.trace}
    if "manage" in outputs:
        _show_budget(outputs["manage"])
        _show_documents(way, answer)
    st.header(_("The answer"), anchor=False)
    show_answer(answer)


def _show_budget(sent: Plan) -> None:
    st.header(_("The budget"), anchor=False)
    show_plot(plot_budget({_("this question"): sent.pieces}, sent.room), _("Tokens of each part of the prompt"))
    head = _("part"), _("tokens"), _("left out"), _("what is sent")
    rows = [(_(piece.name), piece.tokens, piece.dropped, piece.text) for piece in sent.pieces]
    st.dataframe(
        [dict(zip(head, row, strict=True)) for row in (*rows, (_("buffer"), sent.buffer, 0, ""))],
        hide_index=True,
        alt=_("What is sent, part by part"),
    )


def _show_documents(way: str, answer: Answer) -> None:
    found, sent = retrieved_documents(answer.trace), {each.id: each for each in answer.context.documents}
    st.header(_("The documents before and after"), anchor=False)
    if list(sent.values()) == found:
        st.caption(_("Everything that was found fits, so nothing was compressed."))
    for note in (note for step in answer.trace if step.name == "compress" for note in step.notes):
        st.caption(plain(f"{_(way)}: {_(note)}"))
    for document in found:
        kept = sent[document.id].content if document.id in sent else ""
        counts = {"source": document.source, "found": len(document.content), "sent": len(kept)}
        with st.expander(plain(_("{source}: {found:,} characters, {sent:,} sent", **counts))):
            before, after = st.columns(2)
            before.markdown(_("**Found**") + f"  \n{plain(document.content)}")
            after.markdown(_("**Sent**") + "  \n" + (plain(kept) or _("*nothing of it*")))
