"""An answer on a page: its words, its passages in their documents, the chunks that were read, and what was done."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

import streamlit as st
from llama_index.core.prompts import PromptTemplate

from lessons.context.active import ActiveState
from lessons.copilot.copilot import CopilotAnswer
from lessons.errors import LessonsError
from lessons.evaluate.comparison import summary
from lessons.evaluate.evaluation import Record
from lessons.evaluate.golden import Evidence, Golden, holds
from lessons.evaluate.metrics import ranking
from lessons.evaluate.plots import shortened
from lessons.library import indexes
from lessons.models.llm import predict
from lessons.pages.asking import golden_named
from lessons.pages.common import SIGNS, page_of, pages, pressed, show_dialog
from lessons.pages.language import N_, _
from lessons.plan import Plan
from lessons.rag.answer import Answer
from lessons.rag.context import around
from lessons.rag.pipeline import standalone
from lessons.rag.types import Context, RetrievedDocument, Scope
from lessons.rag.workspace import workspace
from lessons.search.materials import Passage, passage
from lessons.settings import settings
from lessons.stages import stages
from lessons.tables import plain, plain_line, spent
from lessons.trace import Step

GONE = N_(
    """This is the chunk as the answer read it. It cannot be found like that in its document: the chunk was shortened
for the answer, the document has changed since, or the database is away."""
)
REFUSAL_IS_RIGHT = N_("The documents do not say; an honest refusal is right.")
OUTCOMES = {
    "answered": (N_("Answered"), "green"),
    "best_effort": (N_("Best effort: it may be incomplete"), "orange"),
    "nothing_relevant": (N_("Nothing relevant found: see these menus"), "orange"),
    "not_documented": (N_("Not documented yet"), "gray"),
    "unavailable": (N_("The documents could not be searched"), "red"),
}


def show_answer(answer: Answer) -> None:
    """Show the text, what it rests on, the chunks, the trace, and what active retrieval or the copilot decided."""
    if isinstance(answer, CopilotAnswer):
        label, colour = OUTCOMES[answer.outcome]
        st.badge(_(label), color=colour)  # type: ignore[arg-type]
    st.markdown(plain(answer.text))
    if isinstance(answer, CopilotAnswer):
        for menu in answer.menus:
            st.link_button(menu.name(answer.question), menu.url)
    if (question := standalone(answer.trace, answer.question)) != answer.question:
        st.caption(plain(_("Understood as: {question}", question=question)))
    with st.container(gap=None):
        show_sources(answer)
    if answer.found:
        st.caption(plain(_(answer.answered_by)))
    documents = answer.context.documents
    title = _("Retrieved chunks ({found} found, {read} read)", found=len(ranking(answer)), read=len(documents))
    with st.expander(title), st.container(height=420, border=False):
        for number, document in enumerate(documents, start=1):
            source = plain(document.source + page_of(*document.pages()))
            st.markdown(f"**{number}** · {source} · " + _("score {score:.3f}", score=document.score))
            st.caption(plain(document.content))
    with st.expander(_("What was done")):
        show_steps([answer])
    show_agents(answer)


def show_sources(answer: Answer, named: bool = False) -> None:
    """Show the warnings, and each cited chunk as a button that opens it, above the quotes that the answer lacks.

    Where answers stand side by side, the buttons are `named` by their stage, for a reader who hears them.
    """
    for warning in answer.warnings:
        st.warning(plain(_(warning)))
    stage = f":gray[{plain(answer.stage.capitalize())}:] " if named else ""
    documents = {document.id: document for document in answer.context.documents}
    for chunk in dict.fromkeys(citation.chunk_id for citation in answer.citations):
        citations = [citation for citation in answer.citations if citation.chunk_id == chunk]
        first, quotes = citations[0], [citation.quote for citation in citations if citation.quote]
        pages = page_of(*(page for citation in citations for page in (citation.page, *citation.pages)))
        name = plain(f"[{first.number}] {first.source_file.rpartition('/')[2]}{pages}")
        key, words = f"passage-{id(answer)}-{first.number}", _("Open the passage in its document")
        if st.button(f"{stage}**{name}**", key, words, type="tertiary"):
            open_passage(answer, documents[chunk], quotes)
        for quote in quotes:
            if not holds(answer.text, quote.rstrip(".")):
                st.caption(f"“{plain(quote)}”")


# A passage in its document


def open_passage(answer: Answer, document: RetrievedDocument, quotes: Sequence[str]) -> None:
    """Open the whole chunk with the quotes marked; if it has gone from its document, as the answer read it."""
    show_dialog(_("The passage in its document"), _show_passage, answer, document, quotes, width="large")


def _show_passage(answer: Answer, document: RetrievedDocument, quotes: Sequence[str]) -> None:
    stored = find_passage(answer, document, quotes)
    pages = [page for quote in quotes or [""] for page in document.pages(quote)]
    position = _(" · chunk {number} of {chunks}", number=stored.number, chunks=stored.chunks) if stored else ""
    st.markdown(f"**{plain_line(document.source)}**{page_of(*pages)}{position}")
    if stored:
        st.caption(plain_line(stored.section))
    else:
        st.warning(_(GONE))
    pieces = _cut(stored.text if stored else document.content, quotes)
    pieces[::2] = map(plain, pieces[::2])
    pieces[1::2] = [f":orange-background[**{plain_line(quote)}**]" for quote in pieces[1::2]]
    with st.container(border=True):
        st.markdown("".join(pieces))


def _cut(text: str, quotes: Sequence[str]) -> list[str]:
    """Cut the text into pieces, every other of which is a quote."""
    pieces = [text]
    for quote in quotes:
        cuts = ((at, around(quote, pieces[at])) for at in range(0, len(pieces), 2))
        if cut := next(((at, parts) for at, parts in cuts if parts[1]), None):
            pieces[cut[0] : cut[0] + 1] = cut[1]
    return pieces


def find_passage(answer: Answer, document: RetrievedDocument, quotes: Sequence[str]) -> Passage | None:
    """Find the chunk, with the words of a quote, in the index of the stage that answered, or in any; else None."""
    if (owner := document.metadata.get("user_id")) is None:  # of a retriever that searches elsewhere
        return None
    searched = [stages()[answer.stage].index] if answer.stage in stages() else indexes()
    with suppress(LessonsError):
        for store in map(workspace().store, searched):
            stored = passage(store, Scope(owner), document.id)
            if stored and (not quotes or len(_cut(stored.text, quotes)) > 1):
                return stored
    return None


def show_golden(golden: Golden) -> None:
    """Show the answer that a golden question should get, and its evidence."""
    with st.container(border=True, gap="xxsmall"):
        expected = plain(golden.answer) or _(REFUSAL_IS_RIGHT)
        st.markdown(_("**Expected:** {answer}", answer=expected))
        for evidence in golden.evidence:
            st.caption(f"★ {evidence_line(evidence)}")


def evidence_line(evidence: Evidence) -> str:
    """Format evidence as Markdown: its file, its page and its words."""
    return f"**{plain_line(evidence.source_file)}**{page_of(evidence.page)}: “{plain_line(evidence.quote)}”"


def show_records(records: Mapping[str, Record], metrics: Sequence[str], owner: str) -> None:
    """Show answers to one question side by side under their names, and a link to ask these stages again on Compare."""
    first, *_others = records.values()
    st.markdown(f"**{plain(first.question)}**")
    grid = st.grid(len(records), min_column_width=200, gap="small")
    for name, record in records.items():
        scores = (f"{_(metric)} {record.metrics[metric]:.2f}" for metric in metrics if metric in record.metrics)
        facts = *scores, f"{record.ms:,.0f} ms", _("{number:,} tokens", number=record.tokens)
        with grid.cell(), st.container(border=True):
            st.caption(plain(" · ".join([f"{sign_of(record)} {name}", *facts])))
            st.markdown(plain(record.answer))
    stages = list(dict.fromkeys(record.stage.capitalize() for record in records.values()))
    query: dict[str, str | list[str]] = {"question": first.question, "owner": owner, "stages": stages}
    golden = golden_named(first.question_id)
    if golden and golden.question == first.question:
        query |= {"golden": golden.id, "owner": golden.owner}
    elif first.category == "follow-up":
        st.caption(_("A follow-up: the conversation before it belongs to the question, so it is asked in Chat."))
        return
    if compare := pages.get("compare"):
        page, icon = st.Page(compare, default=True), ":material/compare_arrows:"
        st.page_link(page, label=_("Open in Compare"), icon=icon, query_params=query)


def sign_of(record: Record) -> str:
    """Return the sign of an outcome; to refuse is right where the documents do not say."""
    return SIGNS["right" if record.is_rightly_refused else record.outcome]


# What was done

LABEL_WIDTH = 40  # columns of a text in the label of a step
LONG_TEXT, LONG_TEXT_HEIGHT = 800, 300  # characters of a text that is shown whole; pixels of one that is longer
ACTIONS = {"get_section": N_("read the whole section"), "search_again": N_("search again"), "none": N_("answer")}
COLOURS = {"naive": "blue", "enhanced": "orange", "smart": "green", "reranked": "violet", "agentic": "red"}
"""Streamlit's names for the colours of the stages."""


def show_steps(answers: Sequence[Answer]) -> None:
    """Show the steps of each answer, each to open: coloured where new, grey where the answer before has them, too."""
    previous: set[str] = set()
    for answer in answers:
        is_new = [step.name == "retrieve" or step.name not in previous for step in answer.trace]
        colours = [COLOURS.get(answer.stage, "blue") if new else "gray" for new in is_new]
        labels = [f":{colours[at]}-badge[{_step_label(step, is_new[at])}]" for at, step in enumerate(answer.trace)]
        previous = {step.name for step in answer.trace}
        label = f"**{plain(answer.stage.capitalize())}** · {plain(_(summary(answer.trace)))}"
        if (number := pressed(label, range(len(labels)), f"steps-{id(answer)}", labels.__getitem__)) is not None:
            step = answer.trace.steps[number]
            show_dialog(_("What this step did"), _show_step, answer.stage, step, width="large")


def _step_label(step: Step, is_new: bool = True) -> str:
    """Say what the step made of what: `rerank 15 → 5`; a query only where the step is new."""
    output = list(step.output.documents) if isinstance(step.output, Context) else step.output
    text = step.label
    if step.name == "decide":
        return _("decide: search") if output else _("decide: enough")
    if step.name in ("Condense", "Rewrite"):
        is_changed = is_new and output and output != step.input
        return plain_line(f"{text} → “{shortened(str(output[0]), LABEL_WIDTH)}”" if is_changed else text)
    if step.parts:
        text += _(" ({number} steps)", number=len(step.parts))
    elif isinstance(output, list):
        text += " " + " → ".join(str(len(items)) for items in (step.input, output) if isinstance(items, list))
    return plain_line(text)


def _show_step(stage: str, step: Step) -> None:
    for part in (step, *step.parts):
        with st.container() if part is step else st.expander(_step_label(part)):
            used = spent(part.llm_calls, part.tokens_in, part.tokens_out, part.cost)
            st.markdown(f"**{plain(stage.capitalize())}: {_step_label(part)}** · {part.ms:,.1f} ms, {plain(_(used))}")
            st.caption("  \n".join(plain_line(_(note)) for note in part.notes))
            texts = "\n\n".join(part.prompts), _text(part.input), _text(part.output) or _("no output")
            for label, text in zip((_("Prompt"), _("Input"), _("Output")), texts, strict=True):
                if text:
                    height = LONG_TEXT_HEIGHT if len(text) > LONG_TEXT else None
                    st.markdown(f"**{label}**")
                    st.code(text, language=None, wrap_lines=True, height=height)
            for number, prompt in enumerate(part.prompts if workspace().settings.is_served else ()):
                _offer_to_run_again(prompt, f"{id(part)}-{number}")


def _offer_to_run_again(prompt: str, key: str) -> None:
    """Let a prompt be changed and sent to the served model again; the answer on the page stays as it is."""
    changed = st.text_area(_("Change the prompt"), prompt, height=LONG_TEXT_HEIGHT, key=f"prompt-{key}")
    if st.button(_("Run this step again"), key=f"again-{key}"):
        step = Step("again")
        try:
            with st.spinner(_("Thinking …")):
                text = predict(workspace().llm, PromptTemplate("{text}"), step, text=changed)
            st.code(text, language=None, wrap_lines=True)
            st.caption(plain(_(spent(step.llm_calls, step.tokens_in, step.tokens_out, step.cost))))
            st.caption("  \n".join(plain_line(_(note)) for note in step.notes))
        except LessonsError as error:
            st.error(plain(_(str(error))))


def _text(value: object) -> str:
    if isinstance(value, RetrievedDocument):
        return f"{value.source}{page_of(*value.pages())} · {value.score:.3f}\n{value.content}\n"
    if isinstance(value, Context):
        return value.text
    return "\n".join(map(_text, value)) if isinstance(value, list) else str(value or "")


# What the agents did


def show_agents(answer: Answer) -> None:
    """Show what active retrieval or the copilot decided, and the budget of the prompt."""
    if isinstance(answer, CopilotAnswer):
        _show_calls(answer)
        plan = answer.layout.plan if answer.layout else None
    else:
        state = ActiveState(answer, 0, "", "")
        plan = state.plan
        if state.intent or plan or state.iterations:
            _show_devices(state)
    if plan:
        _show_budget(plan)


def _show_devices(state: ActiveState) -> None:
    """Show what the devices of active retrieval did, and the answers that were judged."""
    with st.expander(_("What the agent did")):
        for step, outcome in state.rows:
            if step != "memory":  # which stands in the side bar
                st.caption(f"**{plain(_(step))}** {plain(_(outcome))}")
    for number, iteration in enumerate(state.iterations, start=1):
        title = _("Answer {number}: quality {quality:.2f}", number=number, quality=iteration.quality)
        lacking = _(", lacks: {words}", words="; ".join(iteration.missing)) if iteration.missing else ""
        with st.expander(plain(title + lacking)):
            if iteration.queries:
                st.caption(plain(_("Searched again for: {queries}", queries="; ".join(iteration.queries))))
            st.markdown(plain(iteration.answer))


def _show_calls(answer: CopilotAnswer) -> None:
    """Show each call of the copilot's tools with the decision that followed."""
    calls, decisions = answer.gathered.calls, answer.gathered.decisions
    with st.expander(_("Calls and decisions ({calls} of {most})", calls=len(calls), most=settings().copilot_calls)):
        rows = [
            {
                _("call"): str(call),
                _("helpful"): len(decision.ranked_indices),
                _("sufficient"): decision.is_sufficient,
                _("confidence"): decision.confidence,
                _("missing"): decision.missing,
                _("next"): _(ACTIONS[decision.next_action]),
            }
            for call, decision in zip(calls, decisions, strict=False)
        ]
        st.dataframe(rows, hide_index=True, alt=_("The calls of tools, and what was decided after each"))


def _show_budget(plan: Plan) -> None:
    """Show each part of the prompt as a bar: the tokens it takes of those it may take."""
    with st.expander(_("Prompt: {tokens:,} of {room:,} tokens", tokens=plan.tokens, room=plan.room)):
        for part in plan.pieces:
            limit = min(part.limit or plan.room, plan.room)
            name = N_("instructions") if part.name == "system" else part.name
            text = _("{part}: {tokens:,} of {limit:,}", part=_(name), tokens=part.tokens, limit=limit)
            st.progress(min(1.0, part.tokens / limit), text + (_(", the rest did not fit") if part.dropped else ""))
