"""How much a reader has to read, and the database to do, for one question."""

import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import event

import lessons
from lessons.rag.pipeline import Stage
from lessons.rag.workspace import Workspace
from tests.test_cli import lessons as lessons_here

LESSONS = Path(lessons.__file__).parent
BESIDE = ("keyless/", "models/offline/", "text/")  # the stand-in for a model, and how words are cut


OPENED = """
import sys, threading
from lessons.stages import stages
seen = set()

def called(frame, kind, _):
    if kind == "call":
        seen.add((name, frame.f_code.co_filename))

for name in ("naive", "smart"):
    stage = stages()[name]
    stage.ask("Where are boats rented?", user="rag-mina")
    threading.setprofile(called)
    sys.setprofile(called)
    try:
        stage.ask("When does the kiosk open?", user="rag-mina")
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
print("files:", *(f"{name} {file}" for name, file in seen), sep="\\n")
"""


@pytest.fixture(scope="module")
def opened(place: Workspace) -> dict[str, set[str]]:
    """The modules whose functions run for a question in a process of its own, without those beside the path."""
    done = subprocess.run([sys.executable, "-c", OPENED], capture_output=True, text=True, timeout=120, check=True)
    seen: dict[str, set[str]] = {"naive": set(), "smart": set()}
    for line in done.stdout.rpartition("files:\n")[2].splitlines():
        name, _, file = line.partition(" ")
        if Path(file).is_relative_to(LESSONS):
            seen[name].add(Path(file).relative_to(LESSONS).as_posix())
    return {name: {file for file in files if not file.startswith(BESIDE)} for name, files in seen.items()}


@pytest.mark.parametrize(("name", "files", "lines"), [("naive", 15, 2_227), ("smart", 20, 3_000)])
def test_the_path_of_a_question_is_this_long(opened: dict[str, set[str]], name: str, files: int, lines: int) -> None:
    read = opened[name]
    assert 0 < len(read) <= files, sorted(read)
    assert sum(len((LESSONS / each).read_text(encoding="utf-8").splitlines()) for each in read) <= lines


@pytest.mark.parametrize(("name", "statements"), [("naive", 3), ("smart", 6)])
def test_a_warm_question_sends_this_many_statements(
    request: pytest.FixtureRequest, place: Workspace, name: str, statements: int
) -> None:
    stage: Stage = request.getfixturevalue(name)
    stage.ask("Where are boats rented?", user="rag-mina")
    sent: list[str] = []

    def send(connection, cursor, statement: str, *_: object) -> None:
        sent.append(statement)

    event.listen(place.engine, "before_cursor_execute", send)
    try:
        stage.ask("When does the kiosk open?", user="rag-mina")
    finally:
        event.remove(place.engine, "before_cursor_execute", send)
    assert len(sent) <= statements, sent


COUNTED = """
import sys
from sqlalchemy import Engine, event
from lessons.cli import main
sent = []
event.listen(Engine, "before_cursor_execute", lambda *given: sent.append(given[2]))
sys.argv = ["lessons", "ask", "When does the kiosk open?", "--stage", sys.argv[1], "--user", "rag-mina"]
try:
    main()
finally:
    print("statements:", len(sent))
"""


@pytest.mark.parametrize(("name", "statements"), [("naive", 4), ("smart", 10)])
def test_a_fresh_process_on_a_made_database_sends_this_many_statements(
    place: Workspace, name: str, statements: int
) -> None:
    lessons_here("ask", "Where are boats rented?", "--stage", name, "--user", "rag-mina")  # makes what is lacking
    command = [sys.executable, "-c", COUNTED, name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    sent = int(done.stdout.rpartition("statements:")[2])
    assert sent <= statements, sent
