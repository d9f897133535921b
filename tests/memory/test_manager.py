"""A conversation remembers each answer once, as it last stood, and no failure of its memory costs an answer."""

import asyncio
import gc
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field
from time import sleep
from typing import Any

import pytest
from sqlalchemy import create_engine

from lessons.errors import LessonsError
from lessons.memory.conversation import Conversation, Recollection, Window
from lessons.memory.messages import SessionMessages, StoredMessages
from lessons.rag.answer import Answer
from lessons.rag.pipeline import AnswerStream
from lessons.rag.types import Scope

SAID = (("user", "When does it open?"), ("assistant", "At nine."))


@dataclass
class Speaker:
    """A stage that says these pieces; an exception among them is raised, and None begins another iteration."""

    pieces: Sequence[str | BaseException | None] = ("At ", "nine.")
    asked: list[dict[str, Any]] = field(default_factory=list)

    def stream(self, question: str, **scope: Any) -> AnswerStream:
        self.asked.append(scope)
        answer = Answer(question, "speaker", "nobody")
        return AnswerStream(answer, self._speak(answer))

    def _speak(self, answer: Answer) -> Iterator[str]:
        for piece in self.pieces:
            if isinstance(piece, BaseException):
                raise piece
            answer.text = answer.text + piece if piece else ""
            yield piece or ""


class Broken:
    """A memory whose store is down."""

    def recall(self, question: str) -> Recollection:
        raise LessonsError("The database does not answer.")

    def remember(self, question: str, answer: str) -> None:
        raise OSError("disk full")


@dataclass
class Recording:
    """A memory that counts what it is told."""

    turns: list[tuple[str, str]] = field(default_factory=list)

    def recall(self, question: str) -> Recollection:
        return Recollection(SAID, "Mina uses EC2.")

    def remember(self, question: str, answer: str) -> None:
        self.turns.append((question, answer))


@pytest.fixture
def memory() -> Recording:
    return Recording()


def test_a_stage_is_handed_what_the_memory_recalls(memory: Recording) -> None:
    stage = Speaker()
    Conversation(memory).ask(stage, "And on Sundays?", user="mina")
    assert stage.asked == [{"history": SAID, "memory": "Mina uses EC2.", "user": "mina"}]


@pytest.mark.parametrize("history", [(), SAID[:1]])
def test_a_history_that_is_given_wins_over_the_memory(memory: Recording, history: tuple) -> None:
    stage = Speaker()
    Conversation(memory).ask(stage, "And on Sundays?", history=history)
    assert stage.asked == [{"history": history, "memory": ""}]


def test_a_follow_up_is_asked_with_the_turn_before_it() -> None:
    stage, conversation = Speaker(), Conversation(Window(SessionMessages()))
    conversation.ask(stage, "When does it open?")
    conversation.ask(stage, "And on Sundays?")
    assert [each["history"] for each in stage.asked] == [(), SAID]


@dataclass
class Slow(Recording):
    """A memory that takes its time."""

    def remember(self, question: str, answer: str) -> None:
        sleep(0.05)
        super().remember(question, answer)


def test_turns_that_end_while_the_memory_is_told_of_another_are_not_lost() -> None:
    memory = Slow()
    conversation, questions = Conversation(memory), {f"Question {number}?" for number in range(12)}
    with ThreadPoolExecutor(len(questions)) as pool:
        list(pool.map(lambda question: conversation.remember(question, "Yes."), questions))
    assert {question for question, _ in memory.turns} == questions
    assert len(memory.turns) == len(questions)


def test_an_answer_that_was_read_is_remembered_once(memory: Recording) -> None:
    stream = Conversation(memory).stream(Speaker(), "When?")
    assert list(stream) == ["At ", "nine."]
    stream.close()
    assert memory.turns == [("When?", "At nine.")]


def test_an_aside_leaves_no_trace_in_the_memory(memory: Recording) -> None:
    assert Conversation(memory).ask(Speaker(), "When?", remember=False).text == "At nine."
    assert memory.turns == []


def test_an_answer_that_failed_is_not_remembered(memory: Recording) -> None:
    with pytest.raises(LessonsError):
        Conversation(memory).ask(Speaker(["At ", LessonsError("The model went away.")]), "When?")
    assert memory.turns == []


def test_an_answer_without_a_word_is_not_remembered(memory: Recording) -> None:
    Conversation(memory).ask(Speaker([]), "When?")
    Conversation(memory).stream(Speaker(), "When?").close()
    assert memory.turns == []


def closed(stream: Iterator[str]) -> None:
    with closing(stream) as pieces:  # type: ignore[type-var]
        next(iter(pieces))


def dropped(stream: Iterator[str]) -> None:
    next(iter(stream))


def cancelled(stream: Iterator[str]) -> None:
    async def read() -> None:
        with closing(stream) as pieces:  # type: ignore[type-var]
            for _ in pieces:
                await asyncio.Event().wait()

    async def cancel() -> None:
        task = asyncio.create_task(read())
        await asyncio.sleep(0)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(cancel())


@pytest.mark.parametrize("stop", [closed, dropped, cancelled])
def test_an_answer_whose_reader_stops_is_remembered_once(memory: Recording, stop: Callable) -> None:
    stop(Conversation(memory).stream(Speaker(), "When?"))
    gc.collect()
    assert memory.turns == [("When?", "At ")]


@pytest.mark.parametrize("end", [TimeoutError(), asyncio.CancelledError(), KeyboardInterrupt()])
def test_an_answer_that_is_cut_off_is_remembered_once(memory: Recording, end: BaseException) -> None:
    with pytest.raises(type(end)):
        Conversation(memory).ask(Speaker(["At ", end]), "When?")
    assert memory.turns == [("When?", "At ")]


@pytest.mark.parametrize("read", [3, 4])
def test_only_the_words_of_the_last_iteration_are_remembered(memory: Recording, read: int) -> None:
    stream = Conversation(memory).stream(Speaker(["Let me look.", None, "At ", "nine."]), "When?")
    for _ in range(read):
        next(iter(stream))
    stream.close()
    assert memory.turns == [("When?", "At nine."[: 3 if read == 3 else None])]


def test_a_memory_that_fails_is_logged_and_costs_no_answer(caplog: pytest.LogCaptureFixture) -> None:
    assert Conversation(Broken()).ask(Speaker(), "When?").text == "At nine."
    assert "could not be recalled: The database does not answer." in caplog.text
    assert "could not be remembered: disk full" in caplog.text


def test_a_store_that_is_down_costs_no_answer_and_tells_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    nowhere = create_engine("postgresql+psycopg://nobody:sesame@127.0.0.1:1/none")
    memory = Window(StoredMessages(nowhere).get_or_create(Scope("mina"), "s"))
    assert Conversation(memory).ask(Speaker(), "When?").text == "At nine."
    assert len(caplog.records) == 2
    assert "sesame" not in caplog.text
    assert "Traceback" not in caplog.text
