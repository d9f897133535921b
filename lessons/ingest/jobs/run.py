"""The work of one job: its files, one after the other, into each of its indexes, through the usual ingestion."""

import logging
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path, PurePath
from typing import Protocol, cast

from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.extractors import BaseExtractor
from llama_index.core.llms import LLM
from sqlalchemy import Engine

from lessons.errors import DatabaseError, LessonsError
from lessons.ingest.enrich.extractors import Enrichment
from lessons.ingest.index import Index
from lessons.ingest.jobs.claim import Claim, Superseded
from lessons.ingest.jobs.table import JobResult, State
from lessons.ingest.pipeline import Step, ingest
from lessons.ingest.read import READERS
from lessons.rag.store import ChunkStore
from lessons.rag.types import Scope
from lessons.settings import Settings

logger = logging.getLogger(__name__)


class Place(Protocol):
    """What a worker needs of a workspace."""

    settings: Settings
    engine: Engine
    embedding: BaseEmbedding
    llm: LLM

    def store(self, index: Index) -> ChunkStore: ...


def enriches(index: Index) -> bool:
    """Whether chunks of this index are enriched, which LlamaIndex's extractors do."""
    return any(isinstance(transformation, BaseExtractor) for transformation in index.transformations)


def work(claim: Claim, place: Place, indexes: Mapping[str, Index]) -> None:
    """Work on a job from its first file without a result to its end, and write down what became of it.

    A file at which work broke off too often is given up and the others go on. A DatabaseError leaves the job open and
    is raised again, so that the worker can wait before the next attempt; every other error fails the job.
    """
    try:
        with _unpacked(claim, place.settings.data_dir) as files:
            if claim.job.attempts > place.settings.ingestion_attempts:
                claim.record(_given_up(claim, files))
            for position, name in enumerate(claim.job.indexes):
                remaining = files[max(0, len(claim.job.results) - position * len(files)) :]
                index = indexes[name].at(cast(Enrichment, claim.job.enrichment), place.llm)
                _fill(claim, place, name, index, remaining)
        claim.finish(*_outcome(claim))
    except Superseded:
        logger.info("job %s was cancelled or taken over", claim.job.id)
    except DatabaseError as error:
        claim.put_back(str(error))
        raise
    except LessonsError as error:
        claim.finish("FAILED", str(error))
    except Exception:
        logger.exception("job %s failed", claim.job.id)
        at = f" at {claim.job.source_file}" if claim.job.source_file else ""
        claim.finish("FAILED", f"An unexpected error{at} ended the job: see the log, and submit the other files again.")


def _fill(claim: Claim, place: Place, name: str, index: Index, files: Sequence[tuple[Path, str]]) -> None:
    enriched = enriches(index)
    status: State = "ENRICHING" if enriched else "PROCESSING"

    def watch(source_file: str, step: Step, done: int = 0, total: int = 0, /) -> None:
        shown = "enriching" if enriched and step == "splitting" else step
        claim.note(status, source_file, shown, done, total)

    scope = Scope(claim.job.user_id, type=claim.job.type)
    for result in ingest(files, index, place.store(index), place.embedding, scope, watch) if files else ():
        claim.record(JobResult(**asdict(result), index=name))


def _given_up(claim: Claim, files: Sequence[tuple[Path, str]]) -> JobResult:
    index, position = divmod(len(claim.job.results), len(files))
    reason = claim.job.reason or (
        f"Work on it broke off {claim.job.attempts - 1} times and was given up: "
        "the program may lack memory for it, so split the file."
    )
    return JobResult(files[position][1], "failed", reason=reason, index=claim.job.indexes[index])


def _outcome(claim: Claim) -> tuple[State, str | None]:
    """FAILED if not a single file could be used."""
    results = claim.job.results
    if any(result["status"] != "failed" for result in results):
        return "COMPLETED", None
    name, reason = results[0]["source_file"], results[0]["reason"]
    if len(results) == 1:
        return "FAILED", reason
    return "FAILED", f"None of the files could be ingested; the first one, {name}: {reason}"


@contextmanager
def _unpacked(claim: Claim, data_dir: Path) -> Iterator[list[tuple[Path, str]]]:
    """The job's files on this machine's disk under names of our own, for as long as they are worked on."""
    folder = data_dir.expanduser().absolute() / "jobs"
    for left in folder.glob(f"{claim.job.id}-*"):  # by a worker that was killed
        shutil.rmtree(left, ignore_errors=True)
    mine = folder / f"{claim.job.id}-{claim.job.run}"
    try:
        yield _saved(claim, mine)
    finally:
        shutil.rmtree(mine, ignore_errors=True)


def _saved(claim: Claim, folder: Path) -> list[tuple[Path, str]]:
    saved = []
    try:
        folder.mkdir(mode=0o700, parents=True)
        for position, (content, source_file) in enumerate(claim.files()):
            suffix = PurePath(source_file).suffix.lower()
            path = folder / f"{position}{suffix if suffix in READERS else ''}"
            path.write_bytes(content)
            saved.append((path, source_file))
    except OSError as error:
        raise LessonsError(
            f"The files cannot be unpacked in {folder.parent} ({error.strerror or error}): "
            "free some space there, or set LESSONS_DATA_DIR to another folder."
        ) from error
    return saved
