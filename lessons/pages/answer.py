"""An answer on a page: its words, the passages it cites, the chunks that were read, and what was done."""

from collections.abc import Sequence
from contextlib import suppress

import streamlit as st

from lessons.copilot.copilot import CopilotAnswer
from lessons.errors import LessonsError
from lessons.evaluate.golden import Evidence, Golden, holds
from lessons.evaluate.metrics import ranking
from lessons.library import indexes
from lessons.pages.common import page_of, show_dialog
from lessons.pages.language import N_, _
from lessons.pages.trace import show_agents, show_steps
from lessons.rag.answer import Answer, Citation
from lessons.rag.context import around
from lessons.rag.pipeline import standalone
from lessons.rag.types import RetrievedDocument, Scope
from lessons.rag.workspace import workspace
from lessons.search.materials import Passage, passage
from lessons.stages import stages
from lessons.tables import plain, plain_line

MAX_LEAD = 300  # characters of a chunk above the marked words, which are to be seen without scrolling
GONE = N_(
    """This is the chunk as the answer read it. It cannot be found like that in its document: the chunk was shortened
for the answer, the document has changed since, or the database is away."""
)
OUTCOMES = {
    "answered": (N_("Answered"), "green"),
    "best_effort": (N_("Best effort: it may be incomplete"), "orange"),
    "nothing_relevant": (N_("Nothing relevant found: see these menus"), "orange"),
    "not_documented": (N_("Not documented yet"), "gray"),
    "unavailable": (N_("The documents could not be searched"), "red"),
}


def show_answer(answer: Answer) -> None:
    """Show the text, what it rests on and, of active retrieval and the copilot, what they decided."""
    if isinstance(answer, CopilotAnswer):
        label, colour = OUTCOMES[answer.outcome]
        st.badge(_(label), color=colour)  # type: ignore[arg-type]
    st.markdown(plain(answer.text))
    if isinstance(answer, CopilotAnswer):
        for menu in answer.menus:
            st.link_button(menu.name(answer.question), menu.url)
    _show_basis(answer)
    show_agents(answer)


def _show_basis(answer: Answer) -> None:
    """Show how the question was understood, warnings and citations; folded away, the chunks and the trace."""
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


def show_sources(answer: Answer, named: bool = False) -> None:
    """Show the warnings, and each cited chunk as a button that opens it, above the quotes that the answer lacks.

    Where answers stand side by side, the buttons are `named` by their stage, for a reader who hears them.
    """
    for warning in answer.warnings:
        st.warning(plain(_(warning)))
    for chunk in dict.fromkeys(citation.chunk_id for citation in answer.citations):
        cited = [citation for citation in answer.citations if citation.chunk_id == chunk]
        _show_source(answer, cited, f":gray[{plain(answer.stage.capitalize())}:] " if named else "")


def _show_source(answer: Answer, citations: Sequence[Citation], stage: str) -> None:
    first, quotes = citations[0], [citation.quote for citation in citations if citation.quote]
    pages = [page for citation in citations for page in (citation.page, *citation.pages)]
    name = plain(f"[{first.number}] {first.source_file.rpartition('/')[2]}{page_of(*pages)}")
    key = f"passage-{id(answer)}-{first.number}"
    if st.button(f"{stage}**{name}**", key=key, type="tertiary", help=_("Open the passage in its document")):
        document = next(document for document in answer.context.documents if document.id == first.chunk_id)
        open_passage(answer, document, quotes)
    for quote in quotes:
        if not holds(answer.text, quote.rstrip(".")):
            st.caption(f"“{plain(quote)}”")


# A passage in its document


def open_passage(answer: Answer, document: RetrievedDocument, quotes: Sequence[str]) -> None:
    """Open the whole chunk between its neighbours; if it has gone from its document, as the answer read it."""
    show_dialog(_("The passage in its document"), _show_passage, answer, document, quotes, width="large")


def _show_passage(answer: Answer, document: RetrievedDocument, quotes: Sequence[str]) -> None:
    stored = find_passage(answer, document, quotes)
    pages = [page for quote in quotes or [""] for page in document.pages(quote)]
    position = _(" · chunk {number} of {chunks}", number=stored.number, chunks=stored.chunks) if stored else ""
    st.markdown(f"**{plain_line(document.source)}**{page_of(*pages)}{position}")
    if stored is None:
        st.warning(_(GONE))
    elif stored.section:
        st.caption(plain_line(stored.section))
    _fold(_("The chunk before"), stored.before if stored else ())
    pieces = _cut(stored.text if stored else document.content, quotes)
    if len(pieces) > 1 and len(pieces[0]) > MAX_LEAD:
        at = pieces[0].find(" ", len(pieces[0]) - MAX_LEAD) + 1
        _fold(_("The beginning of this chunk"), [pieces[0][:at]])
        pieces[0] = f"… {pieces[0][at:]}"
    pieces[::2] = map(plain, pieces[::2])
    pieces[1::2] = [f":orange-background[**{plain_line(quote)}**]" for quote in pieces[1::2]]
    with st.container(border=True):
        st.markdown("".join(pieces))
    _fold(_("The chunk after"), stored.after if stored else ())


def _cut(text: str, quotes: Sequence[str]) -> list[str]:
    """Cut the text into pieces, every other of which is a quote."""
    pieces = [text]
    for quote in quotes:
        cuts = ((at, around(quote, pieces[at])) for at in range(0, len(pieces), 2))
        if cut := next(((at, parts) for at, parts in cuts if parts[1]), None):
            pieces[cut[0] : cut[0] + 1] = cut[1]
    return pieces


def _fold(label: str, texts: Sequence[str]) -> None:
    for text in texts:
        with st.expander(label):
            st.caption(plain(text))


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
        expected = plain(golden.answer) or _("The documents do not say; an honest refusal is right.")
        st.markdown(_("**Expected:** {answer}", answer=expected))
        for evidence in golden.evidence:
            st.caption(f"★ {evidence_line(evidence)}")


def evidence_line(evidence: Evidence) -> str:
    """Format evidence as Markdown: its file, its page and its words."""
    return f"**{plain_line(evidence.source_file)}**{page_of(evidence.page)}: “{plain_line(evidence.quote)}”"
