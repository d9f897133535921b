"""What was done for an answer: the steps of its trace, what an agent decided, and the budget of its prompt."""

from collections.abc import Sequence

import streamlit as st
from llama_index.core.prompts import PromptTemplate

from lessons.context.active import ActiveState
from lessons.copilot.copilot import CopilotAnswer
from lessons.errors import LessonsError
from lessons.evaluate.comparison import summary
from lessons.evaluate.plots import shortened
from lessons.models.llm import predict
from lessons.pages.common import page_of, show_dialog
from lessons.pages.language import N_, _
from lessons.plan import Plan
from lessons.rag.answer import Answer
from lessons.rag.types import Context, RetrievedDocument
from lessons.rag.workspace import workspace
from lessons.settings import settings
from lessons.tables import plain, plain_line, spent
from lessons.trace import Step

LABEL_WIDTH = 40  # columns of a text in the label of a step
LONG_TEXT, LONG_TEXT_HEIGHT = 800, 300  # characters of a text that is shown whole; pixels of one that is longer
ACTIONS = {
    "get_section": N_("next: read the whole section"),
    "search_again": N_("next: search again"),
    "none": N_("next: answer"),
}
COLOURS = {"naive": "blue", "enhanced": "orange", "smart": "green", "reranked": "violet", "agentic": "red"}
"""Streamlit's names for the colours of the stages."""


def show_steps(answers: Sequence[Answer]) -> None:
    """Show the steps of each answer, each to open: coloured where new, grey where the answer before has them, too."""
    previous: set[str] = set()
    for answer in answers:
        is_new = [step.name == "retrieve" or step.name not in previous for step in answer.trace]
        colours = [COLOURS.get(answer.stage, "blue") if new else "gray" for new in is_new]
        labels = [f":{colours[at]}-badge[{_step_label(step, is_new[at])}]" for at, step in enumerate(answer.trace)]
        previous, key = {step.name for step in answer.trace}, f"steps-{id(answer)}"
        name, steps = st.columns([1, 3], vertical_alignment="center")
        name.markdown(f"**{plain(answer.stage.capitalize())}**  \n:small[{plain(_(summary(answer.trace)))}]")
        steps.pills(
            _("Steps of {stage}", stage=answer.stage),
            range(len(labels)),
            format_func=labels.__getitem__,
            key=key,
            on_change=_choose_step,
            args=(key,),
            label_visibility="collapsed",
            wrap=True,
        )
        if st.session_state.get("step", ("", 0))[0] == key:
            step = answer.trace.steps[st.session_state.pop("step")[1]]
            show_dialog(_("What this step did"), _show_step, answer.stage, step, width="large")


def _step_label(step: Step, is_new: bool = True) -> str:
    """Say what the step made of what: `rerank 15 → 5`; a query only where the step is new."""
    output = list(step.output.documents) if isinstance(step.output, Context) else step.output
    text = _(step.name.lower().replace("_", " "))
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


def _choose_step(key: str) -> None:
    """Store the pressed step, and release it. The arguments of a callback stay in the session, so no answer is one."""
    if (number := st.session_state[key]) is not None:
        st.session_state.step = key, number
        st.session_state[key] = None


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
        if answer.layout:
            _show_budget(answer.layout.plan)
    else:
        _show_devices(ActiveState(answer, 0, "", ""))


def _show_devices(state: ActiveState) -> None:
    """Show what the devices of active retrieval did; nothing if none of them had a part in the answer."""
    if not (state.intent or state.plan or state.iterations):
        return
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
    if state.plan:
        _show_budget(state.plan)


def _show_calls(answer: CopilotAnswer) -> None:
    """Show each call of the copilot's tools with the decision that followed."""
    calls, decisions = answer.gathered.calls, answer.gathered.decisions
    with st.expander(_("Calls and decisions ({calls} of {most})", calls=len(calls), most=settings().copilot_calls)):
        for call, decision in zip(calls, decisions, strict=False):
            facts = [
                _("helpful: {number}", number=len(decision.ranked_indices)),
                _("sufficient") if decision.is_sufficient else _("not sufficient"),
                _("confidence: {number}", number=round(decision.confidence, 2)),
                *([_("missing: {words}", words=decision.missing)] if decision.missing else []),
                _(ACTIONS[decision.next_action]),
            ]
            st.markdown(f"**{plain(str(call))}**  \n:small[{plain(' · '.join(facts))}]")


def _show_budget(plan: Plan) -> None:
    """Show each part of the prompt as a bar: the tokens it takes of those it may take."""
    with st.expander(_("Prompt: {tokens:,} of {room:,} tokens", tokens=plan.tokens, room=plan.room)):
        for part in plan.pieces:
            limit = min(part.limit or plan.room, plan.room)
            name = N_("instructions") if part.name == "system" else part.name
            text = _("{part}: {tokens:,} of {limit:,}", part=_(name), tokens=part.tokens, limit=limit)
            st.progress(min(1.0, part.tokens / limit), text + (_(", the rest did not fit") if part.dropped else ""))
