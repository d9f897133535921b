"""The tables of ingestion jobs, and what a reader sees of a job."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

from sqlalchemy import TEXT, DateTime, ForeignKey, Index, LargeBinary, func, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from lessons.ingest.enrich.extractors import Enrichment
from lessons.ingest.pipeline import FileResult
from lessons.rag.tables import Base

State = Literal["PROCESSING", "ENRICHING", "COMPLETED", "FAILED", "CANCELLED", "NOT_FOUND"]
Moment = Annotated[datetime, mapped_column(DateTime(timezone=True))]


class JobRow(Base):
    """A job from the moment it was submitted. It is open until `finished_at` is set.

    `run` counts the workers that took it. `attempts` counts how often work on its present file has begun.
    """

    __tablename__ = "ingestion_jobs"
    __table_args__ = (Index("ingestion_jobs_open", "number", postgresql_where=text("finished_at IS NULL")),)

    number: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[UUID] = mapped_column(unique=True, default=uuid4)
    user_id: Mapped[str] = mapped_column(index=True)
    indexes: Mapped[list[str]] = mapped_column(ARRAY(TEXT))
    embedding: Mapped[str]
    enrichment: Mapped[str] = mapped_column(server_default="none")
    type: Mapped[str | None]
    files: Mapped[int]
    status: Mapped[str] = mapped_column(server_default="PROCESSING")
    source_file: Mapped[str | None]
    step: Mapped[str | None]
    step_done: Mapped[int] = mapped_column(server_default="0")
    step_total: Mapped[int] = mapped_column(server_default="0")
    results: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, server_default="[]")
    reason: Mapped[str | None]
    run: Mapped[int] = mapped_column(server_default="0")
    attempts: Mapped[int] = mapped_column(server_default="0")
    created_at: Mapped[Moment] = mapped_column(server_default=func.now())
    started_at: Mapped[Moment | None]
    updated_at: Mapped[Moment] = mapped_column(server_default=func.now())
    finished_at: Mapped[Moment | None]


class JobFileRow(Base):
    """A file of an open job, so that any process that reaches the database can work on it; gone when the job ends."""

    __tablename__ = "ingestion_job_files"

    job: Mapped[int] = mapped_column(ForeignKey(JobRow.number, ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    source_file: Mapped[str]
    content: Mapped[bytes] = mapped_column(LargeBinary)


@dataclass(frozen=True)
class JobResult(FileResult):
    """What became of one file in one index."""

    index: str = ""


@dataclass(frozen=True)
class JobStatus:
    """A job as it stands. `done` and `total` count files, each once for every index it goes into.

    `step` is what is done to `source_file` now, or was when the job failed; `step_done` and `step_total` count the
    file's chunks while they are enriched or embedded. `reason` says why the job failed, or while it is open what it
    waits for.
    """

    id: str
    status: State
    indexes: tuple[str, ...] = ()
    enrichment: Enrichment = "none"
    done: int = 0
    total: int = 0
    source_file: str | None = None
    step: str | None = None
    step_done: int = 0
    step_total: int = 0
    results: tuple[JobResult, ...] = ()
    reason: str | None = None
    runs: int = 0
    created_at: datetime | None = None
    started_at: datetime | None = None
    updated_at: datetime | None = None
    finished_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        """Whether it waits or is being worked on."""
        return self.status in ("PROCESSING", "ENRICHING")

    @property
    def is_waiting(self) -> bool:
        """Whether no worker has taken it yet."""
        return self.is_open and self.started_at is None

    @property
    def chunks(self) -> int:
        """The chunks stored so far."""
        return sum(result.chunks for result in self.results)


def status_of(row: JobRow) -> JobStatus:
    """What a reader sees of a row."""
    results = tuple(JobResult(**result) for result in row.results)
    same = ("status", "enrichment", "source_file", "step", "step_done", "step_total", "reason")
    times = ("created_at", "started_at", "updated_at", "finished_at")
    return JobStatus(
        id=str(row.id),
        indexes=tuple(row.indexes),
        done=len(results),
        total=row.files * len(row.indexes),
        results=results,
        runs=row.run,
        **{name: getattr(row, name) for name in same + times},
    )
