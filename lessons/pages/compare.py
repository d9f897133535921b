"""One question to several stages, side by side. Each stage works in a thread; only the page's own thread draws."""

import logging
import threading
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import replace
from queue import Empty, SimpleQueue
from time import monotonic_ns

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lessons.agent import telling
from lessons.errors import LessonsError
from lessons.evaluate.comparison import Comparison, as_markdown
from lessons.evaluate.plots import shortened, stage_colour
from lessons.library import checked_filter
from lessons.pages.answer import show_known, show_sources, show_steps
from lessons.pages.asking import Asked, Line, ask_form, ask_line, begin, is_pressed, offer_samples
from lessons.pages.common import allow_questions, answering, offer_reuse, offered, show_error, titled
from lessons.pages.language import N_, _
from lessons.pages.past import Past, arrive, offer_link, remember, show_past
from lessons.pages.ranks import show_ranks
from lessons.pages.verdict import STATUSES, Score, marked, merged, scored, verdict, what_is_new
from lessons.rag.answer import Answer
from lessons.rag.pipeline import AnswerStream, cleaned
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace, workspace
from lessons.tables import plain, plain_line
from lessons.trace import Step

NARROWEST = 160  # pixels of a stage's column; what does not fit goes below
UNEXPECTED = N_("This stage broke off for an unexpected reason; the log has the details.")
_PATIENCE = 0.5  # seconds without a word of any stage until the page is drawn again, so that it can be left
_FAREWELL = 1.0  # seconds that a page which is left waits for the work to end
TO_TOP = "<script>document.querySelector('[data-testid=stMain]').scrollTo(0, 0) // {time}</script>"
LONGEST = 400  # columns of a question above its answers
Event = str | Step | Answer | LessonsError | None


@titled(
    N_("One question, every stage"),
    N_(
        "Five stages of retrieval-augmented generation, each the one before with something changed. They search "
        "fictional product guides, company reports and a clinic's leaflets, in English and Korean, or documents of "
        "yours."
    ),
)
def page(place: Workspace, owner: str) -> None:
    """Ask, watch the answers come in, and look at what they rest on."""
    offer_reuse(place, owner)
    arrive(owner)
    if st.session_state.pop("begins", False):  # a follow-up was asked: the line above is for something new
        begin()
    if (asked := ask_form(place, owner, is_pressed("question"))) is not None:
        try:
            _ask(asked, owner)
        except LessonsError as error:  # what was asked before stays in sight
            show_error(error)
            _scroll_to_top()
    show_past(owner, page)
    chosen = [name for name in offered() if name in st.session_state.stages]
    with _place():
        if "past" in st.session_state:
            _show(st.session_state.past.compared, chosen)
        else:
            offer_samples(owner, "question")
            st.header(_("What each stage changes"), anchor=False)
            _cards([[name] for name in chosen], {})


def _ask(asked: Asked, owner: str) -> None:
    """Draw the answers as they come in, then the page anew; LessonsError for what cannot be asked, or not yet."""
    compared, streams = _begin(asked, owner)
    remember(Past(owner, asked, compared))  # before it is answered: a page that is left has not paid for nothing
    st.session_state["follow-up"], st.session_state.begins = "", asked.follows
    st.session_state.place = 1 - st.session_state.get("place", 0)
    with _place():
        _scroll_to_top()
        _show_question(compared)
        cards = _cards([[name] for name in asked.stages], {})
        _run(compared, streams, {name: card for (name,), card in cards.items()})
    st.rerun()


def _scroll_to_top() -> None:
    """A follow-up is asked farther down. A browser runs a script again only if it differs from the one before."""
    st.html(TO_TOP.format(time=monotonic_ns()), unsafe_allow_javascript=True)


def _place() -> DeltaGenerator:
    """Where answers are drawn. Each question has the other of two places, and the one of the question before is empty.

    In the same place, Streamlit would leave the earlier answers below the new ones until all have come in.
    """
    number = st.session_state.get("place", 0)
    return [st.container() if at == number else st.empty() for at in range(2)][number]


def _show(whole: Comparison, chosen: Sequence[str]) -> None:
    answers = {name: whole.answers[name] for name in chosen if name in whole.answers}
    problems = {name: whole.problems[name] for name in chosen if name in whole.problems}
    compared, before = replace(whole, answers=answers, problems=problems), ""
    differs = False  # whether words of an answer are marked
    scores = {name: scored(answer, compared.golden) for name, answer in answers.items()}
    _show_question(compared)
    if scores:
        said, why = verdict(scores)
        with st.container(key="verdict"):
            st.markdown(f"**{plain(said)}** {plain(why)}")
    for group, card in _cards(merged(chosen, scores), scores).items():
        with card:
            if score := scores.get(group[0]):
                said = marked(score.answer.text, before)
                differs = differs or ":gray[~~" in said or ":green-background[" in said
                st.markdown(said)
                with st.container(gap=None):
                    show_sources(score.answer)
                _show_facts(group, scores)
                before = score.answer.text
            else:
                _show_missing(group[0], compared)
    if scores:
        by: dict[str, list[str]] = {}
        for name, score in scores.items():
            if score.answer.found:
                by.setdefault(_(score.answer.answered_by), []).append(name.capitalize())
        told = (f"{', '.join(names)}: {who}" if len(by) > 1 else who for who, names in by.items())
        st.caption(plain("; ".join(told)))
        if differs:
            st.caption(_("On green: new in this answer. Struck out: said by the one before it."))
        ask_line("follow-up", N_("A follow-up to these answers"), N_("Follow up"), _take_follow_up)
        show_ranks(compared)
        st.header(_("What each stage did"), anchor=False)
        st.caption(_("In colour: new in this stage. Choose a step to read its prompt, its input and its output."))
        show_steps(list(answers.values()))


def _show_question(compared: Comparison) -> None:
    """The question, what it follows and is limited to, what may be done with its answers, and what is known."""
    golden, follows = compared.golden, [said for who, said in compared.history if who == "user"]
    told = plain_line(shortened(" · ".join(follows), LONGEST))
    said = [_("A follow-up to: {questions}", questions=told)] if follows else []
    if golden:
        known = {"id": golden.id, "split": golden.split, "category": _(golden.category)}
        said.append(plain_line(_("golden question {id} ({split}, {category})", **known)))
    st.header(plain_line(shortened(compared.question, LONGEST)), anchor=False)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(" · ".join([*said, *(plain_line(f"{_(name)}: {value}") for name, value in compared.limits)]))
        if compared.answers:
            saved, kind, icon = as_markdown(compared), "text/markdown", ":material/download:"
            st.download_button(_("Save as Markdown"), saved, "comparison.md", kind, on_click="ignore", icon=icon)
            offer_link()
    if golden:
        show_known(golden)


def _show_missing(name: str, compared: Comparison) -> None:
    if name in compared.problems:
        st.error(plain(_(compared.problems[name])))
    elif name in st.session_state.past.asked.stages:
        st.caption(_("The page was left before this stage had answered. Ask again."))
    else:
        st.caption(_("Not asked yet."))


def _show_facts(group: Sequence[str], scores: Mapping[str, Score]) -> None:
    """What each stage of a card took, with a bar for its share of the most tokens."""
    grid = st.grid(len(group), min_column_width=NARROWEST - 20, gap="small")
    most = max(score.answer.trace.tokens for score in scores.values()) or 1
    for name in group:
        with grid.cell(), st.container(gap="xxsmall"):
            if len(group) > 1:
                st.caption(f"**{name.capitalize()}** {plain(what_is_new(name))}")
            st.caption(plain(scores[name].facts))
            share = 100 * scores[name].answer.trace.tokens / most
            st.html(f'<div style="height:4px;width:{share:.0f}%;background:{stage_colour(name)}"></div>')


def _take_follow_up() -> None:
    """Each stage remembers its own answer, so the conversation has a line of every stage."""
    asked, compared = st.session_state.past.asked, st.session_state.past.compared
    said = [Line("assistant", compared.answers[name].text, name) for name in asked.stages if name in compared.answers]
    st.session_state.follows = (*asked.before, Line("user", compared.question), *said)


def _cards(groups: Sequence[Sequence[str]], scores: Mapping[str, Score]) -> dict[tuple[str, ...], DeltaGenerator]:
    """A card for each group of stages, side by side as far as there is room, below its names and what they add."""
    grid = st.grid(max(1, sum(map(len, groups))), min_column_width=NARROWEST, gap="small")
    cards = {}
    for group in groups:
        with grid.cell(column_span=len(group)):
            card = st.container(border=True, height="stretch", gap="xsmall", key=f"card-{group[0]}")
        with card, st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.subheader(" = ".join(map(str.capitalize, group)), anchor=False, width="content")
            if group[0] in scores:
                st.markdown(_(STATUSES[scores[group[0]].status]), width="content")
        if len(group) == 1:
            card.caption(plain(what_is_new(group[0])))
        cards[tuple(group)] = card
    return cards


def _begin(asked: Asked, owner: str) -> tuple[Comparison, dict[str, AnswerStream]]:
    """The comparison, still without answers, and those to come; LessonsError for what cannot be asked, or not yet."""
    question = cleaned(asked.question)[0]
    filters = checked_filter(workspace(), asked.filter_text, Scope(owner))
    allow_questions(owner, len(asked.stages))
    history = tuple((", ".join(filter(None, (line.stage, line.role))), line.content) for line in asked.before)
    limits = (N_("owner"), owner), (N_("file"), asked.source_file), (N_("filter"), asked.filter_text)
    known = tuple((name, value) for name, value in limits if value)
    compared, streams = Comparison(question, {}, {}, history, known, asked.golden), dict[str, AnswerStream]()
    stages = offered()
    for name in asked.stages:
        try:
            streams[name] = answering(stages[name]).stream(
                asked.question, user=owner, source_file=asked.source_file, filters=filters, history=asked.history(name)
            )
        except LessonsError as error:
            compared.problems[name] = str(error)
    return compared, streams


def _run(compared: Comparison, streams: Mapping[str, AnswerStream], cells: Mapping[str, DeltaGenerator]) -> None:
    places = {name: cell.empty() for name, cell in cells.items()}
    texts = dict.fromkeys(streams, "")
    for name, place in places.items():
        place.caption(_("Thinking …"))
        if name in compared.problems:
            place.error(plain(_(compared.problems[name])))
    with closing(together(streams)) as events:
        for name, event in events:
            if isinstance(event, LessonsError):
                compared.problems[name] = str(event)
                places[name].error(plain(_(str(event))))
            elif isinstance(event, Answer):
                compared.answers[name] = event
            elif texts[name] or isinstance(event, str):
                texts[name] += event if isinstance(event, str) else ""
                places[name].markdown(plain(texts[name]))
            else:
                places[name].caption(plain(_(telling(event))) if event else _("Thinking …"))


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
        logging.getLogger(__name__).exception("a stage broke off")
    finally:
        pieces.put((name, outcome))
