"""What a model is sent: the intent of a question, the share of every part, and the documents before and after."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from lessons.context.compress import Abstractive, Extractive, Hybrid
from lessons.context.intent import Decision, Intent
from lessons.context.manager import ContextManager, Managed, Shares, TokenManager, found_documents
from lessons.evaluate.pictures import plot_budget
from lessons.pages.answer import show_answer
from lessons.pages.asking import question_box
from lessons.pages.common import allow_questions, show_plot, titled
from lessons.pages.language import N_, _
from lessons.pages.samples import is_pressed, offer_samples
from lessons.plan import Plan
from lessons.rag.answer import Answer
from lessons.rag.stages import stages
from lessons.rag.types import Compressor
from lessons.settings import settings
from lessons.tables import plain
from lessons.workspace import Workspace

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


@dataclass(frozen=True)
class Asked:
    """What the form says. `memory` and `history` are what the conversation adds to the question."""

    question: str
    way: str
    total: int
    documents: int
    history: tuple[tuple[str, str], ...]
    memory: str


@titled(
    N_("Context"),
    N_("What a model is sent for a question: the share of every part, and what is cut when it does not fit."),
)
def page(place: Workspace, owner: str) -> None:
    """Ask a question and look at what was sent for it."""
    if (asked := _form(owner)) is not None:
        with st.spinner(_("Thinking …")):
            allow_questions(owner)
            st.session_state.sent = owner, asked, _answered(asked, owner)
    answered_for, *shown = st.session_state.get("sent", (None,))
    if answered_for == owner:
        _show(*shown)
    else:
        st.info(_("Nothing has been sent yet. Ask a question above."))


def _form(owner: str) -> Asked | None:
    """What was just asked, or None."""
    offer_samples(owner, "context-question", "Thank you!", "감사합니다")
    with st.form("context", border=False):
        question = question_box("context-question")
        left, middle, right = st.columns(3)
        way = left.selectbox(
            _("Documents that do not fit"), list(WAYS), 1, {way: _(way) for way in WAYS}.__getitem__, key="way"
        )
        total = middle.slider(_("Tokens in all"), 600, settings().managed_tokens, settings().managed_tokens, 100)
        documents = right.slider(_("Share of the documents"), 50, 2_000, settings().share_documents, 50)
        with st.expander(_("What was said before")):
            history = st.text_area(_("Question and answer in turn, a line each"), EARLIER, key="earlier")
            memory = st.text_area(_("What is noted"), NOTED, key="noted")
        if not (st.form_submit_button(_("Ask"), type="primary") or is_pressed("context-question")):
            return None
    return Asked(question, way, total, documents, _turns(history), memory)


def _turns(lines: str) -> tuple[tuple[str, str], ...]:
    said = [line for line in lines.splitlines() if line.strip()]
    return tuple(("assistant" if number % 2 else "user", line) for number, line in enumerate(said))


def _answered(asked: Asked, owner: str) -> Answer:
    """The answer of the reranked stage by intent, with its prompt divided by the context manager."""
    stage = stages()["reranked"].but("reranked", compressor=WAYS[asked.way])
    manager = ContextManager(TokenManager(asked.total), Shares(documents=asked.documents))
    device = Intent(Managed(stage, manager=manager), name="reranked")
    return device.ask(asked.question, user=owner, history=asked.history, memory=asked.memory)


def _show(asked: Asked, answer: Answer) -> None:
    decision: Decision = answer.trace["intent"].output
    with st.container(horizontal=True, gap="large"):
        st.metric(_("Intent"), _(INTENTS[decision.intent]), width="content")
        st.metric(_("Passages fetched"), decision.top_k or _("no search"), width="content")
    outputs: dict[str, Any] = {step.name: step.output for step in answer.trace}
    if "manage" in outputs:
        _show_budget(outputs["manage"])
        _show_documents(asked, answer)
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


def _show_documents(asked: Asked, answer: Answer) -> None:
    """What was found beside what was sent of it."""
    found, sent = found_documents(answer.trace), {each.id: each for each in answer.context.documents}
    st.header(_("The documents before and after"), anchor=False)
    if list(sent.values()) == found:
        st.caption(_("Everything that was found fits, so nothing was compressed."))
    for note in (note for step in answer.trace if step.name == "compress" for note in step.notes):
        st.caption(plain(f"{_(asked.way)}: {_(note)}"))
    for document in found:
        kept = sent[document.id].content if document.id in sent else ""
        counts = {"source": document.source, "found": len(document.content), "sent": len(kept)}
        with st.expander(plain(_("{source}: {found:,} characters, {sent:,} sent", **counts))):
            before, after = st.columns(2)
            before.markdown(_("**Found**") + f"  \n{plain(document.content)}")
            after.markdown(_("**Sent**") + "  \n" + (plain(kept) or _("*nothing of it*")))
