"""How a worker takes a job, and how everybody notices when the worker is gone.

Taking is `SELECT … FOR UPDATE SKIP LOCKED`: workers that look at the same moment each lock another row instead of
waiting for one. A row lock would have to last as long as the work, and would keep progress from being written. So a
second connection holds an advisory lock on the job's number in a transaction that stays open meanwhile. It has no
snapshot and no transaction id, so it hinders no clean-up. When the worker dies, even of SIGKILL, its connection closes
and the server frees the lock: the job may be taken again at once, where a time-out would have to guess.

A worker that lost only its connection is still at work when another takes the job. What it writes about the job then
names an earlier `run` than the row's, changes nothing, and ends its work (Kleppmann calls this a fencing token).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Engine, delete, func, literal, select, text, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from lessons.database import explained
from lessons.errors import DatabaseError
from lessons.ingest.jobs.queue import LOCKS, open_for
from lessons.ingest.jobs.table import JobFileRow, JobResult, JobRow, State

NOBODY_WORKS_ON_IT = text(
    "NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = :space"
    " AND objid = ingestion_jobs.number AND objsubid = 2"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"
).bindparams(space=LOCKS)

HOLD = text("SELECT pg_try_advisory_xact_lock(:space, :number)").bindparams(space=LOCKS)
# Servers may end idle transactions, which this one is on purpose. Without the probes a server notices only after hours
# that the worker's machine was switched off; with them (seconds, nine probes) after a minute. SET comes last, because
# the snapshot of a SELECT stays until the connection's next statement, and SET takes none.
KEEP_HOLDING = [
    text("SET LOCAL tcp_keepalives_idle = 15"),
    text("SET LOCAL tcp_keepalives_interval = 5"),
    text("SET LOCAL idle_in_transaction_session_timeout = 0"),
]


class Superseded(Exception):  # noqa: N818 - it is no error
    """The job was cancelled, or another worker has it."""


@contextmanager
def claim(engine: Engine, indexes: Sequence[str], embedding: str, only: UUID | None = None) -> Iterator["Claim | None"]:
    """The oldest open job that nobody works on (or only the one with this id), held until the block ends; or None."""
    with explained():
        hold = engine.connect()
        try:
            yield _take(engine, hold, indexes, embedding, only)
        finally:
            with suppress(SQLAlchemyError, DatabaseError):
                hold.close()


def _take(
    engine: Engine, hold: Connection, indexes: Sequence[str], embedding: str, only: UUID | None
) -> "Claim | None":
    free = select(JobRow).where(*open_for(indexes, embedding), NOBODY_WORKS_ON_IT)
    if only is not None:
        free = free.where(JobRow.id == only)
    with Session(engine, expire_on_commit=False) as session, session.begin():
        job = session.scalar(free.order_by(JobRow.number).limit(1).with_for_update(skip_locked=True))
        if job is None or not hold.scalar(HOLD, {"number": job.number}):
            return None
        for setting in KEEP_HOLDING:
            hold.execute(setting)
        job.run += 1
        job.attempts += 1
        job.started_at = func.coalesce(JobRow.started_at, func.now())
    return Claim(engine, job)


@dataclass(frozen=True)
class Claim:
    """A job in the hands of one worker. Its methods raise DatabaseError if the database cannot be used."""

    engine: Engine
    job: JobRow

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
        self._must(status=status, source_file=source_file, step=step, step_done=done, step_total=total)

    def record(self, result: JobResult) -> None:
        """Add the result of a file, and begin to count attempts at the next; Superseded if it is no longer wanted."""
        added = JobRow.results.op("||")(literal([asdict(result)], JSONB))
        self._must(results=added, attempts=1, reason=None)
        self.job.results = [*self.job.results, asdict(result)]

    def put_back(self, reason: str) -> None:
        """Leave the job open for a later attempt and say what it is waiting for."""
        with explained(), self.engine.begin() as connection:
            self._update(connection, reason=reason, step=None, step_done=0, step_total=0)

    def finish(self, status: State, reason: str | None = None) -> None:
        """End the job and drop its files, unless it ended already. The file at which it failed stays named."""
        place = {} if status == "FAILED" else {"source_file": None, "step": None, "step_done": 0, "step_total": 0}
        with explained(), self.engine.begin() as connection:
            if self._update(connection, status=status, reason=reason, finished_at=func.now(), **place):
                connection.execute(delete(JobFileRow).where(JobFileRow.job == self.job.number))

    def _must(self, **values: Any) -> None:
        with explained(), self.engine.begin() as connection:
            if not self._update(connection, **values):
                raise Superseded

    def _update(self, connection: Connection, **values: Any) -> bool:
        mine = JobRow.number == self.job.number, JobRow.run == self.job.run, JobRow.finished_at.is_(None)
        statement = update(JobRow).where(*mine).values(updated_at=func.now(), **values)
        return connection.execute(statement).rowcount == 1
