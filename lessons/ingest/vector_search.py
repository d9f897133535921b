"""Searches by vector within a scope: how, in one statement, and again without the index if it found too little."""

from collections.abc import Sequence
from dataclasses import dataclass

from llama_index.core.vector_stores.types import MetadataFilters
from sqlalchemy import Connection, Engine, Row, Select, Table
from sqlalchemy.sql import ColumnElement

from lessons.ingest.found import FoundChunks, found_chunks, with_words
from lessons.ingest.nearest import Way, choose_way, nearest, set_up
from lessons.ingest.remembered import kept, version
from lessons.ingest.within import within
from lessons.rag.types import Scope
from lessons.settings import settings


@dataclass(frozen=True)
class VectorSearch:
    """The chunks that are searched: those within a scope that the filters leave."""

    chunks: Table
    scope: Scope
    filters: MetadataFilters | None = None

    def nearest(self, connection: Connection, asked: dict[str, list[str]], limit: int) -> list[FoundChunks]:
        """The nearest chunks to each of the vectors `asked` holds."""

        def search(way: Way) -> Sequence[Row]:
            set_up(connection, way)
            return connection.execute(self._statement(connection.engine, limit, way), asked).all()

        searches, way = len(asked["vectors"]), self._way(connection)
        rows = search(way)
        if len(rows) < limit * searches and way == "hnsw":  # a walk ended before it met enough that fit
            way = "exact"
            rows = search(way)
        return found_chunks(rows, searches, way)

    def _way(self, connection: Connection) -> Way:
        """How to search; what there is to compare is counted again only after a change."""
        limits = settings().exact_search_chunks, settings().exact_filtered_chunks
        key, now = (*self._key, limits), version(connection, self.chunks, self.scope.user_id)
        return kept(connection.engine, key, now, lambda: choose_way(connection, self.chunks, self._conditions()))

    def _statement(self, engine: Engine, limit: int, way: Way) -> Select:
        """The SQL of a search; to build it takes as long as to run it among few chunks."""

        def built() -> Select:
            hits = nearest(self.chunks, self._conditions(), limit, way)
            return with_words(hits, self.chunks, self.scope.user_id)

        return kept(engine, (*self._key, limit, way), None, built)

    @property
    def _key(self) -> tuple:
        return VectorSearch, self.chunks, self.scope, repr(self.filters)

    def _conditions(self) -> list[ColumnElement[bool]]:
        return within(self.chunks, self.scope, self.filters)
