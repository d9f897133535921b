"""What every statement about chunks must carry: whose they are, of which materials, and what filters ask (row C2)."""

from llama_index.core.vector_stores.types import MetadataFilters
from sqlalchemy import Table, select
from sqlalchemy.sql import ColumnElement

from lessons.ingest.documents import DocumentRow
from lessons.rag.types import Scope
from lessons.search.filters import bound_filters


def within(chunks: Table, scope: Scope, filters: MetadataFilters | None = None) -> list[ColumnElement[bool]]:
    """The conditions for a table of chunks; the first names the owner."""
    return [chunks.c.user_id == scope.user_id, *narrowed(chunks, scope, filters)]


def narrowed(chunks: Table, scope: Scope, filters: MetadataFilters | None = None) -> list[ColumnElement[bool]]:
    """Those that leave some of an owner's chunks: none if the scope and the filters leave all."""
    conditions: list[ColumnElement[bool]] = []
    if scope.ref_ids is not None:
        named = [*documents_of(chunks.name, scope), DocumentRow.source_file.in_(scope.ref_ids)]
        conditions.append(chunks.c.document_id.in_(select(DocumentRow.id).where(*named)))
    if scope.type is not None:
        conditions.append(chunks.c.metadata_["type"].astext == scope.type)
    if filters is not None:
        conditions.append(bound_filters(chunks.c.metadata_, filters))
    return conditions


def documents_of(index_table: str, scope: Scope, source_file: str | None = None) -> list[ColumnElement[bool]]:
    """The conditions for an owner's documents in an index, or for one of them."""
    conditions = [DocumentRow.index_table == index_table, DocumentRow.user_id == scope.user_id]
    return conditions if source_file is None else [*conditions, DocumentRow.source_file == source_file]
