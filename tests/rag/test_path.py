"""How much a reader has to read, and the database to do, for one question."""

import sys
import threading
from pathlib import Path

import pytest
from sqlalchemy import event

import lessons
from lessons.rag.stages import Stage
from lessons.workspace import Workspace

LESSONS = Path(lessons.__file__).parent
BESIDE = ("keyless/", "models/offline/", "text/")  # the stand-in for a model, and how words are cut


def opened(stage: Stage, question: str) -> set[str]:
    """The modules whose functions run for a question, without those beside the path."""
    seen: set[str] = set()

    def called(frame, kind: str, _: object) -> None:
        if kind == "call" and frame.f_code.co_filename.startswith(str(LESSONS)):
            seen.add(Path(frame.f_code.co_filename).relative_to(LESSONS).as_posix())

    threading.setprofile(called)
    sys.setprofile(called)
    try:
        stage.ask(question, user="rag-mina")
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return {name for name in seen if not name.startswith(BESIDE)}


@pytest.mark.parametrize(("name", "files", "lines"), [("naive", 23, 3_115), ("smart", 31, 4_600)])
def test_the_path_of_a_question_is_this_long(request: pytest.FixtureRequest, name: str, files: int, lines: int) -> None:
    stage: Stage = request.getfixturevalue(name)
    stage.ask("Where are boats rented?", user="rag-mina")
    read = opened(stage, "When does the kiosk open?")
    assert len(read) <= files, sorted(read)
    assert sum(len((LESSONS / each).read_text(encoding="utf-8").splitlines()) for each in read) <= lines


@pytest.mark.parametrize(("name", "statements"), [("naive", 3), ("smart", 8)])
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
