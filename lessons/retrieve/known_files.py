"""File names that a question may be limited to: only those that the store knows within the scope (row B7)."""

from llama_index.core.vector_stores.types import FilterCondition, MetadataFilter, MetadataFilters

from lessons.errors import LessonsError
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
    return _limited(name, filters), []


def registered_file(
    source_file: str, filters: MetadataFilters | None, store: ChunkStore, scope: Scope
) -> MetadataFilters:
    """For a tool: add `source_file == …` to the filters; LessonsError for an unknown name, for the model to read."""
    name = normalize(source_file)
    if name not in catalog(store, scope):
        raise LessonsError(f"{name[:_SHOWN]} is not registered; search all documents, or name another file.")
    return _limited(name, filters)


def _limited(name: str, filters: MetadataFilters | None) -> MetadataFilters:
    this_file = MetadataFilters(filters=[MetadataFilter(key="source_file", value=name)])
    if filters is None:
        return this_file
    return MetadataFilters(filters=[this_file, filters], condition=FilterCondition.AND)
