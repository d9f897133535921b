"""Chunks in PostgreSQL: LlamaIndex's `PGVectorStore`, with the parts replaced that an application cannot live with.

The stock store pastes filter values into SQL, adds the same chunk twice, and knows no owner. Here filters are bound
parameters (`filters.py`), a chunk's id comes from its content, every search names its owner, and a document is written
together with its chunks in one transaction or not at all.
"""

from asyncio import to_thread
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any, NoReturn

from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.schema import BaseNode, TextNode
from llama_index.core.vector_stores.types import (
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)
from llama_index.vector_stores.postgres import PGVectorStore
from sqlalchemy import Engine, Row, delete, select
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool
from sqlalchemy.sql import ColumnElement, Select

from lessons.database import ensure_schema, explained
from lessons.database.replicas import again_if_broken_off, reader, reading, remember_write
from lessons.database.row_security import enter, scoped
from lessons.errors import LessonsError
from lessons.ingest.chunk_table import chunk_table, create_tables
from lessons.ingest.documents import DocumentRow
from lessons.ingest.found import FoundChunks
from lessons.ingest.keyword_search import KeywordSearch
from lessons.ingest.nearest import asking
from lessons.ingest.remembered import latest, version
from lessons.ingest.settle import index_when_large, vacuum_after
from lessons.ingest.term_statistics import TermStatistics
from lessons.ingest.vector_search import VectorSearch
from lessons.ingest.within import documents_of, within
from lessons.ingest.writing import claim_document, with_text, write_chunks
from lessons.rag.types import Scope
from lessons.settings import settings


class ChunkStore(PGVectorStore):
    """The chunks of one index under one embedding model. Distances are cosine distances, similarities 1 − distance."""

    _database: Engine = PrivateAttr()

    def __init__(self, engine: Engine, index_name: str, embedding_name: str, dimension: int) -> None:
        table = f"chunks_{index_name}_{embedding_name}"
        async_engine = create_async_engine(engine.url, poolclass=NullPool)
        super().__init__(engine=engine, async_engine=async_engine, table_name=table, embed_dim=dimension)
        self._database, self._table_class = engine, chunk_table(table, dimension)

    def _initialize(self) -> None:
        """Create the tables once; the base class calls this before every statement."""
        if not self._is_initialized:
            ensure_schema(self._database, lambda connection: create_tables(connection, self._table_class.__table__))
            remember_write(self._database)
            self._connect()
            self._is_initialized = True

    # Writing

    @again_if_broken_off
    def replace_document(self, scope: Scope, source_file: str, sha256: str, nodes: Sequence[BaseNode]) -> None:
        """Put a document and its embedded chunks in the place of an earlier version, in one transaction."""
        self._initialize()
        chunks = self._table_class
        nodes = with_text(nodes)
        with scoped(self._database, scope.user_id) as connection:
            document_id = claim_document(connection, self.table_name, scope.user_id, source_file, sha256, nodes)
            earlier = chunks.document_id == document_id
            connection.execute(delete(chunks).where(chunks.user_id == scope.user_id, earlier))
            write_chunks(connection, chunks.__table__, document_id, nodes)
        remember_write(self._database)

    def add(self, nodes: Sequence[BaseNode], **_: Any) -> list[str]:
        """LlamaIndex's way in: upsert chunks by id. Their metadata must name `user_id` and `source_file`."""
        self._initialize()

        def owner_and_file(node: BaseNode) -> tuple[str, str]:
            return node.metadata["user_id"], node.metadata["source_file"]

        kept = sorted(with_text(nodes), key=owner_and_file)
        with explained(), self._database.begin() as connection:
            for (user_id, source_file), group in groupby(kept, owner_and_file):
                members = list(group)
                enter(connection, user_id)
                document_id = claim_document(connection, self.table_name, user_id, source_file, "", members)
                chunks, ids = self._table_class, [node.node_id for node in members]
                connection.execute(delete(chunks).where(chunks.user_id == user_id, chunks.node_id.in_(ids)))
                write_chunks(connection, chunks.__table__, document_id, members)
        remember_write(self._database)
        return [node.node_id for node in kept]

    def settle(self, written: int) -> None:
        """Make searches fast after a load of so many chunks: fresh statistics, and a vector index for a large table."""
        self._initialize()
        vacuum_after(self._database, self._table_class.__table__, written)
        index_when_large(self._database, self._table_class.__table__)
        remember_write(self._database)

    def delete_document(self, scope: Scope, source_file: str) -> bool:
        """Remove an owner's document with its chunks; False if there was none."""
        self._initialize()
        mine = delete(DocumentRow).where(*documents_of(self.table_name, scope, source_file))
        with scoped(self._database, scope.user_id) as connection:
            found = connection.execute(mine).rowcount > 0
        remember_write(self._database)
        return found

    # Reading

    @again_if_broken_off
    def documents(self, scope: Scope) -> list[DocumentRow]:
        """The documents of an owner in this index, by name."""
        self._initialize()
        statement = select(DocumentRow).where(*documents_of(self.table_name, scope)).order_by(DocumentRow.source_file)
        with reading(self._database, scope.user_id) as connection, Session(connection) as session:
            return list(session.scalars(statement))

    @again_if_broken_off
    def version(self, scope: Scope) -> tuple:
        """Another value whenever any process has added, replaced or removed a document of the owner."""
        self._initialize()
        with reading(self._database, scope.user_id) as connection:
            return tuple(version(connection, self._table_class.__table__, scope.user_id))

    def few(self, scope: Scope) -> bool:
        """Whether the owner's chunks, when last looked at, were few enough to be compared one by one."""
        known = latest(reader(self._database), self._table_class.__table__, scope.user_id)
        return known is not None and known.chunks <= settings().exact_search_chunks

    @contextmanager
    def reading(self, scope: Scope) -> Iterator[None]:
        """Searches of the owner inside the block share one transaction."""
        self._initialize()
        with reading(self._database, scope.user_id):
            yield

    @property
    def chunks(self) -> Any:
        """The table of chunks, for statements that `rows` runs."""
        return self._table_class

    @again_if_broken_off
    def rows(self, statement: Select, scope: Scope) -> Sequence[Row]:
        """What a statement finds among the owner's rows; its WHERE should carry `within(scope)`."""
        self._initialize()
        with reading(self._database, scope.user_id) as connection:
            return connection.execute(statement).all()

    def query(  # type: ignore[override]
        self, query: VectorStoreQuery, *, scope: Scope, **_: Any
    ) -> FoundChunks:
        """The nearest chunks within a scope, which every search must name."""
        _refuse_other_modes(query)
        return self.query_each([query.query_embedding or []], query.similarity_top_k, scope, query.filters)[0]

    def query_each(
        self, vectors: Sequence[Sequence[float]], limit: int, scope: Scope, filters: MetadataFilters | None = None
    ) -> list[FoundChunks]:
        """The nearest chunks to each of the vectors, in one statement."""
        return self.query_within(vectors, limit, scope, [filters])[0]

    @again_if_broken_off
    def query_within(
        self, vectors: Sequence[Sequence[float]], limit: int, scope: Scope, filters: Sequence[MetadataFilters | None]
    ) -> list[list[FoundChunks]]:
        """What `query_each` finds under each of the filters, in one transaction."""
        self._initialize()
        chunks = self._table_class.__table__
        with reading(self._database, scope.user_id) as connection:
            asked = asking(vectors)
            return [VectorSearch(chunks, scope, each).nearest(connection, asked, limit) for each in filters]

    async def aquery(self, query: VectorStoreQuery, **kwargs: Any) -> FoundChunks:
        """`query` in a thread."""
        return await to_thread(self.query, query, **kwargs)

    def keyword_search(
        self, terms: Sequence[str], limit: int, scope: Scope, filters: MetadataFilters | None = None
    ) -> FoundChunks:
        """The chunks that match terms (of `lessons.text.terms`) best; the similarities are BM25 scores, above 0."""
        return self.keyword_search_each([terms], limit, scope, filters)[0]

    @again_if_broken_off
    def keyword_search_each(
        self, questions: Sequence[Sequence[str]], limit: int, scope: Scope, filters: MetadataFilters | None = None
    ) -> list[FoundChunks]:
        """What `keyword_search` finds for each question, in as many statements as for one."""
        self._initialize()
        with reading(self._database, scope.user_id) as connection:
            return self._searched(scope, filters).best(connection, questions, limit)

    @again_if_broken_off
    def term_statistics(
        self, terms: Sequence[str], scope: Scope, filters: MetadataFilters | None = None
    ) -> TermStatistics:
        """In how many chunks of the scope each term occurs: what makes a term rare enough to decide."""
        self._initialize()
        with reading(self._database, scope.user_id) as connection:
            return self._searched(scope, filters).statistics(connection, terms)

    def _searched(self, scope: Scope, filters: MetadataFilters | None) -> KeywordSearch:
        return KeywordSearch(self._table_class.__table__, scope, filters)

    @again_if_broken_off
    def get_nodes(  # type: ignore[override]
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, *, scope: Scope
    ) -> list[BaseNode]:
        """An owner's chunks by id or filter, in document order; an empty list of ids finds nothing."""
        self._initialize()
        chunks = self._table_class
        statement = select(chunks).where(*self.within(scope, filters))
        if node_ids is not None:
            statement = statement.where(chunks.node_id.in_(node_ids))
        with reading(self._database, scope.user_id) as connection, Session(connection) as session:
            rows = session.scalars(statement.order_by(chunks.document_id, chunks.chunk_index))
            return [TextNode(id_=row.node_id, text=row.text, metadata=row.metadata_) for row in rows]

    def within(self, scope: Scope, filters: MetadataFilters | None = None) -> list[ColumnElement[bool]]:
        """What every statement about chunks must carry: the scope's owner, materials and type, and the filters."""
        return within(self._table_class.__table__, scope, filters)


def _knows_no_owner(self: ChunkStore, *_: Any, **__: Any) -> NoReturn:
    raise LessonsError("The base class's way to do this knows no owner; use the methods that take a scope.")


for name in ("delete", "adelete", "delete_nodes", "adelete_nodes", "clear", "aclear", "aget_nodes", "async_add"):
    setattr(ChunkStore, name, _knows_no_owner)


def _refuse_other_modes(query: VectorStoreQuery) -> None:
    """The base class's other searches know no owner."""
    if query.mode != VectorStoreQueryMode.DEFAULT:
        raise LessonsError(f"This store searches by vector only, not in the mode {query.mode.value}.")
