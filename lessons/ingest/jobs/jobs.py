"""Ingestion in the background. Submit files, get a job's id at once, and look how far it is.

The queue is two tables of our own and no task framework. Of those that live on PostgreSQL, procrastinate (MIT, alive)
would bring its own schema, an event loop and a worker to look after, and still leave to us what is particular here: a
bounded queue whose caller lends a hand, progress by file and step, the owner of a job, and a dead worker's job taken up
at once (there, heartbeats tell, and a periodic task of one's own resumes what stalled). That is most of this code, and
the rest, `FOR UPDATE SKIP LOCKED`, is worth reading once.
The files lie in the database until the job ends, because that is the one place every worker can reach.

Calls to a model are not retried here: its client retries a bounded number of times, and then the job fails.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock, Thread, current_thread
from time import monotonic, sleep
from uuid import UUID

from lessons.errors import DatabaseError, LessonsError, ReadError
from lessons.ingest.enrich.extractors import Enrichment, default_level
from lessons.ingest.index import Index
from lessons.ingest.jobs.claim import claim
from lessons.ingest.jobs.queue import JobQueue
from lessons.ingest.jobs.run import Place, enriches, work
from lessons.ingest.jobs.table import JobStatus
from lessons.ingest.read import too_large
from lessons.models.embedding import identity
from lessons.rag.types import Scope
from lessons.text import normalize

logger = logging.getLogger(__name__)
POLL = 0.25  # seconds between two looks at the queue
LONGEST_PAUSE = 30.0  # seconds between two looks at a database that is down
GIVE_UP = 20  # looks at a database that is down, about eight minutes; the job stays open


class Jobs:
    """The ingestion jobs of a workspace and the workers of this process, which begin with the first job."""

    def __init__(self, place: Place, indexes: Mapping[str, Index]) -> None:
        """`indexes` by the names under which jobs ask for them: the same in every process that shares the database."""
        self._place, self._indexes = place, dict(indexes)
        self._queue = JobQueue(place.engine)
        self._lock = Lock()
        self._workers: set[Thread] = set()

    def submit(
        self,
        files: Sequence[tuple[Path | bytes, str]],
        scope: Scope,
        indexes: Sequence[str] | None = None,
        enrichment: Enrichment | None = None,
    ) -> str:
        """Queue (path or content, source_file) pairs for some indexes, or all of them; gives the job's id.

        When the queue is full, the job is done before this returns. Indexes that enrich their chunks come last, so
        that the plain ones can answer meanwhile. Without an `enrichment` it is the default for the model. ReadError if
        a path cannot be opened or a file is over `max_file_bytes`; then nothing is queued.
        """
        names = list(self._indexes) if indexes is None else list(dict.fromkeys(indexes))
        if unknown := [name for name in names if name not in self._indexes]:
            raise LessonsError(f"There is no index {unknown[0]}; choose from {', '.join(self._indexes)}.")
        if not files or not names:
            raise LessonsError("There is nothing to ingest; name at least one file and one index.")
        names.sort(key=lambda name: enriches(self._indexes[name]))
        settings = self._place.settings
        contents = _contents(files, settings.max_file_bytes)
        level = enrichment or default_level(self._place.llm)
        room = settings.ingestion_queue
        job_id, full = self._queue.put(scope.user_id, names, self._embedding, contents, room, level, scope.type)
        self.start()
        if full:
            self._lend_a_hand(job_id)
        return str(job_id)

    def status(self, job_id: str, scope: Scope) -> JobStatus:
        """How far a job is; NOT_FOUND for an unknown id and for another owner's job."""
        return self._queue.find(job_id, scope.user_id)

    def all(self, scope: Scope, limit: int = 50) -> list[JobStatus]:
        """An owner's jobs, the newest first."""
        return self._queue.all(scope.user_id, limit)

    def cancel(self, job_id: str, scope: Scope) -> JobStatus:
        """End an open job before its next step. Files that are stored already stay."""
        self._queue.cancel(job_id, scope.user_id)
        return self.status(job_id, scope)

    def wait(self, job_id: str, scope: Scope, timeout: float = float("inf")) -> JobStatus:
        """The job's status when it has ended, or after `timeout` seconds. Starts the workers, if they are missing."""
        self.start()
        deadline = monotonic() + timeout
        while (status := self.status(job_id, scope)).is_open and monotonic() < deadline:
            sleep(min(POLL, max(0.0, deadline - monotonic())))
        return status

    def start(self) -> None:
        """Start the workers that are missing, to take up what an earlier process left; they go when nothing is open."""
        with self._lock:
            self._workers = {worker for worker in self._workers if worker.is_alive()}
            for _ in range(self._place.settings.ingestion_workers - len(self._workers)):
                worker = Thread(target=self._work, name="ingestion", daemon=True)
                self._workers.add(worker)
                worker.start()

    @cached_property
    def _embedding(self) -> str:
        """A job is done by workers with the model it was submitted for, since another model means another table."""
        name, dimension = identity(self._place.embedding)
        return f"{name}_{dimension}"

    def _work(self) -> None:
        """What a worker does: job after job until none is open, more and more patient while the database is down."""
        failures = 0
        while failures < GIVE_UP:
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

    def _work_on_next(self, only: UUID | None = None) -> bool:
        """Do the next job, or only this one, if there is one to take."""
        with claim(self._queue.engine, list(self._indexes), self._embedding, only) as taken:
            if taken is not None:
                work(taken, self._place, self._indexes)
            return taken is not None

    def _may_go(self) -> bool:
        """Leave if nothing is open. Under the lock, so that `start` cannot count a worker that is about to leave."""
        with self._lock:
            if self._queue.any_open(list(self._indexes), self._embedding):
                return False
            self._workers.discard(current_thread())
            return True

    def _lend_a_hand(self, job_id: UUID) -> None:
        try:
            self._work_on_next(job_id)
        except DatabaseError as error:
            logger.warning("job %s is left to the workers: %s", job_id, error)


def _contents(files: Sequence[tuple[Path | bytes, str]], limit: int) -> Iterator[tuple[bytes, str]]:
    """Contents and names, one at a time; ReadError for a file that cannot be opened or is over the limit (bytes)."""
    for source, name in files:
        try:
            content = source if isinstance(source, bytes) else _read(source, limit + 1)
        except OSError as error:
            raise ReadError(name, f"cannot be opened: {error.strerror or error}.") from error
        if len(content) > limit:
            raise ReadError(name, too_large(limit))
        yield content, normalize(name)


def _read(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        return file.read(most)
