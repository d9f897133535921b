"""Searches by vector within a scope: how, in one statement, and again without the index if it found too little."""

from collections.abc import Sequence
from dataclasses import dataclass

from llama_index.core.vector_stores.types import MetadataFilters
from sqlalchemy import Connection, Row, Table
from sqlalchemy.sql import ColumnElement

from lessons.ingest.found import FoundChunks, found_chunks, with_words
from lessons.ingest.nearest import Way, choose_way, indexed, nearest, set_up
from lessons.ingest.remembered import kept, version
from lessons.ingest.scope import Scope
from lessons.ingest.within import within
from lessons.settings import settings


def state(connection: Connection, chunks: Table, user_id: str) -> Row:
    """Another row whenever an owner's documents have changed, or whether their vectors are indexed."""
    return connection.execute(version(chunks.name, user_id).add_columns(indexed(chunks))).one()


@dataclass(frozen=True)
class VectorSearch:
    """The chunks that are searched: those within a scope that the filters leave."""

    chunks: Table
    scope: Scope
    filters: MetadataFilters | None = None

    def nearest(
        self, connection: Connection, vectors: Sequence[Sequence[float]], limit: int, now: Row
    ) -> list[FoundChunks]:
        """The nearest chunks to each of the vectors; `now` is the `state` of what is searched."""
        conditions = within(self.chunks, self.scope, self.filters)

        def search(way: Way) -> Sequence[Row]:
            set_up(connection, way)
            hits = nearest(self.chunks, conditions, vectors, limit, way)
            return connection.execute(with_words(hits, self.chunks, self.scope.user_id)).all()

        way = self._way(connection, conditions, now)
        rows = search(way)
        if len(rows) < limit * len(vectors) and way == "hnsw":  # a walk ended before it met enough that fit
            way = "exact"
            rows = search(way)
        return found_chunks(rows, len(vectors), way)

    def _way(self, connection: Connection, conditions: Sequence[ColumnElement[bool]], now: Row) -> Way:
        """How to search; what there is to compare is counted again only after a change."""
        limits = settings().exact_search_chunks, settings().exact_filtered_chunks
        key = VectorSearch, self.chunks.name, self.scope, self.filters and self.filters.model_dump_json(), limits
        return kept(connection.engine, key, now, lambda: choose_way(connection, self.chunks, conditions))
