"""The queue of ingestion jobs: two tables of PostgreSQL, and how a worker takes a job out of them.

A task framework such as procrastinate would bring its own schema, event loop and worker, and still leave to us a
bounded queue whose caller lends a hand, progress by file and step, and the owner of a job.

Taking is `SELECT … FOR UPDATE SKIP LOCKED`: workers that look at the same moment each lock another row. A row lock
would have to last as long as the work, and would keep progress from being written. So a second connection holds an
advisory lock on the job's number in a transaction that stays open meanwhile; it has no snapshot and no transaction id,
so it hinders no clean-up. When the worker dies, even of SIGKILL, its connection closes and the server frees the lock.

A worker that lost only its connection is still at work when another takes the job. What it writes about the job then
names an earlier run than the row's, changes nothing, and ends its work (Kleppmann calls this a fencing token).
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

from sqlalchemy import TEXT, Connection, DateTime, Engine, ForeignKey, Index, LargeBinary, String, Uuid, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Mapped, Session, aliased, mapped_column
from sqlalchemy.sql import ColumnElement, column, delete, exists, false, func, insert, literal, select, true, update

from lessons.database.messages import explained
from lessons.database.owners import owner_transaction
from lessons.database.schema import ensure_schema, protect
from lessons.errors import DatabaseError
from lessons.ingest.enrich import Enrichment
from lessons.ingest.pipeline import FileResult
from lessons.rag.tables import Base
from lessons.rag.types import Scope
from lessons.settings import settings

State = Literal["PROCESSING", "ENRICHING", "COMPLETED", "FAILED", "CANCELLED", "NOT_FOUND"]
Moment = Annotated[datetime, mapped_column(DateTime(timezone=True))]

LOCKS = 726_004
"""First key of this queue's advisory locks; the second is the job's number, or 0 while the waiting jobs are counted."""

IS_UNCLAIMED = text(
    "NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = :space"
    " AND objid = ingestion_jobs.number AND objsubid = 2"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"
).bindparams(space=LOCKS)
TRY_LOCK = text("SELECT pg_try_advisory_xact_lock(:space, :number)").bindparams(space=LOCKS)
# Servers may end idle transactions, which this one is on purpose. Without the probes a server notices only after hours
# that the worker's machine was switched off; with them (seconds, nine probes) after a minute. SET comes last, because
# the snapshot of a SELECT stays until the connection's next statement, and SET takes none.
KEEP_HOLDING = [
    text("SET LOCAL tcp_keepalives_idle = 15"),
    text("SET LOCAL tcp_keepalives_interval = 5"),
    text("SET LOCAL idle_in_transaction_session_timeout = 0"),
]


@dataclass(frozen=True)
class JobResult(FileResult):
    """What became of one file in one index."""

    index: str = ""


class JobStatus(Base):
    """A job as it stands, from the moment it was submitted. It is open until `finished_at` is set.

    `done` and `total` count files, each once for every index it goes into. `step` is what is done to `source_file` now,
    or was when the job failed; `step_done` and `step_total` count the file's chunks while they are enriched or
    embedded. `reason` says why the job failed, or while it is open what it waits for. `runs` counts the workers that
    took it, `attempts` how often work on its present file has begun.
    """

    __tablename__ = "ingestion_jobs"
    __table_args__ = (Index("ingestion_jobs_open", "number", postgresql_where=text("finished_at IS NULL")),)

    number: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(Uuid(as_uuid=False), unique=True, default=lambda: str(uuid4()))
    user_id: Mapped[str] = mapped_column(index=True)
    indexes: Mapped[list[str]] = mapped_column(ARRAY(TEXT))
    embedding: Mapped[str]
    enrichment: Mapped[Enrichment] = mapped_column(String, server_default="none")
    type: Mapped[str | None]
    files: Mapped[int]
    status: Mapped[State] = mapped_column(String, server_default="PROCESSING")
    source_file: Mapped[str | None]
    step: Mapped[str | None]
    step_done: Mapped[int] = mapped_column(server_default="0")
    step_total: Mapped[int] = mapped_column(server_default="0")
    reported: Mapped[list[dict[str, Any]]] = mapped_column("results", JSONB, server_default="[]")
    reason: Mapped[str | None]
    runs: Mapped[int] = mapped_column("run", server_default="0")
    attempts: Mapped[int] = mapped_column(server_default="0")
    created_at: Mapped[Moment] = mapped_column(server_default=func.now())
    started_at: Mapped[Moment | None]
    finished_at: Mapped[Moment | None]

    @property
    def results(self) -> list[JobResult]:
        return [JobResult(**each) for each in self.reported]

    @property
    def done(self) -> int:
        return len(self.reported)

    @property
    def total(self) -> int:
        return self.files * len(self.indexes)

    @property
    def is_open(self) -> bool:
        """Whether it waits or is being worked on."""
        return self.status in ("PROCESSING", "ENRICHING")


class JobFileRow(Base):
    """A file of an open job, so that any process that reaches the database can work on it; gone when the job ends."""

    __tablename__ = "ingestion_job_files"

    job: Mapped[int] = mapped_column(ForeignKey(JobStatus.number, ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    source_file: Mapped[str]
    content: Mapped[bytes] = mapped_column(LargeBinary)


class JobQueue:
    """Jobs of all owners and processes. Every method raises DatabaseError if the database cannot be used."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        ensure_schema(engine, _create)

    def put(
        self,
        scope: Scope,
        indexes: Sequence[str],
        embedding: str,
        files: Iterable[tuple[bytes, str]],
        room: int,
        enrichment: Enrichment = "none",
    ) -> tuple[str, bool]:
        """Add a job with its (content, source_file) pairs; give its id, and whether `room` jobs waited already."""
        with explained(), Session(self.engine) as session, session.begin():
            oldest = func.now() - timedelta(days=settings().finished_job_days)
            session.execute(delete(JobStatus).where(JobStatus.finished_at < oldest))
            chosen = {"indexes": list(indexes), "embedding": embedding, "enrichment": enrichment}
            job = JobStatus(user_id=scope.user_id, type=scope.type, files=0, **chosen)
            session.add(job)
            session.flush()
            for position, (content, name) in enumerate(files):
                row = {"job": job.number, "position": position, "source_file": name, "content": content}
                session.execute(insert(JobFileRow), row)
                job.files += 1
            session.execute(text("SELECT pg_advisory_xact_lock(:space, 0)"), {"space": LOCKS})
            waiting = JobStatus.finished_at.is_(None), JobStatus.runs == 0, JobStatus.id != job.id
            return job.id, session.scalars(select(func.count()).where(*waiting)).one() >= room

    def status(self, job_id: str, scope: Scope) -> JobStatus:
        """How far a job is; NOT_FOUND for an id that does not exist, is none, or is another owner's."""
        with owner_transaction(self.engine, scope.user_id) as connection, Session(connection) as session:
            found = session.scalar(select(JobStatus).where(*_of(job_id, scope)))
            return found or JobStatus(id=job_id, status="NOT_FOUND", indexes=[], files=0, runs=0, reported=[])

    def all(self, scope: Scope, limit: int = 50) -> list[JobStatus]:
        """An owner's jobs, the newest first."""
        newest = select(JobStatus).where(JobStatus.user_id == scope.user_id).order_by(JobStatus.number.desc())
        with owner_transaction(self.engine, scope.user_id) as connection, Session(connection) as session:
            return list(session.scalars(newest.limit(limit)))

    def states(self, scope: Scope, names: Sequence[str]) -> dict[str, State]:
        """How far an owner's files are that open jobs hold, and FAILED for those that a job gave up last."""
        waiting = select(JobFileRow.source_file, JobStatus.status).join(JobStatus, JobStatus.number == JobFileRow.job)
        result = func.jsonb_array_elements(JobStatus.reported).table_valued(column("value", JSONB)).lateral()
        failed = select(result.c.value["source_file"].astext, literal("FAILED")).join_from(JobStatus, result, true())
        failed = failed.where(JobStatus.user_id == scope.user_id, result.c.value["status"].astext == "failed")
        with owner_transaction(self.engine, scope.user_id) as connection:
            rows = [*connection.execute(failed), *connection.execute(waiting.where(JobStatus.user_id == scope.user_id))]
        return {name: state for name, state in rows if name in names}

    def cancel(self, job_id: str, scope: Scope) -> JobStatus:
        """End an open job before its worker's next step. Files that are stored already stay."""
        ended = {"status": "CANCELLED", "step": None, "reason": None, "finished_at": func.now()}
        with owner_transaction(self.engine, scope.user_id) as connection:
            _change(connection, _of(job_id, scope), **ended)
        return self.status(job_id, scope)

    def has_open_jobs(self, indexes: Sequence[str], embedding: str) -> bool:
        """Whether a job waits or is being worked on that a worker with these indexes and this embedding could do."""
        with explained(), self.engine.begin() as connection:
            return bool(connection.scalar(select(exists().where(*_open_for(indexes, embedding)))))


def _create(connection: Connection) -> None:
    """Owners look at their jobs through the wall. Workers do everybody's jobs, hence no FORCE."""
    Base.metadata.create_all(connection, [Base.metadata.tables[row.__tablename__] for row in (JobStatus, JobFileRow)])
    protect(connection, JobStatus.__tablename__, force=False)
    protect(connection, JobFileRow.__tablename__, "job IN (SELECT number FROM ingestion_jobs)", force=False)


def _open_for(indexes: Sequence[str], embedding: str, job: type[JobStatus] = JobStatus) -> list[ColumnElement[bool]]:
    return [job.finished_at.is_(None), job.embedding == embedding, job.indexes.contained_by(list(indexes))]


def _is_next(indexes: Sequence[str], embedding: str) -> ColumnElement[bool]:
    """Whether no earlier open job holds an earlier version of one of its files, which would be stored after it."""
    earlier, its, own = aliased(JobStatus), aliased(JobFileRow), aliased(JobFileRow)
    before = earlier.number < JobStatus.number, earlier.user_id == JobStatus.user_id
    shared = its.job == earlier.number, own.job == JobStatus.number, its.source_file == own.source_file
    same = *before, earlier.indexes.overlap(JobStatus.indexes), *shared
    return ~exists().where(*_open_for(indexes, embedding, earlier), *same)


def _of(job_id: str, scope: Scope) -> list[ColumnElement[bool]]:
    try:
        return [JobStatus.id == str(UUID(job_id)), JobStatus.user_id == scope.user_id]
    except ValueError:
        return [false()]


class Superseded(Exception):  # noqa: N818 - it is no error
    """The job was cancelled, or another worker has it."""


@dataclass(frozen=True)
class Claim:
    """A job in the hands of one worker. Its methods raise DatabaseError if the database cannot be used."""

    engine: Engine
    job: JobStatus

    def files(self) -> Iterator[tuple[bytes, str]]:
        """The job's (content, source_file) pairs, one at a time; Superseded if they are gone."""
        for position in range(self.job.files):
            with explained(), Session(self.engine) as session:
                row = session.get(JobFileRow, (self.job.number, position))
            if row is None:
                raise Superseded
            yield row.content, row.source_file

    def note(self, status: State, source_file: str, step: str, done: int, total: int) -> None:
        """Write down what is being done; Superseded if it should no longer be."""
        self.job.source_file = source_file
        self._write(status=status, source_file=source_file, step=step, step_done=done, step_total=total)

    def record(self, result: JobResult) -> None:
        """Add the result of a file, and begin to count attempts at the next; Superseded if it is no longer wanted."""
        self._write(reported=JobStatus.reported.op("||")(literal([asdict(result)], JSONB)), attempts=1, reason=None)
        self.job.reported = [*self.job.reported, asdict(result)]

    def release(self, reason: str) -> None:
        """Leave the job open for a later attempt and say what it is waiting for."""
        with suppress(Superseded):
            self._write(reason=reason, step=None, step_done=0, step_total=0)

    def finish(self, status: State, reason: str | None = None) -> None:
        """End the job and drop its files, unless it ended already. The file at which it failed stays named."""
        place = {} if status == "FAILED" else {"source_file": None, "step": None, "step_done": 0, "step_total": 0}
        with suppress(Superseded):
            self._write(status=status, reason=reason, finished_at=func.now(), **place)

    def _write(self, **values: Any) -> None:
        mine = [JobStatus.number == self.job.number, JobStatus.runs == self.job.runs]
        with explained(), self.engine.begin() as connection:
            if not _change(connection, mine, **values):
                raise Superseded


def _change(connection: Connection, where: Sequence[ColumnElement[bool]], **values: Any) -> bool:
    """Change an open job; False if none is meant. Its files go when it ends."""
    changing = update(JobStatus).where(*where, JobStatus.finished_at.is_(None)).values(**values)
    number = connection.scalar(changing.returning(JobStatus.number))
    if number is not None and "finished_at" in values:
        connection.execute(delete(JobFileRow).where(JobFileRow.job == number))
    return number is not None


@contextmanager
def claim(engine: Engine, indexes: Sequence[str], embedding: str, only: str | None = None) -> Iterator[Claim | None]:
    """The oldest open job that nobody works on (or only the one with this id), held until the block ends; or None."""
    free = select(JobStatus).where(*_open_for(indexes, embedding), IS_UNCLAIMED, _is_next(indexes, embedding))
    if only is not None:
        free = free.where(JobStatus.id == only)
    with explained():
        hold = engine.connect()
        try:
            job = _taken(engine, hold, free.order_by(JobStatus.number).limit(1).with_for_update(skip_locked=True))
            yield Claim(engine, job) if job else None
        finally:
            with suppress(SQLAlchemyError, DatabaseError):
                hold.close()


def _taken(engine: Engine, hold: Connection, free: Any) -> JobStatus | None:
    with Session(engine, expire_on_commit=False) as session, session.begin():
        job: JobStatus | None = session.scalar(free)
        if job is None or not hold.scalar(TRY_LOCK, {"number": job.number}):
            return None
        for setting in KEEP_HOLDING:
            hold.execute(setting)
        job.runs += 1
        job.attempts += 1
        job.started_at = func.coalesce(JobStatus.started_at, func.now())
    return job
