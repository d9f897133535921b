"""The calls of a model, each with a reply of the real server."""

import time
from typing import Literal

import httpx
import pytest
from llama_index.core.prompts import PromptTemplate
from pydantic import BaseModel, Field

from lessons.models.llm import KEYLESS, predict, stream, structured
from lessons.models.served import ServedLLM
from lessons.trace import Step
from tests.served.llama_server import MODEL, WINDOW, LlamaServer

KIOSK = "The kiosk in the lobby opens at 7:30 on weekdays. It closes at 18:15.\n\n"
TELL = PromptTemplate(KIOSK + "Describe its opening hours.")
WHEN = PromptTemplate(KIOSK + "Write as JSON when it opens: the hour, the minute, and on which days.")
WHOLE = PromptTemplate("{text}")


class Opening(BaseModel):
    """When something opens. A grammar of it has an end, so that the model comes to one."""

    hour: Literal[6, 7, 8, 9]
    minute: Literal[0, 15, 30, 45]
    days: Literal["weekdays", "weekends"] = Field(description="On which days.")


def test_the_window_is_the_one_that_the_server_says_it_has(llm: ServedLLM) -> None:
    assert llm.metadata.context_window == WINDOW


def test_a_text_is_the_served_models_and_its_tokens_are_those_that_the_server_counted(
    llm: ServedLLM, server: LlamaServer
) -> None:
    step = Step("call")
    assert predict(llm, TELL, step).strip()
    assert (step.answered, step.notes, step.llm_calls) == ({MODEL: 1}, [], 1)
    assert step.tokens_in == _prompt_tokens(server, TELL.format())
    assert 0 < step.tokens_out <= llm.metadata.num_output


def test_a_stream_arrives_while_the_model_still_writes(llm: ServedLLM, server: LlamaServer) -> None:
    step = Step("call")
    pieces = stream(llm, TELL, step)
    first = next(pieces)
    assert _is_writing(server)
    rest = list(pieces)
    assert first
    assert len(rest) > 1
    assert step.answered == {MODEL: 1}


def test_a_stream_that_is_closed_stops_the_model(llm: ServedLLM, server: LlamaServer) -> None:
    step = Step("call")
    pieces = stream(llm, TELL, step)
    next(pieces)
    pieces.close()
    assert step.answered == {MODEL: 1}
    _wait_until_idle(server)
    assert _tokens_written(server) < llm.metadata.num_output


def test_an_object_of_the_schema_is_the_served_models(llm: ServedLLM) -> None:
    step = Step("call")
    found = structured(llm, Opening, WHEN, step)
    assert isinstance(found, Opening)
    assert (step.answered, step.notes) == ({MODEL: 1}, [])


@pytest.mark.parametrize("streamed", [False, True])
def test_a_prompt_longer_than_the_window_is_refused_and_the_note_quotes_the_server(
    llm: ServedLLM, streamed: bool
) -> None:
    step, text = Step("call"), "word " * (WINDOW + 100)
    said = "".join(stream(llm, WHOLE, step, text=text)) if streamed else predict(llm, WHOLE, step, text=text)
    assert said
    (note,) = step.notes
    assert f"exceeds the available context size ({WINDOW} tokens)" in note
    assert note.endswith("answered by the keyless model")
    assert step.answered == {KEYLESS: 1}


def _prompt_tokens(server: LlamaServer, prompt: str) -> int:
    """The tokens of a prompt as the server counts them."""
    asked = {"messages": [{"role": "user", "content": prompt}], "max_tokens": 1}
    return httpx.post(f"{server.url}/chat/completions", json=asked, timeout=240).json()["usage"]["prompt_tokens"]


def _slot(server: LlamaServer) -> dict:
    (slot,) = httpx.get(server.root + "/slots").json()
    return slot


def _is_writing(server: LlamaServer) -> bool:
    return _slot(server)["is_processing"]


def _tokens_written(server: LlamaServer) -> int:
    """By the last reply."""
    return _slot(server)["next_token"][0]["n_decoded"]


def _wait_until_idle(server: LlamaServer) -> None:
    """TimeoutError if the model still writes after twenty seconds."""
    for _ in range(200):
        if not _is_writing(server):
            return
        time.sleep(0.1)
    raise TimeoutError("the server goes on with a reply that nobody reads")
