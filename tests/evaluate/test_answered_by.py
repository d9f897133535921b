"""Evaluation says who did the steps, and before it starts on a served model what that will take."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from lessons.database import engine
from lessons.evaluate.answered_by import forecast
from lessons.evaluate.run import evaluate
from lessons.evaluate.runs import load, save
from lessons.models.llm import language_model
from lessons.rag.stages import stage_named
from lessons.settings import Settings
from lessons.workspace import Workspace
from tests.support.openai_server import Server, openai_server

ASKED = 3


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with openai_server() as running:
        yield running


def measured(database: Settings, server: Server, *behaviours: str):
    server.behave(*behaviours)
    place = Workspace.open(database)
    place = replace(place, llm=language_model(Settings(openai_base_url=server.url, max_retries=0, llm_model="m")))
    lines: list[str] = []
    stage = stage_named("naive")
    return evaluate([stage], "dev", limit=ASKED, place=place, tell=lines.append), lines


def test_a_served_run_is_announced_and_forecast_and_says_who_did_its_steps(database: Settings, server: Server) -> None:
    run, lines = measured(database, server, "answer")
    assert lines[0].startswith("m at 127.0.0.1")
    assert f"{ASKED} questions × 1 stage," in lines[0]
    assert f"{2 * ASKED} answers" in lines[0]
    assert lines[1] == forecast(run.records[0], ASKED)
    assert run.summary("naive").answered_by == {"m": ASKED}
    assert run.as_dict()["stages"]["naive"]["answered_by"] == {"m": ASKED}
    assert not [note for note in run.notes if "in place of" in note]


def test_what_the_keyless_model_did_in_its_place_stands_beside_the_numbers(database: Settings, server: Server) -> None:
    run, _ = measured(database, server, "answer", "error")
    assert run.summary("naive").answered_by == {"m": 1, "keyless model": ASKED - 1}
    assert f"naive: the keyless model did {ASKED - 1} of {ASKED} steps in place of m at" in " ".join(run.notes)
    assert "keyless model 67 %" in run._repr_html_().replace("67%", "67 %")


def test_a_stored_run_still_says_who_answered_in_whose_place(database: Settings, server: Server) -> None:
    run, _ = measured(database, server, "error")
    found = load(save(run, engine(database)), engine(database))
    assert [note for note in found.notes if "in place of m at" in note]
    assert found.summary("naive").answered_by == {"keyless model": ASKED}
    assert run.quotes


def test_a_keyless_run_announces_nothing(database: Settings) -> None:
    lines: list[str] = []
    run = evaluate([stage_named("naive")], "dev", limit=1, place=Workspace.open(database), tell=lines.append)
    assert lines == []
    assert run.summary("naive").answered_by == {"keyless model": 1}
