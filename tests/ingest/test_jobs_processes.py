"""Ingestion jobs outlive their workers: several processes, kill -9, and a database that goes away."""

import random
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from sqlalchemy import text

from lessons.database import engine, erase, stop
from lessons.ingest.jobs import Jobs
from lessons.ingest.queue import JobStatus
from lessons.rag.types import Scope
from lessons.settings import Settings
from tests.ingest.jobs_place import (
    PLAIN,
    cleared,
    files,
    jobs_of,
    processes,
    submit_in_child,
    words,
    work_in_child,
)
from tests.support.waiting import until

KILLS = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")

KEPT = JobStatus.__mapper__.column_attrs.keys()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Settings]:
    """A server that may be stopped, because no other test uses it."""
    chosen = Settings(data_dir=tmp_path)
    yield from cleared(chosen)
    erase(chosen)


def chunks_in_place(settings: Settings, owner: Scope, jobs: Jobs) -> dict[str, list[int]]:
    """The places of the chunks that are stored of each file, and that its row in `documents` speaks of."""
    store = jobs._workspace.store(PLAIN)
    store._make_tables()
    listed = text(
        "SELECT d.source_file, d.chunks, array_agg(c.chunk_index ORDER BY c.chunk_index) FROM documents d"  # noqa: S608
        f" LEFT JOIN {store.table_name} c ON c.document_id = d.id WHERE d.user_id = :user"
        " GROUP BY d.user_id, d.id"
    )
    with engine(settings).begin() as connection:
        rows = connection.execute(listed, {"user": owner.user_id}).all()
    assert all(len(places) == chunks for _, chunks, places in rows)
    assert len(rows) == len({name for name, *_ in rows})
    return {name: places for name, _, places in rows}


def child(target: Any, *arguments: Any) -> Any:
    process = processes().Process(target=target, args=arguments, daemon=True)
    process.start()
    return process


def test_two_processes_share_the_queue_and_do_each_job_once(either_database: Settings, owner: Scope) -> None:
    jobs, context = jobs_of(either_database), processes()
    batches = 40
    ids = [
        str(jobs.put(owner, [PLAIN.name], "hash8_8", [(f"text {number}".encode(), f"{number}.txt")], 10)[0])
        for number in range(batches)
    ]
    started, embedded = context.Event(), [context.Value("i", 0), context.Value("i", 0)]
    workers = [child(work_in_child, either_database, owner.user_id, ids, 0.1, started, count) for count in embedded]
    for worker in workers:
        worker.join(60)
    assert {(job.status, job.runs, job.done) for job in jobs.all(owner)} == {("COMPLETED", 1, 1)}
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert all(count.value > 2 for count in embedded)
    assert sum(count.value for count in embedded) == batches


@KILLS
def test_a_killed_workers_job_is_resumed_by_another_process(either_database: Settings, owner: Scope) -> None:
    told, tell = processes().Pipe(duplex=False)
    victim = child(submit_in_child, either_database, owner.user_id, tell)
    said = {told.recv(), told.recv()}
    assert "hanging" in said
    (job_id,) = said - {"hanging"}
    jobs = jobs_of(either_database)
    assert (jobs.status(job_id, owner).done, jobs.status(job_id, owner).source_file) == (1, "file1.txt")
    assert jobs.wait(job_id, owner, 2).runs == 1  # it is left alone while its worker lives
    victim.kill()
    victim.join(30)
    ended = jobs.wait(job_id, owner, 30)
    assert (ended.status, ended.runs, ended.done) == ("COMPLETED", 2, 3)
    assert [result.status for result in ended.results] == ["added"] * 3
    assert list(chunks_in_place(either_database, owner, jobs)) == ["file0.txt", "file1.txt", "file2.txt"]


def test_every_state_survives_a_restart_of_the_database(own_server: Settings, owner: Scope) -> None:
    jobs = jobs_of(own_server, lambda texts: {}["missing"] if "broken" in texts[0] else None)
    ids = {
        "COMPLETED": jobs.submit(files(2), owner),
        "FAILED": jobs.submit([(words("broken"), "broken.txt")], owner),
    }
    before = {state: jobs.wait(job_id, owner, 30) for state, job_id in ids.items()}
    until(lambda: not jobs._workers)
    waiting = jobs.put(owner, [PLAIN.name], "hash8_8", files(1, "later"), 10)[0]
    cancelled = jobs.put(owner, [PLAIN.name], "hash8_8", files(1, "never"), 10)[0]
    before["CANCELLED"] = jobs.cancel(str(cancelled), owner)
    stop(own_server)
    jobs = jobs_of(own_server)
    after: dict[str, JobStatus] = {state: jobs.status(job.id, owner) for state, job in before.items()}
    for state, job in after.items():
        assert [getattr(job, name) for name in KEPT] == [getattr(before[state], name) for name in KEPT]
    assert {state: job.status for state, job in after.items()} == {state: state for state in before}
    assert jobs.status(str(waiting), owner).started_at is None
    assert jobs.wait(str(waiting), owner, 30).status == "COMPLETED"


def test_a_job_goes_on_when_the_database_comes_back(own_server: Settings, owner: Scope) -> None:
    stopped: list[str] = []

    def before(texts: list[str]) -> None:
        if "file1" in texts[0] and not stopped:
            stop(own_server)
            stopped.append("once")  # not before: whoever asks while it ends is told that the connection broke off

    jobs = jobs_of(own_server, before)
    job_id = jobs.submit(files(3), owner)
    until(lambda: stopped)
    ended = jobs.wait(job_id, owner, 60)
    assert (ended.status, ended.done) == ("COMPLETED", 3)  # in the same run or, if its claim broke first, in another
    assert list(chunks_in_place(own_server, owner, jobs)) == ["file0.txt", "file1.txt", "file2.txt"]


@KILLS
def test_kill_9_at_twenty_moments_leaves_fifty_files_whole_and_nothing_twice(
    one_database: Settings, owner: Scope
) -> None:
    settings = one_database.model_copy(update={"ingestion_attempts": 100})
    chance, context = random.Random(4), processes()
    jobs = jobs_of(settings)
    everything, embedded, whole = files(50), context.Value("i", 0), 0
    parts = [everything[first : first + 10] for first in range(0, 50, 10)]
    ids = [str(jobs.put(owner, [PLAIN.name], "hash8_8", part, 10)[0]) for part in parts]
    for _ in range(20):
        started = context.Event()
        victim = child(work_in_child, settings, owner.user_id, ids, 0.05, started, embedded)
        assert started.wait(60)
        sleep(chance.uniform(0, 0.3))
        victim.kill()
        victim.join(30)
        assert victim.exitcode == -signal.SIGKILL
        places = chunks_in_place(settings, owner, jobs)
        assert len(places) >= whole
        whole = len(places)
    assert any(jobs.status(job_id, owner).is_open for job_id in ids)
    ended = [jobs.wait(job_id, owner, 60) for job_id in ids]
    assert {(job.status, job.done) for job in ended} == {("COMPLETED", 10)}
    assert sum(job.runs for job in ended) > 20
    assert [result.source_file for job in ended for result in job.results] == [name for _, name in everything]
    places = chunks_in_place(settings, owner, jobs)
    assert sorted(places) == sorted(name for _, name in everything)
    assert all(found == list(range(len(found))) and found for found in places.values())
