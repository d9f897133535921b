"""The queue of ingestion jobs: two tables of PostgreSQL, and how a worker takes a job out of them.

A task framework such as procrastinate would bring its own schema, event loop and worker, and still leave to us a
bounded queue whose caller lends a hand, progress by file and step, and the owner of a job.

A worker takes a job with `SELECT … FOR UPDATE SKIP LOCKED`: workers that look at the same moment each lock another row.
A row lock would have to last as long as the work, and would keep progress from being written. So a second connection
holds an advisory lock on the job's number in a transaction that stays open meanwhile; it has no snapshot and no
transaction id, so it hinders no clean-up. When the worker dies, even of SIGKILL, its connection closes and the server
frees the lock.

A worker that lost only its connection is still at work when another takes the job. What it writes about the job then
names an earlier run than the row's, changes nothing, and ends its work (Kleppmann calls this a fencing token).
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, JSONPATH
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Mapped, Session, aliased, mapped_column

from lessons.database import explained
from lessons.database.owners import owner_transaction
from lessons.database.schema import ensure_schema, protect
from lessons.errors import DatabaseError
from lessons.ingest.enrich import Enrichment
from lessons.ingest.pipeline import FileResult
from lessons.rag.tables import Base
from lessons.rag.types import Scope

State = Literal["PROCESSING", "ENRICHING", "COMPLETED", "FAILED", "CANCELLED", "NOT_FOUND"]
Condition = sa.ColumnElement[bool]
Timestamp = Annotated[datetime, mapped_column(sa.DateTime(timezone=True))]

LOCKS = 726_004
"""First key of this queue's advisory locks; the second is the job's number, or 0 while the waiting jobs are counted."""
IS_UNCLAIMED = sa.text(
    "NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = :space"
    " AND objid = ingestion_jobs.number AND objsubid = 2"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"
).bindparams(space=LOCKS)
TRY_LOCK = sa.text("SELECT pg_try_advisory_xact_lock(:space, :number)").bindparams(space=LOCKS)
# Servers may end idle transactions, which this one is on purpose. The SET comes last, because the snapshot of a SELECT
# stays until the connection's next statement, and SET takes none.
KEEP_LOCK = sa.text("SET LOCAL idle_in_transaction_session_timeout = 0")

FAILED_FILES = sa.cast('$[*] ? (@.status == "failed").source_file', JSONPATH)


@dataclass(frozen=True)
class JobResult(FileResult):
    """The outcome of one file in one index."""

    index: str = ""


class JobStatus(Base):
    """A job, from the moment it was submitted. It is open until `finished_at` is set.

    `done` and `total` count files, each once for every index it goes into. `step` is what is done to `source_file` now,
    or was when the job failed; `step_done` and `step_total` count the file's chunks while they are enriched or
    embedded. `reason` says why the job failed, or while it is open what it waits for. `runs` counts the workers that
    took it, `attempts` how often work on its present file has begun.
    """

    __tablename__ = "ingestion_jobs"
    __table_args__ = (sa.Index("ingestion_jobs_open", "number", postgresql_where=sa.text("finished_at IS NULL")),)

    number: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(sa.Uuid(as_uuid=False), unique=True, default=lambda: str(uuid4()))
    user_id: Mapped[str] = mapped_column(index=True)
    indexes: Mapped[list[str]] = mapped_column(ARRAY(sa.TEXT))
    embedding: Mapped[str]
    enrichment: Mapped[Enrichment] = mapped_column(sa.String, server_default="none")
    type: Mapped[str | None]
    files: Mapped[int]
    status: Mapped[State] = mapped_column(sa.String, server_default="PROCESSING")
    source_file: Mapped[str | None]
    step: Mapped[str | None]
    step_done: Mapped[int] = mapped_column(server_default="0")
    step_total: Mapped[int] = mapped_column(server_default="0")
    result_rows: Mapped[list[dict[str, Any]]] = mapped_column("results", JSONB, server_default="[]")
    reason: Mapped[str | None]
    runs: Mapped[int] = mapped_column("run", server_default="0")
    attempts: Mapped[int] = mapped_column(server_default="0")
    created_at: Mapped[Timestamp] = mapped_column(server_default=sa.func.now())
    started_at: Mapped[Timestamp | None]
    finished_at: Mapped[Timestamp | None]

    @property
    def results(self) -> list[JobResult]:
        return [JobResult(**row) for row in self.result_rows]

    @property
    def done(self) -> int:
        return len(self.result_rows)

    @property
    def total(self) -> int:
        return self.files * len(self.indexes)

    @property
    def is_open(self) -> bool:
        return self.status in ("PROCESSING", "ENRICHING")


class JobFileRow(Base):
    """A file of an open job, which any process can read, one at a time; gone when the job ends."""

    __tablename__ = "ingestion_job_files"

    job: Mapped[int] = mapped_column(sa.ForeignKey(JobStatus.number, ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    source_file: Mapped[str]
    content: Mapped[bytes] = mapped_column(sa.LargeBinary)


class JobQueue:
    """Jobs of all owners and processes. Every method raises DatabaseError if the database cannot be used."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine
        ensure_schema(engine, _create_tables)

    def put(
        self,
        scope: Scope,
        indexes: Sequence[str],
        embedding: str,
        files: Iterable[tuple[bytes, str]],
        capacity: int,
        enrichment: Enrichment = "none",
    ) -> tuple[str, bool]:
        """Add a job with its (content, source_file) pairs; return its id, and whether `capacity` jobs waited before."""
        job = JobStatus(user_id=scope.user_id, type=scope.type, embedding=embedding, enrichment=enrichment)
        job.indexes, job.files = list(indexes), 0
        with explained(), Session(self.engine) as session, session.begin():
            session.add(job)
            session.flush()
            for job.files, (content, name) in enumerate(files, start=1):
                row = {"job": job.number, "position": job.files - 1, "source_file": name, "content": content}
                session.execute(sa.insert(JobFileRow), row)
            session.execute(sa.text("SELECT pg_advisory_xact_lock(:space, 0)"), {"space": LOCKS})
            waiting = JobStatus.finished_at.is_(None), JobStatus.runs == 0, JobStatus.id != job.id
            return job.id, session.scalars(sa.select(sa.func.count()).where(*waiting)).one() >= capacity

    def status(self, job_id: str, scope: Scope) -> JobStatus:
        """Return a job; one that is NOT_FOUND for an id that does not exist, is none, or is another owner's."""
        with owner_transaction(self.engine, scope.user_id) as connection, Session(connection) as session:
            job = session.scalar(sa.select(JobStatus).where(*_is_job(job_id, scope)))
            return job or JobStatus(id=job_id, status="NOT_FOUND", indexes=[], files=0, runs=0, result_rows=[])

    def all(self, scope: Scope, limit: int = 50) -> list[JobStatus]:
        """List an owner's jobs, the newest first."""
        newest = sa.select(JobStatus).where(JobStatus.user_id == scope.user_id).order_by(JobStatus.number.desc())
        with owner_transaction(self.engine, scope.user_id) as connection, Session(connection) as session:
            return list(session.scalars(newest.limit(limit)))

    def owners(self) -> list[str]:
        """List the owners for whom jobs were submitted, by name."""
        with explained(), Session(self.engine) as session:
            return list(session.scalars(sa.select(JobStatus.user_id).distinct().order_by(JobStatus.user_id)))

    def file_states(self, scope: Scope, names: Sequence[str]) -> dict[str, State]:
        """Return the state of the owner's files that open jobs hold, and FAILED for those that a job gave up last."""
        failed_files = sa.func.jsonb_path_query(JobStatus.result_rows, FAILED_FILES, type_=JSONB)
        failed = sa.select(failed_files, sa.literal("FAILED"))
        waiting = sa.select(JobFileRow.source_file, JobStatus.status).join(
            JobStatus, JobStatus.number == JobFileRow.job
        )
        is_own = JobStatus.user_id == scope.user_id
        with owner_transaction(self.engine, scope.user_id) as connection:
            rows = [*connection.execute(failed.where(is_own)), *connection.execute(waiting.where(is_own))]
        return {name: state for name, state in rows if name in names}

    def cancel(self, job_id: str, scope: Scope) -> JobStatus:
        """End an open job before its worker's next step. Files that are stored already stay."""
        ending = {"status": "CANCELLED", "step": None, "reason": None, "finished_at": sa.func.now()}
        with owner_transaction(self.engine, scope.user_id) as connection:
            _update_open(connection, _is_job(job_id, scope), **ending)
        return self.status(job_id, scope)


def _create_tables(connection: sa.Connection) -> None:
    """Make the tables. Owners see their own rows only; workers do everybody's jobs, hence no FORCE."""
    Base.metadata.create_all(connection, [Base.metadata.tables[row.__tablename__] for row in (JobStatus, JobFileRow)])
    protect(connection, JobStatus.__tablename__, force=False)
    protect(connection, JobFileRow.__tablename__, "job IN (SELECT number FROM ingestion_jobs)", force=False)


def _is_job(job_id: str, scope: Scope) -> list[Condition]:
    try:
        return [JobStatus.id == str(UUID(job_id)), JobStatus.user_id == scope.user_id]
    except ValueError:
        return [sa.false()]


def _update_open(connection: sa.Connection, conditions: Sequence[Condition], **values: Any) -> bool:
    """Update an open job and return True; False if there is none. Its files go when it ends."""
    update = sa.update(JobStatus).where(*conditions, JobStatus.finished_at.is_(None)).values(**values)
    number = connection.scalar(update.returning(JobStatus.number))
    if number is not None and "finished_at" in values:
        connection.execute(sa.delete(JobFileRow).where(JobFileRow.job == number))
    return number is not None


class Superseded(Exception):  # noqa: N818 - it is no error
    """The job was cancelled, or another worker has it."""


@dataclass(frozen=True)
class Claim:
    """A job in the hands of one worker. Its methods raise DatabaseError if the database cannot be used."""

    engine: sa.Engine
    job: JobStatus

    def file(self, position: int) -> tuple[bytes, str]:
        """Return content and name of one of the job's files; Superseded if they are gone."""
        with explained(), Session(self.engine) as session:
            row = session.get(JobFileRow, (self.job.number, position))
        if row is None:
            raise Superseded
        return row.content, row.source_file

    def update(self, **values: Any) -> None:
        """Write columns of the job's row; Superseded if the job has ended or is another worker's."""
        own_run = [JobStatus.number == self.job.number, JobStatus.runs == self.job.runs]
        with explained(), self.engine.begin() as connection:
            if not _update_open(connection, own_run, **values):
                raise Superseded

    def record(self, result: JobResult) -> None:
        """Add the result of a file, and begin to count attempts at the next; Superseded as for `update`."""
        row = asdict(result)
        appended = JobStatus.result_rows.op("||")(sa.literal([row], JSONB))
        self.update(result_rows=appended, attempts=1, reason=None)
        self.job.result_rows = [*self.job.result_rows, row]

    def release(self, reason: str) -> None:
        """Leave the job open for a later attempt and say what it is waiting for."""
        with suppress(Superseded):
            self.update(reason=reason, step=None, step_done=0, step_total=0)

    def finish(self, status: State, reason: str | None = None) -> None:
        """End the job and drop its files, unless it ended already. The file at which it failed stays named."""
        cleared = {} if status == "FAILED" else {"source_file": None, "step": None, "step_done": 0, "step_total": 0}
        with suppress(Superseded):
            self.update(status=status, reason=reason, finished_at=sa.func.now(), **cleared)


def is_open_for(indexes: Sequence[str], embedding: str, job: type[JobStatus] = JobStatus) -> list[Condition]:
    """Return the conditions on open jobs that a worker with these indexes and this embedding can do."""
    return [job.finished_at.is_(None), job.embedding == embedding, job.indexes.contained_by(list(indexes))]


@contextmanager
def claim_next(
    engine: sa.Engine, indexes: Sequence[str], embedding: str, job_id: str | None = None
) -> Iterator[Claim | None]:
    """Hold the oldest open job that nobody works on (or only the one with this id) until the block ends; or None.

    A job waits while an earlier one holds an earlier version of one of its files, which would be stored after it.
    """
    earlier, earlier_file, own_file = aliased(JobStatus), aliased(JobFileRow), aliased(JobFileRow)
    is_earlier = earlier.number < JobStatus.number, earlier.user_id == JobStatus.user_id
    overlaps = earlier.indexes.overlap(JobStatus.indexes), earlier_file.source_file == own_file.source_file
    files_of_both = earlier_file.job == earlier.number, own_file.job == JobStatus.number
    is_blocked = sa.exists().where(*is_open_for(indexes, embedding, earlier), *is_earlier, *overlaps, *files_of_both)
    free = sa.select(JobStatus).where(*is_open_for(indexes, embedding), IS_UNCLAIMED, ~is_blocked)
    if job_id is not None:
        free = free.where(JobStatus.id == job_id)
    with explained():
        lock = engine.connect()
        try:
            job = _lock_job(engine, lock, free.order_by(JobStatus.number).limit(1).with_for_update(skip_locked=True))
            yield Claim(engine, job) if job else None
        finally:
            with suppress(SQLAlchemyError, DatabaseError):
                lock.close()


def _lock_job(engine: sa.Engine, lock: sa.Connection, free: sa.Select) -> JobStatus | None:
    with Session(engine, expire_on_commit=False) as session, session.begin():
        job: JobStatus | None = session.scalar(free)
        if job is None or not lock.scalar(TRY_LOCK, {"number": job.number}):
            return None
        lock.execute(KEEP_LOCK)
        job.runs += 1
        job.attempts += 1
        job.started_at = sa.func.coalesce(JobStatus.started_at, sa.func.now())
    return job
