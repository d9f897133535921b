"""What the tests of ingestion jobs share: a toy embedding, indexes with few tokens a chunk, and worker processes."""

import multiprocessing
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from time import sleep
from typing import Any

from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.extractors import BaseExtractor
from llama_index.core.node_parser import TokenTextSplitter
from llama_index.core.schema import BaseNode
from pydantic import PrivateAttr
from sqlalchemy import text

from lessons.database import engine
from lessons.ingest.index import Index
from lessons.ingest.jobs import Jobs
from lessons.ingest.queue import JobQueue
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.settings import Settings
from tests.support.waiting import until


class HashEmbedding(BaseEmbedding):
    """Eight numbers from the text's hash. `before` is called with the texts that are about to be embedded."""

    model_name: str = "hash8"
    _before: Callable[[list[str]], object] = PrivateAttr()

    def __init__(self, before: Callable[[list[str]], object] = lambda texts: None) -> None:
        super().__init__(model_name="hash8", embed_batch_size=2)
        self._before = before

    def _get_text_embedding(self, text: str) -> list[float]:
        return [byte / 255 + 0.01 for byte in sha256(text.encode()).digest()[:8]]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        self._before(texts)
        return [self._get_text_embedding(text) for text in texts]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


class FirstWord(BaseExtractor):
    """An enrichment step: the first word of a chunk is its keyword."""

    async def aextract(self, nodes: Sequence[BaseNode]) -> list[dict]:
        return [{"keywords": [node.get_content().split()[0]]} for node in nodes]


SPLITTER = TokenTextSplitter(chunk_size=60, chunk_overlap=0)
PLAIN = Index("jobs_plain", (SPLITTER,))
ENRICHED = Index("jobs_enriched", (SPLITTER, FirstWord()))


def jobs_of(
    settings: Settings, before: Callable[[list[str]], object] = lambda texts: None, *indexes: Index, **changed: Any
) -> Jobs:
    """The jobs of a workspace with the toy embedding; `changed` settings differ from the given ones."""
    chosen = settings.model_copy(update=changed)
    place = Workspace(chosen, engine(settings), HashEmbedding(before), None)  # type: ignore[arg-type]
    return Jobs(place, {index.name: index for index in indexes or (PLAIN,)})


def words(name: str, count: int = 100) -> bytes:
    """A text of three chunks or so that no other file has."""
    return " ".join(f"{name}-{number}" for number in range(count)).encode()


def files(count: int, prefix: str = "file") -> list[tuple[bytes, str]]:
    return [(words(f"{prefix}{number}", 30), f"{prefix}{number}.txt") for number in range(count)]


def until_workers_are_gone() -> None:
    """Wait until no worker of this process is left: one looks for its database long after a test has closed it."""
    until(lambda: not any(thread.name == "ingestion" for thread in threading.enumerate()))


def processes() -> Any:
    """Where child processes come from: one that imported everything and is forked, or, on Windows, begun anew."""
    context = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")
    if sys.platform != "win32":
        context.set_forkserver_preload(["tests.ingest.jobs_place"])
    return context


def work_in_child(
    settings: Settings, user: str, job_ids: list[str], seconds: float, started: Any, embedded: Any
) -> None:
    """Work until the jobs have ended; every embedding call takes `seconds` and is counted in `embedded`."""

    def before(texts: list[str]) -> None:
        started.set()
        with embedded.get_lock():
            embedded.value += 1
        sleep(seconds)

    jobs = jobs_of(settings, before)
    for job_id in job_ids:
        jobs.wait(job_id, Scope(user))


def submit_in_child(settings: Settings, user: str, told: Any) -> None:
    """Submit three files, tell the job's id, and hang in the second file for ever."""

    def before(texts: list[str]) -> None:
        if "file1-" in texts[0]:
            told.send("hanging")
            sleep(600)

    job_id = jobs_of(settings, before).submit(files(3), Scope(user))
    told.send(job_id)
    sleep(600)


def cleared(settings: Settings) -> Iterator[Settings]:
    """A database with an empty queue, and no worker of this process left when the test is over."""
    made = JobQueue(engine(settings)).engine
    empty = text("TRUNCATE ingestion_jobs CASCADE")
    with made.begin() as connection:
        connection.execute(empty)
    yield settings
    with made.begin() as connection:
        connection.execute(empty)
    until_workers_are_gone()
