"""Which language model the settings choose, what it is called, and whether it can be reached."""

import asyncio

import pytest
from llama_index.core.llms import LLM, ChatMessage
from llama_index.core.tools import FunctionTool

from lessons.errors import ModelError
from lessons.keyless.llm import OfflineLLM
from lessons.models.llm import describe, language_model
from lessons.models.served import probe
from lessons.settings import Settings
from tests.support.openai_server import Server
from tests.support.ports import free_port


def served(server: Server, **more) -> LLM:
    return language_model(Settings(openai_base_url=server.url, max_retries=1, **more))


def test_without_key_and_url_the_keyless_model_answers() -> None:
    llm = language_model(Settings())
    assert isinstance(llm, OfflineLLM)
    assert describe(llm) == "keyless model (extractive, no network)"


def test_a_key_alone_means_openai() -> None:
    assert describe(language_model(Settings(openai_api_key="k"))) == "gpt-4o-mini at api.openai.com"


def test_a_url_alone_means_that_server() -> None:
    llm = language_model(Settings(openai_base_url="http://localhost:11434/v1", llm_model="llama3.1:8b"))
    assert describe(llm) == "llama3.1:8b at localhost:11434"


def test_the_window_and_the_output_limit_come_from_the_settings(server: Server) -> None:
    llm = served(server, context_window=8_000, max_output_tokens=300)
    assert llm.metadata.context_window == 8_000
    llm.chat([ChatMessage("hello")])
    assert (server.requests[0]["max_tokens"], server.requests[0]["temperature"]) == (300, 0.0)


def test_a_reachable_model_passes_the_probe(server: Server) -> None:
    probe(served(server))
    assert len(server.requests) == 1


def test_a_probe_with_a_wrong_key_says_what_to_do(server: Server) -> None:
    server.key = "right"
    with pytest.raises(ModelError, match="check OPENAI_API_KEY"):
        probe(served(server))


def test_a_probe_of_a_dead_server_says_what_to_do() -> None:
    llm = language_model(Settings(openai_base_url=f"http://127.0.0.1:{free_port()}/v1", max_retries=0))
    with pytest.raises(ModelError, match="cannot be reached; start the server"):
        probe(llm)


@pytest.mark.parametrize("url", ["http://[::1", "http://["])
def test_an_address_that_is_none_is_told_in_a_sentence(url: str) -> None:
    with pytest.raises(ModelError, match="OPENAI_BASE_URL cannot be read"):
        language_model(Settings(openai_base_url=url))


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_retries_are_bounded_in_number(server: Server, retries: int) -> None:
    server.behave("too_many")
    with pytest.raises(Exception, match="429"):
        language_model(Settings(openai_base_url=server.url, max_retries=retries)).chat([ChatMessage("hello")])
    assert len(server.requests) == retries + 1


def test_the_model_calls_tools(server: Server) -> None:
    def search(query: str) -> str:
        """Find passages."""
        return f"found {query}"

    llm = served(server)
    response = llm.chat_with_tools([FunctionTool.from_defaults(search)], user_msg="refund period")
    calls = llm.get_tool_calls_from_response(response)
    assert [(call.tool_name, call.tool_kwargs) for call in calls] == [("search", {"query": "refund period"})]


def test_the_asynchronous_twin_answers_too(server: Server) -> None:
    assert asyncio.run(served(server).achat([ChatMessage("hello")])).message.content
