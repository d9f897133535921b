"""The one place that calls a model: what it books, when the keyless model steps in, and what it raises instead."""

import time

import pytest
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.prompts import ChatPromptTemplate
from pydantic import BaseModel, Field

from lessons.errors import ModelError
from lessons.keyless.llm import OfflineLLM, task
from lessons.models.llm import language_model, predict, price, stream, structured
from lessons.models.tokens import ExactTokenCounter
from lessons.settings import Settings
from lessons.trace import Step
from tests.support.openai_server import Server
from tests.support.ports import free_port

PROMPT = ChatPromptTemplate(
    [
        ChatMessage("Answer from the documents.\n\n[Retrieved Context]\n{context}", role=MessageRole.SYSTEM),
        ChatMessage("{question}", role=MessageRole.USER),
    ],
    metadata={"task": "answer"},
)
ASKED = {
    "question": "What was the revenue of Haneul in the third quarter?",
    "context": "[Source: 1 | report.pdf, p. 2]\nRevenue of Haneul in the third quarter was 4.2 billion won. It grew.",
}
GRADE = ChatPromptTemplate(
    [ChatMessage("Grade how well this fits: {passage}", role=MessageRole.USER)], metadata={"task": "test-grade"}
)


class Grade(BaseModel):
    """How well a passage fits."""

    passage: str
    score: int = Field(ge=3, le=10)


@task("test-grade")
def grade(llm: OfflineLLM, passage: str) -> Grade:
    return Grade(passage=passage, score=10)


def served(server: Server, **more):
    return language_model(Settings(openai_base_url=server.url, max_retries=1, **more))


@pytest.fixture
def step() -> Step:
    return Step("answer")


def test_a_served_answer_is_booked_with_the_tokens_that_the_server_reports(server: Server, step: Step) -> None:
    assert "4.2 billion won" in predict(served(server), PROMPT, step, **ASKED)
    reported = server.usage[0]
    assert (step.llm_calls, step.tokens_in, step.tokens_out) == (
        1,
        reported["prompt_tokens"],
        reported["completion_tokens"],
    )
    assert step.cost == price(step.tokens_in, step.tokens_out) > 0
    assert step.notes == []


def test_without_a_report_the_tokens_are_counted(server: Server, step: Step) -> None:
    server.behave("no_usage")
    said = predict(served(server), PROMPT, step, **ASKED)
    assert step.tokens_out == ExactTokenCounter().count(said)
    assert step.tokens_in > ExactTokenCounter().count(ASKED["context"])


def test_the_keyless_model_is_booked_as_one_free_call(step: Step) -> None:
    said = predict(OfflineLLM(), PROMPT, step, **ASKED)
    assert "[1]" in said
    assert (step.llm_calls, step.cost) == (1, 0.0)
    assert step.tokens_out == ExactTokenCounter().count(said)


@pytest.mark.parametrize(
    ("behaviour", "reason", "streamed", "requests"),
    [
        ("too_many", "limiting requests (429)", "limiting requests (429)", 2),
        ("quota", "no credit left", "no credit left", 1),
        ("error", "status 500", "status 500", 2),
        ("html", "no usable answer", "said nothing", 1),
        ("truncated", "no usable answer", "said nothing", 1),
        ("no_choices", "no usable answer", "said nothing", 1),
        ("empty", "said nothing", "said nothing", 1),
    ],
)
@pytest.mark.parametrize("ask", [predict, lambda *given, **variables: "".join(stream(*given, **variables))])
def test_a_failing_model_is_replaced_by_the_keyless_one_and_noted(
    server: Server, step: Step, ask, behaviour: str, reason: str, streamed: str, requests: int
) -> None:
    server.behave(behaviour)
    keyless = predict(OfflineLLM(), PROMPT, Step("keyless"), **ASKED)
    assert ask(served(server), PROMPT, step, **ASKED) == keyless
    assert len(server.requests) == requests
    assert len(step.notes) == 1
    assert step.notes[0].startswith("model failed (")
    assert step.notes[0].endswith("answered by the keyless model")
    assert (reason if ask is predict else streamed) in step.notes[0]


def test_a_failure_that_passes_is_retried_and_leaves_no_note(server: Server, step: Step) -> None:
    server.behave("too_many", "answer")
    assert "4.2" in predict(served(server), PROMPT, step, **ASKED)
    assert (len(server.requests), step.llm_calls, step.notes) == (2, 1, [])


def test_a_server_that_hangs_is_left_after_the_timeout(server: Server, step: Step) -> None:
    server.behave("hang")
    began = time.perf_counter()
    assert "4.2" in predict(served(server, request_timeout=0.5), PROMPT, step, **ASKED)
    assert time.perf_counter() - began < 5
    assert "did not answer in time" in step.notes[0]


def test_a_long_retry_after_is_not_waited_for(server: Server, step: Step) -> None:
    server.behave("too_many")
    server.retry_after = "600"
    began = time.perf_counter()
    predict(served(server, request_timeout=5), PROMPT, step, **ASKED)
    assert time.perf_counter() - began < 5
    assert len(server.requests) == 1


def test_a_dead_server_is_replaced_and_noted(step: Step) -> None:
    llm = language_model(Settings(openai_base_url=f"http://127.0.0.1:{free_port()}/v1", max_retries=1))
    assert "4.2" in predict(llm, PROMPT, step, **ASKED)
    assert "cannot be reached" in step.notes[0]


@pytest.mark.parametrize("ask", [predict, lambda *given, **variables: "".join(stream(*given, **variables))])
def test_a_wrong_key_is_raised_and_not_papered_over(server: Server, step: Step, ask) -> None:
    server.key = "right"
    with pytest.raises(ModelError, match="refused the key; check OPENAI_API_KEY"):
        ask(served(server, openai_api_key="wrong"), PROMPT, step, **ASKED)
    assert (len(server.requests), step.llm_calls) == (1, 0)


def test_an_unknown_model_is_raised_by_name(server: Server, step: Step) -> None:
    server.models = {"small"}
    with pytest.raises(ModelError, match="does not know the model 'large'"):
        predict(served(server, llm_model="large"), PROMPT, step, **ASKED)


def test_a_missing_prompt_variable_is_our_mistake_and_is_raised(server: Server, step: Step) -> None:
    with pytest.raises(KeyError, match="context"):
        predict(served(server), PROMPT, step, question="?")


def test_a_stream_arrives_in_pieces_and_is_booked_with_the_reported_tokens(server: Server, step: Step) -> None:
    pieces = list(stream(served(server), PROMPT, step, **ASKED))
    assert len(pieces) > 5
    assert "".join(pieces) == predict(served(server), PROMPT, Step("again"), **ASKED)
    assert (step.tokens_in, step.llm_calls) == (server.usage[0]["prompt_tokens"], 1)


def test_a_streams_tokens_are_counted_when_the_server_does_not_report_them(server: Server, step: Step) -> None:
    server.behave("no_usage")
    said = "".join(stream(served(server), PROMPT, step, **ASKED))
    assert step.tokens_out == ExactTokenCounter().count(said)


def test_a_stream_that_breaks_off_keeps_what_was_said(server: Server, step: Step) -> None:
    server.behave("drop")
    said = "".join(stream(served(server), PROMPT, step, **ASKED))
    whole = predict(OfflineLLM(), PROMPT, Step("keyless"), **ASKED)
    assert said
    assert said != whole
    assert whole.startswith(said)
    assert "broke off" in step.notes[0]
    assert step.llm_calls == 1


def test_closing_a_stream_closes_the_connection_and_books_what_was_said(server: Server, step: Step) -> None:
    server.pause = 0.1
    pieces = stream(served(server), PROMPT, step, **ASKED)
    first = next(pieces)
    pieces.close()
    assert server.closed_by_client.wait(5)
    assert (step.llm_calls, step.tokens_out) == (1, ExactTokenCounter().count(first))


def test_a_structured_answer_is_an_instance_and_is_booked(server: Server, step: Step) -> None:
    result = structured(served(server), Grade, GRADE, step, passage="a passage")
    assert result == Grade(passage="Grade how well this fits: a passage", score=3)
    assert (step.llm_calls, step.tokens_in, step.notes) == (1, server.usage[0]["prompt_tokens"], [])


def test_json_written_as_text_by_a_model_without_tools_is_understood(server: Server, step: Step) -> None:
    server.behave("prose")
    assert structured(served(server), Grade, GRADE, step, passage="a passage").score == 3
    assert step.notes == []


@pytest.mark.parametrize("behaviour", ["too_many", "error", "html", "truncated", "no_choices", "empty", "cut"])
def test_a_structured_answer_that_fails_is_done_by_the_keyless_model(
    server: Server, step: Step, behaviour: str
) -> None:
    server.behave(behaviour)
    assert structured(served(server), Grade, GRADE, step, passage="p") == Grade(passage="p", score=10)
    assert "answered by the keyless model" in step.notes[0]


def test_a_structured_answer_outside_its_schema_is_done_by_the_keyless_model(server: Server, step: Step) -> None:
    class Strict(BaseModel):
        passage: str = Field(max_length=1)
        score: int

    assert structured(served(server), Strict, GRADE, step, passage="p") == Strict(passage="p", score=10)
    assert step.llm_calls == 2  # the useless call was paid for as well


def test_a_structured_call_with_a_wrong_key_is_raised(server: Server, step: Step) -> None:
    server.key = "right"
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        structured(served(server), Grade, GRADE, step, passage="p")


def test_the_keyless_model_gives_structured_answers_without_a_server(step: Step) -> None:
    assert structured(OfflineLLM(), Grade, GRADE, step, passage="p").score == 10
    assert (step.llm_calls, step.cost) == (1, 0.0)


def test_a_stream_without_a_word_is_paid_for_although_it_is_not_used(server: Server, step: Step) -> None:
    server.behave("say:" + "[1] " * 80)
    assert "4.2" in "".join(stream(served(server), PROMPT, step, **ASKED))
    assert "said nothing" in step.notes[0]
    assert step.llm_calls == 2
    assert step.cost > 0
