"""One question to several stages, side by side. Each stage works in a thread; only the page's own thread draws."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from time import sleep
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lessons.agent import describe_step
from lessons.context.cache import with_cache
from lessons.errors import LessonsError
from lessons.evaluate.comparison import Comparison, as_markdown
from lessons.evaluate.evaluation import metric_values
from lessons.evaluate.plots import shortened
from lessons.evaluate.runs import shipped
from lessons.library import checked_filter
from lessons.pages import asking, verdict
from lessons.pages.answer import COLOURS, show_golden, show_records, show_sources, show_steps
from lessons.pages.common import Work, offer_own_space, offered, pages, show_error, titled
from lessons.pages.documents import show_upload
from lessons.pages.language import N_, _, language
from lessons.rag.answer import Answer
from lessons.rag.pipeline import AnswerStream, cleaned
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace, workspace
from lessons.tables import plain, plain_line
from lessons.trace import Step

MIN_COLUMN_WIDTH = 220  # pixels of a card; what does not fit goes below
LONGEST = 400  # columns of a question above its answers
REDRAW_AFTER = 0.1  # seconds until the cards of stages at work are drawn again
ABOUT = N_(
    "Five stages of retrieval-augmented generation, each the one before with something changed. They search fictional "
    "product guides, company reports and a clinic's leaflets, in English and Korean, or documents of yours."
)


def meanwhile(owner: str) -> None:
    """Offer sample questions with their answers in the reference run; the one that is pressed is asked afterwards."""
    samples = [sample for sample in asking.golden_samples(owner, language()) if not sample.history]
    st.caption(_(ABOUT))
    st.markdown(_("Until then, here are answers of the reference run. The question you choose is asked afterwards."))
    sample: asking.Sample | None = st.pills(_("Try one of these"), samples, format_func=str, key="recorded")
    st.session_state.pressed = "question" if sample else ""
    if sample:
        asking.fill_question(sample.question)
    if sample or samples:
        sample = sample or samples[0]
        golden = asking.golden_for(sample.question, owner, ())
        records = [row for row in shipped()["keyless-dev"].records if golden and row.question_id == golden.id]
        show_records({row.stage.capitalize(): row for row in records}, [], owner)


@titled(N_("One question, every stage"), "", meanwhile)
def page(workspace: Workspace, owner: str) -> None:
    """Ask, watch the answers come in, and look at what they rest on."""
    comparison: Comparison | None = st.session_state.get("result")
    if comparison is None or dict(comparison.limits)["owner"] != owner:
        comparison = None
        st.caption(_(ABOUT))
        st.caption(gain_of_the_course())
    if request := asking.question_form(workspace, owner):
        try:
            _ask(request, owner)
        except LessonsError as error:  # the answers of the question before stay in sight
            show_error(error)
    names = [name for name in offered() if name in st.session_state.stages]
    with _answer_area():
        if comparison:
            _show(comparison, names, owner)
            if not asking.golden_samples(owner):  # questions on own documents are asked to be marked, one by one
                asking.offer_samples(asking.samples_for(owner), "question")
        else:
            _begin_here(workspace, owner)
            st.header(_("What each stage changes"), anchor=False)
            _cards([[name] for name in names], {})


def gain_of_the_course() -> str:
    """Say in one line what the stages bring, in the numbers of the shipped run."""
    run = shipped()["keyless-test"]
    ends = run.stages[0], max(run.stages, key=lambda name: run.mean(name, "right"))
    words = N_(
        "What the steps bring, from Naive to {stage}, on {questions} questions with known answers, without a "
        "model: {right_0:.2f} → {right_1:.2f} right, {wrong_0:.2f} → {wrong_1:.2f} wrong."
    )
    means = {f"{metric}_{at}": run.mean(ends[at], metric) for metric in ("right", "wrong") for at in (0, 1)}
    count = len(metric_values(run.of(ends[1]), "right"))  # of the others, the answer is that there is none
    return plain(_(words, stage=ends[1].capitalize(), questions=count, **means))


def _begin_here(workspace: Workspace, owner: str) -> None:
    """Offer questions to try and, in a space of one's own, the field for files; else the way to such a space."""
    asking.offer_samples(samples := asking.samples_for(owner), "question")
    if not offer_own_space(owner):
        is_empty = st.session_state.setdefault(f"empty-{owner}", not samples)  # what became of the files stays in sight
        with st.expander(_("Add documents"), icon=":material/upload_file:", expanded=is_empty):
            show_upload(workspace, owner)


# Asking


def _ask(request: Comparison, owner: str) -> None:
    """Draw the answers as they come in, then the page anew; LessonsError for what cannot be asked."""
    comparison = replace(request, question=cleaned(request.question)[0])
    streams = _begin(request, owner)
    # Before it is answered: a page that is left has not paid for nothing.
    st.session_state.result = comparison
    st.session_state.area = 1 - st.session_state.get("area", 0)
    with _answer_area():
        _show_question(comparison)
        cards = _cards([[name] for name in comparison.problems], {})
        _run(comparison, streams, {name: card for (name,), card in cards.items()})
    st.rerun()


def _begin(request: Comparison, owner: str) -> dict[str, AnswerStream]:
    """Return the stages' streams; LessonsError for what cannot be asked. `problems` has why a stage cannot answer."""
    streams, stages, limits = dict[str, AnswerStream](), offered(), dict(request.limits)
    filters = checked_filter(workspace(), limits.get("filter", ""), Scope(owner))
    within: dict[str, Any] = {"user": owner, "source_file": limits.get("file"), "filters": filters}
    for name in request.problems:
        try:
            streams[name] = with_cache(stages[name]).stream(request.question, history=request.history, **within)
        except LessonsError as error:
            request.problems[name] = str(error)
    return streams


def _run(comparison: Comparison, streams: Mapping[str, AnswerStream], cards: Mapping[str, DeltaGenerator]) -> None:
    """Draw what each stage has come to, again and again until all have ended; to leave the page ends their work."""
    areas = {name: card.empty() for name, card in cards.items()}
    for name in areas.keys() - streams.keys():
        areas[name].error(plain(_(comparison.problems[name])))
    works = {name: Work(partial(read, stream), N_("Thinking …")) for name, stream in streams.items()}
    pending = dict(works)
    try:
        while pending:
            ended = {name: work for name, work in pending.items() if not work.is_alive()}
            for name, work in pending.items():
                if work.problem:
                    areas[name].error(plain(_(work.problem)))
                elif text := streams[name].answer.text:
                    areas[name].markdown(plain(text))
                else:
                    areas[name].caption(plain(_(work.label)))
            for name, work in ended.items():
                del pending[name]
                if work.problem:
                    comparison.problems[name] = work.problem
                else:
                    comparison.answers[name] = work.result
                    del comparison.problems[name]
            sleep(REDRAW_AFTER)
    finally:
        for work in works.values():
            work.is_stopped = True


def read(stream: AnswerStream, work: Work) -> Answer:
    """Read an answer to its end, unless the page is left, and say what an agent is doing."""
    with closing(stream):
        for event in stream.events():
            if work.is_stopped:
                break
            if isinstance(event, Step):
                work.label = describe_step(event)
    return stream.answer


# Drawing


def _answer_area() -> DeltaGenerator:
    """Return the area for answers. Two areas take turns, and that of the question before is empty.

    In the same area, Streamlit would leave the earlier answers below the new ones until all have come in.
    """
    current = st.session_state.get("area", 0)
    return [st.container() if number == current else st.empty() for number in range(2)][current]


def _show(comparison: Comparison, names: Sequence[str], owner: str) -> None:
    answers = {name: comparison.answers[name] for name in names if name in comparison.answers}
    comparison = replace(comparison, answers=answers)
    scores = {name: verdict.scored(answer, comparison.golden) for name, answer in answers.items()}
    groups = verdict.merged(names, scores)
    _show_question(comparison)
    if scores:
        st.info(f"**{plain(verdict.sentence(scores, comparison.golden is not None))}**")  # which is also read aloud
    with_changes, previous = len(groups) > 1 and st.toggle(_("Mark what changed"), key="changes"), ""
    for group, card in _cards(groups, scores).items():
        with card:
            if score := scores.get(group[0]):
                text = score.answer.text
                st.markdown(verdict.changes_marked(text, previous) if with_changes and previous else plain(text))
                previous = text
                if not comparison.golden and (missing := verdict.missing_words(score.answer)):
                    sign = "⚠ " if any(word.required for word in missing) else ""  # a name, a code or a period
                    words = ", ".join(word.text for word in missing)
                    st.caption(sign + plain(_("In none of its passages: {words}", words=words)))
                with st.container(gap=None):
                    show_sources(score.answer, named=True)
                if not comparison.golden:
                    verdict.offer_marks(comparison, owner, group)
                for name in group:
                    new = f"**{name.capitalize()}** {plain(verdict.what_is_new(name))}  \n" if len(group) > 1 else ""
                    st.caption(new + plain(scores[name].facts))
            elif problem := comparison.problems.get(group[0]):
                st.error(plain(_(problem)))
            else:
                st.caption(_("Not asked yet."))
    if verdict.show_marks(owner) and (scoreboard := pages.get("scoreboard")):
        # Without query_params, Streamlit refuses to leave an address to which fields are bound.
        st.switch_page(st.Page(scoreboard, url_path="scoreboard"), query_params={})
    if scores:
        _show_models(answers)
        saved, kind, icon = as_markdown(comparison), "text/markdown", ":material/download:"
        st.download_button(_("Save as Markdown"), saved, "comparison.md", kind, on_click="ignore", icon=icon)
        verdict.show_ranks(comparison)
        st.header(_("What each stage did"), anchor=False)
        st.caption(_("In colour: new in this stage. Choose a step to read its prompt, its input and its output."))
        show_steps(list(answers.values()))


def _show_question(comparison: Comparison) -> None:
    """Show the question, its conversation and limits, and what is known about it."""
    golden, questions = comparison.golden, [text for role, text in comparison.history if role == "user"]
    earlier = plain_line(shortened(" · ".join(questions), LONGEST))
    facts = [_("A follow-up to: {questions}", questions=earlier)] if questions else []
    if golden:
        labels = {"id": golden.id, "split": golden.split, "category": _(golden.category)}
        facts.append(plain_line(_("golden question {id} ({split}, {category})", **labels)))
    facts += [plain_line(f"{_(name)}: {value}") for name, value in comparison.limits]
    st.header(plain_line(shortened(comparison.question, LONGEST)), anchor=False)
    st.caption(" · ".join(facts))
    if golden:
        show_golden(golden)


def _cards(groups: Sequence[Sequence[str]], scores: verdict.Scores) -> dict[tuple[str, ...], DeltaGenerator]:
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
                st.markdown(_(verdict.BADGES[scores[group[0]].status]), width="content")
        if len(group) == 1:
            card.caption(plain(verdict.what_is_new(group[0])))
        cards[tuple(group)] = card
    return cards


def _show_models(answers: Mapping[str, Answer]) -> None:
    """Say which model answered."""
    stages: dict[str, list[str]] = {}
    for name, answer in answers.items():
        if answer.found:
            stages.setdefault(_(answer.answered_by), []).append(name.capitalize())
    models = (f"{', '.join(names)}: {model}" if len(stages) > 1 else model for model, names in stages.items())
    st.caption(plain("; ".join(models)))
