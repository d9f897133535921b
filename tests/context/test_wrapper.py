"""A wrapper is asked, streams and changes as the stage that it stands around."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from lessons.context.wrapper import Wrapper, follow
from lessons.rag.pipeline import AnswerStream, Stage


@dataclass(frozen=True)
class Marked(Wrapper):
    """Notes that it was there."""

    mark: str = "!"

    def _pieces(self, stream: AnswerStream, question: str, scope: dict[str, Any]) -> Generator[Any, None, None]:
        stream.answer.warnings.append(self.mark)
        with stream.answer.trace.step("mark", question):
            pass
        yield from follow(stream, self.inner.stream(question, **scope))


QUESTION = "How long does a refund take?"


def test_a_wrapper_answers_as_its_stage_with_its_own_step_before(stage: Stage) -> None:
    plain, marked = stage.ask(QUESTION), Marked(stage).ask(QUESTION)
    assert (marked.text, marked.citations) == (plain.text, plain.citations)
    assert [step.name for step in marked.trace] == ["mark", *(step.name for step in plain.trace)]
    assert marked.warnings == ["!"]
    assert marked.stage == "shelf + marked"


def test_a_stream_gives_the_same_words_and_its_answer_at_the_end(stage: Stage) -> None:
    stream = Marked(stage).stream(QUESTION)
    assert "".join(stream).strip() == stream.answer.text == stage.ask(QUESTION).text


def test_nothing_is_done_before_the_first_piece_is_asked_for(stage: Stage) -> None:
    assert len(Marked(stage).stream(QUESTION).answer.trace) == 0


def test_closing_a_stream_early_keeps_what_was_said(stage: Stage) -> None:
    stream = Marked(stage).stream(QUESTION)
    first = next(iter(stream))
    stream.close()
    assert stream.answer.text == first.strip()


def test_closing_a_stream_of_nested_wrappers_early_keeps_what_was_said(stage: Stage) -> None:
    stream = Marked(Marked(stage)).stream(QUESTION)
    first = next(iter(stream))
    stream.close()
    assert stream.answer.text == first.strip()


def test_wrappers_nest_with_the_outer_step_first(stage: Stage) -> None:
    answer = Marked(Marked(stage, mark="inner"), mark="outer").ask(QUESTION)
    assert answer.text == stage.ask(QUESTION).text
    assert [step.name for step in answer.trace][:3] == ["mark", "mark", "retrieve"]
    assert answer.warnings == ["outer", "inner"]
    assert answer.stage == "shelf + marked + marked"


def test_a_change_reaches_the_wrapper_or_what_it_stands_around(stage: Stage) -> None:
    both = Marked(Marked(stage)).but("new", mark="?", workspace=None)
    assert (both.name, both.mark) == ("new", "?")
    assert both.stage.workspace is None
    assert Marked(Marked(stage)).on_stage(lambda one: one.but("changed")).inner.inner.name == "changed"
