"""An answer on a page: its words, the passages it cites, the chunks that were read, and its trace."""

from collections.abc import Sequence
from contextlib import suppress

import streamlit as st

from lessons.errors import LessonsError
from lessons.evaluate.comparison import summary
from lessons.evaluate.golden import Evidence, Golden, holds
from lessons.evaluate.metrics import ranking
from lessons.evaluate.plots import shortened
from lessons.library import indexes
from lessons.pages.common import page_of, show_dialog
from lessons.pages.document import page_picture, show_picture
from lessons.pages.language import N_, _
from lessons.rag.answer import Answer, Citation
from lessons.rag.context import around
from lessons.rag.pipeline import standalone
from lessons.rag.store import ChunkStore
from lessons.rag.types import Context, RetrievedDocument, Scope
from lessons.rag.workspace import workspace
from lessons.search.materials import Passage, passage
from lessons.stages import stages
from lessons.tables import plain, plain_line, spent
from lessons.text.pages import by_page
from lessons.trace import Step

MOST_BEFORE = 300  # characters of a chunk before the marked words, which are to be seen without scrolling
MOST_SHOWN = 40  # columns of a text in the label of a step
MOST_LONG, MOST_HIGH = 800, 300  # characters of a text that is shown whole; pixels of one that is longer
GONE = N_(
    """This is the chunk as the answer read it. It cannot be found like that in its document: the chunk was shortened
for the answer, the document has changed since, or the database is away."""
)


def show_answer(answer: Answer) -> None:
    """The text, and below it what it rests on."""
    st.markdown(plain(answer.text))
    show_basis(answer)


def show_basis(answer: Answer) -> None:
    """How the question was understood, warnings and citations; folded away, the chunks that were read and the trace."""
    if (asked := standalone(answer.trace, answer.question)) != answer.question:
        st.caption(plain(_("Understood as: {question}", question=asked)))
    with st.container(gap=None):
        show_sources(answer)
    if answer.found:
        st.caption(plain(_(answer.answered_by)))
    read = answer.context.documents
    title = _("Retrieved chunks ({found} found, {read} read)", found=len(ranking(answer)), read=len(read))
    with st.expander(title), st.container(height=420, border=False):
        for number, document in enumerate(read, start=1):
            source = plain(document.source + page_of(*document.pages()))
            st.markdown(f"**{number}** · {source} · " + _("score {score:.3f}", score=document.score))
            st.caption(plain(document.content))
    with st.expander(_("What was done")):
        show_steps([answer])


def show_sources(answer: Answer) -> None:
    """The warnings, and each chunk that is cited, which opens; below it the quotes that the answer does not hold."""
    for warning in answer.warnings:
        st.warning(plain(_(warning)))
    for chunk in dict.fromkeys(citation.chunk_id for citation in answer.citations):
        _show_source(answer, [citation for citation in answer.citations if citation.chunk_id == chunk])


def _show_source(answer: Answer, cited: Sequence[Citation]) -> None:
    first, quotes = cited[0], [citation.quote for citation in cited if citation.quote]
    pages = [page for each in cited for page in (each.page, *each.pages)]
    name = plain(f"[{first.number}] {first.source_file.rpartition('/')[2]}{page_of(*pages)}")
    key = f"passage-{id(answer)}-{first.number}"
    if st.button(f"**{name}**", key=key, type="tertiary", help=_("Open the passage in its document")):
        open_passage(answer, next(each for each in answer.context.documents if each.id == first.chunk_id), quotes)
    for quote in quotes:
        if not holds(answer.text, quote.rstrip(".")):
            st.caption(f"“{plain(quote)}”")


def open_passage(answer: Answer, document: RetrievedDocument, quotes: Sequence[str]) -> None:
    """Show the whole chunk between its neighbours. What cannot be found any more is shown as the answer read it."""
    show_dialog(_("The passage in its document"), _show_passage, answer, document, quotes, width="large")


def _show_passage(answer: Answer, document: RetrievedDocument, quotes: Sequence[str]) -> None:
    found, store = _found(answer, document, quotes) or (None, None)
    pages = [page for quote in quotes or [""] for page in document.pages(quote)]
    place = _(" · chunk {number} of {chunks}", number=found.number, chunks=found.chunks) if found else ""
    st.markdown(f"**{plain_line(document.source)}**{page_of(*pages)}{place}")
    if found is None:
        st.warning(_(GONE))
    elif found.section:
        st.caption(plain_line(found.section))
    _neighbours(_("The chunk before"), found.before if found else ())
    pieces = _cut(found.text if found else document.content, quotes)
    if len(pieces) > 1 and len(pieces[0]) > MOST_BEFORE:
        at = pieces[0].find(" ", len(pieces[0]) - MOST_BEFORE) + 1
        _neighbours(_("The beginning of this chunk"), [pieces[0][:at]])
        pieces[0] = f"… {pieces[0][at:]}"
    pieces[::2] = map(plain, pieces[::2])
    pieces[1::2] = [f":orange-background[**{plain_line(quote)}**]" for quote in pieces[1::2]]
    with st.container(border=True):
        st.markdown("".join(pieces))
    _neighbours(_("The chunk after"), found.after if found else ())
    if found and store and pages and found.source_file.lower().endswith(".pdf"):
        scope, parts = Scope(document.metadata["user_id"]), by_page(document.metadata, found.text)
        for page in range(min(pages), max(pages) + 1):
            words = [parts[page]] if page in parts else []
            picture = page_picture(store, scope, found.source_file, page, words, found.number)
            show_picture(picture, found.source_file, page)


def _cut(text: str, quotes: Sequence[str]) -> list[str]:
    """The text in pieces, every other of which is a quote."""
    pieces = [text]
    for quote in quotes:
        cuts = ((at, around(quote, pieces[at])) for at in range(0, len(pieces), 2))
        if cut := next((each for each in cuts if each[1][1]), None):
            pieces[cut[0] : cut[0] + 1] = cut[1]
    return pieces


def _neighbours(label: str, texts: Sequence[str]) -> None:
    for text in texts:
        with st.expander(label):
            st.caption(plain(text))


def _found(answer: Answer, document: RetrievedDocument, quotes: Sequence[str]) -> tuple[Passage, ChunkStore] | None:
    """The chunk in the index of the stage that answered, or in any; None if none has it with the words of a quote."""
    if (owner := document.metadata.get("user_id")) is None:  # of a retriever that searches elsewhere
        return None
    known = [stages()[answer.stage].index] if answer.stage in stages() else indexes()
    with suppress(LessonsError):
        for store in map(workspace().store, known):
            place = passage(store, Scope(owner), document.id)
            if place and (not quotes or len(_cut(place.text, quotes)) > 1):
                return place, store
    return None


def show_known(golden: Golden) -> None:
    """What is known about a golden question: the answer it should get, and the evidence."""
    with st.container(border=True, gap="xxsmall"):
        expected = plain(golden.answer) or _("The documents do not say; an honest refusal is right.")
        st.markdown(_("**Expected:** {answer}", answer=expected))
        for each in golden.evidence:
            st.caption(f"★ {passage_of(each)}")


def passage_of(each: Evidence) -> str:
    """A piece of evidence as Markdown: its file, its page and its words."""
    return f"**{plain_line(each.source_file)}**{page_of(each.page)}: “{plain_line(each.quote)}”"


COLOURS = {"naive": "blue", "enhanced": "orange", "smart": "green", "reranked": "violet", "agentic": "red"}
"""The names that Streamlit has for the colours of the stages."""


def show_steps(answers: Sequence[Answer]) -> None:
    """The steps of each answer, each to open: coloured where they are new, grey where the answer before has them."""
    before: set[str] = set()
    for answer in answers:
        new = [step.name == "retrieve" or step.name not in before for step in answer.trace]
        colours = [COLOURS.get(answer.stage, "blue") if each else "gray" for each in new]
        labels = [f":{colours[at]}-badge[{_label(step, new[at])}]" for at, step in enumerate(answer.trace)]
        before, key = {step.name for step in answer.trace}, f"steps-{id(answer)}"
        name, steps = st.columns([1, 3], vertical_alignment="center")
        name.markdown(f"**{plain(answer.stage.capitalize())}**  \n:small[{plain(_(summary(answer.trace)))}]")
        steps.pills(
            _("Steps of {stage}", stage=answer.stage),
            range(len(labels)),
            format_func=labels.__getitem__,
            key=key,
            on_change=_choose,
            args=(key,),
            label_visibility="collapsed",
            wrap=True,
        )
        if st.session_state.get("step", ("", 0))[0] == key:
            pressed = answer.trace.steps[st.session_state.pop("step")[1]]
            show_dialog(_("What this step did"), _show_step, answer.stage, pressed, width="large")


def _label(step: Step, is_new: bool = True) -> str:
    """What the step made of what: `rerank 15 → 5`; a query only where the step is new."""
    made = list(step.output.documents) if isinstance(step.output, Context) else step.output
    text = _(step.name.lower().replace("_", " "))
    if step.name == "decide":
        return _("decide: search") if made else _("decide: enough")
    if step.name in ("Condense", "Rewrite"):
        is_changed = is_new and made and made != step.input
        return plain_line(f"{text} → “{shortened(str(made[0]), MOST_SHOWN)}”" if is_changed else text)
    if step.parts:
        text += _(" ({number} steps)", number=len(step.parts))
    elif isinstance(made, list):
        text += " " + " → ".join(str(len(each)) for each in (step.input, made) if isinstance(each, list))
    return plain_line(text)


def _choose(key: str) -> None:
    """Note the pressed step, and release it. What a callback is given stays with the session, so that is no answer."""
    if (number := st.session_state[key]) is not None:
        st.session_state.step = key, number
        st.session_state[key] = None


def _show_step(stage: str, step: Step) -> None:
    for each in (step, *step.parts):
        with st.container() if each is step else st.expander(_label(each)):
            used = spent(each.llm_calls, each.tokens_in, each.tokens_out, each.cost)
            st.markdown(f"**{plain(stage.capitalize())}: {_label(each)}** · {each.ms:,.1f} ms, {plain(_(used))}")
            st.caption("  \n".join(plain_line(_(note)) for note in each.notes))
            texts = "\n\n".join(each.prompts), _text(each.input), _text(each.output) or _("no output")
            for label, text in zip((_("Prompt"), _("Input"), _("Output")), texts, strict=True):
                if text:
                    st.markdown(f"**{label}**")
                    st.code(text, language=None, wrap_lines=True, height=MOST_HIGH if len(text) > MOST_LONG else None)


def _text(value: object) -> str:
    if isinstance(value, RetrievedDocument):
        return f"{value.source}{page_of(*value.pages())} · {value.score:.3f}\n{value.content}\n"
    if isinstance(value, Context):
        return value.text
    return "\n".join(map(_text, value)) if isinstance(value, list) else str(value or "")
