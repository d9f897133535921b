"""One question to every stage, side by side."""

import json
from functools import cache

import streamlit as st

from lessons.answer.answer import Answer
from lessons.ingest.scope import Scope
from lessons.pages.common import opened, plain, told_plainly
from lessons.pages.streaming import answers_of
from lessons.settings import ROOT
from lessons.stages import stages
from lessons.workspace import Workspace

EVERYWHERE = "all documents"


def page() -> None:
    """Ask, watch the answers come in, and look at what they rest on."""
    st.title("One question, every stage")
    place, owner = opened()
    question, source_file = _question(place, owner)
    if question is not None:
        with told_plainly():
            st.session_state.answers = _stream(owner, question, source_file)
        st.rerun()
    for column, answer in zip(_columns(), st.session_state.get("answers", []), strict=False):
        with column:
            _show(answer)


def _question(place: Workspace, owner: str) -> tuple[str | None, str | None]:
    """The question that was just asked, or None, and the file it is limited to."""
    st.pills("Try one of these", sample_questions(owner), key="sample", on_change=_take_sample)
    with st.form("ask", border=False):
        text = st.text_area("Your question", key="question", height=80, placeholder="In English or Korean")
        store = place.store(next(iter(stages().values())).index)
        files = [document.source_file for document in store.documents(Scope(owner))]
        chosen = st.selectbox("Search in", [EVERYWHERE, *files])
        asked = st.form_submit_button("Ask", type="primary")
    return (text if asked else None), (None if chosen == EVERYWHERE else chosen)


def _take_sample() -> None:
    if st.session_state.sample:
        st.session_state.question = st.session_state.sample


@cache
def sample_questions(owner: str) -> list[str]:
    """One shipped question of each category that stands alone, alternating between the languages."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / "data" / "golden").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            item = json.loads(line)
            wanted_language = "ko" if len(found) % 2 else "en"
            fits = item["split"] == "dev" and item.get("owner", "reader") == owner and not item.get("history")
            if fits and item["category"] not in found and item["language"] == wanted_language:
                found[item["category"]] = item["question"]
    return list(found.values())


def _columns() -> list:
    names = list(stages())
    columns = st.columns(len(names), gap="large")
    for column, stage in zip(columns, stages().values(), strict=True):
        column.subheader(stage.name.capitalize())
    return columns


def _stream(owner: str, question: str, source_file: str | None) -> list[Answer]:
    """Stream every stage into its column, all at once; the answers in the order of the stages."""
    streams = [stage.stream(question, user=owner, source_file=source_file) for stage in stages().values()]
    places = [column.empty() for column in _columns()]
    with st.spinner("Thinking …"):
        return answers_of(streams, lambda number, text: places[number].markdown(plain(text)))


def _show(answer: Answer) -> None:
    st.caption(plain(answer.question))
    st.markdown(plain(answer.text))
    for warning in answer.warnings:
        st.warning(plain(warning))
    _show_citations(answer)
    _show_documents(answer)
    _show_trace(answer)


def _show_citations(answer: Answer) -> None:
    for citation in answer.citations:
        page_of = f", p. {citation.page}" if citation.page else ""
        st.markdown(f"**{plain(f'[{citation.number}] {citation.source_file}{page_of}')}**  \n“{plain(citation.quote)}”")
    if answer.found:
        st.caption(plain(f"Retrieval confidence {answer.confidence:.0%} · answered by the {answer.model}"))


def _show_documents(answer: Answer) -> None:
    with st.expander(f"Retrieved chunks ({len(answer.context.documents)})"), st.container(height=420, border=False):
        for number, document in enumerate(answer.context.documents, start=1):
            page_of = f", p. {document.page}" if document.page else ""
            st.markdown(f"**{number}** · {plain(document.source + page_of)} · score {document.score:.3f}")
            st.caption(plain(document.content))


def _show_trace(answer: Answer) -> None:
    trace = answer.trace
    with st.expander(plain(f"Trace: {trace.ms:.0f} ms, {trace.llm_calls} model calls, {trace.tokens:,} tokens")):
        st.dataframe(
            [
                {
                    "step": step.name,
                    "ms": round(step.ms, 1),
                    "model calls": step.llm_calls,
                    "tokens in": step.tokens_in,
                    "tokens out": step.tokens_out,
                    "cost ($)": step.cost,
                    "notes": " ".join(step.notes),
                }
                for step in trace
            ],
            hide_index=True,
        )
