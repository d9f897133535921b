"""Two servers with streaming replication: one is written to, the other searched, and it takes over when it must."""

from collections.abc import Iterator
from threading import Event, Thread

import psycopg
import pytest
from sqlalchemy import text

from lessons.database import engine
from lessons.database.cluster import keywords
from lessons.database.owners import owner_transaction, read_transaction
from lessons.errors import DatabaseError
from lessons.faults.database import ReplicatedDatabase
from lessons.faults.lab import Lab
from lessons.rag.answer import Answer
from lessons.rag.store import ChunkStore
from lessons.settings import Settings, settings
from tests.database.places import wait_for

QUESTION = "When does the kiosk open?"
IN_RECOVERY = text("SELECT pg_is_in_recovery()")


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """Three documents on two servers."""
    with Lab(ReplicatedDatabase()) as made:
        yield made


def on_replica(lab: Lab, statement: str) -> object:
    with psycopg.connect(**keywords(lab.database.replica.address), autocommit=True) as connection:
        return connection.execute(statement).fetchone()[0]


def test_what_is_written_goes_to_the_primary_and_what_is_searched_to_the_replica(lab: Lab) -> None:
    def replica_searched() -> bool:
        with read_transaction(lab.workspace.engine, "reader") as connection:
            return connection.scalar(IN_RECOVERY)

    assert wait_for(replica_searched)  # it has replayed what the lab ingested
    with owner_transaction(lab.workspace.engine, "reader") as connection:
        assert not connection.scalar(IN_RECOVERY)
    assert lab.ask("smart", QUESTION).answer.citations[0].source_file == "kiosk.md"


def test_a_process_finds_what_it_wrote_though_the_replica_is_behind(lab: Lab) -> None:
    store = lab.workspace.store(lab.stage("naive").index)
    on_replica(lab, "SELECT pg_wal_replay_pause()::text")
    try:
        lab.add({"bakery.md": "# Bakery\n\nThe bakery sells bread.\n"})
        assert "bakery.md" in {row.source_file for row in store.documents(lab.scope)}
        assert ChunkStore(lab.workspace.engine, "late", "toy", 3).documents(lab.scope) == []
        assert not on_replica(lab, "SELECT EXISTS (SELECT FROM documents WHERE source_file = 'bakery.md')")
    finally:
        on_replica(lab, "SELECT pg_wal_replay_resume()::text")
    assert wait_for(lambda: on_replica(lab, "SELECT EXISTS (SELECT FROM documents WHERE source_file = 'bakery.md')"))


def test_no_question_is_lost_while_the_replica_is_promoted(lab: Lab) -> None:
    """Two readers ask on and on; the primary goes, a document is added meanwhile, and the replica takes its place."""
    stage, answers, done = lab.stage("smart"), [[], []], Event()

    def ask(mine: list[Answer | Exception]) -> None:
        while not done.is_set():
            try:
                mine.append(stage.ask(QUESTION))
            except Exception as error:
                mine.append(error)

    def asked_again() -> bool:
        before = [len(mine) for mine in answers]
        return wait_for(lambda: all(len(mine) >= count + 2 for mine, count in zip(answers, before, strict=True)), 60)

    readers = [Thread(target=ask, args=[mine]) for mine in answers]
    writer = Thread(target=lab.add, args=[{"florist.md": "# Florist\n\nThe florist sells roses on Fridays.\n"}])
    for reader in readers:
        reader.start()
    try:
        assert asked_again()
        lab.database.primary.stop()
        writer.start()
        assert asked_again()
        lab.database.replica.promote()
        writer.join()
        assert asked_again()
    finally:
        done.set()
        for reader in readers:
            reader.join()
    first, *others = [answer for mine in answers for answer in mine]
    assert {(other.text, other.found, tuple(other.warnings)) for other in others} == {(first.text, True, ())}
    assert stage.ask("When does the florist sell roses?").citations[0].source_file == "florist.md"


def test_a_primary_that_nobody_replaces_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "failover_seconds", 0.1)
    with pytest.raises(DatabaseError, match="Nothing listens at"):
        engine(Settings(database_url="postgresql://me@127.0.0.1:1,127.0.0.1:2/x"))
