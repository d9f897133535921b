"""A database that an earlier version made: everything in it is still there, and is gone on with.

`made_before.sql` is what `fill` left behind on 24 November 2026, written by pg_dump. Where this test fails, a table has
changed: change those of earlier versions, too, where `ensure_owned` does not, and leave the file as it is.
"""

from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import text

from lessons.database import engine
from lessons.evaluate.runs import load, runs, save
from lessons.ingest.queue import JobStatus
from lessons.ingest.trash import Trash
from lessons.memory.messages import StoredMessages
from lessons.memory.profile import Profile, Slot
from lessons.memory.turns import Entity, State, Turn, Turns
from lessons.rag.types import Scope
from lessons.search.materials import Plans
from lessons.settings import Settings, settings
from tests.conftest import new_tenant
from tests.evaluate.records import evaluation
from tests.ingest.jobs_place import PLAIN, files, jobs_of

OWNER, SESSION = Scope("mina"), "monday"
RUN = evaluation({"naive": [0.0, 1.0], "smart": [1.0, 1.0]})
TURN = ("When does it open?", "At nine [1].")
STATE = State(1, "The user asks about opening times.", (Entity("place", "the shop", 1),))


def fill(chosen: Settings) -> None:
    """One of everything that is kept."""
    database, jobs = engine(chosen), jobs_of(chosen)
    assert jobs.wait(jobs.submit(files(2), OWNER), OWNER, 60).status == "COMPLETED"
    Plans(database).make_plan(OWNER, ["file0.txt"])
    Trash(database, [jobs._workspace.store(PLAIN)]).delete(OWNER, "file1.txt")
    StoredMessages(database).add(OWNER, SESSION, ("user", TURN[0]), ("assistant", TURN[1]))
    turns = Turns(database, OWNER, SESSION)
    turns.add(*TURN)
    turns.replace_state("recursive", State(), STATE)
    Profile(database, OWNER).put("name", "Mina", "I am Mina.")
    save(RUN, database)
    save(RUN, database, OWNER.user_id)


@pytest.fixture(scope="module")
def before(tcp_server: str) -> Settings:
    chosen = new_tenant(tcp_server, "SUPERUSER")
    dump = Path(__file__).with_name("made_before.sql").read_text(encoding="utf-8")
    with engine(chosen).begin() as connection:
        connection.connection.driver_connection.execute(dump)
    return chosen


def test_documents_plans_and_jobs_are_still_there(before: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "trash_days", 100_000.0)
    database, jobs = engine(before), jobs_of(before)
    store = jobs._workspace.store(PLAIN)
    assert [row.source_file for row in store.documents(OWNER)] == ["file0.txt"]
    assert Trash(database, [store]).restore(OWNER, "file1.txt")
    assert {row.source_file: row.chunks for row in store.documents(OWNER)} == {"file0.txt": 3, "file1.txt": 3}
    assert len(store.get_nodes(scope=OWNER)) == 6
    assert store.content(OWNER, "file0.txt") is None
    (job,) = jobs.all(OWNER)
    assert (job.status, [result.status for result in job.results]) == ("COMPLETED", ["added", "added"])
    for status in ("replaced", "unchanged"):  # files are read by other readers now, and then no more
        again: JobStatus = jobs.wait(jobs.submit(files(2), OWNER), OWNER, 60)
        assert [result.status for result in again.results] == [status, status]
    with database.connect() as connection:
        (plan,) = connection.scalars(text("SELECT id FROM plans"))
    assert isinstance(plan, UUID)
    assert Plans(database).plan_scope(str(plan), OWNER).ref_ids == {"file0.txt"}


def test_a_conversation_with_what_was_made_of_it_is_still_there(before: Settings) -> None:
    database = engine(before)
    session = StoredMessages(database).get_or_create(OWNER, SESSION)
    assert session.history() == (("user", TURN[0]), ("assistant", TURN[1]))
    turns = Turns(database, OWNER, SESSION)
    assert turns.last(5) == [Turn(1, *TURN)]
    assert turns.state("recursive") == STATE
    assert Profile(database, OWNER).slots() == [Slot("name", "Mina", "I am Mina.")]
    turns.add(*TURN)
    assert [turn.number for turn in turns.last(2)] == [1, 2]


def test_runs_are_still_there_each_for_whom_it_was(before: Settings) -> None:
    database = engine(before)
    assert [row.user_id for row in runs(database, OWNER.user_id)] == [OWNER.user_id, None]
    assert [row.user_id for row in runs(database)] == [None]
    for row in runs(database, OWNER.user_id):
        records = load(row.id, database, OWNER.user_id).records
        for record in records:
            record.metrics.pop("strict", None)  # which is measured no more
        assert records == RUN.records
