"""The store: chunks in PostgreSQL, searched by vector and by keyword.

LlamaIndex's own `PGVectorStore` pastes filter values into SQL, adds the same chunk twice, and knows no owner. Here
filters are bound, a chunk's id comes from its content, every search names its owner, and a document is written together
with its chunks or not at all. The searches are plain SQL.
"""

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, Literal

from llama_index.core.schema import BaseNode, TextNode
from llama_index.core.vector_stores.types import VectorStoreQuery
from sqlalchemy import Connection, Engine, Row, Select, TextClause, select, text
from sqlalchemy.orm import Session

from lessons.database.owners import read_transaction, retry_on_disconnect
from lessons.database.remote import remember_write
from lessons.database.schema import ensure_owned
from lessons.rag.hnsw import SearchPlan, choose_search_plan, configure_hnsw_search
from lessons.rag.keyword_search import KeywordSearch, Questions, TermStatistics
from lessons.rag.tables import DocumentRow, chunk_table, term_table
from lessons.rag.types import Filters, Scope, Where
from lessons.rag.vector_store import OwnedVectorStore
from lessons.rag.versions import kept, version
from lessons.rag.writing import Writer
from lessons.settings import settings

Vectors = Sequence[Sequence[float]]
Places = tuple[int, int] | None

VECTOR_SEARCH = """
WITH asked AS MATERIALIZED (
    SELECT number, cast(vector AS vector({dimension})) AS vector
    FROM unnest(cast(:vectors AS text[])) WITH ORDINALITY AS read (vector, number)
)
SELECT asked.number, near.chunk_id, near.score
FROM asked CROSS JOIN LATERAL (
    SELECT id AS chunk_id, 1 - (embedding <=> asked.vector) AS score
    FROM {chunks} WHERE {within}
    ORDER BY {nearest} LIMIT :limit
) AS near"""
"""The nearest chunks to each of the vectors by cosine distance (`<=>`), all compared or the HNSW index walked."""

NEAREST: dict[SearchPlan, str] = {
    "exact": "embedding <=> asked.vector, id",
    "hnsw": "cast(embedding AS halfvec({dimension})) <=> cast(asked.vector AS halfvec({dimension}))",
}

WITH_WORDS = """
WITH hit AS ({hits}),
mentioned AS (SELECT *, row_number() OVER (PARTITION BY chunk_id ORDER BY number) AS mention FROM hit)
SELECT number, chunk_id, score, node_id, text, metadata_
FROM mentioned LEFT JOIN {chunks} ON user_id = :user_id AND id = chunk_id AND mention = 1
ORDER BY number, score DESC, chunk_id"""
"""Hits of several searches as they are read, best first; a chunk that several found has its words the first time."""


@dataclass(frozen=True)
class Found:
    """What one search found, best first: rows with `node_id`, `text` and `metadata_`, and the score of each."""

    chunks: Sequence[Row]
    similarities: Sequence[float]
    search_plan: SearchPlan | Literal["keyword"]

    @property
    def ids(self) -> list[str]:
        return [chunk.node_id for chunk in self.chunks]

    @property
    def nodes(self) -> list[TextNode]:
        return [_node(chunk) for chunk in self.chunks]


class ChunkStore(Writer):
    """The chunks of one index under one embedding model. Scores are cosine similarities, or BM25 for keywords."""

    def __init__(self, engine: Engine, index_name: str, embedding_name: str, dimension: int) -> None:
        self.engine, self.dimension = engine, dimension
        self.table_name = f"chunks_{index_name}_{embedding_name}"
        self.chunks = chunk_table(self.table_name, dimension)
        self._made = False
        self._seen: dict[str, int] = {}  # chunks of an owner, when last looked at

    def _make_tables(self) -> None:
        if not self._made:
            ensure_owned(self.engine, DocumentRow.__table__, self.chunks, term_table(self.chunks))
            remember_write(self.engine)
            self._made = True

    def where(self, scope: Scope, filters: Filters = None, language: str | None = None) -> Where:
        """What every statement about chunks must carry: the scope's owner, materials and type, and the filters."""
        return Where.of(self.table_name, scope, filters, language)

    def within(self, scope: Scope, filters: Filters = None) -> TextClause:
        """The same, for a statement that SQLAlchemy builds."""
        return self.where(scope, filters).clause

    def of(self, owner: str | Scope) -> OwnedVectorStore:
        """Return the documents of an owner as a vector store of LlamaIndex."""
        return OwnedVectorStore(self, Scope.of(owner))

    @retry_on_disconnect
    def version(self, scope: Scope) -> tuple:
        """Another value whenever any process has added, replaced or removed a document of the owner."""
        with self.reading(scope) as connection:
            return tuple(self._version(connection, scope.user_id))

    def _version(self, connection: Connection, user_id: str) -> Row:
        now = version(connection, self.table_name, user_id)
        self._seen[user_id] = now.chunks
        return now

    def few(self, scope: Scope) -> bool:
        """Whether the owner's chunks, when last looked at, were few enough to be compared one by one."""
        return self._seen.get(scope.user_id, math.inf) <= settings().exact_search_chunks

    @contextmanager
    def reading(self, scope: Scope) -> Iterator[Connection]:
        """Searches of the owner inside the block share one transaction."""
        self._make_tables()
        with read_transaction(self.engine, scope.user_id) as connection:
            yield connection

    @retry_on_disconnect
    def rows(self, statement: Select | TextClause, scope: Scope) -> Sequence[Row]:
        """What a statement finds among the owner's rows; its WHERE should carry `within(scope)`."""
        with self.reading(scope) as connection:
            return connection.execute(statement).all()

    @retry_on_disconnect
    def documents(self, scope: Scope) -> list[DocumentRow]:
        """The documents of an owner in this index, by name."""
        statement = select(DocumentRow).where(*self.mine(scope.user_id)).order_by(DocumentRow.source_file)
        with self.reading(scope) as connection, Session(connection) as session:
            return list(session.scalars(statement))

    @retry_on_disconnect
    def content(self, scope: Scope, source_file: str) -> bytes | None:
        """The bytes of an owner's file as it was ingested; None if they were not kept, or there is no such file."""
        statement = select(DocumentRow.content).where(*self.mine(scope.user_id), DocumentRow.source_file == source_file)
        with self.reading(scope) as connection:
            return connection.scalar(statement)

    def query(self, query: VectorStoreQuery, *, scope: Scope) -> Found:
        """LlamaIndex's way to ask for the nearest chunks, within a scope, which every search must name."""
        return self.query_each([query.query_embedding or []], query.similarity_top_k, scope, query.filters)[0]

    def query_each(self, vectors: Vectors, limit: int, scope: Scope, filters: Filters = None) -> list[Found]:
        """The nearest chunks to each of the vectors by cosine similarity, in one statement."""
        return self.query_within([None], vectors, limit, scope, filters)[0]

    @retry_on_disconnect
    def query_within(
        self, languages: Sequence[str | None], vectors: Vectors, limit: int, scope: Scope, filters: Filters = None
    ) -> list[list[Found]]:
        """What `query_each` finds in each of the languages, None being all of them, in one transaction."""
        conditions = [self.where(scope, filters, language) for language in languages]
        with self.reading(scope) as connection:
            return [self._nearest(connection, vectors, limit, where) for where in conditions]

    def _nearest(self, connection: Connection, vectors: Vectors, limit: int, where: Where) -> list[Found]:
        def search(plan: SearchPlan) -> list[Found]:
            return _found(connection.execute(self.vector_search(vectors, limit, where, plan)).all(), len(vectors), plan)

        if self.search_plan(connection, where) == "hnsw":
            configure_hnsw_search(connection)
            found = search("hnsw")
            if all(len(each.chunks) == limit for each in found):  # else a walk ended before it met enough that fit
                return found
        return search("exact")

    def vector_search(self, vectors: Vectors, limit: int, where: Where, search_plan: SearchPlan) -> TextClause:
        """The statement that finds the nearest chunks to each of the vectors, with their words."""
        names = {"chunks": f'"{self.table_name}"', "within": where.sql, "dimension": self.dimension}
        hits = VECTOR_SEARCH.format(nearest=NEAREST[search_plan].format(**names), **names)
        asked = [json.dumps([float(number) for number in vector]) for vector in vectors]
        return self._with_words(hits, {**where.values, "vectors": asked, "limit": limit})

    def search_plan(self, connection: Connection, where: Where) -> SearchPlan:
        """How to search by vector; what there is to compare is counted again only after a change."""
        limits = settings().exact_search_chunks, settings().exact_filtered_chunks
        now = self._version(connection, where.values["user_id"])
        if not now.indexed or now.chunks <= limits[0]:
            return "exact"
        key = ChunkStore.search_plan, self.table_name, where.sql, repr(where.values), limits
        chosen = partial(choose_search_plan, connection, self.table_name, where.sql, where.values)
        return kept(connection.engine, key, now, chosen)

    def keyword_search(self, terms: Sequence[str], limit: int, scope: Scope, filters: Filters = None) -> Found:
        """The chunks that match terms (of `lessons.text.terms`) best; the similarities are BM25 scores, above 0."""
        return self.keyword_search_each([terms], limit, scope, filters)[0]

    @retry_on_disconnect
    def keyword_search_each(
        self, questions: Questions, limit: int, scope: Scope, filters: Filters = None
    ) -> list[Found]:
        """What `keyword_search` finds for the terms of each question, in as many statements as for one."""
        with self.reading(scope) as connection:
            search = KeywordSearch(self.table_name, self.where(scope, filters))
            statement = self._with_words(*search.ranking(connection, questions, limit))
            return _found(connection.execute(statement).all(), len(questions), "keyword")

    @retry_on_disconnect
    def term_statistics(self, terms: Sequence[str], scope: Scope, filters: Filters = None) -> TermStatistics:
        """In how many chunks of the scope each term occurs: what makes a term rare enough to decide."""
        with self.reading(scope) as connection:
            return KeywordSearch(self.table_name, self.where(scope, filters)).statistics(connection, terms)

    def _with_words(self, hits: str, values: dict[str, Any]) -> TextClause:
        return text(WITH_WORDS.format(hits=hits, chunks=f'"{self.table_name}"')).bindparams(**values)

    def get_nodes(
        self, node_ids: Sequence[str] | None = None, filters: Filters = None, *, scope: Scope, places: Places = None
    ) -> list[BaseNode]:
        """An owner's chunks by id, filter or places (from, up to), in document order; no ids find nothing."""
        chunks = self.chunks.c
        statement = select(chunks.node_id, chunks.text, chunks.metadata_).where(self.within(scope, filters))
        if node_ids is not None:
            statement = statement.where(chunks.node_id.in_(node_ids))
        if places is not None:
            statement = statement.where(chunks.chunk_index >= places[0], chunks.chunk_index < places[1])
        rows = self.rows(statement.order_by(chunks.document_id, chunks.chunk_index), scope)
        return [_node(row) for row in rows]


def _found(rows: Sequence[Row], searches: int, search_plan: SearchPlan | Literal["keyword"]) -> list[Found]:
    """What each of so many searches in one statement found."""
    words = {row.chunk_id: row for row in rows if row.node_id}
    hits = {number: list(of_one) for number, of_one in groupby(rows, lambda row: row.number)}
    return [
        Found([words[hit.chunk_id] for hit in its], [hit.score for hit in its], search_plan)
        for its in (hits.get(number, []) for number in range(1, searches + 1))
    ]


def _node(chunk: Row) -> TextNode:
    return TextNode(id_=chunk.node_id, text=chunk.text, metadata=chunk.metadata_)
