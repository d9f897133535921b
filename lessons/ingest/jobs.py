"""Ingestion in the background. Submit files, get a job's id at once, and look how far it is.

The files lie in the database until the job ends, because that is the one place every worker can reach. Calls to a model
are not retried here: its client retries a bounded number of times, and then the job fails.
"""

import logging
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from io import BytesIO
from pathlib import Path, PurePath
from threading import Lock, Thread, current_thread
from time import monotonic, sleep
from typing import TYPE_CHECKING

from lessons.errors import DatabaseError, LessonsError
from lessons.ingest.enrich import Enrichment, default_enrichment
from lessons.ingest.index import Index
from lessons.ingest.pipeline import ingest
from lessons.ingest.queue import Claim, JobQueue, JobResult, JobStatus, State, Superseded, claim
from lessons.ingest.read import READERS, FileError, read_errors, too_large_message
from lessons.models.embedding import identity
from lessons.rag.types import Scope
from lessons.text import normalize

if TYPE_CHECKING:
    from lessons.rag.workspace import Workspace

logger = logging.getLogger(__name__)
POLL = 0.25  # seconds between two looks at the queue
LONGEST_PAUSE = 30.0  # seconds between two looks at a database that is down
GIVE_UP = 20  # looks at a database that is down, about eight minutes; the job stays open


class Jobs(JobQueue):
    """The ingestion jobs of a workspace and the workers of this process, which begin with the first job."""

    def __init__(self, place: "Workspace", indexes: Mapping[str, Index]) -> None:
        """`indexes` by the names under which jobs ask for them: the same in every process that shares the database."""
        super().__init__(place.engine)
        self._place, self._indexes = place, dict(indexes)
        # Workers need the model that a job was submitted for, since another model means another table.
        self._embedding = "{}_{}".format(*identity(place.embedding))
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
        chosen, level = self._place.settings, enrichment or default_enrichment(self._place.llm)
        contents = _contents(files, chosen.max_file_bytes)
        job_id, full = self.put(scope, names, self._embedding, contents, chosen.ingestion_queue, level)
        self.start(full)
        if full:
            try:
                self._work_on_next(job_id)
            except DatabaseError as error:
                logger.warning("job %s is left to the workers: %s", job_id, error)
        return job_id

    def wait(self, job_id: str, scope: Scope, timeout: float = float("inf")) -> JobStatus:
        """The job's status when it has ended, or after `timeout` seconds. Starts the workers, if they are missing."""
        self.start()
        deadline = monotonic() + timeout
        while (status := self.status(job_id, scope)).is_open and monotonic() < deadline:
            sleep(min(POLL, max(0.0, deadline - monotonic())))
        return status

    def start(self, full: bool = False) -> None:
        """Start missing workers, as many as there may be where the queue is `full`; they go when nothing is open."""
        chosen = self._place.settings
        with self._lock:
            self._workers = {worker for worker in self._workers if worker.is_alive()}
            wanted = max(chosen.ingestion_workers, chosen.most_ingestion_workers if full else 0)
            for _ in range(wanted - len(self._workers)):
                worker = Thread(target=self._work, name="ingestion", daemon=True)
                self._workers.add(worker)
                worker.start()

    def _work(self) -> None:
        """Do job after job until none is open, more and more patient while the database is down."""
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

    def _work_on_next(self, only: str | None = None) -> bool:
        with claim(self.engine, list(self._indexes), self._embedding, only) as taken:
            if taken is not None:
                work(taken, self._place, self._indexes)
            return taken is not None

    def _may_go(self) -> bool:
        """Leave if nothing is open. Under the lock, so that `start` cannot count a worker that is about to leave."""
        with self._lock:
            if self.has_open_jobs(list(self._indexes), self._embedding):
                return False
            self._workers.discard(current_thread())
            return True


def _contents(files: Sequence[tuple[Path | bytes, str]], limit: int) -> Iterator[tuple[bytes, str]]:
    for source, name in files:
        with read_errors(name), BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file:
            if len(content := file.read(limit + 1)) > limit:
                raise FileError(too_large_message(limit))
        yield content, normalize(name)


def work(claim: Claim, place: "Workspace", indexes: Mapping[str, Index]) -> None:
    """Work on a job from its first file without a result to its end, and write down what became of it.

    A file at which work broke off too often is given up and the others go on. A DatabaseError leaves the job open and
    is raised again, so that the worker can wait before the next attempt; every other error fails the job.
    """
    job = claim.job
    try:
        with _unpacked(claim, place.settings.data_dir) as files:
            if job.attempts > place.settings.ingestion_attempts and job.done < job.total:
                claim.record(_given_up(job, files))
            for position, name in enumerate(job.indexes):
                if remaining := files[max(0, job.done - position * len(files)) :]:
                    _fill(claim, place, indexes[name].enriched(job.enrichment, place.llm), name, remaining)
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


def _fill(claim: Claim, place: "Workspace", index: Index, name: str, files: Sequence[tuple[Path, str]]) -> None:
    status: State = "ENRICHING" if index.enriches else "PROCESSING"

    def watch(source_file: str, step: str, done: int = 0, total: int = 0, /) -> None:
        claim.note(status, source_file, "enriching" if index.enriches and step == "splitting" else step, done, total)

    scope = Scope(claim.job.user_id, type=claim.job.type)
    for result in ingest(files, index, place.store(index), place.embedding, scope, watch):
        claim.record(JobResult(**asdict(result), index=name))


def _given_up(job: JobStatus, files: Sequence[tuple[Path, str]]) -> JobResult:
    index, position = divmod(job.done, len(files))
    reason = job.reason or (
        f"Work on it broke off {job.attempts - 1} times and was given up: "
        "the program may lack memory for it, so split the file."
    )
    return JobResult(files[position][1], "failed", reason=reason, index=job.indexes[index])


def _outcome(results: Sequence[JobResult]) -> tuple[State, str | None]:
    if any(result.status != "failed" for result in results):
        return "COMPLETED", None
    first, several = results[0], len(results) > 1
    none = f"None of the files could be ingested; the first one, {first.source_file}: {first.reason}"
    return "FAILED", none if several else first.reason


@contextmanager
def _unpacked(claim: Claim, data_dir: Path) -> Iterator[list[tuple[Path, str]]]:
    """The job's files on this machine's disk under names of our own, for as long as they are worked on."""
    folder = data_dir.expanduser().absolute() / "jobs"
    for left in folder.glob(f"{claim.job.id}-*"):  # by a worker that was killed
        shutil.rmtree(left, ignore_errors=True)
    mine = folder / f"{claim.job.id}-{claim.job.runs}"
    try:
        try:
            files = list(_saved(claim, mine))
        except OSError as error:
            raise LessonsError(
                f"The files cannot be unpacked in {folder} ({error.strerror or error}): "
                "free some space there, or set LESSONS_DATA_DIR to another folder."
            ) from error
        yield files
    finally:
        shutil.rmtree(mine, ignore_errors=True)


def _saved(claim: Claim, folder: Path) -> Iterator[tuple[Path, str]]:
    folder.mkdir(mode=0o700, parents=True)
    for position, (content, source_file) in enumerate(claim.files()):
        suffix = PurePath(source_file).suffix.lower()
        path = folder / f"{position}{suffix if suffix in READERS else ''}"
        path.write_bytes(content)
        yield path, source_file
