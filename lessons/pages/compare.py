"""One question to several stages, side by side. Each stage works in its own thread, and only the page's thread draws.

What is done is kept at once: a page that is left has not paid for nothing.
"""

import logging
import threading
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import replace
from queue import Empty, SimpleQueue

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lessons.agent import telling
from lessons.errors import LessonsError
from lessons.evaluate.comparison import Comparison, as_markdown, what_changes
from lessons.pages.answer import show_chunks, show_known, show_timeline, show_words
from lessons.pages.asking import Asked, Line, ask_form, begin, note_asked
from lessons.pages.common import allow_questions, answering, named_filter, titled
from lessons.rag.answer import Answer
from lessons.rag.stages import AnswerStream, cleaned, stages
from lessons.tables import plain, plain_line
from lessons.trace import Step
from lessons.workspace import Workspace

logger = logging.getLogger(__name__)

NARROWEST = 200  # pixels of a stage's column; what does not fit goes below
UNEXPECTED = "This stage broke off for an unexpected reason; the log has the details."
_PATIENCE = 0.5  # seconds without a word of any stage until the page is drawn again, so that it can be left
_FAREWELL = 1.0  # seconds that a page which is left waits for the work to end

Event = str | Step | Answer | LessonsError | None


@titled("One question, every stage")
def page(place: Workspace, owner: str) -> None:
    """Ask, watch the answers come in, and look at what they rest on."""
    if (asked := ask_form(place, owner)) is not None:
        st.session_state.compared, streams = _begin(asked, owner)
        note_asked(asked)
        st.session_state.place = 1 - st.session_state.get("place", 0)
        with _place():
            _show_question(st.session_state.compared)
            _run(st.session_state.compared, streams, _cells(asked.stages))
        st.rerun()
    chosen = [name for name in stages() if name in st.session_state.stages]
    with _place():
        if "compared" in st.session_state:
            _show(st.session_state.compared, chosen)
        else:
            st.header("What each stage changes", anchor=False)
            _cells(chosen)


def _place() -> DeltaGenerator:
    """Where answers are drawn. Each question has the other of two places, and the one of the question before is empty.

    In the same place, Streamlit would leave the earlier answers below the new ones until all have come in.
    """
    number = st.session_state.get("place", 0)
    return [st.container() if at == number else st.empty() for at in range(2)][number]


def _show(whole: Comparison, chosen: Sequence[str]) -> None:
    """What the chosen stages answered, in their order."""
    answers = {name: whole.answers[name] for name in chosen if name in whole.answers}
    problems = {name: whole.problems[name] for name in chosen if name in whole.problems}
    compared = replace(whole, answers=answers, problems=problems)
    _show_question(compared)
    for name, cell in _cells(chosen).items():
        with cell:
            _show_stage(name, compared)
    if compared.answers:
        _offer_more(compared)
        show_chunks(compared.alignment)
        st.header("Trace", anchor=False)
        show_timeline(list(compared.answers.values()))


def _show_question(compared: Comparison) -> None:
    st.header(plain_line(compared.question), anchor=False)
    if compared.history:
        st.caption(f"A follow-up to: {plain_line(' · '.join(said for who, said in compared.history if who == 'user'))}")
    if compared.golden:
        show_known(compared.golden)


def _show_stage(name: str, compared: Comparison) -> None:
    if name in compared.problems:
        st.error(plain(compared.problems[name]))
    elif name in compared.answers:
        show_words(compared.answers[name])
    elif name in st.session_state.asked.stages:
        st.caption("The page was left before this stage had answered. Ask again.")
    else:
        st.caption("Not asked yet.")


def _offer_more(compared: Comparison) -> None:
    with st.container(horizontal=True):
        st.button("Ask a follow-up", icon=":material/subdirectory_arrow_right:", on_click=_begin_follow_up)
        saved, icon = as_markdown(compared), ":material/download:"
        st.download_button("Save as Markdown", saved, "comparison.md", "text/markdown", on_click="ignore", icon=icon)


def _begin_follow_up() -> None:
    """Each stage remembers its own answer, so the conversation has a line of every stage."""
    asked, compared = st.session_state.asked, st.session_state.compared
    said = [Line("assistant", compared.answers[name].text, name) for name in asked.stages if name in compared.answers]
    begin(before=(*asked.before, Line("user", compared.question), *said))


def _cells(names: Sequence[str]) -> dict[str, DeltaGenerator]:
    """A cell for each stage, side by side as far as there is room, below its name and what it changes."""
    if not names:
        return {}
    grid = st.grid(len(names), min_column_width=NARROWEST, gap="small")
    cells = {name: grid.cell() for name in names}
    for name, cell in cells.items():
        cell.subheader(name.capitalize(), anchor=False)
        cell.caption(plain(what_changes(name)))
    return cells


def _begin(asked: Asked, owner: str) -> tuple[Comparison, dict[str, AnswerStream]]:
    """The comparison, still empty, and the answers to come; LessonsError for what cannot be asked, or not yet.

    A stage that cannot even begin is among the problems of the comparison.
    """
    question, _ = cleaned(asked.question)
    filters = named_filter(asked.filter_text, owner)
    allow_questions(owner, len(asked.stages))
    limits = {"owner": owner, "file": asked.source_file, "filter": asked.filter_text}
    compared = Comparison(
        question,
        answers={},
        problems={},
        history=tuple((line.speaker, line.content) for line in asked.before),
        limits=tuple((name, value) for name, value in limits.items() if value),
        golden=asked.golden,
    )
    streams: dict[str, AnswerStream] = {}
    for name in asked.stages:
        try:
            streams[name] = answering(stages()[name]).stream(
                asked.question, user=owner, source_file=asked.source_file, filters=filters, history=asked.history(name)
            )
        except LessonsError as error:
            compared.problems[name] = str(error)
    return compared, streams


def _run(compared: Comparison, streams: Mapping[str, AnswerStream], cells: Mapping[str, DeltaGenerator]) -> None:
    """Stream the answers into their cells, all at once, and fill the comparison as each is done."""
    places = {name: cell.empty() for name, cell in cells.items()}
    texts = dict.fromkeys(streams, "")
    for name, place in places.items():
        place.caption("Thinking …")
        if name in compared.problems:
            place.error(plain(compared.problems[name]))
    with closing(together(streams)) as events:
        for name, event in events:
            if isinstance(event, LessonsError):
                compared.problems[name] = str(event)
                places[name].error(plain(str(event)))
            elif isinstance(event, Answer):
                compared.answers[name] = event
            elif texts[name] or isinstance(event, str):
                texts[name] += event if isinstance(event, str) else ""
                places[name].markdown(plain(texts[name]))
            else:
                places[name].caption(plain(telling(event)) if event else "Thinking …")


def together(streams: Mapping[str, AnswerStream]) -> Generator[tuple[str, Event], None, None]:
    """Read all streams in parallel: what comes of each, with its name, as it comes.

    Last of a stream is its answer, or the error that broke it off, which does not disturb the others. Nobody having
    said a word for a while gives None for one of them. To leave the loop ends the work of all.
    """
    pieces: SimpleQueue[tuple[str, Event]] = SimpleQueue()
    left, still = threading.Event(), list(streams)
    pool = ThreadPoolExecutor(max_workers=max(1, len(streams)))
    work = [pool.submit(_read, name, stream, pieces, left) for name, stream in streams.items()]
    try:
        while still:
            try:
                name, event = pieces.get(timeout=_PATIENCE)
            except Empty:
                name, event = still[0], None
            if isinstance(event, Answer | LessonsError):
                still.remove(name)
            yield name, event
    finally:
        left.set()
        wait(work, _FAREWELL)
        pool.shutdown(wait=False)


def _read(name: str, stream: AnswerStream, pieces: "SimpleQueue[tuple[str, Event]]", left: threading.Event) -> None:
    outcome: Answer | LessonsError = LessonsError(UNEXPECTED)
    try:
        with closing(stream):
            for event in stream.events():
                if left.is_set():
                    break
                pieces.put((name, event))
        outcome = stream.answer
    except LessonsError as error:
        outcome = error
    except Exception:
        logger.exception("a stage broke off")
    finally:
        pieces.put((name, outcome))
