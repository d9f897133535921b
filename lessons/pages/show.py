"""An answer on a page: its words, what they rest on, and how it came about."""

import streamlit as st

from lessons.answer.answer import Answer
from lessons.pages.common import plain
from lessons.trace import Step

MOST_CITATIONS = 6


def show_answer(answer: Answer) -> None:
    """The text with its warnings and citations, and, folded away, the chunks that were read and the trace."""
    st.markdown(plain(answer.text))
    for warning in answer.warnings:
        st.warning(plain(warning))
    _show_citations(answer)
    _show_documents(answer)
    _show_trace(answer)


def _show_citations(answer: Answer) -> None:
    """A few stand below the answer; many, as those of a procedure, are folded away."""
    many = len(answer.citations) > MOST_CITATIONS
    with st.expander(f"Citations ({len(answer.citations)})") if many else st.container():
        for citation in answer.citations:
            page_of = f", p. {citation.page}" if citation.page else ""
            name = plain(f"[{citation.number}] {citation.source_file}{page_of}")
            st.markdown(f"**{name}**  \n“{plain(citation.quote)}”")
    if answer.found:
        st.caption(plain(f"Retrieval confidence {answer.confidence:.0%} · {answer.answered_by}"))


def _show_documents(answer: Answer) -> None:
    with st.expander(f"Retrieved chunks ({len(answer.context.documents)})"), st.container(height=420, border=False):
        for number, document in enumerate(answer.context.documents, start=1):
            page_of = f", p. {document.page}" if document.page else ""
            st.markdown(f"**{number}** · {plain(document.source + page_of)} · score {document.score:.3f}")
            st.caption(plain(document.content))


def _show_trace(answer: Answer) -> None:
    trace = answer.trace
    with st.expander(plain(f"Trace: {trace.ms:.0f} ms, {trace.llm_calls} model calls, {trace.tokens:,} tokens")):
        for step in trace:
            for line in _told(step):
                st.caption(f"**{plain(step.name)}** {plain(line)}")
        st.dataframe(
            [
                {
                    "step": step.name,
                    "ms": round(step.ms, 1),
                    "model calls": step.llm_calls,
                    "tokens in": step.tokens_in,
                    "tokens out": step.tokens_out,
                    "cost ($)": step.cost,
                }
                for step in trace
            ],
            hide_index=True,
        )


def _told(step: Step) -> list[str]:
    """The queries that a step made of those it was given, and what it noted."""
    made = step.output if isinstance(step.output, list) and step.output != step.input else []
    queries = [query for query in made if isinstance(query, str)]
    return [*([f"→ {' · '.join(queries)}"] if queries else []), *step.notes]
