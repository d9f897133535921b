"""What real servers did, in kind: each of these replies was seen, and none of them ends a stage's use of the model."""

import time
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.prompts import PromptTemplate
from llama_index.core.tools import FunctionTool
from pydantic import BaseModel, Field

from lessons.keyless.llm import OfflineLLM, task
from lessons.models.llm import KEYLESS, choose_tools, language_model, predict, stream, structured
from lessons.models.replies import json_objects, repeats, stream_without_reasoning, strip_reasoning, tool_calls
from lessons.models.server import OLLAMA_WINDOW, UNKNOWN_WINDOW
from lessons.settings import Settings
from lessons.trace import Step
from tests.support.openai_server import TOO_LONG, VLLM_NO_PARSER, VLLM_TOO_LONG, Server

PROMPT = PromptTemplate("Order these: {passage}", metadata={"task": "test-order", "max_tokens": 50})
ORDER = '{"numbers": [3, 1]}'


class Order(BaseModel):
    """An order."""

    numbers: list[int] = Field(description="The numbers.")


@task("test-order")
def order(llm: OfflineLLM, passage: str) -> Any:
    return Order(numbers=[0])


def served(server: Server, **more: Any) -> Any:
    return language_model(Settings(openai_base_url=server.url, max_retries=0, **more))


@pytest.fixture
def step() -> Step:
    return Step("any")


def asked(llm: Any, step: Step) -> list[int]:
    return structured(llm, Order, PROMPT, step, items={"numbers": (1, 4)}, passage="p").numbers


def test_an_object_is_asked_for_by_a_schema_that_bounds_its_lists_and_with_few_tokens(
    server: Server, step: Step
) -> None:
    server.behave(f"say:{ORDER}")
    assert asked(served(server), step) == [3, 1]
    (request,) = server.requests
    schema = request["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["numbers"] | {"minItems": 1, "maxItems": 4} == schema["properties"]["numbers"]
    assert (schema["additionalProperties"], schema["required"]) == (False, ["numbers"])
    assert (request["max_tokens"], "tools" in request) == (50, False)
    assert step.answered == {"gpt-4o-mini": 1}


def test_a_server_without_schemas_is_asked_by_a_tool_call_and_remembered(server: Server, step: Step) -> None:
    llm = served(server)
    server.behave("no_schema")
    assert asked(llm, step) == asked(llm, step) == [1]
    assert ["response_format" in request for request in server.requests] == [True, False, False]
    assert step.notes == []


@pytest.mark.parametrize(
    "said",
    [
        ORDER,
        f"```json\n{ORDER}\n```",
        f"Sure! Here it is:\n{ORDER}\nAnything else?",
        f'<tool_call>\n{{"name": "Order", "arguments": {ORDER}}}\n</tool_call>',
        f'<tools>{{"name": "Order", "arguments": {ORDER}}}</tools>',
        '{"name": "Order", "arguments": "{\\"numbers\\": [3, 1]}"}',
        '{"name": "Order", "parameters": {"numbers": [3, 1]}}',
        f"<think>Is it {{1}}?</think>{ORDER}",
        '{"numbers": [3, 1]}   \n\n   ',
    ],
)
def test_an_object_is_found_whatever_stands_around_it(server: Server, step: Step, said: str) -> None:
    server.behave(f"say:{said}")
    assert asked(served(server), step) == [3, 1]
    assert step.notes == []


def test_one_failure_does_not_condemn_the_rest(server: Server, step: Step) -> None:
    llm = served(server).for_one_answer(900)
    server.behave("say:no object", "say:again none", f"say:{ORDER}")
    assert asked(llm, step) == [0]
    assert asked(llm, step) == [3, 1]
    assert step.answered == {KEYLESS: 1, "gpt-4o-mini": 1}


def test_a_forced_call_that_runs_into_blanks_costs_its_small_limit_only(server: Server, step: Step) -> None:
    server.behave("no_schema", "blanks")
    assert asked(served(server), step) == [0]
    assert server.requests[-1]["max_tokens"] == 50
    assert "cut off" in step.notes[0]


@pytest.mark.parametrize("ask", [predict, lambda *given, **variables: "".join(stream(*given, **variables))])
def test_a_model_that_thinks_is_heard_without_its_thoughts(server: Server, step: Step, ask: Any) -> None:
    server.behave("say:<think>\nHm, [1] or [2]?\n</think>\n\nIt is the second.")
    assert ask(served(server), PROMPT, step, passage="p") == "It is the second."


@pytest.mark.parametrize("thoughts", ["say:<think>Long.</think>Done.", "reasoning", "reasoning_content"])
def test_a_model_that_thinks_gets_its_whole_limit_from_then_on(server: Server, step: Step, thoughts: str) -> None:
    llm = served(server, max_output_tokens=700)
    server.behave(thoughts)
    predict(llm, PROMPT, step, passage="p")
    predict(llm.for_one_answer(900), PROMPT, step, passage="p")
    assert [request["max_tokens"] for request in server.requests] == [50, 700]


@pytest.mark.parametrize("said", ["[1] [2] [2]", "[1] [2] " * 100, "<think>never ends"])
def test_an_answer_without_a_word_is_none(server: Server, step: Step, said: str) -> None:
    server.behave(f"say:{said}")
    "".join(stream(served(server), PROMPT, step, passage="p"))
    assert step.answered == {KEYLESS: 1}


def test_an_answer_that_repeats_itself_is_stopped_and_kept(server: Server, step: Step) -> None:
    line = "The warehouse in Daegu opens at 07:30 and closes at 19:00 on every working day of the year. "
    server.behave(f"say:{line * 50}")
    llm = served(server)
    said = "".join(stream(llm, PROMPT, step, passage="p"))
    assert len(line) < len(said) < 8 * len(line)
    assert "repeated itself" in step.notes[0]
    assert not repeats("It opens at 07:30. " * 3)


def test_a_stream_that_is_only_kept_alive_ends_in_time(server: Server, step: Step) -> None:
    server.behave("endless")
    began = time.perf_counter()
    "".join(stream(served(server, reply_seconds=0.5), PROMPT, step, passage="p"))
    assert time.perf_counter() - began < 5
    assert "more than 0.5 seconds" in step.notes[0]


def test_a_reply_that_is_too_large_is_not_read(server: Server, step: Step) -> None:
    server.behave("huge")
    predict(served(server, reply_bytes=1_000_000), PROMPT, step, passage="p")
    assert "LESSONS_REPLY_BYTES" in step.notes[0]


def test_a_redirect_is_not_followed(server: Server, step: Step) -> None:
    server.behave("redirect")
    assert "stolen" not in predict(served(server), PROMPT, step, passage="p")
    assert server.elsewhere == 0
    assert step.answered == {KEYLESS: 1}


@pytest.mark.parametrize(("behaviour", "reply"), [("too_long", TOO_LONG), ("vllm_too_long", VLLM_TOO_LONG)])
def test_the_words_of_a_refusal_are_passed_on(server: Server, step: Step, behaviour: str, reply: Any) -> None:
    server.behave(behaviour)
    predict(served(server), PROMPT, step, passage="p")
    assert reply["message"] in step.notes[0]


def test_a_server_without_a_tool_parser_gives_objects_and_says_which_options_it_lacks(
    server: Server, step: Step
) -> None:
    def search(query: str) -> str:
        return query

    server.behave("vllm_no_parser")
    llm = served(server)
    assert asked(llm, step) != [0]
    assert choose_tools(llm, [FunctionTool.from_defaults(search)], [ChatMessage("Search.")], step) is None
    assert VLLM_NO_PARSER["message"] in step.notes[0]
    assert step.answered == {llm.model: 1}


def test_a_slow_reply_is_waited_for_again_and_a_dead_server_is_not(server: Server, step: Step) -> None:
    llm = served(server, request_timeout=0.3).for_one_answer(900)
    server.behave("hang", f"say:{ORDER}")
    assert [asked(llm, step), asked(llm, step)] == [[0], [3, 1]]
    dead = language_model(Settings(openai_base_url="http://127.0.0.1:9/v1", max_retries=0)).for_one_answer(900)
    notes = Step("dead")
    for _ in range(2):
        asked(dead, notes)
    assert all("cannot be reached" in note for note in notes.notes)


def test_after_its_time_the_keyless_model_does_the_rest_of_an_answer(server: Server, step: Step) -> None:
    llm = served(server).for_one_answer(0.0)
    assert asked(llm, step) == [0]
    assert "LESSONS_ANSWER_SECONDS" in step.notes[0]
    assert server.requests == []


@pytest.mark.parametrize(
    ("listed", "loaded", "window"),
    [
        ({"meta": {"n_ctx": 4_096, "n_ctx_train": 32_768}}, None, 4_096),
        ({"owned_by": "vllm", "max_model_len": 16_384}, None, 16_384),
        ({"context_length": 32_768}, None, 32_768),
        ({"owned_by": "library"}, [], OLLAMA_WINDOW),
        ({"owned_by": "library"}, [{"name": "any", "context_length": 12_288}], 12_288),
        ({"owned_by": "somebody"}, [{"name": "any:latest", "context_length": 12_288}], 12_288),
        ({"owned_by": "library"}, [{"name": "another", "context_length": 131_072}], OLLAMA_WINDOW),
        ({}, None, UNKNOWN_WINDOW),
    ],
)
def test_the_window_is_asked_from_the_server(server: Server, listed: Any, loaded: Any, window: int) -> None:
    server.listed, server.loaded = listed, loaded
    assert served(server, llm_model="any").metadata.context_window == window
    assert served(server, llm_model="any", context_window=5_000).metadata.context_window == 5_000


def test_the_window_of_a_model_that_ollama_lists_with_its_tag_is_asked_without_it(server: Server) -> None:
    server.models, server.listed = {"llama3.2:latest", "qwen3:8b"}, {"owned_by": "library"}
    loaded = {"qwen3:8b": 4_096, "llama3.2:latest": 8_000}
    server.loaded = [{"name": name, "context_length": tokens} for name, tokens in loaded.items()]
    assert served(server, llm_model="llama3.2").metadata.context_window == 8_000


def test_tool_calls_that_are_written_as_text_are_understood() -> None:
    call = '{"name": "search_documents", "arguments": {"query": "Daegu"}}'
    for text in (call, f"<tool_call>\n{call}\n</tool_call>", f"```json\n{call}\n```", f'{{"tool_calls": [{call}]}}'):
        assert tool_calls(text) == [("search_documents", {"query": "Daegu"})]
    assert tool_calls('{"function": {"name": "a", "arguments": "{\\"q\\": 1}"}}') == [("a", {"q": 1})]
    assert tool_calls("done") == tool_calls('{"answer": 1}') == []
    assert json_objects("{ {bad {}") == [{}]


def test_a_stream_is_cleaned_as_the_whole_text_is() -> None:
    for text in ("<think>a</think>b", "  <think>\na[1]\n</think>\n\nb c", "plain [1] text", "<thin ice", "[1] It is."):
        assert (
            "".join(stream_without_reasoning(list(text)))
            == "".join(stream_without_reasoning([text]))
            == strip_reasoning(text)
        )


def test_a_message_of_the_tool_loop_is_sent_as_servers_take_it(server: Server) -> None:
    served(server).chat([ChatMessage("hello", role=MessageRole.USER)])
    assert server.requests[0]["messages"] == [{"role": "user", "content": "hello"}]
