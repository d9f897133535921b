"""A served model may say anything, for as long as it likes: each reply is bounded, and all of it can be shown."""

import asyncio
import gzip
import itertools
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.prompts import PromptTemplate
from llama_index.core.tools import FunctionTool
from pydantic import BaseModel

from lessons.errors import ModelError
from lessons.keyless.llm import OfflineLLM, task
from lessons.models.embedding import embedding_model
from lessons.models.llm import choose_tools, language_model, predict, stream, structured
from lessons.models.server import OLLAMA_WINDOW, UNKNOWN_WINDOW
from lessons.settings import Settings
from lessons.trace import Step
from tests.support.openai_server import Server
from tests.support.raw_server import Say, packet, raw_server

PROMPT = PromptTemplate("Name {what}.", metadata={"task": "test-name"})
SURROGATE = "\ud83d"


class Name(BaseModel):
    """A name."""

    name: str


@task("test-name")
def name(llm: OfflineLLM, what: str) -> Any:
    return "keyless"


def served(url: str, **more: Any) -> Any:
    return language_model(Settings(openai_base_url=url, max_retries=0, **more))


@pytest.fixture
def step() -> Step:
    return Step("any")


def header(say: Say) -> None:
    say(b"HTTP/1.1 200 OK\r\nX: ")
    while True:
        say(b"x")
        time.sleep(0.05)


def processing(say: Say) -> None:
    while True:
        say(b"HTTP/1.1 102 Processing\r\n\r\n")
        time.sleep(0.05)


PACKED = gzip.compress(bytes(30_000_000), 1)


def packed(say: Say) -> None:
    say(packet(PACKED, "Content-Type: application/json", "Content-Encoding: gzip"))


def words(say: Say) -> None:
    """A stream of ever other words."""
    say(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    for number in itertools.count():
        choice = {"index": 0, "delta": {"content": f"word{number} "}, "finish_reason": None}
        say(f"data: {json.dumps({'id': '1', 'model': 'm', 'choices': [choice]})}\n\n".encode())


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(header, "LESSONS_REPLY_SECONDS"), (processing, "LESSONS_REPLY_SECONDS"), (packed, "is compressed")],
)
@pytest.mark.parametrize("ask", [predict, lambda *given, **variables: "".join(stream(*given, **variables))])
def test_a_reply_that_never_begins_or_would_unfold_is_left(
    step: Step, answer: Callable[[Say], object], reason: str, ask: Any
) -> None:
    with raw_server(answer) as url:
        began = time.perf_counter()
        assert ask(served(url, context_window=8_000, reply_seconds=0.5), PROMPT, step, what="it") == "keyless"
        assert time.perf_counter() - began < 30
    assert reason in step.notes[0]


def test_a_stream_of_words_without_end_is_ended_and_what_was_said_is_kept(step: Step) -> None:
    with raw_server(words) as url:
        llm = served(url, context_window=8_000)
        said = "".join(stream(llm, PROMPT, step, what="it"))
    assert 49_000 < len(said) <= 50_000
    assert "longer than 50,000 characters; LESSONS_REPLY_CHARS" in step.notes[0]


def test_a_whole_reply_that_is_too_long_is_not_used(server: Server, step: Step) -> None:
    server.behave(f"say:{'word ' * 30}")
    assert predict(served(server.url, reply_chars=100), PROMPT, step, what="it") == "keyless"
    assert "LESSONS_REPLY_CHARS" in step.notes[0]


def test_the_bounds_hold_for_who_awaits_too(server: Server) -> None:
    llm, message = served(server.url), [ChatMessage("Name it.")]
    embedding = embedding_model(Settings(openai_base_url=server.url, embedding_model="any", max_retries=0))

    async def streamed() -> str:
        return "".join([reply.delta or "" async for reply in await llm.astream_chat(message)])

    server.behave("say:One two.")
    assert asyncio.run(streamed()) == asyncio.run(llm.achat(message)).message.content == "One two."
    server.behave("redirect")
    for ask in (llm.achat(message), streamed(), embedding.aget_query_embedding("a question")):
        with pytest.raises(Exception, match=r"redirect|307|Redirect"):
            asyncio.run(ask)
    assert server.elsewhere == 0


def test_what_cannot_be_shown_is_left_out_of_texts(server: Server, step: Step) -> None:
    server.behave(f"say:It is{SURROGATE} so.")
    llm = served(server.url)
    assert predict(llm, PROMPT, step, what="it") == "".join(stream(llm, PROMPT, step, what="it")) == "It is so."


@pytest.mark.parametrize("way", ['say:{"name": "A\\ud83d"}', 'say:{"name": "Name", "arguments": {"name": "A\\ud83d"}}'])
def test_what_cannot_be_shown_is_left_out_of_objects(server: Server, step: Step, way: str) -> None:
    server.behave(way)
    assert structured(served(server.url), Name, PROMPT, step, otherwise=Name(name="none"), what="it").name == "A"


@pytest.mark.parametrize("made", ["calls:", "say:"])
def test_what_cannot_be_shown_is_left_out_of_the_arguments_of_calls(server: Server, step: Step, made: str) -> None:
    given = {"source_file": f"a{SURROGATE}.md", "many": [SURROGATE]}
    as_text = json.dumps({"name": "search", "arguments": given})
    server.behave(f"calls:{json.dumps([['search', given]])}" if made == "calls:" else f"say:{as_text}")

    def search(source_file: str) -> str:
        """Search."""
        return source_file

    calls = choose_tools(served(server.url), [FunctionTool.from_defaults(search)], [ChatMessage("Search.")], step)
    assert [call.tool_kwargs for call in calls or []] == [{"source_file": "a.md", "many": [""]}]


def test_what_cannot_be_shown_is_left_out_of_a_refusal(step: Step) -> None:
    refused = packet(b'{"error": {"message": "no \\ud83d"}}', "Content-Type: application/json", status="400 Bad")
    with raw_server(lambda say: say(refused)) as url:
        predict(served(url, context_window=8_000), PROMPT, step, what="it")
    assert "refused the request: no" in step.notes[0]
    step.notes[0].encode()


def endless(say: Say) -> None:
    say(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        say(b" " * 1_000_000)


ENTRY = {"id": "gpt-4o-mini"}
LOADED = {"data": [ENTRY | {"owned_by": "library"}], "models": [{"name": "gpt-4o-mini", "context_length": "many"}]}


@pytest.mark.parametrize(
    ("listed", "window"),
    [
        ({"data": [ENTRY | {"meta": "none"}]}, UNKNOWN_WINDOW),
        ({"data": [ENTRY | {"max_model_len": True}]}, UNKNOWN_WINDOW),
        ({"data": [ENTRY | {"max_model_len": 10**400}]}, UNKNOWN_WINDOW),
        (LOADED, OLLAMA_WINDOW),
    ],
)
def test_a_window_that_is_no_size_is_not_believed(listed: Any, window: int) -> None:
    with raw_server(lambda say: say(packet(json.dumps(listed).encode()))) as url:
        assert served(url).metadata.context_window == window


@pytest.mark.parametrize("answer", [header, endless, lambda say: say(packet(b"[" * 100_000))])
def test_a_server_that_lists_its_models_without_end_is_left(
    answer: Callable[[Say], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lessons.models.server._SECONDS", 1.0)
    with raw_server(answer) as url:
        began = time.perf_counter()
        assert served(url).metadata.context_window == UNKNOWN_WINDOW
        assert time.perf_counter() - began < 30


@pytest.mark.parametrize("junk", ["many", {}, -1, 1e300, float("nan"), True, 10**400])
def test_a_report_that_is_no_number_of_tokens_is_not_believed(step: Step, junk: Any) -> None:
    message = {"role": "assistant", "content": "One two."}
    reply = {"id": "1", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    reply |= {"usage": {"prompt_tokens": junk, "completion_tokens": junk}}
    with raw_server(lambda say: say(packet(json.dumps(reply).encode(), "Content-Type: application/json"))) as url:
        assert predict(served(url, context_window=8_000), PROMPT, step, what="it") == "One two."
    assert 0 < step.tokens_out <= 4
    assert 0 < step.cost < 0.01


@pytest.mark.parametrize("vector", [[], [float("nan")] * 8, [float("inf")] * 8])
def test_a_vector_without_numbers_is_not_searched_for(vector: list[float]) -> None:
    reply = {"data": [{"index": 0, "embedding": vector}], "model": "any"}
    with raw_server(lambda say: say(packet(json.dumps(reply).encode(), "Content-Type: application/json"))) as url:
        embedding = embedding_model(Settings(openai_base_url=url, embedding_model="any", max_retries=0))
        for ask in (embedding.get_query_embedding, embedding.get_text_embedding):
            with pytest.raises(ModelError, match=r"without numbers|no usable answer"):
                ask("a question")
