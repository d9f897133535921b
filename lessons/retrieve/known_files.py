"""File names that a question may be limited to: only those that the store knows within the scope (row B7)."""

from llama_index.core.vector_stores.types import MetadataFilters

from lessons.errors import LessonsError
from lessons.ingest.filters import also
from lessons.ingest.scope import Scope
from lessons.ingest.store import ChunkStore
from lessons.retrieve.catalog import catalog
from lessons.text import normalize

_SHOWN = 100  # characters of a name in a message


def only_file(
    source_file: str, filters: MetadataFilters | None, store: ChunkStore, scope: Scope
) -> tuple[MetadataFilters | None, list[str]]:
    """For a chat: add `source_file == …` to the filters; an unknown name is ignored and gives a warning."""
    name = normalize(source_file)
    if name not in catalog(store, scope):
        return filters, [f"{name[:_SHOWN]} is not among the documents of {scope.user_id}; all of them were searched."]
    return also("source_file", name, filters), []


def registered_file(
    source_file: str, filters: MetadataFilters | None, store: ChunkStore, scope: Scope
) -> MetadataFilters:
    """For a tool: add `source_file == …` to the filters; LessonsError for an unknown name, for the model to read."""
    name = normalize(source_file)
    if name not in catalog(store, scope):
        raise LessonsError(f"{name[:_SHOWN]} is not registered; search all documents, or name another file.")
    return also("source_file", name, filters)
