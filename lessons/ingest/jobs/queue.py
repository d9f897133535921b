"""The queue of ingestion jobs in PostgreSQL: put a job in, look at it, cancel it. `claim.py` takes it out."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import cached_property
from uuid import UUID

from sqlalchemy import (
    Connection,
    Engine,
    column,
    delete,
    exists,
    false,
    func,
    insert,
    literal,
    select,
    text,
    true,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session
from sqlalchemy.sql import ColumnElement

from lessons.database import ensure_schema, explained
from lessons.database.row_security import protect, scoped
from lessons.ingest.enrich.extractors import Enrichment
from lessons.ingest.jobs.table import JobFileRow, JobRow, JobStatus, State, status_of
from lessons.rag.tables import Base
from lessons.settings import settings

LOCKS = 726_004
"""First key of this queue's advisory locks; the second is the job's number, or 0 while the waiting jobs are counted."""

ADD_COLUMNS = text(
    f"ALTER TABLE {JobRow.__tablename__} ADD COLUMN IF NOT EXISTS enrichment varchar NOT NULL DEFAULT 'none',"
    " ADD COLUMN IF NOT EXISTS type varchar"
)
"""For a queue that was made before jobs had levels and types."""


class JobQueue:
    """Jobs of all owners and processes. Every method raises DatabaseError if the database cannot be used."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @cached_property
    def engine(self) -> Engine:
        """The engine, once the tables are there."""
        ensure_schema(self._engine, _create)
        return self._engine

    def put(
        self,
        user_id: str,
        indexes: Sequence[str],
        embedding: str,
        files: Iterable[tuple[bytes, str]],
        room: int,
        enrichment: Enrichment = "none",
        type: str | None = None,
    ) -> tuple[UUID, bool]:
        """Add a job with its (content, source_file) pairs; give its id, and whether `room` jobs waited already.

        Jobs that ended long ago are dropped on the way.
        """
        with explained(), Session(self.engine) as session, session.begin():
            oldest = func.now() - timedelta(days=settings().finished_job_days)
            session.execute(delete(JobRow).where(JobRow.finished_at < oldest))
            chosen = {"indexes": list(indexes), "embedding": embedding, "enrichment": enrichment, "type": type}
            job = JobRow(user_id=user_id, files=0, **chosen)
            session.add(job)
            session.flush()
            for position, (content, name) in enumerate(files):
                row = {"job": job.number, "position": position, "source_file": name, "content": content}
                session.execute(insert(JobFileRow), row)
                job.files += 1
            session.execute(text("SELECT pg_advisory_xact_lock(:space, 0)"), {"space": LOCKS})
            waiting = select(func.count()).where(JobRow.finished_at.is_(None), JobRow.run == 0, JobRow.id != job.id)
            return job.id, session.scalars(waiting).one() >= room

    def find(self, job_id: str, user_id: str) -> JobStatus:
        """An owner's job; NOT_FOUND for an id that does not exist, is none, or is another owner's."""
        with scoped(self.engine, user_id) as connection, Session(connection) as session:
            row = session.scalar(select(JobRow).where(*_of(job_id, user_id)))
            return status_of(row) if row else JobStatus(job_id, "NOT_FOUND")

    def all(self, user_id: str, limit: int) -> list[JobStatus]:
        """An owner's jobs, the newest first."""
        statement = select(JobRow).where(JobRow.user_id == user_id).order_by(JobRow.number.desc()).limit(limit)
        with scoped(self.engine, user_id) as connection, Session(connection) as session:
            return [status_of(row) for row in session.scalars(statement)]

    def states(self, user_id: str, names: Sequence[str]) -> dict[str, State]:
        """How far an owner's files are that open jobs hold, and FAILED for those that a job gave up last."""
        waiting = select(JobFileRow.source_file, JobRow.status).join(JobRow, JobRow.number == JobFileRow.job)
        result = func.jsonb_array_elements(JobRow.results).table_valued(column("value", JSONB)).lateral()
        failed = select(result.c.value["source_file"].astext, literal("FAILED")).join_from(JobRow, result, true())
        failed = failed.where(JobRow.user_id == user_id, result.c.value["status"].astext == "failed")
        with scoped(self.engine, user_id) as connection:
            rows = [*connection.execute(failed), *connection.execute(waiting.where(JobRow.user_id == user_id))]
        return {name: state for name, state in rows if name in names}

    def cancel(self, job_id: str, user_id: str) -> None:
        """End an owner's job if it is open; its worker notices before its next step."""
        ending = update(JobRow).where(*_of(job_id, user_id), JobRow.finished_at.is_(None))
        ending = ending.values(status="CANCELLED", step=None, reason=None, finished_at=func.now())
        with scoped(self.engine, user_id) as connection:
            for number in connection.scalars(ending.returning(JobRow.number)):
                connection.execute(delete(JobFileRow).where(JobFileRow.job == number))

    def any_open(self, indexes: Sequence[str], embedding: str) -> bool:
        """Whether a job waits or is being worked on that a worker with these indexes and this embedding could do."""
        with explained(), self.engine.begin() as connection:
            return bool(connection.scalar(select(exists().where(*open_for(indexes, embedding)))))


def _create(connection: Connection) -> None:
    """Owners look at their jobs through the wall. Workers do everybody's jobs, hence no FORCE."""
    Base.metadata.create_all(connection, [Base.metadata.tables[row.__tablename__] for row in (JobRow, JobFileRow)])
    connection.execute(ADD_COLUMNS)
    protect(connection, JobRow.__tablename__, force=False)
    protect(connection, JobFileRow.__tablename__, "job IN (SELECT number FROM ingestion_jobs)", force=False)


def open_for(indexes: Sequence[str], embedding: str) -> list[ColumnElement[bool]]:
    """The open jobs that a worker with these indexes and this embedding can do."""
    return [
        JobRow.finished_at.is_(None),
        JobRow.embedding == embedding,
        JobRow.indexes.contained_by(list(indexes)),
    ]


def _of(job_id: str, user_id: str) -> list[ColumnElement[bool]]:
    try:
        known = UUID(job_id)
    except ValueError:
        return [false()]
    return [JobRow.id == known, JobRow.user_id == user_id]
