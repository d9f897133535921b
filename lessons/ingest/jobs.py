"""Workers that ingest in the background: submit files, get a job's id at once, and look up how far it is.

Calls to a model are not retried here: its client retries a bounded number of times, and then the job fails.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from threading import Lock, Thread, current_thread
from time import monotonic, sleep

from sqlalchemy import exists, select

from lessons.database import explained
from lessons.errors import DatabaseError, LessonsError
from lessons.ingest.enrich import Enrichment, default_enrichment
from lessons.ingest.index import Index
from lessons.ingest.pipeline import ingest
from lessons.ingest.queue import Claim, JobQueue, JobResult, JobStatus, State, Superseded, claim_next, is_open_for
from lessons.ingest.read import READERS, FileError, read_errors, too_large_message
from lessons.models.embedding import identity
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.text import normalize

logger = logging.getLogger(__name__)
POLL = 0.25  # seconds between two looks at the queue
LONGEST_PAUSE = 30.0  # seconds between two looks at a database that is down
MOST_FAILURES = 20  # looks at a database that is down, about eight minutes; the job stays open


class Jobs(JobQueue):
    """The ingestion jobs of a workspace and the workers of this process, which begin with the first job."""

    def __init__(self, workspace: Workspace, indexes: Mapping[str, Index]) -> None:
        """`indexes` by the names under which jobs ask for them: the same in every process that shares the database."""
        super().__init__(workspace.engine)
        self._workspace, self._indexes = workspace, dict(indexes)
        # Workers need the model that a job was submitted for, since another model means another table.
        self._embedding = "{}_{}".format(*identity(workspace.embedding))
        self._lock = Lock()
        self._workers: set[Thread] = set()

    def submit(
        self,
        files: Sequence[tuple[Path | bytes, str]],
        scope: Scope,
        indexes: Sequence[str] | None = None,
        enrichment: Enrichment | None = None,
    ) -> str:
        """Queue (path or content, source_file) pairs for some indexes, or all of them; return the job's id.

        When the queue is full, more workers begin, and the job is done before this returns. Indexes that enrich come
        last, so that the plain ones can answer meanwhile. Without an `enrichment` it is the model's default. ReadError
        if a path cannot be opened or a file is over `max_file_bytes`; then nothing is queued.
        """
        names = list(self._indexes) if indexes is None else list(dict.fromkeys(indexes))
        if unknown := [name for name in names if name not in self._indexes]:
            raise LessonsError(f"There is no index {unknown[0]}; choose from {', '.join(self._indexes)}.")
        if not files or not names:
            raise LessonsError("There is nothing to ingest; name at least one file and one index.")
        names.sort(key=lambda name: self._indexes[name].enriches)
        configured, level = self._workspace.settings, enrichment or default_enrichment(self._workspace.llm)
        contents = _contents(files, configured.max_file_bytes)
        job_id, is_full = self.put(scope, names, self._embedding, contents, configured.ingestion_queue, level)
        self.start(is_full)
        if is_full:
            try:
                self._work_on_next(job_id)
            except DatabaseError as error:
                logger.warning("job %s is left to the workers: %s", job_id, error)
        return job_id

    def wait(self, job_id: str, scope: Scope, timeout: float = float("inf")) -> JobStatus:
        """Return the job when it has ended, or after `timeout` seconds. Start the workers, if they are missing."""
        self.start()
        deadline = monotonic() + timeout
        while (status := self.status(job_id, scope)).is_open and monotonic() < deadline:
            sleep(min(POLL, max(0.0, deadline - monotonic())))
        return status

    def start(self, full: bool = False) -> None:
        """Start missing workers, as many as there may be if the queue is `full`; they go when nothing is open."""
        configured = self._workspace.settings
        with self._lock:
            self._workers = {worker for worker in self._workers if worker.is_alive()}
            count = max(configured.ingestion_workers, configured.most_ingestion_workers if full else 0)
            for _ in range(count - len(self._workers)):
                worker = Thread(target=self._work, name="ingestion", daemon=True)
                self._workers.add(worker)
                worker.start()

    def _work(self) -> None:
        """Do job after job until none is open, more and more patient while the database is down."""
        failures = 0
        while failures < MOST_FAILURES:
            try:
                if self._work_on_next():
                    failures = 0
                elif self._may_go():
                    return
                else:
                    sleep(POLL)
            except DatabaseError as error:
                failures += 1
                logger.warning("ingestion waits: %s", error)
                sleep(min(POLL * 2**failures, LONGEST_PAUSE))
        logger.error("ingestion stopped; jobs stay open until the next one is submitted")

    def _work_on_next(self, job_id: str | None = None) -> bool:
        with claim_next(self.engine, list(self._indexes), self._embedding, job_id) as claim:
            if claim is not None:
                work(claim, self._workspace, self._indexes)
            return claim is not None

    def _may_go(self) -> bool:
        """Leave if nothing is open. Under the lock, so that `start` cannot count a worker that is about to leave."""
        with self._lock, explained(), self.engine.begin() as connection:
            is_open = exists().where(*is_open_for(list(self._indexes), self._embedding))
            if connection.scalar(select(is_open)):
                return False
            self._workers.discard(current_thread())
            return True


def _contents(files: Sequence[tuple[Path | bytes, str]], limit: int) -> Iterator[tuple[bytes, str]]:
    for source, name in files:
        with read_errors(name):
            content = source if isinstance(source, bytes) else source.read_bytes()
            if len(content) > limit:
                raise FileError(too_large_message(limit))
        yield content, normalize(name)


def work(claim: Claim, workspace: Workspace, indexes: Mapping[str, Index]) -> None:
    """Work on a job from its first file without a result to its end, and write down the outcome.

    A file at which work broke off too often is given up and the others go on. A DatabaseError leaves the job open and
    is raised again, so that the worker can wait before the next attempt; every other error fails the job.
    """
    job = claim.job
    try:
        if job.attempts > workspace.settings.ingestion_attempts and job.done < job.total:
            claim.record(_given_up(claim))
        for position, name in enumerate(job.indexes):
            first = max(0, job.done - position * job.files)
            _fill(claim, workspace, indexes[name].enriched(job.enrichment, workspace.llm), name, first)
        claim.finish(*_outcome(job.results))
    except Superseded:
        logger.info("job %s was cancelled or taken over", job.id)
    except DatabaseError as error:
        claim.release(str(error))
        raise
    except LessonsError as error:
        claim.finish("FAILED", str(error))
    except Exception:
        logger.exception("job %s failed", job.id)
        at = f" at {job.source_file}" if job.source_file else ""
        claim.finish("FAILED", f"An unexpected error{at} ended the job: see the log, and submit the other files again.")


def _fill(claim: Claim, workspace: Workspace, index: Index, name: str, first: int) -> None:
    """Ingest the job's files from number `first` on into one index."""
    status: State = "ENRICHING" if index.enriches else "PROCESSING"

    def watch(source_file: str, step: str, progress: int = 0, total: int = 0, /) -> None:
        claim.job.source_file = source_file
        step = "enriching" if index.enriches and step == "splitting" else step
        claim.update(status=status, source_file=source_file, step=step, step_done=progress, step_total=total)

    scope = Scope(claim.job.user_id, type=claim.job.type)
    with TemporaryDirectory(prefix="lessons-job-") as folder:
        files = _unpacked(claim, first, Path(folder))
        for result in ingest(files, index, workspace.store(index), workspace.embedding, scope, watch):
            claim.record(JobResult(**asdict(result), index=name))


def _unpacked(claim: Claim, first: int, folder: Path) -> Iterator[tuple[Path, str]]:
    """Write one file after the other to disk, under a name of our own with the suffix that tells its reader."""
    for position in range(first, claim.job.files):
        content, source_file = claim.file(position)
        suffix = PurePath(source_file).suffix.lower()
        path = folder / f"{position}{suffix if suffix in READERS else ''}"
        path.write_bytes(content)
        yield path, source_file
        path.unlink()


def _given_up(claim: Claim) -> JobResult:
    job = claim.job
    index, position = divmod(job.done, job.files)
    reason = job.reason or (
        f"Work on it broke off {job.attempts - 1} times and was given up: "
        "the program may lack memory for it, so split the file."
    )
    return JobResult(claim.file(position)[1], "failed", reason=reason, index=job.indexes[index])


def _outcome(results: Sequence[JobResult]) -> tuple[State, str | None]:
    first, *more = results
    if any(result.status != "failed" for result in results):
        return "COMPLETED", None
    none = f"None of the files could be ingested; the first one, {first.source_file}: {first.reason}"
    return "FAILED", none if more else first.reason
