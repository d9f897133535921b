"""Retrieval without a question: a range of a material in its order, and the state of materials (row C4)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from llama_index.core.schema import BaseNode, TextNode
from sqlalchemy import Engine, select

from lessons.errors import LessonsError
from lessons.ingest.documents import DocumentRow
from lessons.ingest.jobs.queue import JobQueue
from lessons.ingest.jobs.table import State
from lessons.ingest.scope import Scope
from lessons.ingest.store import ChunkStore
from lessons.retrieve.catalog import catalog
from lessons.text import normalize


@dataclass(frozen=True)
class Material:
    """A material and how far its ingestion is. Counts are 0 unless it is COMPLETED."""

    ref_id: str
    state: State
    chunks: int = 0
    pages: int = 0
    ingested_at: datetime | None = None


def chunk_range(store: ChunkStore, scope: Scope, ref_id: str, start: int, end: int) -> list[BaseNode]:
    """The chunks of a material from place `start` up to but without `end`, in order; places count from 0.

    LessonsError for a material that is not within the scope.
    """
    name, chunks = normalize(ref_id), store.chunks
    columns = chunks.node_id, chunks.text, chunks.metadata_.label("metadata")
    place = chunks.chunk_index >= start, chunks.chunk_index < end
    statement = select(*columns).where(*store.within(scope.only([name])), *place).order_by(chunks.chunk_index)
    rows = store.rows(statement, scope)
    if not rows and name not in catalog(store, scope):
        raise LessonsError(f"{name[:100]} is not among the materials that may be read here; name another.")
    return [TextNode(id_=row.node_id, text=row.text, metadata=row.metadata) for row in rows]


def statistics(store: ChunkStore, scope: Scope, ref_ids: Iterable[str]) -> list[Material]:
    """Chunks, pages and state of each material; NOT_FOUND for what is unknown or not within the scope."""
    names = list(dict.fromkeys(map(normalize, ref_ids)))
    readable = scope.only(names).ref_ids or frozenset()
    stored = _stored(store, scope, readable if scope.type is None else readable & catalog(store, scope).keys())
    missing = [name for name in readable if name not in stored]
    states = _queue(store.client).states(scope.user_id, missing) if missing else {}
    return [stored.get(name) or Material(name, states.get(name, "NOT_FOUND")) for name in names]


@lru_cache(maxsize=8)
def _queue(engine: Engine) -> JobQueue:
    return JobQueue(engine)


def _stored(store: ChunkStore, scope: Scope, names: Iterable[str]) -> dict[str, Material]:
    columns = DocumentRow.source_file, DocumentRow.chunks, DocumentRow.pages, DocumentRow.ingested_at
    named = DocumentRow.source_file.in_(names), DocumentRow.index_table == store.table_name
    rows = store.rows(select(*columns).where(DocumentRow.user_id == scope.user_id, *named), scope)
    return {name: Material(name, "COMPLETED", *counts) for name, *counts in rows}
