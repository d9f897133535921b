"""One question to several stages, side by side. Each stage works in a thread; only the page's own thread draws."""

import html
import logging
import threading
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lessons.agent import describe_step
from lessons.context.cache import with_cache
from lessons.errors import LessonsError
from lessons.evaluate.comparison import Comparison, as_markdown
from lessons.evaluate.plots import shortened, stage_colour
from lessons.evaluate.runs import shipped
from lessons.library import checked_filter
from lessons.pages.answer import show_golden, show_sources
from lessons.pages.asking import Request, Sample, golden_for, golden_samples, offer_samples, request_form, samples_for
from lessons.pages.common import choose_own_space, is_sample_owner, offered, pages, show_error, titled
from lessons.pages.documents import show_upload
from lessons.pages.language import N_, _, language
from lessons.pages.marks import offer_marks, show_marks
from lessons.pages.ranks import show_ranks
from lessons.pages.runs import show_records
from lessons.pages.trace import COLOURS, show_steps
from lessons.pages.verdict import (
    BADGES,
    Score,
    about_cost,
    about_evidence,
    changes_marked,
    merged,
    missing_words,
    scored,
    verdict,
    what_is_new,
)
from lessons.rag.answer import Answer
from lessons.rag.pipeline import AnswerStream, cleaned
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace, workspace
from lessons.tables import plain, plain_line
from lessons.trace import Step

MIN_COLUMN_WIDTH = 220  # pixels of a card; what does not fit goes below
LONGEST = 400  # columns of a question above its answers
REDRAW_AFTER = 0.5  # seconds without an event of any stage until the page is drawn again, so that it can be left
LEAVE_AFTER = 1.0  # seconds that a page which is left waits for the work to end
ABOUT = N_(
    "Five stages of retrieval-augmented generation, each the one before with something changed. They search fictional "
    "product guides, company reports and a clinic's leaflets, in English and Korean, or documents of yours."
)
UNEXPECTED = N_("This stage broke off for an unexpected reason; the log has the details.")
Event = str | Step | Answer | LessonsError | None


@dataclass(frozen=True)
class Result:
    """A comparison, the request for it, and the owner who may see it."""

    owner: str
    request: Request
    comparison: Comparison


def meanwhile(owner: str) -> None:
    """Offer sample questions with the answers that the reference run recorded; they need no documents."""
    samples = [sample for sample in golden_samples(owner, language()) if not sample.history]
    st.markdown(_("Until then, here are answers of the reference run:"))
    sample: Sample | None = st.pills(_("Try one of these"), samples, format_func=str, key="recorded")
    if sample or samples:
        sample = sample or samples[0]
        golden = golden_for(sample.question, owner, ())
        records = [row for row in shipped()["keyless-dev"].records if golden and row.question_id == golden.id]
        show_records({row.stage.capitalize(): row for row in records}, [], owner)


@titled(N_("One question, every stage"), "", meanwhile)
def page(workspace: Workspace, owner: str) -> None:
    """Ask, watch the answers come in, and look at what they rest on."""
    result: Result | None = st.session_state.get("result")
    if result is None or result.owner != owner:
        result = None
        st.caption(_(ABOUT))
        st.caption(gain_of_the_course())
    request = request_form(workspace, owner)
    if request is not None:
        try:
            _ask(request, owner)
        except LessonsError as error:  # the answers of the question before stay in sight
            show_error(error)
    names = [name for name in offered() if name in st.session_state.stages]
    with _answer_area():
        if result:
            _show(result, names)
        else:
            _begin_here(workspace, owner)
            st.header(_("What each stage changes"), anchor=False)
            _cards([[name] for name in names], {})


@st.cache_data(show_spinner=False)
def _means() -> dict[str, Any]:
    run = shipped()["keyless-test"]
    best = max(run.stages, key=lambda name: run.mean(name, "right"))
    means: dict[str, Any] = {"questions": run.questions, "stage": best.capitalize()}
    for at, name in enumerate((run.stages[0], best)):
        means |= {f"{metric}_{at}": run.mean(name, metric) for metric in ("right", "wrong")}
    return means


def gain_of_the_course() -> str:
    """Say in one line what the stages bring, in the numbers of the shipped run."""
    with suppress(LessonsError):
        return plain(
            _(
                "What the steps bring, from Naive to {stage}, on {questions} questions with known answers, without a "
                "model: {right_0:.2f} → {right_1:.2f} right, {wrong_0:.2f} → {wrong_1:.2f} wrong.",
                **_means(),
            )
        )
    return ""


def _begin_here(workspace: Workspace, owner: str) -> None:
    """Offer questions to try and, in a space of one's own, the field for files; else the way to such a space."""
    samples = samples_for(owner)
    offer_samples(samples, "question")
    if is_sample_owner(owner):
        st.button(_("Use my own documents"), icon=":material/upload_file:", on_click=choose_own_space)
    elif samples:
        with st.expander(_("Add documents"), icon=":material/upload_file:"):
            show_upload(workspace, owner)
    else:
        show_upload(workspace, owner)


# Asking


def _ask(request: Request, owner: str) -> None:
    """Draw the answers as they come in, then the page anew; LessonsError for what cannot be asked."""
    comparison, streams = _begin(request, owner)
    # Before it is answered: a page that is left has not paid for nothing.
    st.session_state.result = Result(owner, request, comparison)
    st.session_state.area = 1 - st.session_state.get("area", 0)
    with _answer_area():
        _show_question(comparison)
        cards = _cards([[name] for name in request.stages], {})
        _run(comparison, streams, {name: card for (name,), card in cards.items()})
    st.rerun()


def _begin(request: Request, owner: str) -> tuple[Comparison, dict[str, AnswerStream]]:
    """Return the comparison, still without answers, and their streams; LessonsError for what cannot be asked."""
    question = cleaned(request.question)[0]
    filters = checked_filter(workspace(), request.filter_text, Scope(owner))
    limits = (N_("owner"), owner), (N_("file"), request.source_file), (N_("filter"), request.filter_text)
    named_limits = tuple((name, value) for name, value in limits if value)
    comparison = Comparison(question, {}, {}, request.history, named_limits, request.golden)
    streams, stages = dict[str, AnswerStream](), offered()
    for name in request.stages:
        try:
            streams[name] = with_cache(stages[name]).stream(
                request.question,
                user=owner,
                source_file=request.source_file,
                filters=filters,
                history=request.history,
            )
        except LessonsError as error:
            comparison.problems[name] = str(error)
    return comparison, streams


def _run(comparison: Comparison, streams: Mapping[str, AnswerStream], cards: Mapping[str, DeltaGenerator]) -> None:
    texts, areas = dict.fromkeys(streams, ""), {name: card.empty() for name, card in cards.items()}
    for name, area in areas.items():
        area.caption(_("Thinking …"))
        if name in comparison.problems:
            area.error(plain(_(comparison.problems[name])))
    with closing(together(streams)) as events:
        for name, event in events:
            if isinstance(event, LessonsError):
                comparison.problems[name] = str(event)
                areas[name].error(plain(_(str(event))))
            elif isinstance(event, Answer):
                comparison.answers[name] = event
            elif texts[name] or isinstance(event, str):
                texts[name] += event if isinstance(event, str) else ""
                areas[name].markdown(plain(texts[name]))
            else:
                areas[name].caption(plain(_(describe_step(event))) if event else _("Thinking …"))


def together(streams: Mapping[str, AnswerStream]) -> Generator[tuple[str, Event], None, None]:
    """Read all streams in parallel and yield each event with the name of its stream.

    The last event of a stream is its answer, or the error that broke it off, which does not disturb the others. After a
    while without any event, None is yielded for one of them. To leave the loop ends the work of all.
    """
    events: SimpleQueue[tuple[str, Event]] = SimpleQueue()
    is_left, pending = threading.Event(), list(streams)
    pool = ThreadPoolExecutor(max_workers=max(1, len(streams)))
    work = [pool.submit(_read, name, stream, events, is_left) for name, stream in streams.items()]
    try:
        while pending:
            try:
                name, event = events.get(timeout=REDRAW_AFTER)
            except Empty:
                name, event = pending[0], None
            if isinstance(event, Answer | LessonsError):
                pending.remove(name)
            yield name, event
    finally:
        is_left.set()
        wait(work, LEAVE_AFTER)
        pool.shutdown(wait=False)


def _read(name: str, stream: AnswerStream, events: "SimpleQueue[tuple[str, Event]]", is_left: threading.Event) -> None:
    outcome: Answer | LessonsError = LessonsError(UNEXPECTED)
    try:
        with closing(stream):
            for event in stream.events():
                if is_left.is_set():
                    break
                events.put((name, event))
        outcome = stream.answer
    except LessonsError as error:
        outcome = error
    except Exception:
        logging.getLogger(__name__).exception("a stage broke off")
    finally:
        events.put((name, outcome))


# Drawing


def _answer_area() -> DeltaGenerator:
    """Return the area for answers. Two areas take turns, and that of the question before is empty.

    In the same area, Streamlit would leave the earlier answers below the new ones until all have come in.
    """
    current = st.session_state.get("area", 0)
    return [st.container() if number == current else st.empty() for number in range(2)][current]


def _show(result: Result, names: Sequence[str]) -> None:
    answers = {name: result.comparison.answers[name] for name in names if name in result.comparison.answers}
    comparison = replace(result.comparison, answers=answers)
    scores = {name: scored(answer, comparison.golden) for name, answer in answers.items()}
    groups = merged(names, scores)
    with_changes = _show_question(comparison)
    with st.container(key="verdict"):
        if scores:
            summary = verdict(scores, comparison.golden is not None)
            sentences = plain(f"{about_cost(scores)} {about_evidence(scores)}".strip())
            st.markdown(f"**{plain(summary)}** {sentences}")
            st.html(f'<div role="status" class="unseen">{html.escape(summary)}</div>')
    previous_text = ""
    for group, card in _cards(groups, scores).items():
        with card:
            if score := scores.get(group[0]):
                is_marked = with_changes and previous_text
                st.markdown(changes_marked(score.answer.text, previous_text) if is_marked else plain(score.answer.text))
                previous_text = score.answer.text
                if not comparison.golden:
                    _show_doubts(score)
                with st.container(gap=None):
                    show_sources(score.answer, named=True)
                if not comparison.golden:
                    offer_marks(comparison, result.owner, group)
                _show_facts(group, scores)
            else:
                _show_missing(group[0], result)
    if show_marks(result.owner) and (scoreboard := pages.get("scoreboard")):
        st.switch_page(st.Page(scoreboard, url_path="scoreboard"))
    if scores:
        _show_models(answers)
        _offer_to_save(comparison)
        show_ranks(comparison)
        st.header(_("What each stage did"), anchor=False)
        st.caption(_("In colour: new in this stage. Choose a step to read its prompt, its input and its output."))
        show_steps(list(answers.values()))


def _show_doubts(score: Score) -> None:
    """Name the words of the question of which the cited passages say nothing."""
    if words := missing_words(score.answer):
        st.caption(plain(_("⚠ In none of its passages: {words}", words=", ".join(words))))


def _offer_to_save(comparison: Comparison) -> None:
    saved, kind, icon = as_markdown(comparison), "text/markdown", ":material/download:"
    st.download_button(_("Save as Markdown"), saved, "comparison.md", kind, on_click="ignore", icon=icon)


def _show_question(comparison: Comparison) -> bool:
    """Show the question, its conversation and limits, and what is known about it; True if changes are to be marked."""
    golden, questions = comparison.golden, [text for role, text in comparison.history if role == "user"]
    earlier = plain_line(shortened(" · ".join(questions), LONGEST))
    facts = [_("A follow-up to: {questions}", questions=earlier)] if questions else []
    if golden:
        labels = {"id": golden.id, "split": golden.split, "category": _(golden.category)}
        facts.append(plain_line(_("golden question {id} ({split}, {category})", **labels)))
    facts += [plain_line(f"{_(name)}: {value}") for name, value in comparison.limits]
    st.header(plain_line(shortened(comparison.question, LONGEST)), anchor=False)
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.caption(" · ".join(facts), width="content")
        with_changes = len(comparison.answers) > 1 and st.toggle(_("Mark what changed"), key="changes")
    if golden:
        show_golden(golden)
    return with_changes


def _cards(groups: Sequence[Sequence[str]], scores: Mapping[str, Score]) -> dict[tuple[str, ...], DeltaGenerator]:
    """Draw a card for each group of stages, in equal columns as far as there is room; none is wider than half."""
    grid = st.grid(max(2, len(groups)), min_column_width=MIN_COLUMN_WIDTH, gap="small")
    cards = {}
    for group in groups:
        with grid.cell():
            card = st.container(border=True, height="stretch", gap="xsmall", key=f"card-{group[0]}")
        with card, st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            chips = " ".join(f":{COLOURS.get(name, 'gray')}-badge[{plain_line(name.capitalize())}]" for name in group)
            st.subheader(chips if len(group) > 1 else plain(group[0].capitalize()), anchor=False, width="content")
            if group[0] in scores:
                st.markdown(_(BADGES[scores[group[0]].status]), width="content")
        if len(group) == 1:
            card.caption(plain(what_is_new(group[0])))
        cards[tuple(group)] = card
    return cards


def _show_facts(group: Sequence[str], scores: Mapping[str, Score]) -> None:
    """Show what each stage of a card took, with a bar for its share of the most tokens."""
    most = max(score.answer.trace.tokens for score in scores.values()) or 1
    for name in group:
        with st.container(gap="xxsmall"):
            if len(group) > 1:
                st.caption(f"**{name.capitalize()}** {plain(what_is_new(name))}")
            st.caption(plain(scores[name].facts))
            share = 100 * scores[name].answer.trace.tokens / most
            st.html(f'<div style="height:4px;width:{share:.0f}%;background:{stage_colour(name)}"></div>')


def _show_missing(name: str, result: Result) -> None:
    if problem := result.comparison.problems.get(name):
        st.error(plain(_(problem)))
    elif name in result.request.stages:
        st.caption(_("The page was left before this stage had answered. Ask again."))
    else:
        st.caption(_("Not asked yet."))


def _show_models(answers: Mapping[str, Answer]) -> None:
    """Say which model answered."""
    stages: dict[str, list[str]] = {}
    for name, answer in answers.items():
        if answer.found:
            stages.setdefault(_(answer.answered_by), []).append(name.capitalize())
    models = (f"{', '.join(names)}: {model}" if len(stages) > 1 else model for model, names in stages.items())
    st.caption(plain("; ".join(models)))
