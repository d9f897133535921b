"""Ingestion: read → split → enrich → embed → store, file by file; a bad file is reported and the others go on."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Literal

import numpy as np
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import LLM
from llama_index.core.schema import Document

from lessons.errors import ReadError, TooLongError
from lessons.ingest.enrich import Enrichment, Keywords, extractors
from lessons.ingest.index import Index
from lessons.ingest.read import content_hash, read, stored_name
from lessons.language import _
from lessons.models.keyless import OfflineLLM
from lessons.models.llm import price
from lessons.models.tokens import ExactTokenCounter
from lessons.rag.store import ChunkStore
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.tables import counted, money
from lessons.trace import Step

Status = Literal["added", "replaced", "unchanged", "duplicate", "failed"]
Files = Sequence[tuple[Path, str]]  # each with the name it is stored under, its `source_file`


@dataclass(frozen=True)
class FileResult:
    """What became of one file. `reason` says why without its name, or how it was read if that took a guess."""

    source_file: str
    status: Status
    chunks: int = 0
    reason: str | None = None
    llm_calls: int = 0  # as what follows, of its enrichment; cost in US dollars
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0


Watch = Callable[..., object]
"""Told the file and the step that begins, or that is done for so many (done, total) of its chunks.

Steps are reading, splitting, summaries, keywords, embedding and storing. Whatever this raises ends the run between two
of them, before anything of that file is stored.
"""


@lru_cache(maxsize=1)
def _pages(path: Path, source_file: str, content: str) -> list[Document]:
    """Read a file whose bytes have the hash `content`; the last one stays cached for a run's next index."""
    return read(path, source_file)


def ingest(
    files: Iterable[tuple[Path, str]],
    index: Index,
    store: ChunkStore,
    embedding: BaseEmbedding,
    scope: Scope,
    watch: Watch = lambda *_: None,
) -> Iterator[FileResult]:
    """Ingest files for the owner of the scope, as material of its type, and yield each result.

    A file whose content is known is skipped; a changed one replaces its earlier chunks. DatabaseError and ModelError
    end the run, since they would fail every further file; what was written before stays.
    """
    stored, written = fingerprints(store, scope), 0
    for path, name in files:
        watch(stored_name(name), "reading")
        result = check_status(path, name, index, scope, stored)
        if isinstance(result, PendingFile):
            pending = result
            result = ingest_file(path, pending, index, store, embedding, scope, watch)
            if result.status != "failed":
                stored[pending.source_file] = pending.fingerprint
        written += result.chunks
        yield result
    store.optimize(written)


def ingest_each(
    workspace: Workspace, files: Files, indexes: Sequence[Index], scope: Scope
) -> Iterator[tuple[Index, FileResult]]:
    """Ingest files into each of the indexes, file by file, so that each is read only once."""
    runs = [ingest(files, index, workspace.store(index), workspace.embedding, scope) for index in indexes]
    for results in zip(*runs, strict=True):
        yield from zip(indexes, results, strict=True)


@dataclass(frozen=True)
class PendingFile:
    """A file that has to be read: its name, its hash, the fingerprint it is stored under, and its status then."""

    source_file: str
    content: str
    fingerprint: str
    status: Literal["added", "replaced"]


def fingerprints(store: ChunkStore, scope: Scope) -> dict[str, str]:
    """Return the fingerprints of an owner's stored files, by name."""
    return {document.source_file: document.sha256 for document in store.documents(scope)}


def check_status(
    path: Path, name: str, index: Index, scope: Scope, stored: Mapping[str, str]
) -> PendingFile | FileResult:
    """Decide by its content whether a file has to be read; a result says why not."""
    name = stored_name(name)
    try:
        content = content_hash(path, name)
    except ReadError as error:
        return FileResult(name, "failed", reason=error.reason)
    fingerprint = index.fingerprint(content, scope.type)
    if stored.get(name) == fingerprint:
        return FileResult(name, "unchanged")
    if twin := next((twin for twin, its_fingerprint in stored.items() if its_fingerprint == fingerprint), None):
        return FileResult(name, "duplicate", reason=f"The same content is already stored as {twin}.")
    return PendingFile(name, content, fingerprint, "replaced" if name in stored else "added")


def ingest_file(
    path: Path,
    pending: PendingFile,
    index: Index,
    store: ChunkStore,
    embedding: BaseEmbedding,
    scope: Scope,
    watch: Watch = lambda *_: None,
) -> FileResult:
    """Read, split, enrich, embed and store one file: all that is done to it, wherever it is done."""
    name, used = pending.source_file, Step("enrich")
    try:
        documents = _pages(path, name, pending.content)
    except ReadError as error:
        return FileResult(name, "failed", reason=error.reason)
    watch(name, "splitting")
    steps = index.pipeline(scope.user_id, scope.type, embedding)
    try:
        nodes = steps.run(documents=documents, in_place=False, step=used, advance=partial(watch, name))
    except TooLongError as error:  # of this file alone; any other error of a model would fail all files
        return FileResult(name, "failed", reason=str(error))
    watch(name, "storing")
    content = path.read_bytes() if path.suffix.lower() == ".pdf" else None
    store.replace_document(scope, name, pending.fingerprint, nodes, content)
    notes = "\n".join(filter(None, (documents[0].metadata["structure"]["note"], _failures(used))))
    spent = used.llm_calls, used.tokens_in, used.tokens_out, used.cost
    return FileResult(name, pending.status, len(nodes), notes or None, *spent)


def _failures(used: Step) -> str | None:
    if not used.notes:
        return None
    reason = used.notes[0].partition("(")[2].rpartition(")")[0].rstrip(".")
    return f"The model failed {len(used.notes)} times and the keyless model filled in ({reason})."


SAMPLE = 50  # chunks of one file that are enriched to know what it costs


@dataclass(frozen=True)
class Estimate:
    """Calls to the model and its tokens for files that are not enriched yet; `cost` in US dollars."""

    level: Enrichment
    files: int = 0
    chunks: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0

    def __str__(self) -> str:
        head = f"Enriching {counted(self.files, 'file')} at the level {self.level}"
        if not self.calls:
            return _(f"{head} asks no model.")
        tokens = f"{self.tokens_in:,} tokens in and {self.tokens_out:,} out"
        calls, chunks = counted(self.calls, "call"), counted(self.chunks, "chunk")
        return _(f"{head}: {calls} for {chunks}, {tokens}, {'about ' if self.cost else ''}{money(self.cost)}.")


def estimate(
    files: Files, index: Index, level: Enrichment, llm: LLM, scope: Scope, stored: Collection[str] = ()
) -> Estimate:
    """Estimate the cost of enriching files, but for those whose fingerprint is in `stored`.

    The keyless model enriches the same chunks with the same prompts first, which takes milliseconds. It reads what a
    served model will read, and says about as much. Of a long file about `SAMPLE` chunks stand for the others. Files
    that cannot be read cost nothing.
    """
    enriching, splitting = index.enriched(level, llm), index.enriched("none", llm)
    file_count, chunks, used = 0, 0, np.zeros(3)
    for path, name in files:
        try:
            if enriching.fingerprint(content_hash(path), scope.type) in stored:
                continue
            documents = read(path, name)
        except ReadError:
            continue
        file_count += 1
        nodes, step = splitting.chunks(documents, scope.user_id, scope.type), Step("estimate")
        sample = nodes[:: 1 + len(nodes) // SAMPLE]
        for extractor in extractors(level, OfflineLLM()) if enriching.enriches else ():
            extractor(sample, step=step)
        chunks += len(nodes)
        used += len(nodes) / max(1, len(sample)) * np.array([step.llm_calls, step.tokens_in, step.tokens_out])
    (calls, tokens_in, tokens_out), cost = used.round().astype(int).tolist(), 0.0
    if not isinstance(llm, OfflineLLM):
        if enriching.enriches:  # a server adds the form of the keywords to each prompt that asks for them
            form = json.dumps(Keywords.model_json_schema())
            tokens_in += chunks * ExactTokenCounter(llm.metadata.model_name).count(form)
        cost = price(tokens_in, tokens_out)
    return Estimate(level, file_count, chunks, calls, tokens_in, tokens_out, cost)
