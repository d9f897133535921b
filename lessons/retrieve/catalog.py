"""What the store really contains: an owner's documents and what is known of each, cached until one changes (row B7)."""

from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, func, select, true

from lessons.ingest.documents import DocumentRow
from lessons.ingest.scope import Scope
from lessons.ingest.store import ChunkStore

Catalog = dict[str, dict[str, Any]]
"""Names of documents, each with the metadata of its first chunk: title, date, and what else the index knows of it."""

CHUNKS = "chunks"
"""Under this key a document's number of chunks stands beside its metadata."""

Found = TypeVar("Found")

_MOST = 512  # readings that are remembered
_remembered: WeakKeyDictionary[Engine, dict[tuple, tuple[object, Any]]] = WeakKeyDictionary()


def catalog(store: ChunkStore, scope: Scope) -> Catalog:
    """The documents within a scope, by name."""
    return {
        name: known
        for name, known in remembered(_read, store, scope).items()
        if (scope.ref_ids is None or name in scope.ref_ids) and scope.type in (None, known.get("type"))
    }


def version(store: ChunkStore, scope: Scope) -> tuple:
    """Another value whenever any process has added, replaced or removed a document of the owner in this index."""
    times = func.sum(func.extract("epoch", DocumentRow.ingested_at))  # a transaction may commit after a later one
    state = select(func.count(), func.max(DocumentRow.id), times)
    return tuple(store.rows(state.where(*_owned(store, scope)), scope)[0])


def remembered(read: Callable[[ChunkStore, Scope], Found], store: ChunkStore, scope: Scope) -> Found:
    """What `read` finds of all the owner's documents, read again only when one of them has changed."""
    key, now = (read, store.table_name, scope.user_id), version(store, scope)
    kept = _remembered.setdefault(store.client, {})
    if key not in kept or kept[key][0] != now:
        kept.pop(key, None)
        while len(kept) >= _MOST:
            kept.pop(next(iter(kept)), None)
        kept[key] = (now, read(store, scope))
    return kept[key][1]


def _read(store: ChunkStore, scope: Scope) -> Catalog:
    chunks = store.chunks
    of_document = select(chunks.metadata_).where(chunks.document_id == DocumentRow.id, chunks.user_id == scope.user_id)
    first = of_document.order_by(chunks.chunk_index).limit(1).lateral()
    found = select(DocumentRow.source_file, DocumentRow.chunks, first.c[0]).join(first, true(), isouter=True)
    rows = store.rows(found.where(*_owned(store, scope)).order_by(DocumentRow.source_file), scope)
    return {name: {**(metadata or {}), CHUNKS: chunks} for name, chunks, metadata in rows}


def _owned(store: ChunkStore, scope: Scope) -> tuple:
    return DocumentRow.index_table == store.table_name, DocumentRow.user_id == scope.user_id
