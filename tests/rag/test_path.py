"""How much a reader has to read, and the database to do, for one question."""

import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest
from sqlalchemy import event

import lessons
from lessons.rag.pipeline import Stage
from lessons.rag.workspace import Workspace
from tests.test_cli import lessons as lessons_here

LESSONS = Path(lessons.__file__).parent
BESIDE = ("keyless/", "models/offline/", "text/")  # the stand-in for a model, and how words are cut
QUESTION = "How many euros does it cost to rent an umbrella?"  # of which no vector is shipped

TRACED = f"""
import sys, threading
from lessons.stages import stages
entered = set()

def called(frame, kind, _):
    if kind == "call" and frame.f_code.co_name != "<module>":
        code = frame.f_code
        entered.add((name, code.co_filename, code.co_firstlineno, max(line or 0 for _, _, line in code.co_lines())))

for name in ("naive", "smart"):
    stage = stages()[name]
    stage.ask("Where are boats rented?", user="rag-mina")
    threading.setprofile(called)
    sys.setprofile(called)
    try:
        answer = stage.ask({QUESTION!r}, user="rag-mina")
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    assert answer.found and "4 euros" in answer.text, answer
print("entered:", *("\\t".join(map(str, each)) for each in entered), sep="\\n")
"""


class Reading(NamedTuple):
    """What a reader opens for one question: files, their lines, and the lines of the functions that run."""

    files: int
    lines: int
    entered: int


@pytest.fixture(scope="module")
def opened(place: Workspace) -> dict[tuple[str, bool], Reading]:
    """Measure each stage in a process of its own: the path, and (True) what stands beside it."""
    process = subprocess.run([sys.executable, "-c", TRACED], capture_output=True, text=True, timeout=120, check=True)
    functions: dict[tuple[str, bool], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for line in process.stdout.rpartition("entered:\n")[2].splitlines():
        name, file, first, last = line.split("\t")
        if Path(file).is_relative_to(LESSONS):
            module = Path(file).relative_to(LESSONS).as_posix()
            functions[name, module.startswith(BESIDE)][module] |= set(range(int(first), int(last) + 1))
    return {
        key: Reading(
            len(modules),
            sum(len((LESSONS / module).read_text(encoding="utf-8").splitlines()) for module in modules),
            sum(map(len, modules.values())),
        )
        for key, modules in functions.items()
    }


# The numbers may only fall. Those of the keyless model rose when its reader began to compare the meaning of lines, when
# what it asks of their words came to hold for that reader, too, with what is explained beside a reason, with the prose
# of narrow columns, and with what is to be done, which stands behind the sentence that says when.
# Aims: 12 files, 1,400 lines and 600 of functions for naive, 17, 1,950 and 1,000 for smart.
@pytest.mark.parametrize(
    ("name", "beside", "reading"),
    [
        ("naive", False, Reading(15, 2_254, 643)),
        ("naive", True, Reading(15, 2_954, 658)),
        ("smart", False, Reading(19, 2_886, 947)),
        ("smart", True, Reading(16, 3_076, 755)),
    ],
)
def test_the_path_of_a_question_is_this_long(
    opened: dict[tuple[str, bool], Reading], name: str, beside: bool, reading: Reading
) -> None:
    assert all(now <= most for now, most in zip(opened[name, beside], reading, strict=True)), opened[name, beside]


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


@pytest.mark.parametrize(("name", "statements"), [("naive", 9), ("smart", 13)])
def test_a_fresh_process_on_a_made_database_sends_this_many_statements(
    place: Workspace, name: str, statements: int
) -> None:
    lessons_here("ask", "Where are boats rented?", "--stage", name, "--user", "rag-mina")  # makes what is lacking
    command = [sys.executable, "-c", COUNTED, name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    sent = int(done.stdout.rpartition("statements:")[2])
    assert sent <= statements, sent
