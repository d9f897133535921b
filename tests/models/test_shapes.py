"""Shapes of thoughts, calls and refusals that served models and their servers have."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, ClassVar
from uuid import uuid4

import httpx
import openai
import pytest
from llama_index.core.llms import LLM
from llama_index.core.prompts import PromptTemplate

from lessons.errors import ModelError, TooLongError
from lessons.keyless.llm import OfflineLLM, task
from lessons.models.bounded_http import bounded_http, is_loopback
from lessons.models.embedding import embedding_model
from lessons.models.llm import language_model, predict, stream
from lessons.models.replies import (
    stream_without_calls,
    stream_without_reasoning,
    strip_reasoning,
    strip_tool_calls,
    tool_calls,
)
from lessons.models.server import BoundedClient, is_too_long, refused_part, without_part
from lessons.settings import Settings
from lessons.trace import Step
from tests.support.openai_server import Server
from tests.support.ports import free_port

PROMPT = PromptTemplate("Which {what}?", metadata={"task": "test-shapes"})


@task("test-shapes")
def which(llm: OfflineLLM, what: str) -> Any:
    return "keyless"


@pytest.fixture
def step() -> Step:
    return Step("any")


HARMONY = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>It is [1].<|return|>"


@pytest.mark.parametrize(
    "said",
    [
        "<think>Hm.</think>It is [1].",
        "<thinking>\nHm.\n</thinking>\n\nIt is [1].",
        "<thought>Hm.</thought> It is [1].",
        "<reasoning>Hm `</reasoning>` hm.</reasoning>It is [1].",
        HARMONY,
        "analysisWe need it.assistantfinalIt is [1].",
        "<|channel>thought\nHm.<channel|>It is [1].",
    ],
)
def test_a_stream_yields_the_answer_without_its_thoughts(said: str) -> None:
    assert strip_reasoning(said) == "".join(stream_without_reasoning(list(said))) == "It is [1]."


def test_thoughts_with_an_end_only_are_left_out() -> None:
    said = "Hm, is it so?\n</think>\n\nIt is [1]."
    assert strip_reasoning(said) == "It is [1]."


@pytest.mark.parametrize(
    "said", ["Close it with `</think>` at the end.", "The tag </think> ends it.", "<table> is one."]
)
def test_a_text_that_names_a_tag_stays(said: str) -> None:
    assert strip_reasoning(said) == "".join(stream_without_reasoning(list(said))) == said


@pytest.mark.parametrize("said", ["<thinking>and on", "<|channel|>analysis<|message|>and on", "<|channel>thought\non"])
def test_a_reply_of_thoughts_alone_is_known(said: str) -> None:
    assert strip_reasoning(said).strip() == ""
    assert list(stream_without_reasoning(list(said))) == []


@pytest.mark.parametrize(
    "said",
    [
        '<function=search>{"query": "tea"}</function>',
        "<tool_call>\n<function=search>\n<parameter=query>\ntea\n</parameter>\n</function>\n</tool_call>",
        '<|python_tag|>{"name": "search", "parameters": {"query": "tea"}}',
        '<tool_call>{"name": "search", "arguments": {"query": "tea"}}</tool_call>',
    ],
)
def test_a_call_in_the_text_is_understood(said: str) -> None:
    assert tool_calls(said) == [("search", {"query": "tea"})]


SENT: dict[str, Any] = {
    "model": "m",
    "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Tea?"}],
    "stream_options": {},
    "max_tokens": 9,
}


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("Unknown parameter: 'stream_options'", "stream_options"),
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max_tokens"),
        ("System role not supported", "system"),
        ("Conversation roles must alternate user/assistant/user", "system"),
        ("Extra inputs are not permitted: body.stream_options", "stream_options"),
        ('Unknown name "stream_options": Cannot find field.', "stream_options"),
        ("The system message is not allowed here", "system"),
        ("Only user and assistant roles are supported!", "system"),
        ("maximum context length exceeded", ""),
        ("Invalid value for max_tokens: 9 is below 16", ""),
        ("An unknown error arose after max_tokens", ""),
        ("The role of the server has changed", ""),
        ("system error: it does not support you", ""),
    ],
)
def test_the_refused_part_is_read_out_of_the_error(words: str, part: str) -> None:
    reply = httpx.Response(400, request=httpx.Request("POST", "http://localhost"))
    assert refused_part(openai.BadRequestError(words, response=reply, body={"message": words}), SENT) == part


def test_system_text_goes_into_the_first_message_of_the_user() -> None:
    assert without_part(SENT, "system")["messages"] == [{"role": "user", "content": "Be brief.\n\nTea?"}]


def test_the_newer_name_of_the_limit_is_used() -> None:
    sent = without_part(SENT, "max_tokens")
    assert "max_tokens" not in sent
    assert sent["max_completion_tokens"] == 9


def test_a_server_on_this_machine_has_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    assert all(map(is_loopback, ["http://localhost:1/v1", "http://127.1.2.3/v1", "http://[::1]:8/v1"]))
    bounded_http("http://localhost:1/v1", 1, 1, 1).close()


@pytest.mark.parametrize("scheme", ["nonsense", "socks5"])
def test_an_unusable_proxy_is_a_sentence(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    monkeypatch.setenv("ALL_PROXY", f"{scheme}://127.0.0.1:9")
    with pytest.raises(ModelError, match="ALL_PROXY"):
        bounded_http("http://models.example/v1", 1, 1, 1)


class _Picky(BaseHTTPRequestHandler):
    """Takes no system role and no `temperature`, and says so with status 400."""

    asked: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(body)
        if "temperature" in body:
            self._say(400, {"error": {"message": "Unsupported parameter: temperature"}})
        elif body["messages"][0]["role"] == "system":
            self._say(400, {"error": {"message": "System role not supported"}})
        else:
            message = {"role": "assistant", "content": "Tea."}
            self._say(200, {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})

    def _say(self, status: int, body: dict[str, Any]) -> None:
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def picky() -> Iterator[Settings]:
    _Picky.asked.clear()
    with HTTPServer(("127.0.0.1", 0), _Picky) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Settings(openai_base_url=f"http://127.0.0.1:{server.server_port}/v1", max_retries=3)
        server.shutdown()


def test_what_a_server_refuses_is_not_sent_again(picky: Settings) -> None:
    client, messages = BoundedClient(picky), SENT["messages"]
    for _ in range(2):
        reply = client.chat.completions.create(model="m", messages=messages, temperature=0)
        assert reply.choices[0].message.content == "Tea."
    assert len(_Picky.asked) == 4


def test_a_text_too_long_is_refused_once_in_the_words_of_the_server(server: Server) -> None:
    server.longest_input = 2
    embedding = embedding_model(Settings(openai_base_url=server.url, embedding_model="any", max_retries=3))
    with pytest.raises(TooLongError, match=r"is too large to process\. increase the physical batch size"):
        embedding.get_text_embedding("Green tea.")
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (500, "Something exceeded its quota"),
        (429, "Rate limit exceeded: 9 tokens a minute"),
        (500, "The log is too large"),
        (400, "Invalid value"),
    ],
)
def test_another_failure_is_not_taken_for_a_text_too_long(status: int, words: str) -> None:
    reply = httpx.Response(status, request=httpx.Request("POST", "http://localhost"))
    assert not is_too_long(openai.APIStatusError(words, response=reply, body={"message": words}))


def test_a_proxy_that_cannot_be_reached_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch, step: Step
) -> None:
    proxy = f"127.0.0.1:{free_port()}"
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, f"http://mina:secret@{proxy}")
    llm = language_model(Settings(openai_base_url="http://models.example/v1", max_retries=0, context_window=8_000))
    predict(llm, PROMPT, step, what="it")
    assert f"models.example cannot be reached by the proxy {proxy}; check HTTP_PROXY" in step.notes[0]


# Thoughts, where a reply is heard


def streamed(llm: LLM, step: Step) -> list[str]:
    return list(stream(llm, PROMPT, step, what="it"))


def unknown(server: Server, reply: str, **more: Any) -> LLM:
    """A model of which nothing is known, not even from another test at the same address."""
    server.behave(reply)
    return language_model(Settings(openai_base_url=server.url, max_retries=0, llm_model=uuid4().hex, **more))


def test_a_model_that_repeats_itself_is_stopped(server: Server, step: Step) -> None:
    llm = unknown(server, "say:" + "The tea is green on every day of the week and black on none of these days. " * 90)
    "".join(streamed(llm, step))
    assert "it repeated itself" in step.notes[0]
    assert 0 < step.tokens_out < 400


@pytest.mark.parametrize("ask", [predict, lambda *given, **variables: "".join(stream(*given, **variables))])
@pytest.mark.parametrize("thoughts", ["say:<think>and on and on", "thought_only"])
def test_a_reply_that_is_all_thought_is_told_as_that(server: Server, step: Step, ask: Any, thoughts: str) -> None:
    assert ask(unknown(server, thoughts), PROMPT, step, what="it") == "keyless"
    assert "it thought up to its limit; LESSONS_MAX_OUTPUT_TOKENS" in step.notes[0]


# Tool calls, where an answer is heard

CALL = '{"name": "search", "arguments": {"query": "tea"}}'
WRITTEN = [
    CALL,
    f"```json\n{CALL}\n```",
    f"<tool_call>\n{CALL}\n</tool_call>",
    f"<tool_call>{CALL}",
    '<function=search>{"query": "tea"}</function>',
    "<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>tea</arg_value>\n</tool_call>",
    '<|tool_call>call:search{query:<|"|>tea<|"|>}<tool_call|>',
    f"<|python_tag|>{CALL}",
    f"[TOOL_CALLS][{CALL}]",
]


@pytest.mark.parametrize("call", WRITTEN)
def test_a_call_is_no_part_of_an_answer(call: str) -> None:
    assert "".join(stream_without_calls(list(f"It is [1].\n{call}"))).strip() == "It is [1]."
    assert strip_tool_calls(f"{call}").strip() == ""


@pytest.mark.parametrize("ask", [predict, lambda *given, **variables: "".join(stream(*given, **variables))])
@pytest.mark.parametrize("call", WRITTEN)
def test_an_answer_of_calls_alone_is_none(server: Server, step: Step, ask: Any, call: str) -> None:
    assert ask(unknown(server, f"say:{call}"), PROMPT, step, what="it") == "keyless"
    assert "it called a tool instead of answering" in step.notes[0]


@pytest.mark.parametrize(
    "text",
    [
        "Set {width} to 3 < 4.",
        'It answers {"tea": 1} then.',
        "The tag `<tool_call>` opens it.",
        "The <tool_call> tag opens.",
    ],
)
def test_a_text_that_only_looks_like_a_call_stays(text: str) -> None:
    assert "".join(stream_without_calls(list(text))) == text
