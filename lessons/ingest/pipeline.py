"""Ingestion: read → split → embed → store, file by file; a bad file is reported and the others go on."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from time import perf_counter
from typing import Literal, Protocol

from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.schema import BaseNode, Document, MetadataMode

from lessons import trace
from lessons.errors import ReadError
from lessons.ingest.index import Index
from lessons.ingest.read import content_hash, read
from lessons.ingest.read.names import stored_name
from lessons.rag.store import ChunkStore
from lessons.rag.types import Scope

Status = Literal["added", "replaced", "unchanged", "duplicate", "failed"]
Step = Literal["reading", "splitting", "summaries", "keywords", "embedding", "storing"]


@dataclass(frozen=True)
class FileResult:
    """What became of one file. `reason` says why without its name, or how it was read if that took a guess.

    Times are seconds. Calls, tokens and cost in US dollars are those of its enrichment.
    """

    source_file: str
    status: Status
    chunks: int = 0
    reason: str | None = None
    seconds: float = 0.0
    embedding_seconds: float = 0.0
    enriching_seconds: float = 0.0
    llm_calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0


USED = ("llm_calls", "tokens_in", "tokens_out", "cost")


class Watch(Protocol):
    """Told what is done to which file: a step begins, or is done for `done` of its `total` chunks.

    Whatever it raises ends the run between two steps, before anything of that file is stored.
    """

    def __call__(self, source_file: str, step: Step, done: int = 0, total: int = 0, /) -> object: ...


def _nobody(source_file: str, step: Step, done: int = 0, total: int = 0, /) -> None:
    """Watches nothing."""


Read = Callable[[Path, str, str], list[Document]]


def read_anew(path: Path, source_file: str, content: str) -> list[Document]:
    """The pages of a file whose bytes have the hash `content`."""
    return read(path, source_file)


def reading_once() -> Read:
    """Reads as `read_anew` does, but the file that it read last only once, for several indexes in turn."""
    return lru_cache(maxsize=1)(read_anew)


def ingest(
    files: Sequence[tuple[Path, str]],
    index: Index,
    store: ChunkStore,
    embedding: BaseEmbedding,
    scope: Scope,
    watch: Watch = _nobody,
    pages: Read = read_anew,
) -> Iterator[FileResult]:
    """Ingest (path, source_file) pairs for the owner of the scope, as material of its type, and yield each result.

    A file whose content is known is skipped; a changed one replaces its earlier chunks. DatabaseError and ModelError
    end the run, since they would fail every further file; what was written before stays.
    """
    known = fingerprints(store, scope)
    written = 0
    for path, name in files:
        watch(stored_name(name), "reading")
        result = recognise(path, name, index, scope, known)
        if isinstance(result, Due):
            due, result = result, ingest_file(path, result, index, store, embedding, scope, watch, pages)
            if result.status != "failed":
                known[due.source_file] = due.fingerprint
                written += result.chunks
        yield result
    store.settle(written)


@dataclass(frozen=True)
class Due:
    """A file that has to be read: its name, its hash, the fingerprint it is stored under, and its status then."""

    source_file: str
    content: str
    fingerprint: str
    status: Literal["added", "replaced"]


def fingerprints(store: ChunkStore, scope: Scope) -> dict[str, str]:
    """What is stored already of an owner's files, by name."""
    return {document.source_file: document.sha256 for document in store.documents(scope)}


def recognise(path: Path, name: str, index: Index, scope: Scope, known: Mapping[str, str]) -> Due | FileResult:
    """Whether a file is to be read, by its content alone; a result says why not."""
    name = stored_name(name)
    try:
        content = content_hash(path, name)
    except ReadError as error:
        return FileResult(name, "failed", reason=error.reason)
    fingerprint = index.fingerprint(content, scope.type)
    if known.get(name) == fingerprint:
        return FileResult(name, "unchanged")
    if twin := next((other for other, its in known.items() if its == fingerprint), None):
        return FileResult(name, "duplicate", reason=f"The same content is already stored as {twin}.")
    return Due(name, content, fingerprint, "replaced" if name in known else "added")


def ingest_file(
    path: Path,
    due: Due,
    index: Index,
    store: ChunkStore,
    embedding: BaseEmbedding,
    scope: Scope,
    watch: Watch = _nobody,
    pages: Read = read_anew,
) -> FileResult:
    """Read → split and enrich → embed → store one file: all that is done to it, wherever it is done."""
    started, name = perf_counter(), due.source_file
    try:
        documents = pages(path, name, due.content)
    except ReadError as error:
        return FileResult(name, "failed", reason=error.reason)
    watch(name, "splitting")
    used = trace.Step("enrich")
    cut_at = perf_counter()
    nodes = index.chunks(documents, scope.user_id, scope.type, used, partial(watch, name))
    enriching_seconds = perf_counter() - cut_at if used.llm_calls else 0.0
    embedding_seconds = _embed(nodes, embedding, name, watch)
    watch(name, "storing")
    store.replace_document(scope, name, due.fingerprint, nodes)
    notes = [note for note in (documents[0].metadata["structure"]["note"], _failures(used)) if note]
    reason, seconds = " ".join(notes) or None, perf_counter() - started
    result = FileResult(name, due.status, len(nodes), reason, seconds, embedding_seconds, enriching_seconds)
    return replace(result, **{key: getattr(used, key) for key in USED})


def _failures(used: trace.Step) -> str | None:
    """What to say of calls to the model that failed."""
    if not used.notes:
        return None
    reason = used.notes[0].partition("(")[2].rpartition(")")[0].rstrip(".")
    return f"The model failed {len(used.notes)} times and the keyless model filled in ({reason})."


def _embed(nodes: Sequence[BaseNode], embedding: BaseEmbedding, name: str, watch: Watch) -> float:
    started = perf_counter()
    size = embedding.embed_batch_size
    for first in range(0, len(nodes), size):
        watch(name, "embedding", first, len(nodes))
        batch = nodes[first : first + size]
        vectors = embedding.get_text_embedding_batch([node.get_content(MetadataMode.EMBED) for node in batch])
        for node, vector in zip(batch, vectors, strict=True):
            node.embedding = vector
    return perf_counter() - started
