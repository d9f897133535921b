"""What an owner's documents are, read once and again when one of them has changed."""

from collections.abc import Callable
from typing import Any, TypeVar

from llama_index.core.vector_stores.types import MetadataFilters
from sqlalchemy import select, true

from lessons.database.owners import retry_on_disconnect
from lessons.errors import LessonsError
from lessons.rag.filters import also
from lessons.rag.store import ChunkStore
from lessons.rag.tables import DocumentRow
from lessons.rag.types import Filters, Scope
from lessons.rag.versions import kept
from lessons.text import normalize

Catalog = dict[str, dict[str, Any]]
"""Names of documents, each with the metadata of its first chunk: title, date, and what else the index knows of it."""

CHUNKS = "chunks"
"""Under this key a document's number of chunks stands beside its metadata."""

Found = TypeVar("Found")


def catalog(store: ChunkStore, scope: Scope) -> Catalog:
    """The documents within a scope, by name."""
    all_of_owner = remembered(_read, store, scope).items()
    return {name: its for name, its in all_of_owner if scope.holds(name, its.get("type"))}


@retry_on_disconnect
def remembered(read: Callable[[ChunkStore, Scope], Found], store: ChunkStore, scope: Scope) -> Found:
    """What `read` finds of all the owner's documents, read again only when one of them has changed."""
    key = read, store.table_name, scope.user_id
    with store.reading(scope):
        return kept(store.engine, key, store.version(scope), lambda: read(store, scope))


def _read(store: ChunkStore, scope: Scope) -> Catalog:
    chunks = store.chunks.c
    of_document = select(chunks.metadata_).where(chunks.document_id == DocumentRow.id, chunks.user_id == scope.user_id)
    first = of_document.order_by(chunks.chunk_index).limit(1).lateral()
    found = select(DocumentRow.source_file, DocumentRow.chunks, first.c[0]).join(first, true(), isouter=True)
    rows = store.rows(found.where(*store.mine(scope.user_id)).order_by(DocumentRow.source_file), scope)
    return {name: {**(metadata or {}), CHUNKS: chunks} for name, chunks, metadata in rows}


_SHOWN = 100  # characters of a name in a message


def only_file(source_file: str, filters: Filters, store: ChunkStore, scope: Scope) -> tuple[Filters, list[str]]:
    """For a chat: add `source_file == …` to the filters; an unknown name is ignored and gives a warning."""
    name = normalize(source_file)
    if name not in catalog(store, scope):
        return filters, [f"{name[:_SHOWN]} is not among the documents of {scope.user_id}; all of them were searched."]
    return also("source_file", name, filters), []


def registered_file(source_file: str, filters: Filters, store: ChunkStore, scope: Scope) -> MetadataFilters:
    """For a tool: add `source_file == …` to the filters; LessonsError for an unknown name, for the model to read."""
    name = normalize(source_file)
    if name not in catalog(store, scope):
        raise LessonsError(f"{name[:_SHOWN]} is not registered; search all documents, or name another file.")
    return also("source_file", name, filters)
