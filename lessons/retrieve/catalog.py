"""What the store really contains: an owner's documents and what is known of each, cached until one changes (row B7)."""

from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import select, true

from lessons.database.replicas import again_if_broken_off
from lessons.ingest.documents import DocumentRow
from lessons.ingest.remembered import kept
from lessons.ingest.scope import Scope
from lessons.ingest.store import ChunkStore

Catalog = dict[str, dict[str, Any]]
"""Names of documents, each with the metadata of its first chunk: title, date, and what else the index knows of it."""

CHUNKS = "chunks"
"""Under this key a document's number of chunks stands beside its metadata."""

Found = TypeVar("Found")


def catalog(store: ChunkStore, scope: Scope) -> Catalog:
    """The documents within a scope, by name."""
    return {
        name: known
        for name, known in remembered(_read, store, scope).items()
        if (scope.ref_ids is None or name in scope.ref_ids) and scope.type in (None, known.get("type"))
    }


@again_if_broken_off
def remembered(read: Callable[[ChunkStore, Scope], Found], store: ChunkStore, scope: Scope) -> Found:
    """What `read` finds of all the owner's documents, read again only when one of them has changed."""
    key = read, store.table_name, scope.user_id
    with store.reading(scope):
        return kept(store.client, key, store.version(scope), lambda: read(store, scope))


def _read(store: ChunkStore, scope: Scope) -> Catalog:
    chunks = store.chunks
    of_document = select(chunks.metadata_).where(chunks.document_id == DocumentRow.id, chunks.user_id == scope.user_id)
    first = of_document.order_by(chunks.chunk_index).limit(1).lateral()
    found = select(DocumentRow.source_file, DocumentRow.chunks, first.c[0]).join(first, true(), isouter=True)
    rows = store.rows(found.where(*_owned(store, scope)).order_by(DocumentRow.source_file), scope)
    return {name: {**(metadata or {}), CHUNKS: chunks} for name, chunks, metadata in rows}


def _owned(store: ChunkStore, scope: Scope) -> tuple:
    return DocumentRow.index_table == store.table_name, DocumentRow.user_id == scope.user_id
