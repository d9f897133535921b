"""Replies of real weights, recorded once and given again without the server."""

from pathlib import Path
from typing import Any

import pytest
from llama_index.core.llms import LLM

from lessons.faults.lab import Lab
from lessons.models.llm import KEYLESS, language_model, predict, stream, structured
from lessons.models.recorded import read_record, record_path, recording_to
from lessons.settings import Settings
from lessons.trace import Step
from tests.served.conftest import CALL
from tests.served.llama_server import MODEL, WINDOW, LlamaServer
from tests.served.test_calls import TELL, WHEN, Opening
from tests.served.test_stages import QUESTIONS


@pytest.fixture
def live(server: LlamaServer, tmp_path: Path) -> LLM:
    chosen = Settings(openai_base_url=server.url, llm_model=MODEL, recording=True, recorded_dir=tmp_path, **CALL)
    return language_model(chosen)


def replayed(folder: Path) -> LLM:
    """The model on record, when the journal has been folded."""
    with recording_to(record_path(MODEL, folder), MODEL, WINDOW):
        pass
    return language_model(Settings(recorded=MODEL, recorded_dir=folder))


def asked(llm: LLM) -> tuple[list[Any], Step]:
    step = Step("calls")
    return [predict(llm, TELL, step), structured(llm, Opening, WHEN, step), "".join(stream(llm, TELL, step))], step


def test_texts_streams_and_objects_are_given_again_as_the_weights_gave_them(live: LLM, tmp_path: Path) -> None:
    said, before = asked(live)
    again, after = asked(replayed(tmp_path))
    assert again == said
    assert (before.answered, after.answered) == ({MODEL: 3}, {f"{MODEL} (recorded)": 3})
    assert (after.tokens_in, after.tokens_out, after.notes) == (before.tokens_in, before.tokens_out, before.notes)
    replies = read_record(record_path(MODEL, tmp_path)).replies.values()
    assert len(replies) == 2  # the stream is of the text that was there
    assert all(reply.tokens_in and reply.tokens_out and reply.seconds > 0 for reply in replies)


@pytest.mark.timeout(900)
def test_a_stage_goes_on_with_the_same_models_from_the_record(
    lab: Lab, live: LLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab.place, "llm", live)
    before = lab.ask("smart", QUESTIONS["en"]).answer
    monkeypatch.setattr(lab.place, "llm", replayed(tmp_path))
    after = lab.ask("smart", QUESTIONS["en"]).answer
    assert after.text == before.text
    assert after.trace.answered == {by_record(name): count for name, count in before.trace.answered.items()}


def by_record(name: str) -> str:
    return name if name == KEYLESS else f"{name} (recorded)"
