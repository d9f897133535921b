"""Ingestion spread over a Ray cluster: a task for each file, and in it the very steps of the local path.

Who starts it recognises what is known and sends the others' bytes, so the machines share no disk; the workers read,
split, enrich, embed and store. What holds when things go wrong:

- A worker dies: Ray gives its file to another one. A document is stored in one transaction, under ids that derive from
  its content, so work that is done twice, or by two runs at once, leaves the same rows once.
- The model is slow: a task asks it one thing at a time, and there are never more than `cluster_requests` tasks. No
  permit is handed out that a dead worker could take along.

Ray's tasks, not Ray Data: a file is one unit of work that ends in a transaction, and nothing is shuffled between steps.
"""

import logging
import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, Self

from llama_index.core.utils import get_tokenizer

from lessons.ingest.enrich.extractors import Enrichment
from lessons.ingest.index import Index
from lessons.ingest.jobs.run import Place
from lessons.ingest.pipeline import Due, FileResult, fingerprints, ingest_file, recognise
from lessons.ingest.ray_cluster import cluster
from lessons.rag.types import Scope
from lessons.settings import Settings, adopt


class Opened(Place, Protocol):
    """A workspace that a worker can open as well: `lessons.workspace.Workspace`."""

    @classmethod
    def open(cls, chosen: Settings) -> Self: ...


def ingest_on_ray(
    files: Sequence[tuple[Path, str]], index: Index, place: Opened, scope: Scope, enrichment: Enrichment = "none"
) -> Iterator[FileResult]:
    """Ingest like `lessons.ingest.pipeline.ingest`, on a cluster, and yield each result when it is there.

    Errors are those of `ingest` and `cluster`. A file over which workers died `ingestion_attempts` times has failed.
    """
    store, written = place.store(index), 0
    known = fingerprints(store, scope)
    with cluster(place.settings) as ray:
        send = _sender(ray, index, place, scope, enrichment)
        chosen, waiting = index.at(enrichment, place.llm), list(files)
        while waiting:
            later: list[tuple[Path, str]] = []
            for result, fingerprint in _spread(ray, send, _due(waiting, later, chosen, scope, known), place.settings):
                if fingerprint and result.status != "failed":
                    known[result.source_file] = fingerprint
                    written += result.chunks
                yield result
            waiting = later
    store.settle(written)


Task = tuple[Path, Due]


def _due(
    files: Sequence[tuple[Path, str]], later: list[tuple[Path, str]], index: Index, scope: Scope, known: dict[str, str]
) -> Iterator[FileResult | Task]:
    """What has to be done. Files with the content or the name of one under way are put off until it is done."""
    begun: set[str] = set()
    for path, name in files:
        found = recognise(path, name, index, scope, known)
        if isinstance(found, FileResult):
            yield found
        elif begun & {found.fingerprint, found.source_file}:
            later.append((path, name))
        else:
            begun |= {found.fingerprint, found.source_file}
            yield path, found


def _spread(
    ray: Any, send: Callable[[Path, Due], Any], tasks: Iterator[FileResult | Task], settings: Settings
) -> Iterator[tuple[FileResult, str | None]]:
    """Results with the fingerprints of what was read, as they come. So many tasks are under way, and no more."""
    running: dict[Any, Due] = {}

    def one() -> tuple[FileResult, str]:
        (done, *_), _ = ray.wait(list(running), num_returns=1)
        due = running.pop(done)
        return _result(ray, done, due, settings), due.fingerprint

    try:
        for task in tasks:
            if isinstance(task, FileResult):
                yield task, None
                continue
            while len(running) >= settings.cluster_requests:
                yield one()
            running[send(*task)] = task[1]
        while running:
            yield one()
    finally:
        for left in running if ray.is_initialized() else ():
            ray.cancel(left)


def _result(ray: Any, done: Any, due: Due, settings: Settings) -> FileResult:
    try:
        return ray.get(done)
    except ray.exceptions.RayTaskError as error:  # what a step raised, with the worker's traceback for a message
        raise error.cause from None
    except ray.exceptions.RayError:
        reason = (
            f"Work on it broke off {settings.ingestion_attempts} times and was given up: "
            "the workers may lack memory for it, so split the file."
        )
        return FileResult(due.source_file, "failed", reason=reason)


def _sender(ray: Any, index: Index, place: Opened, scope: Scope, enrichment: Enrichment) -> Callable[[Path, Due], Any]:
    """Sends a file to the cluster and gives Ray's reference to its result."""
    alone = place.settings.model_copy(update={"enrichment_workers": 1, "embedding_threads": 1})
    run = ray.remote(_ingest_sent).options(num_cpus=1, max_retries=place.settings.ingestion_attempts - 1)
    where, work = _sealed(type(place).open, alone), _sealed(index.at("none", place.llm), scope, enrichment)
    return lambda path, due: run.remote(where, work, path.suffix, path.read_bytes(), due)


def _sealed(*parts: Any) -> bytes:
    logging.disable(logging.WARNING)  # LlamaIndex's splitters say that they leave out what they can make again
    try:
        return pickle.dumps(parts)
    finally:
        logging.disable(logging.NOTSET)


def _ingest_sent(where: bytes, work: bytes, suffix: str, content: bytes, due: Due) -> FileResult:
    """A task, in a worker's process: the file is saved for the readers, and goes through all steps."""
    place = _opened(where)
    adopt(place.settings)
    get_tokenizer()  # LlamaIndex's own copy, before a splitter asks tiktoken, which would download one
    index, scope, enrichment = pickle.loads(work)
    index = index.at(enrichment, place.llm)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"sent{suffix}"
        path.write_bytes(content)
        return ingest_file(path, due, index, place.store(index), place.embedding, scope)


@cache
def _opened(where: bytes) -> Place:
    """The database and the models of a worker: opened in its own process, and once."""
    open_place, chosen = pickle.loads(where)
    adopt(chosen)
    return open_place(chosen)
