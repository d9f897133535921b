"""A throw-away index holds a foreign corpus while a block runs, and nothing of it stays, however the block ends."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from sqlalchemy import Engine, inspect, select
from sqlalchemy.orm import Session

from lessons.evaluate.throwaway import drop_leftovers, throwaway_stages
from lessons.rag.tables import DocumentRow
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.settings import Settings
from lessons.stages import stage_named

DOCUMENTS = {
    "kiosk": "Kiosk\n\nThe kiosk in the lobby opens at 7:30 every weekday.",
    "도서관": "사내 도서관은 평일 오전 9시에 문을 엽니다.",
    "garden": "The garden closes at nine in the evening.",
}
KILLED = """
import os, signal
from lessons.evaluate.throwaway import throwaway_stages
from tests.evaluate.test_throwaway import DOCUMENTS, NAIVE, SCOPE, silent
from lessons.rag.workspace import workspace
with throwaway_stages([NAIVE], DOCUMENTS, SCOPE, workspace(), silent):
    os.kill(os.getpid(), signal.SIGKILL)
"""
SCOPE = Scope("trial")
NAIVE = stage_named("naive")


def silent(done: int, total: int) -> None:
    """Nobody watches."""


@pytest.fixture(scope="module")
def place(database: Settings) -> Workspace:
    return Workspace.open(database)


@pytest.fixture(autouse=True)
def _nothing_stays(place: Workspace) -> Iterator[None]:
    yield
    assert tables(place.engine) == []
    assert rows(place.engine) == []


def tables(engine: Engine) -> list[str]:
    return [name for name in inspect(engine).get_table_names() if name.startswith("chunks_tmp_")]


def rows(engine: Engine) -> list[str]:
    with Session(engine) as session:
        names = session.scalars(select(DocumentRow.index_table).where(DocumentRow.user_id == SCOPE.user_id))
        return list(names)


def test_a_stage_answers_from_the_foreign_corpus_and_ranks_its_documents(place: Workspace) -> None:
    with throwaway_stages([NAIVE], DOCUMENTS, SCOPE, place, silent) as (stage,):
        answer = stage.ask("When does the kiosk open?", user=SCOPE.user_id)
    assert stage.name == "naive"
    assert answer.context.documents[0].source == "kiosk"
    assert "7:30" in answer.text


def test_stages_with_the_same_index_share_its_throwaway(place: Workspace) -> None:
    twin = NAIVE.but("twin")
    with throwaway_stages([NAIVE, twin], DOCUMENTS, SCOPE, place, silent) as (first, second):
        assert first.index == second.index
        assert len(tables(place.engine)) == 1


def test_progress_counts_documents_up_to_all_of_them(place: Workspace) -> None:
    heard: list[tuple[int, int]] = []
    with throwaway_stages([NAIVE], DOCUMENTS, SCOPE, place, lambda *count: heard.append(count)):
        assert heard[-1] == (3, 3)


def test_progress_is_heard_whenever_as_many_chunks_as_are_embedded_at_once_are_stored(place: Workspace) -> None:
    heard: list[int] = []
    long = {name: "\n\n".join([text] * 3_000) for name, text in DOCUMENTS.items()}
    with throwaway_stages([NAIVE], long, SCOPE, place, lambda done, total: heard.append(done)):
        assert heard == [1, 2, 3]
        assert len(place.store(NAIVE.index).documents(SCOPE)) == 0


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_it_is_gone_after_an_error_or_an_interruption(place: Workspace, error: type[BaseException]) -> None:
    with pytest.raises(error), throwaway_stages([NAIVE], DOCUMENTS, SCOPE, place, silent):
        raise error


def test_it_is_gone_when_filling_it_is_interrupted(place: Workspace) -> None:
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), throwaway_stages([NAIVE], DOCUMENTS, SCOPE, place, interrupt):
        pass


def test_what_a_killed_run_left_behind_is_dropped_and_a_living_one_stays(place: Workspace) -> None:
    subprocess.run([sys.executable, "-c", KILLED], timeout=120)
    (left,) = tables(place.engine)
    assert rows(place.engine) == [left] * 3
    with throwaway_stages([NAIVE], DOCUMENTS, SCOPE, place, silent):
        (alive,) = tables(place.engine)
        assert alive != left
        assert drop_leftovers(place.engine, SCOPE) == []
        assert tables(place.engine) == [alive]
