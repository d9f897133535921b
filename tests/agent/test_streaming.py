"""The agent's steps are seen as they happen, and whoever stops listening stops the work."""

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from threading import Event
from typing import Any

import pytest

from lessons.agent import describe_step
from lessons.evaluate.comparison import Comparison
from lessons.memory.conversation import Conversation, NoMemory
from lessons.models.keyless import NOTHING_FOUND
from lessons.pages.common import Work
from lessons.pages.compare import _run, read
from lessons.rag.pipeline import AnswerStream, Stage
from lessons.rag.prompts import NO_WORDS
from lessons.rag.types import RetrievedDocument
from lessons.stages import stage_named, stages
from lessons.trace import Step

QUESTION = "When are refunds paid?"


def told(stream: AnswerStream) -> list[str]:
    return [describe_step(event) if isinstance(event, Step) else "text" for event in stream.events()]


def test_steps_come_before_the_text_in_which_nothing_else_changes(stage: Stage) -> None:
    events = told(stage.stream(QUESTION))
    assert events[:3] == ["choosing what to search for", f"searching: {QUESTION}", "choosing what to search for"]
    assert set(events[3:]) == {"text"}
    assert "".join(stage.stream(QUESTION)).strip() == stage.ask(QUESTION).text


def test_a_conversation_shows_the_steps_as_well(stage: Stage) -> None:
    assert f"searching: {QUESTION}" in told(Conversation(NoMemory()).stream(stage, QUESTION))


def test_a_step_is_announced_before_its_work_is_done(stage: Stage) -> None:
    stream = stage.stream(QUESTION)
    event = next(event for event in stream.events() if isinstance(event, Step) and event.name != "decide")
    assert event.output is None
    list(stream)
    assert [document.source for document in event.output] == ["refunds.md"]


def test_closing_before_a_search_leaves_the_search_undone(stage: Stage) -> None:
    ran = []

    class Counts:
        def search(self, *_: Any) -> list[RetrievedDocument]:
            ran.append(1)
            return []

    with closing(stage.but("counting", retriever=Counts()).stream(QUESTION)) as stream:
        for event in stream.events():
            if isinstance(event, Step) and event.name == "search_documents":
                break
    assert ran == []
    assert [step.name for step in stream.answer.trace] == ["decide", "search_documents"]


def test_a_tool_of_the_readers_own_is_not_called_a_search() -> None:
    assert describe_step(Step("price", {"of": "a seat", "in_currency": "KRW"})) == "price: a seat in KRW"


def test_closing_within_the_text_keeps_what_was_said(stage: Stage) -> None:
    with closing(stage.stream(QUESTION)) as stream:
        first = next(iter(stream))
    assert stream.answer.text == first.strip()
    assert stream.answer.trace["answer"].output == first


def test_every_stage_streams(stage: Stage) -> None:
    for each in stages().values():
        stream = each.but(each.name, retriever=stage.retriever, workspace=stage.workspace).stream(QUESTION)
        assert len(list(stream)) > 1
        assert stream.answer.found


def test_the_page_shows_what_an_agent_does_until_its_text_begins(stage: Stage) -> None:
    stream = stage.stream(QUESTION)
    work = Work(partial(read, stream))
    work.join(60)
    assert work.result is stream.answer
    assert work.label == told(stage.stream(QUESTION))[2]


def test_a_page_that_is_left_ends_the_work(stage: Stage) -> None:
    begun = Event()

    def endless() -> Iterator[str]:
        while True:
            begun.set()
            yield "on and on "

    stream = stage.stream(QUESTION)
    stream.pieces = endless()
    work = Work(partial(read, stream))
    assert begun.wait(60)
    work.is_stopped = True
    work.join(60)
    assert next(stream.pieces, None) is None


def test_while_nobody_says_anything_the_page_can_still_be_left(stage: Stage) -> None:
    class LeftError(Exception):
        pass

    class Card:
        def empty(self) -> "Card":
            return self

        def caption(self, words: str) -> None:
            raise LeftError(words)

    silent, closed, stream = Event(), Event(), stage.stream(QUESTION)

    def waiting() -> Iterator[str]:
        try:
            assert silent.wait(60)
            yield "too late"
        finally:
            closed.set()

    stream.pieces = waiting()
    with pytest.raises(LeftError):
        _run(Comparison(QUESTION, {}, {}), {"one": stream}, {"one": Card()})
    silent.set()
    assert closed.wait(60)


def test_a_slow_stage_does_not_hold_up_the_others(stage: Stage) -> None:
    finished = Event()

    def slow() -> Iterator[str]:
        assert finished.wait(60)
        yield "at last"

    waiting = stage.stream(QUESTION)
    waiting.pieces = slow()
    late, quick = Work(partial(read, waiting)), Work(partial(read, stage.stream(QUESTION)))
    quick.join(60)
    assert late.is_alive()
    assert not quick.is_alive()
    finished.set()
    late.join(60)
    assert late.result is waiting.answer


def test_nothing_found_by_any_search_is_said(stage: Stage) -> None:
    answer = stage.ask("Who painted the ceiling?")
    assert (answer.text, answer.found, answer.context.documents) == (NOTHING_FOUND["en"], False, ())


def test_a_search_that_fails_every_time_is_told_and_the_answer_goes_on(stage: Stage) -> None:
    class Fails:
        def search(self, *_: Any) -> list[RetrievedDocument]:
            raise RuntimeError("gone")

    answer = stage.but("failing", retriever=Fails()).ask(QUESTION)
    assert not answer.found
    assert answer.warnings[0].startswith("Nothing could be retrieved")


def test_what_an_agent_finds_can_be_had_without_an_answer(stage: Stage) -> None:
    assert [document.source for document in stage.find(QUESTION).documents] == ["refunds.md"]


def test_the_stage_is_reranked_with_an_agent() -> None:
    reranked, agentic = stage_named("reranked"), stage_named("agentic")
    assert agentic == reranked.but("agentic", agent=agentic.agent)
    assert agentic.agent is not None


def test_an_emoji_is_not_searched_for_and_that_is_no_failure(stage: Stage) -> None:
    answer = stage.ask("😀")
    assert (answer.text, answer.warnings, answer.searched) == (NO_WORDS["en"], [], True)
