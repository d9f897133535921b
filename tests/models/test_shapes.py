"""Shapes of thoughts, calls and refusals that served models and their servers have."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, ClassVar

import httpx
import openai
import pytest

from lessons.errors import ModelError, TooLongError
from lessons.models.reply import is_all_thought, spoken, tool_calls, without_thoughts
from lessons.models.server import BoundedClient, bounded_http, explain, is_loopback, refused_part, without_part
from lessons.settings import Settings

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
    assert without_thoughts(said) == "".join(spoken(list(said))) == "It is [1]."


def test_thoughts_with_an_end_only_are_left_out() -> None:
    said = "Hm, is it so?\n</think>\n\nIt is [1]."
    assert without_thoughts(said) == "".join(spoken(list(said), is_unopened=True)) == "It is [1]."


@pytest.mark.parametrize(
    "said", ["Close it with `</think>` at the end.", "The tag </think> ends it.", "<table> is one."]
)
def test_a_text_that_names_a_tag_stays(said: str) -> None:
    assert without_thoughts(said) == "".join(spoken(list(said))) == said


@pytest.mark.parametrize("said", ["<thinking>and on", "<|channel|>analysis<|message|>and on", "<|channel>thought\non"])
def test_a_reply_of_thoughts_alone_is_known(said: str) -> None:
    assert is_all_thought(said)
    assert list(spoken(list(said))) == []


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
        ("maximum context length exceeded", ""),
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


def test_an_unusable_proxy_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "nonsense://127.0.0.1:9")
    with pytest.raises(ModelError, match="ALL_PROXY"):
        bounded_http("http://models.example/v1", 1, 1, 1)


class _Picky(BaseHTTPRequestHandler):
    """Takes no system role and no `temperature`, and says so with status 400; too long an input with status 500."""

    asked: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(body)
        if "input" in body:
            self._say(500, {"error": {"message": "input is too large to process"}})
        elif "temperature" in body:
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


def test_a_text_too_long_is_refused_once_in_the_words_of_the_server(picky: Settings) -> None:
    with pytest.raises(openai.InternalServerError) as refusal:
        BoundedClient(picky).embeddings.create(model="m", input="tea", encoding_format="float")
    assert len(_Picky.asked) == 1
    assert isinstance(error := explain(refusal.value, "m", picky.openai_base_url), TooLongError)
    assert "input is too large to process" in str(error)
