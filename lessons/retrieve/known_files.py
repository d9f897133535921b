"""File names that a question may be limited to: only those that the store knows (row B7)."""

from llama_index.core.vector_stores.types import FilterCondition, MetadataFilter, MetadataFilters

from lessons.ingest.scope import Scope
from lessons.ingest.store import ChunkStore
from lessons.text import normalize


def only_file(
    source_file: str, filters: MetadataFilters | None, store: ChunkStore, scope: Scope
) -> tuple[MetadataFilters | None, list[str]]:
    """Add `source_file == …` to the filters; an unknown name never reaches them and gives a warning instead."""
    name = normalize(source_file)
    if name not in {document.source_file for document in store.documents(scope)}:
        return filters, [f"{name} is not among the documents of {scope.user_id}; all of them were searched."]
    this_file = MetadataFilters(filters=[MetadataFilter(key="source_file", value=name)])
    if filters is None:
        return this_file, []
    return MetadataFilters(filters=[this_file, filters], condition=FilterCondition.AND), []
