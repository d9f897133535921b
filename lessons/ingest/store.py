"""Chunks in PostgreSQL: LlamaIndex's `PGVectorStore`, with the parts replaced that an application cannot live with.

The stock store pastes filter values into SQL, adds the same chunk twice, and knows no owner. Here filters are bound
parameters (`filters.py`), a chunk's id comes from its content, every search names its owner, and a document is written
together with its chunks in one transaction or not at all.
"""

from asyncio import to_thread
from collections.abc import Sequence
from itertools import chain, groupby
from typing import Any, NoReturn

from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.schema import BaseNode, MetadataMode, TextNode
from llama_index.core.vector_stores.types import (
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)
from llama_index.vector_stores.postgres import PGVectorStore
from sqlalchemy import Connection, Engine, Row, delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool
from sqlalchemy.sql import ColumnElement, Select

from lessons.database import ensure_schema, explained
from lessons.database.replicas import again_if_broken_off, reading, remember_write
from lessons.database.row_security import enter, scoped
from lessons.errors import LessonsError
from lessons.ingest.bm25 import SearchedScope, TermStatistics
from lessons.ingest.chunk_table import chunk_table, create_tables
from lessons.ingest.copying import copied
from lessons.ingest.documents import DocumentRow
from lessons.ingest.filters import bound_filters
from lessons.ingest.found import FoundChunks, found_chunks, with_words
from lessons.ingest.nearest import Way, choose_way, indexed, nearest, set_up
from lessons.ingest.postings import indexed_terms, write_postings
from lessons.ingest.remembered import kept, version
from lessons.ingest.scope import Scope
from lessons.ingest.settle import index_when_large, vacuum_after
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
        nodes = _with_words(nodes)
        with scoped(self._database, scope.user_id) as connection:
            document_id = self._claim_document(connection, scope.user_id, source_file, sha256, nodes)
            earlier = chunks.document_id == document_id
            connection.execute(delete(chunks).where(chunks.user_id == scope.user_id, earlier))
            self._insert(connection, document_id, nodes)
        remember_write(self._database)

    def add(self, nodes: Sequence[BaseNode], **_: Any) -> list[str]:
        """LlamaIndex's way in: upsert chunks by id. Their metadata must name `user_id` and `source_file`."""
        self._initialize()

        def owner_and_file(node: BaseNode) -> tuple[str, str]:
            return node.metadata["user_id"], node.metadata["source_file"]

        kept = sorted(_with_words(nodes), key=owner_and_file)
        with explained(), self._database.begin() as connection:
            for (user_id, source_file), group in groupby(kept, owner_and_file):
                members = list(group)
                enter(connection, user_id)
                document_id = self._claim_document(connection, user_id, source_file, "", members)
                chunks, ids = self._table_class, [node.node_id for node in members]
                connection.execute(delete(chunks).where(chunks.user_id == user_id, chunks.node_id.in_(ids)))
                self._insert(connection, document_id, members)
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
        with scoped(self._database, scope.user_id) as connection:
            found = connection.execute(delete(DocumentRow).where(*self._documents_of(scope, source_file))).rowcount > 0
        remember_write(self._database)
        return found

    def _claim_document(
        self, connection: Connection, user_id: str, source_file: str, sha256: str, nodes: Sequence[BaseNode]
    ) -> int:
        """Insert or update the document's row. Its lock makes a second writer of the same file wait for the first."""
        key = {"index_table": self.table_name, "user_id": user_id, "source_file": source_file}
        pages = len({node.metadata.get("page_number") for node in nodes})
        values = {"sha256": sha256, "pages": pages, "chunks": len(nodes), "ingested_at": func.now()}
        statement = insert(DocumentRow).values(**key, **values)
        statement = statement.on_conflict_do_update(index_elements=list(key), set_=values)
        return connection.execute(statement.returning(DocumentRow.id)).scalar_one()

    def _insert(self, connection: Connection, document_id: int, nodes: Sequence[BaseNode]) -> None:
        chunks = self._table_class.__table__
        columns = [column for column in chunks.columns if column.name != "id"]
        rows = [
            {
                "node_id": node.node_id,
                "document_id": document_id,
                "user_id": node.metadata["user_id"],
                "chunk_index": node.metadata["chunk_index"],
                "text": node.get_content(MetadataMode.NONE),
                "length": len(indexed_terms(node)),
                "metadata_": node.metadata,
                "embedding": node.get_embedding(),
            }
            for node in nodes
        ]
        with copied(connection, columns, [[row[column.name] for column in columns] for row in rows]) as incoming:
            statement = insert(chunks).from_select(columns, select(incoming))
            key = ["user_id", "node_id"]
            changed = {name: statement.excluded[name] for name, _ in incoming.columns.items() if name not in key}
            connection.execute(statement.on_conflict_do_update(index_elements=key, set_=changed))
        write_postings(connection, chunks, nodes)

    # Reading

    @again_if_broken_off
    def documents(self, scope: Scope) -> list[DocumentRow]:
        """The documents of an owner in this index, by name."""
        self._initialize()
        statement = select(DocumentRow).where(*self._documents_of(scope)).order_by(DocumentRow.source_file)
        with reading(self._database, scope.user_id) as connection, Session(connection) as session:
            return list(session.scalars(statement))

    def version(self, scope: Scope) -> tuple:
        """Another value whenever any process has added, replaced or removed a document of the owner."""
        return tuple(self.rows(version(self.table_name, scope.user_id), scope)[0])

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
        with reading(self._database, scope.user_id) as connection:
            return [self._nearest(connection, vectors, limit, scope, each) for each in filters]

    def _nearest(
        self,
        connection: Connection,
        vectors: Sequence[Sequence[float]],
        limit: int,
        scope: Scope,
        filters: MetadataFilters | None,
    ) -> list[FoundChunks]:
        chunks, conditions = self._table_class.__table__, self.within(scope, filters)

        def search(way: Way) -> Sequence[Row]:
            set_up(connection, way)
            hits = nearest(chunks, conditions, vectors, limit, way)
            return connection.execute(with_words(hits, chunks, scope.user_id)).all()

        way = self._way(connection, scope, filters)
        rows = search(way)
        if len(rows) < limit * len(vectors) and way == "hnsw":  # a walk ended before it met enough that fit
            way = "exact"
            rows = search(way)
        return found_chunks(rows, len(vectors), way)

    def _way(self, connection: Connection, scope: Scope, filters: MetadataFilters | None) -> Way:
        """How to search; what there is to compare is counted again only after a change."""
        chunks, chosen = self._table_class.__table__, settings()
        state = version(chunks.name, scope.user_id).add_columns(indexed(chunks))
        limits = chosen.exact_search_chunks, chosen.exact_filtered_chunks
        key = choose_way, chunks.name, scope, filters and filters.model_dump_json(), limits
        now = connection.execute(state).one()
        return kept(connection.engine, key, now, lambda: choose_way(connection, chunks, self.within(scope, filters)))

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
        searched = self._searched(scope, filters)
        with reading(self._database, scope.user_id) as connection:
            statistics = searched.statistics(connection, chain.from_iterable(questions))
            hits = searched.rankings([statistics.of(terms) for terms in questions], limit)
            rows = connection.execute(with_words(hits, searched.chunks, scope.user_id)).all()
        return found_chunks(rows, len(questions), "keyword")

    @again_if_broken_off
    def term_statistics(
        self, terms: Sequence[str], scope: Scope, filters: MetadataFilters | None = None
    ) -> TermStatistics:
        """In how many chunks of the scope each term occurs: what makes a term rare enough to decide."""
        self._initialize()
        with reading(self._database, scope.user_id) as connection:
            return self._searched(scope, filters).statistics(connection, terms)

    def _searched(self, scope: Scope, filters: MetadataFilters | None) -> SearchedScope:
        return SearchedScope(self._table_class.__table__, scope.user_id, tuple(self._narrowed(scope, filters)))

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
        chunks = self._table_class
        return [chunks.user_id == scope.user_id, *self._narrowed(scope, filters)]

    def _narrowed(self, scope: Scope, filters: MetadataFilters | None) -> list[ColumnElement[bool]]:
        chunks = self._table_class
        conditions: list[ColumnElement[bool]] = []
        if scope.ref_ids is not None:
            named = [*self._documents_of(scope), DocumentRow.source_file.in_(scope.ref_ids)]
            conditions.append(chunks.document_id.in_(select(DocumentRow.id).where(*named)))
        if scope.type is not None:
            conditions.append(chunks.metadata_["type"].astext == scope.type)
        if filters is not None:
            conditions.append(bound_filters(chunks.metadata_, filters))
        return conditions

    def _documents_of(self, scope: Scope, source_file: str | None = None) -> list:
        conditions = [DocumentRow.index_table == self.table_name, DocumentRow.user_id == scope.user_id]
        return conditions if source_file is None else [*conditions, DocumentRow.source_file == source_file]


def _knows_no_owner(self: ChunkStore, *_: Any, **__: Any) -> NoReturn:
    raise LessonsError("The base class's way to do this knows no owner; use the methods that take a scope.")


for name in ("delete", "adelete", "delete_nodes", "adelete_nodes", "clear", "aclear", "aget_nodes", "async_add"):
    setattr(ChunkStore, name, _knows_no_owner)


def _with_words(nodes: Sequence[BaseNode]) -> list[BaseNode]:
    """An empty chunk is never stored, so it is never found."""
    return [node for node in nodes if node.get_content(MetadataMode.NONE).strip()]


def _refuse_other_modes(query: VectorStoreQuery) -> None:
    """The base class's other searches know no owner."""
    if query.mode != VectorStoreQueryMode.DEFAULT:
        raise LessonsError(f"This store searches by vector only, not in the mode {query.mode.value}.")
