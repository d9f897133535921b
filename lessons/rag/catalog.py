"""What an owner's documents are, read once and again when one of them has changed."""

from functools import lru_cache
from typing import Any

from llama_index.core.vector_stores.types import MetadataFilters
from sqlalchemy import select, true

from lessons.database.owners import retry_on_disconnect
from lessons.errors import LessonsError
from lessons.rag.filters import also
from lessons.rag.store import ChunkStore
from lessons.rag.tables import DocumentRow
from lessons.rag.types import Filters, Scope
from lessons.text import normalize

Catalog = dict[str, dict[str, Any]]
"""Names of documents, each with the metadata of its first chunk: title, date, and what else the index knows of it."""

CHUNKS = "chunks"
"""Under this key a document's number of chunks stands beside its metadata."""


@retry_on_disconnect
def catalog(store: ChunkStore, scope: Scope) -> Catalog:
    """Return the metadata of the documents within a scope, by name."""
    with store.reading(scope):
        documents = _read(store, Scope(scope.user_id), store.version(scope)).items()
    return {name: metadata for name, metadata in documents if scope.holds(name, metadata.get("type"))}


@lru_cache(maxsize=64)
def _read(store: ChunkStore, scope: Scope, _version: tuple) -> Catalog:
    chunks = store.chunks.c
    of_document = select(chunks.metadata_).where(chunks.document_id == DocumentRow.id, chunks.user_id == scope.user_id)
    first = of_document.order_by(chunks.chunk_index).limit(1).lateral()
    documents = select(DocumentRow.source_file, DocumentRow.chunks, first.c[0]).join(first, true(), isouter=True)
    rows = store.rows(documents.where(*store.owned_by(scope.user_id)).order_by(DocumentRow.source_file), scope)
    return {name: {**(metadata or {}), CHUNKS: chunks} for name, chunks, metadata in rows}


MAX_NAME = 100  # characters of a name in a message


def only_file(source_file: str, filters: Filters, store: ChunkStore, scope: Scope) -> tuple[Filters, list[str]]:
    """Add `source_file == …` to the filters of a chat. Ignore an unknown name with a warning."""
    name = normalize(source_file)
    if name not in catalog(store, scope):
        return filters, [f"{name[:MAX_NAME]} is not among the documents of {scope.user_id}; all of them were searched."]
    return also("source_file", name, filters), []


def registered_file(source_file: str, filters: Filters, store: ChunkStore, scope: Scope) -> MetadataFilters:
    """Add `source_file == …` to the filters of a tool. Raise LessonsError for an unknown name."""
    name = normalize(source_file)
    if name not in catalog(store, scope):
        raise LessonsError(f"{name[:MAX_NAME]} is not registered; search all documents, or name another file.")
    return also("source_file", name, filters)
