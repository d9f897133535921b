"""Ingestion spread over a Ray cluster: a task for each file, and in it the very steps of the local path.

Who starts it recognises what is known and sends the others' bytes, so the machines share no disk; the workers read,
split, enrich, embed and store. What holds when things go wrong:

- A worker dies: Ray gives its file to another one. A document is stored in one transaction, under ids that derive from
  its content, so work that is done twice, or by two runs at once, leaves the same rows once.
- The model is slow: a task asks it one thing at a time, and there are never more than `cluster_requests` tasks. No
  permit is handed out that a dead worker could take along.

A file is one unit of work that ends in a transaction; nothing is shuffled between steps, as Ray Data would do it.
"""

import logging
import os
import pickle
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from llama_index.core.utils import get_tokenizer

from lessons.errors import DatabaseError, LessonsError
from lessons.ingest.enrich import Enrichment
from lessons.ingest.index import Index
from lessons.ingest.pipeline import FileResult, PendingFile, check_status, fingerprints, ingest_file
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.settings import Settings, adopt

PATIENCE = 5.0  # seconds for a first connection


def ingest_on_ray(
    files: Sequence[tuple[Path, str]], index: Index, workspace: Workspace, scope: Scope, enrichment: Enrichment = "none"
) -> Iterator[FileResult]:
    """Ingest like `lessons.ingest.pipeline.ingest`, on a cluster, and yield each result when it is there.

    Errors are those of `ingest` and `cluster`. A file over which workers died `ingestion_attempts` times has failed.
    """
    store, written, running = workspace.store(index), 0, dict[Any, PendingFile]()
    fingerprint_of, enriched_index = fingerprints(store, scope), index.enriched(enrichment, workspace.llm)
    with cluster(workspace.settings) as ray:
        send = _sender(ray, index, workspace, scope, enrichment)

        def next_result() -> FileResult:
            nonlocal written
            (task, *_), _ = ray.wait(list(running), num_returns=1)
            file = running.pop(task)
            result = _result(ray, task, file, workspace.settings)
            if result.status != "failed":
                fingerprint_of[result.source_file] = file.fingerprint
                written += result.chunks
            return result

        try:
            for path, name in files:
                if len(running) >= workspace.settings.cluster_requests:
                    yield next_result()
                while True:
                    status = check_status(path, name, enriched_index, scope, fingerprint_of)
                    if not _is_under_way(status, running.values()):
                        break
                    yield next_result()
                if isinstance(status, FileResult):
                    yield status
                else:
                    running[send(path, status)] = status
            while running:
                yield next_result()
        finally:
            for task in running if ray.is_initialized() else ():
                ray.cancel(task)
    store.optimize(written)


def _is_under_way(status: PendingFile | FileResult, running: Iterable[PendingFile]) -> bool:
    """Return True if a file with the same content or name is being worked on, so that this one has to wait."""
    return isinstance(status, PendingFile) and any(
        status.fingerprint == file.fingerprint or status.source_file == file.source_file for file in running
    )


def _result(ray: Any, task: Any, file: PendingFile, settings: Settings) -> FileResult:
    try:
        return ray.get(task)
    except ray.exceptions.RayTaskError as error:  # what a step raised, with the worker's traceback for a message
        raise error.cause from None
    except ray.exceptions.RayError:
        reason = (
            f"Work on it broke off {settings.ingestion_attempts} times and was given up: "
            "the workers may lack memory for it, so split the file."
        )
        return FileResult(file.source_file, "failed", reason=reason)


def _sender(
    ray: Any, index: Index, workspace: Workspace, scope: Scope, enrichment: Enrichment
) -> Callable[[Path, PendingFile], Any]:
    alone = workspace.settings.model_copy(update={"enrichment_workers": 1, "embedding_threads": 1})
    run = ray.remote(_ingest_sent).options(num_cpus=1, max_retries=workspace.settings.ingestion_attempts - 1)
    logging.disable(logging.WARNING)  # LlamaIndex's splitters say that they leave out what they can make again
    try:
        work = pickle.dumps((index.enriched("none", workspace.llm), scope, enrichment))
    finally:
        logging.disable(logging.NOTSET)
    return lambda path, file: run.remote(pickle.dumps(alone), work, path.suffix, path.read_bytes(), file)


def _ingest_sent(settings: bytes, work: bytes, suffix: str, content: bytes, file: PendingFile) -> FileResult:
    """Take a file through all steps, as a task in a worker's process; it is saved for the readers first."""
    adopt(pickle.loads(settings))
    workspace = _opened(settings)
    get_tokenizer()  # LlamaIndex's own copy, before a splitter asks tiktoken, which would download one
    index, scope, enrichment = pickle.loads(work)
    index = index.enriched(enrichment, workspace.llm)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"sent{suffix}"
        path.write_bytes(content)
        return ingest_file(path, file, index, workspace.store(index), workspace.embedding, scope)


@cache
def _opened(settings: bytes) -> Workspace:
    return Workspace.open(pickle.loads(settings))


@contextmanager
def cluster(settings: Settings) -> Iterator[Any]:
    """Connect Ray to the cluster that RAY_ADDRESS names, or to one of this machine's processors for the time being.

    LessonsError if Ray is missing or cannot be reached, DatabaseError if its machines could not reach the database.
    """
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")  # under `uv run` it would copy this folder to workers
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_NUM_REDIS_GET_RETRIES", "2")  # attempts to join a cluster, of 40 s; else 20
    try:
        import ray
    except ImportError:
        message = "Ray is not installed: run `uv sync --extra scale`, or ingest without `--engine ray`."
        raise LessonsError(message) from None
    if joins := not ray.is_initialized():
        _join(ray, os.environ.get("RAY_ADDRESS", ""))
    try:
        refuse_unreachable(settings, {node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]})
        yield ray
    finally:
        if joins:
            ray.shutdown()


def _join(ray: Any, address: str) -> None:
    host, _, port = address.rpartition(":")
    try:
        if host and port.isdecimal() and "/" not in host:
            socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except (OSError, OverflowError):
        message = f"No Ray cluster answers at {address}: start it with `ray start --head`, or correct RAY_ADDRESS."
        raise LessonsError(message) from None
    try:
        ray.init(log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:
        reason = str(error).split(". ")[0].rstrip(".")
        raise LessonsError(
            f"The Ray cluster cannot be reached or started: {reason}. Check RAY_ADDRESS; for a cluster with a token, "
            "set RAY_AUTH_MODE=token and copy ~/.ray/auth_token from its first machine."
        ) from error


def refuse_unreachable(settings: Settings, machines: set[str]) -> None:
    """Raise DatabaseError if the database is this machine's own and the cluster has others."""
    if not settings.database_url and len(machines) > 1:
        raise DatabaseError(
            "The cluster has more than this machine, and the embedded database can be reached from here only: "
            "set DATABASE_URL to a PostgreSQL that every machine reaches."
        )
