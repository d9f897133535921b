"""`lessons record`: what it asks, that it goes on after any end, and how it and the doctor tell."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lessons.doctor import checks
from lessons.models.recorded import Journal, Record, Reply, read_record, record_path, write_record
from lessons.rag.workspace import Workspace
from lessons.settings import Settings, settings
from tests.support.openai_server import Server, openai_server
from tests.support.waiting import until
from tests.test_cli import Done, lessons

COMMAND = [sys.executable, "-c", "from lessons.cli import main; main()"]
RECORD = ["record", "--stage", "naive", "--limit", "4"]
SERVED = ("any", 8_192)  # the model and its window


@pytest.fixture
def server() -> Iterator[Server]:
    with openai_server() as running:
        yield running


def environment(folder: Path, url: str | None = None, **more: str) -> dict[str, str]:
    chosen = {"LESSONS_RECORDED_DIR": str(folder), "LESSONS_LLM_MODEL": "any", "LESSONS_MAX_RETRIES": "0"}
    return chosen | ({"OPENAI_BASE_URL": url} if url else {}) | more


@pytest.fixture
def here(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The settings of a process that records the server, in this process."""
    settings()  # read once in this process, before the variables name a server that dies with the test
    for name, value in environment(tmp_path, server.url).items():
        monkeypatch.setenv(name, value)
    chosen = Settings()
    monkeypatch.setattr("lessons.settings.settings", lambda: chosen)
    return chosen


def told(run: Done) -> str:
    return " ".join(run.stderr.split())


@pytest.mark.timeout(600)
def test_killed_half_way_it_loses_nothing_and_goes_on_and_then_the_answers_need_no_server(
    database: Settings, server: Server, here: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = record_path("any", tmp_path)
    started = subprocess.Popen([*COMMAND, *RECORD])
    until(lambda: len(Journal(path).replies()) >= 3, seconds=300)
    started.kill()
    started.wait()
    before = Journal(path).replies()
    server.requests.clear()
    whole = lessons(*RECORD)
    assert whole.returncode == 0, whole.stderr
    assert f"any: {len(before)} replies are on record and are not asked again." in told(whole)
    assert "like it take" in told(whole)
    assert re.search(r"An estimate of what [\d,]+ answers take: [\d,]+ tokens, US\$ \d+\.\d\d", told(whole))
    found = read_record(path)
    assert before.items() <= found.replies.items()
    assert len(server.requests) == len(found.replies) - len(before) + 1  # a word
    assert all(reply.tokens_in and reply.seconds >= 0 and reply.date for reply in found.replies.values())
    replayed = Workspace.open(here.model_copy(update={"recorded": "any", "openai_base_url": None}))
    monkeypatch.setattr("lessons.evaluate.run.default_workspace", lambda: replayed)
    given = json.loads(lessons(*EVALUATE).stdout)
    assert given["stages"]["naive"]["answered_by"] == {"any (recorded)": 4}


EVALUATE = ["evaluate", "--stage", "naive", "--split", "dev", "--limit", "4", "--json"]


def test_a_server_that_dies_ends_it_with_what_to_do_and_what_was_recorded_stays(
    database: Settings, server: Server, here: Settings, tmp_path: Path
) -> None:
    server.behave("say:07:30", "say:It opens [1].", "error")
    run = lessons(*RECORD)
    assert run.returncode == 1
    assert "status 500" in told(run)
    assert "What was recorded stays; give the same command again to go on." in told(run)
    assert len(read_record(record_path("any", tmp_path)).replies) == 1


@pytest.mark.parametrize("url", [None, "http://127.0.0.1:1/v1"])
def test_without_a_server_it_says_what_to_do(tmp_path: Path, url: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = Settings(recorded_dir=tmp_path, llm_model="any", max_retries=0, openai_base_url=url)
    monkeypatch.setattr("lessons.settings.settings", lambda: chosen)
    run = lessons(*RECORD)
    assert run.returncode == 1
    said = "set OPENAI_BASE_URL or OPENAI_API_KEY" if url is None else "start the server or check OPENAI_BASE_URL"
    assert said in told(run)
    assert not list(tmp_path.iterdir())


def reply(key: str, prompt: str = "", seconds: float = 1.0, tokens: int = 1) -> Reply:
    return Reply(key, "Said.", (), "stop", tokens, 0, seconds, "2026-11-24", prompt)


def doctor(folder: Path, **more: object) -> list[tuple[bool, str]]:
    found = checks(Settings(recorded_dir=folder, **more))
    return [(check.ok, check.detail) for check in found if check.name == "recorded replies"]


def test_the_doctor_counts_the_replies_and_those_that_are_stale(database: Settings, tmp_path: Path) -> None:
    assert doctor(tmp_path) == []
    record = Record(*SERVED, {"a": reply("a"), "b": reply("b", "answer:0123456789ab")})
    write_record(record_path("any", tmp_path), record)
    line = "2 of any, recorded 2026-11-24; 1 to prompts that the package does not send"
    assert doctor(tmp_path) == doctor(tmp_path, recorded="any") == [(True, line)]


def test_a_record_is_checked_before_it_is_contributed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, chosen = record_path("any", tmp_path), Settings(recorded_dir=tmp_path)
    monkeypatch.setattr("lessons.settings.settings", lambda: chosen)
    write_record(path, Record(*SERVED, {"a": reply("a")}))
    whole = lessons("record", "--check", "any")
    assert (whole.returncode, whole.stdout) == (0, "any.jsonl.gz is whole: 1 of any, recorded 2026-11-24.\n")
    write_record(path, Record(*SERVED, {"a": reply("a"), "b": reply("b", "answer:0123456789ab")}))
    stale = lessons("record", "--check", "any")
    assert stale.returncode == 1
    assert "1 of 2 replies in any.jsonl.gz are to prompts that the package does not send" in told(stale)
    path.write_bytes(path.read_bytes()[:-9])
    damaged = lessons("record", "--check", "any")
    assert damaged.returncode == 1
    assert "is damaged" in told(damaged)


def test_the_doctor_tells_of_a_damaged_and_of_a_missing_record(database: Settings, tmp_path: Path) -> None:
    record_path("any", tmp_path).write_bytes(b"Sorry")
    assert [ok for ok, _ in doctor(tmp_path)] == [False]
    assert (
        "No replies are on record in other.jsonl.gz"
        in dict(map(reversed, doctor(tmp_path, recorded="other"))).__str__()
    )
