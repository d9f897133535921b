"""Ingestion jobs: a job's life from submission to its end, its owner, its progress and its failures."""

import threading
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from llama_index.core.node_parser import TokenTextSplitter
from sqlalchemy import text

from lessons.database import engine
from lessons.errors import LessonsError, ModelError, ReadError
from lessons.ingest.index import Index
from lessons.ingest.jobs import Jobs
from lessons.ingest.queue import LOCKS, JobQueue, JobStatus, claim_next
from lessons.keyless.llm import OfflineLLM
from lessons.models.embedding import embedding_model
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.settings import Settings
from tests.ingest.jobs_place import ENRICHED, PLAIN, files, jobs_of, words
from tests.support.openai_server import Server
from tests.support.waiting import until


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Closed until it is set; opened at the end so that no worker hangs."""
    gate = threading.Event()
    yield gate
    gate.set()


def stored(settings: Settings, owner: Scope, jobs: Jobs) -> dict[str, int]:
    """File and number of chunks, counted in the table itself."""
    store = jobs._workspace.store(PLAIN)
    store._make_tables()
    counted = text(
        f"SELECT d.source_file, count(*) FROM documents d JOIN {store.table_name} c"  # noqa: S608
        " ON c.document_id = d.id WHERE d.user_id = :user GROUP BY 1"
    )
    with engine(settings).begin() as connection:
        return dict(connection.execute(counted, {"user": owner.user_id}).tuples().all())


def files_kept(settings: Settings) -> int:
    with engine(settings).begin() as connection:
        return connection.scalar(text("SELECT count(*) FROM ingestion_job_files"))


def test_a_job_is_answered_at_once_and_completes(
    either_database: Settings, owner: Scope, gate: threading.Event
) -> None:
    jobs = jobs_of(either_database, lambda texts: gate.wait(30))
    job_id = jobs.submit(files(2), owner)
    assert jobs.status(job_id, owner).status == "PROCESSING"
    gate.set()
    ended = jobs.wait(job_id, owner, 30)
    assert (ended.status, ended.done, ended.total, ended.runs, ended.reason) == ("COMPLETED", 2, 2, 1, None)
    assert [(result.source_file, result.status) for result in ended.results] == [
        ("file0.txt", "added"),
        ("file1.txt", "added"),
    ]
    assert ended.created_at <= ended.started_at <= ended.finished_at
    assert sum(stored(either_database, owner, jobs).values()) == sum(result.chunks for result in ended.results) > 2


def test_the_files_leave_the_queue_when_the_job_ends(either_database: Settings, owner: Scope) -> None:
    jobs = jobs_of(either_database)
    jobs.wait(jobs.submit(files(2), owner), owner, 30)
    assert files_kept(either_database) == 0


def test_files_may_be_given_by_path(one_database: Settings, owner: Scope, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(words("path"))
    jobs = jobs_of(one_database)
    ended = jobs.wait(jobs.submit([(tmp_path / "a.md", "folder/a.md")], owner), owner, 30)
    assert [(result.source_file, result.status) for result in ended.results] == [("folder/a.md", "added")]


def test_a_path_that_does_not_exist_is_told_at_once(one_database: Settings, owner: Scope, tmp_path: Path) -> None:
    jobs = jobs_of(one_database)
    with pytest.raises(ReadError, match=r"gone\.md cannot be opened"):
        jobs.submit([(words("a"), "a.md"), (tmp_path / "gone.md", "gone.md")], owner)
    assert jobs.all(owner) == []


def test_an_index_that_nobody_knows_is_told_at_once(one_database: Settings, owner: Scope) -> None:
    with pytest.raises(LessonsError, match="no index other; choose from jobs_plain"):
        jobs_of(one_database).submit(files(1), owner, ["other"])


def test_plain_indexes_come_first_and_then_the_job_is_enriching(one_database: Settings, owner: Scope) -> None:
    seen: list[JobStatus] = []
    submitted = threading.Event()
    job_id = ""

    def look(texts: list[str]) -> None:
        assert submitted.wait(30)
        seen.append(jobs.status(job_id, owner))

    jobs = jobs_of(one_database, look, ENRICHED, PLAIN)
    job_id = jobs.submit(files(2), owner)
    submitted.set()
    ended = jobs.wait(job_id, owner, 30)
    assert list(dict.fromkeys(status.status for status in seen)) == ["PROCESSING", "ENRICHING"]
    assert [result.index for result in ended.results] == [PLAIN.name] * 2 + [ENRICHED.name] * 2
    assert (ended.status, ended.done, ended.total) == ("COMPLETED", 4, 4)


def test_progress_never_goes_back(one_database: Settings, owner: Scope) -> None:
    seen: list[JobStatus] = []
    submitted = threading.Event()
    job_id = ""

    def look(texts: list[str]) -> None:
        assert submitted.wait(30)
        seen.append(jobs.status(job_id, owner))

    jobs = jobs_of(one_database, look)
    job_id = jobs.submit([(words(f"long{number}", 300), f"{number}.txt") for number in range(3)], owner)
    submitted.set()
    jobs.wait(job_id, owner, 30)
    places = [(status.done, status.step_done) for status in seen]
    assert places == sorted(set(places))
    assert {status.step for status in seen} == {"embedding"}
    assert [status.source_file for status in seen] == sorted(status.source_file or "" for status in seen)
    assert all(status.step_done < status.step_total for status in seen)
    assert {status.done for status in seen} == {0, 1, 2}


def test_when_the_queue_is_full_the_caller_does_the_job(
    one_database: Settings, owner: Scope, gate: threading.Event
) -> None:
    did: dict[str, threading.Thread] = {}

    def before(texts: list[str]) -> None:
        did[texts[0].split("-")[0].split()[-1]] = threading.current_thread()
        if "slow" in texts[0]:
            gate.wait(60)

    jobs = jobs_of(one_database, before, ingestion_queue=3, most_ingestion_workers=2)
    slow = [jobs.submit(files(1, f"slow{number}x"), owner) for number in range(2)]
    until(lambda: all(jobs.status(job_id, owner).started_at for job_id in slow))
    waiting = [jobs.submit(files(1, f"slow{number}y"), owner) for number in range(3)]
    fast = jobs.submit(files(1, "fast"), owner)
    assert jobs.status(fast, owner).status == "COMPLETED"
    assert did["fast0"] is threading.current_thread()
    assert not any(jobs.status(job_id, owner).started_at for job_id in waiting)
    gate.set()
    assert {jobs.wait(job_id, owner, 30).status for job_id in slow + waiting} == {"COMPLETED"}
    assert threading.current_thread() not in {thread for name, thread in did.items() if name != "fast0"}


def test_when_the_queue_is_full_two_workers_become_four(
    one_database: Settings, owner: Scope, gate: threading.Event
) -> None:
    def before(texts: list[str]) -> None:
        if "slow" in texts[0]:
            gate.wait(60)

    assert one_database.ingestion_queue == 10
    jobs = jobs_of(one_database, before, ingestion_queue=2)
    slow = [jobs.submit(files(1, f"slow{number}x"), owner) for number in range(2)]
    until(lambda: all(jobs.status(job_id, owner).started_at for job_id in slow))
    waiting = [jobs.submit(files(1, f"slow{number}y"), owner) for number in range(2)]
    assert len(jobs._workers) == 2
    jobs.submit(files(1, "fast"), owner)
    until(lambda: all(jobs.status(job_id, owner).started_at for job_id in waiting))
    assert len(jobs._workers) == 4
    gate.set()
    assert {jobs.wait(job_id, owner, 30).status for job_id in slow + waiting} == {"COMPLETED"}


def test_a_job_is_not_found_by_a_wrong_id_or_by_anybody_else(either_database: Settings, owner: Scope) -> None:
    jobs = jobs_of(either_database)
    job_id = jobs.submit(files(1), owner)
    for wrong, scope in [(str(uuid4()), owner), ("' OR '1'='1", owner), ("", owner), (job_id, Scope("stranger"))]:
        assert jobs.status(wrong, scope).status == "NOT_FOUND"
    assert jobs.cancel(job_id, Scope("stranger")).status == "NOT_FOUND"
    assert jobs.all(Scope("stranger")) == []
    assert jobs.wait(job_id, owner, 30).status == "COMPLETED"


def test_an_owners_jobs_are_listed_newest_first(one_database: Settings, owner: Scope) -> None:
    jobs = jobs_of(one_database)
    ids = [jobs.submit(files(1, f"job{number}-"), owner) for number in range(3)]
    assert [job.id for job in jobs.all(owner)] == ids[::-1]
    assert [job.id for job in jobs.all(owner, limit=1)] == ids[-1:]
    for job_id in ids:
        jobs.wait(job_id, owner, 30)


def test_a_cancelled_job_stops_before_its_next_step(
    either_database: Settings, owner: Scope, gate: threading.Event
) -> None:
    reached = threading.Event()

    def before(texts: list[str]) -> None:
        if "file1" in texts[0]:
            reached.set()
            gate.wait(30)

    jobs = jobs_of(either_database, before)
    job_id = jobs.submit(files(3), owner)
    assert reached.wait(30)
    assert jobs.cancel(job_id, owner).status == "CANCELLED"
    gate.set()
    until(lambda: not jobs._workers)
    ended = jobs.status(job_id, owner)
    assert (ended.status, ended.done) == ("CANCELLED", 1)
    assert list(stored(either_database, owner, jobs)) == ["file0.txt"]
    assert files_kept(either_database) == 0


def test_a_waiting_job_that_is_cancelled_never_starts(
    one_database: Settings, owner: Scope, gate: threading.Event
) -> None:
    jobs = jobs_of(one_database, lambda texts: gate.wait(30))
    first = [jobs.submit(files(1, f"first{number}-"), owner) for number in range(2)]
    until(lambda: all(jobs.status(job_id, owner).started_at for job_id in first))
    last = jobs.submit(files(1, "last"), owner)
    jobs.cancel(last, owner)
    gate.set()
    for job_id in first:
        jobs.wait(job_id, owner, 30)
    ended = jobs.status(last, owner)
    assert (ended.status, ended.runs, ended.started_at) == ("CANCELLED", 0, None)


def test_a_completed_job_cannot_be_cancelled(one_database: Settings, owner: Scope) -> None:
    jobs = jobs_of(one_database)
    job_id = jobs.submit(files(1), owner)
    jobs.wait(job_id, owner, 30)
    assert jobs.cancel(job_id, owner).status == "COMPLETED"


def test_a_model_that_fails_fails_the_job_with_its_sentence(either_database: Settings, owner: Scope) -> None:
    def before(texts: list[str]) -> None:
        if "file1" in texts[0]:
            raise ModelError("The model does not answer; start it.")

    jobs = jobs_of(either_database, before)
    ended = jobs.wait(jobs.submit(files(3), owner), owner, 30)
    assert (ended.status, ended.reason) == ("FAILED", "The model does not answer; start it.")
    assert (ended.done, ended.source_file, ended.step) == (1, "file1.txt", "embedding")
    assert list(stored(either_database, owner, jobs)) == ["file0.txt"]


def test_an_unexpected_error_fails_the_job_and_names_the_file(one_database: Settings, owner: Scope) -> None:
    jobs = jobs_of(one_database, lambda texts: {}["missing"])
    ended = jobs.wait(jobs.submit(files(1), owner), owner, 30)
    assert ended.status == "FAILED"
    assert ended.reason.startswith("An unexpected error at file0.txt ended the job")
    assert "\n" not in ended.reason


def test_a_bad_file_is_told_and_the_others_go_on(one_database: Settings, owner: Scope) -> None:
    jobs = jobs_of(one_database)
    ended = jobs.wait(jobs.submit([(b"", "empty.txt"), *files(1), (b"x", "../../a.exe")], owner), owner, 30)
    assert ended.status == "COMPLETED"
    assert [result.status for result in ended.results] == ["failed", "added", "failed"]
    assert ended.results[0].reason == "It is empty."


def test_a_file_too_long_for_the_embedding_server_fails_alone_and_in_its_words(
    one_database: Settings, owner: Scope, server: Server
) -> None:
    server.longest_input = 300
    served = one_database.model_copy(update={"openai_base_url": server.url, "embedding_model": "any", "max_retries": 0})
    place = Workspace(served, engine(one_database), embedding_model(served), OfflineLLM())
    jobs = Jobs(place, {PLAIN.name: Index(PLAIN.name, (TokenTextSplitter(chunk_size=400, chunk_overlap=0),))})
    many = [(words("short", 9), "a.txt"), (words("long"), "b.txt"), (words("brief", 9), "c.txt")]
    ended = jobs.wait(jobs.submit(many, owner), owner, 30)
    assert (ended.status, [result.status for result in ended.results]) == ("COMPLETED", ["added", "failed", "added"])
    assert "input (1371 tokens) is too large to process" in (ended.results[1].reason or "")


def test_a_job_without_a_single_good_file_failed(one_database: Settings, owner: Scope) -> None:
    jobs = jobs_of(one_database)
    one = jobs.wait(jobs.submit([(b"", "empty.txt")], owner), owner, 30)
    assert (one.status, one.reason) == ("FAILED", "It is empty.")
    two = jobs.wait(jobs.submit([(b"", "empty.txt"), (b"", "void.txt")], owner), owner, 30)
    assert (two.status, two.reason) == (
        "FAILED",
        "None of the files could be ingested; the first one, empty.txt: It is empty.",
    )


def test_a_file_at_which_work_broke_off_too_often_is_given_up(
    one_database: Settings, owner: Scope, gate: threading.Event
) -> None:
    made = JobQueue(engine(one_database))
    made.put(owner, [PLAIN.name], "hash8_8", [(content, name) for content, name in files(2)], 10)
    for _ in range(3):
        with claim_next(made.engine, [PLAIN.name], "hash8_8") as taken:
            assert taken is not None
    jobs = jobs_of(one_database, ingestion_attempts=3)
    (job,) = jobs.all(owner)
    ended = jobs.wait(job.id, owner, 30)
    assert [(result.source_file, result.status) for result in ended.results] == [
        ("file0.txt", "failed"),
        ("file1.txt", "added"),
    ]
    assert "broke off 3 times" in ended.results[0].reason


def test_workers_that_look_at_the_same_moment_never_take_the_same_job(either_database: Settings, owner: Scope) -> None:
    made = JobQueue(engine(either_database))
    for number in range(4):
        made.put(owner, [PLAIN.name], "hash8_8", files(1, f"race{number}-"), 10)
    all_looked, taken = threading.Barrier(9), []

    def look() -> None:
        with claim_next(made.engine, [PLAIN.name], "hash8_8") as mine:
            if mine is not None:
                taken.append(mine.job.number)
            all_looked.wait(30)

    lookers = [threading.Thread(target=look) for _ in range(8)]
    for looker in lookers:
        looker.start()
    all_looked.wait(30)
    for looker in lookers:
        looker.join()
    assert len(taken) == len(set(taken)) == 4


def test_a_worker_leaves_jobs_for_another_model_or_index_alone(one_database: Settings, owner: Scope) -> None:
    made = JobQueue(engine(one_database))
    made.put(owner, [PLAIN.name], "other_9", files(1), 10)
    made.put(owner, [PLAIN.name, "other"], "hash8_8", files(1), 10)
    with claim_next(made.engine, [PLAIN.name], "hash8_8") as taken:
        assert taken is None


def test_a_worker_that_was_replaced_can_write_nothing(one_database: Settings, owner: Scope) -> None:
    made = JobQueue(engine(one_database))
    made.put(owner, [PLAIN.name], "hash8_8", files(1), 10)
    with claim_next(made.engine, [PLAIN.name], "hash8_8") as early:
        pass
    with claim_next(made.engine, [PLAIN.name], "hash8_8") as late:
        early.finish("FAILED", "by the wrong one")
        early.release("by the wrong one")
        (job,) = made.all(owner, 1)
        assert (job.status, job.reason) == ("PROCESSING", None)
        late.finish("COMPLETED")
    assert made.all(owner, 1)[0].status == "COMPLETED"


def test_workers_go_when_nothing_is_open_and_come_back(one_database: Settings, owner: Scope) -> None:
    jobs = jobs_of(one_database)
    for name in ("one", "two"):
        assert jobs.wait(jobs.submit(files(1, name), owner), owner, 30).status == "COMPLETED"
        until(lambda: not jobs._workers)


def test_a_held_job_does_not_keep_the_database_from_cleaning_up(either_database: Settings, owner: Scope) -> None:
    made = JobQueue(engine(either_database))
    made.put(owner, [PLAIN.name], "hash8_8", files(1), 10)
    held = text(
        "SELECT a.state, a.backend_xid IS NULL AND a.backend_xmin IS NULL FROM pg_stat_activity a"
        " JOIN pg_locks l USING (pid) JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()"
        " WHERE l.locktype = 'advisory' AND l.classid = :space AND l.objid = :number"
    )
    with claim_next(made.engine, [PLAIN.name], "hash8_8") as taken, made.engine.connect() as connection:
        assert taken is not None
        holding = connection.execute(held, {"space": LOCKS, "number": taken.job.number}).all()
        assert holding == [("idle in transaction", True)]


def test_the_type_of_the_scope_is_the_type_of_the_material(database: Settings, owner: Scope) -> None:
    jobs = jobs_of(database)
    jobs.wait(jobs.submit(files(1), Scope(owner.user_id, type="note"), [PLAIN.name]), owner, 30)
    store = jobs._workspace.store(PLAIN)
    notes = store.get_nodes(scope=Scope(owner.user_id, type="note"))
    assert {(chunk.metadata["type"], chunk.metadata["ref_id"]) for chunk in notes} == {("note", "file0.txt")}
    assert store.get_nodes(scope=Scope(owner.user_id, type="document")) == []


def test_a_file_over_the_limit_is_refused_before_it_reaches_the_queue(database: Settings) -> None:
    jobs, owner = jobs_of(database, max_file_bytes=1_000_000), Scope("jobs-large")
    with pytest.raises(ReadError, match=r"large\.txt is larger"):
        jobs.submit([(b"x" * 1_000_001, "large.txt"), *files(1)], owner)
    assert jobs.all(owner) == []


def test_of_two_jobs_with_the_same_file_the_later_version_stays(
    one_database: Settings, owner: Scope, gate: threading.Event
) -> None:
    begun = threading.Event()

    def before(texts: list[str]) -> None:
        if "slow-" in texts[0]:
            begun.set()
            gate.wait(30)

    jobs = jobs_of(one_database, before)
    first = jobs.submit([(words("slow"), "slow.txt"), (words("old"), "a.txt")], owner)
    assert begun.wait(30)
    second = jobs.submit([(words("new"), "a.txt")], owner)
    jobs.wait(second, owner, 2)
    gate.set()
    assert [jobs.wait(each, owner, 30).status for each in (first, second)] == ["COMPLETED"] * 2
    nodes = jobs._workspace.store(PLAIN).get_nodes(scope=owner)
    kept = [node.get_content() for node in nodes if node.metadata["source_file"] == "a.txt"]
    assert kept
    assert all("new-" in each for each in kept)
