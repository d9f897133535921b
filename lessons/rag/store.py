"""The store: chunks in PostgreSQL, searched by vector and by keyword.

LlamaIndex's own `PGVectorStore` pastes filter values into SQL, adds the same chunk twice, and knows no owner. Here
filters are bound, a chunk's id comes from its content, every search names its owner, and a document is written together
with its chunks or not at all. The searches are plain SQL.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, cast

from llama_index.core.schema import BaseNode, TextNode
from llama_index.core.vector_stores.types import VectorStoreQuery
from pydantic_core import to_json
from sqlalchemy import Connection, Engine, Row, Select, TextClause, select, text
from sqlalchemy.orm import Session

from lessons.database.owners import read_transaction, retry_on_disconnect
from lessons.database.remote import remember_write
from lessons.database.schema import ensure_owned
from lessons.rag.hnsw import IF_FEW, SearchPlan, choose_search_plan, configure_hnsw_search, has_many_chunks
from lessons.rag.keyword_search import DOCUMENT_FREQUENCIES, IN_SCOPE, KEYWORD_SEARCH, distinct, search_values
from lessons.rag.tables import DocumentRow, chunk_table, hnsw_name, term_table
from lessons.rag.types import Filters, Scope, WhereClause
from lessons.rag.vector_store import OwnedVectorStore
from lessons.rag.writing import Writer
from lessons.settings import settings

Vectors = Sequence[Sequence[float]]
Range = tuple[int, int] | None
Results = list["SearchResult"]  # of several searches in one statement
Chunk = tuple[str, str, dict[str, Any]]  # id, text and metadata: the fields of a Row take ten times as long to read
Baselines = Mapping[str, Sequence[float]]  # of each vector, by language
cached_text = lru_cache(text)  # a statement that SQLAlchemy has read is not read again

VECTOR_SEARCH = """
WITH question AS MATERIALIZED (
    SELECT number, cast(vector AS vector({dimension})) AS vector
    FROM unnest(cast(:vectors AS text[])) WITH ORDINALITY AS read (vector, number)
)
SELECT question.number, nearest.chunk_id, nearest.score
FROM question CROSS JOIN LATERAL (
    SELECT id AS chunk_id, 1 - (embedding <=> question.vector) - {baseline} AS score
    FROM {chunks} WHERE {within}
    ORDER BY {order} LIMIT :limit
) AS nearest"""
"""The nearest chunks to each of the vectors by cosine distance (`<=>`): all compared, or the HNSW index walked."""

ORDER: dict[SearchPlan, str] = {
    "exact": "score DESC, id",
    "hnsw": "cast(embedding AS halfvec({dimension})) <=> cast(question.vector AS halfvec({dimension}))",
}

BASELINE = """coalesce((cast(:baselines AS float8[]))[cast(question.number AS int)][
    array_position(cast(:languages AS text[]), metadata_ ->> 'language')], 1)"""  # 1: of a language that has just come

WITH_TEXT = """
WITH hit AS ({hits}),
numbered AS (SELECT *, row_number() OVER (PARTITION BY chunk_id ORDER BY number) AS mention FROM hit)
SELECT number, chunk_id, score, node_id, text, metadata_
FROM numbered LEFT JOIN {chunks} ON user_id = :user_id AND id = chunk_id AND mention = 1
ORDER BY number, score DESC, chunk_id"""
"""The hits of several searches, best first. A chunk that several searches found carries its text only once."""


VERSION = text("""
SELECT count(*), max(id), sum(extract(epoch FROM ingested_at)), sum(chunks)
FROM documents WHERE index_table = :index_table AND user_id = :user_id""")
"""Sums, because a transaction may commit after one that began later: the latest time alone would not change."""


@dataclass(frozen=True)
class SearchResult:
    """The hits of one search, best first, and the similarity of each."""

    chunks: list[Chunk]
    similarities: list[float]
    search_plan: SearchPlan | Literal["keyword"]

    @property
    def ids(self) -> list[str]:
        return [node_id for node_id, _, _ in self.chunks]

    @property
    def nodes(self) -> list[TextNode]:
        return [_node(*chunk) for chunk in self.chunks]


class ChunkStore(Writer):
    """The chunks of one index under one embedding model. Similarities are cosines, or BM25 scores for keywords."""

    def __init__(self, engine: Engine, index_name: str, embedding_name: str, dimension: int) -> None:
        self.engine, self.dimension = engine, dimension
        self.table_name = f"chunks_{index_name}_{embedding_name}"
        self.chunks = chunk_table(self.table_name, dimension)
        self.terms, self._hnsw = term_table(self.chunks), f'"{hnsw_name(self.table_name)}"'
        self._tables_exist = False

    def _make_tables(self) -> None:
        if not self._tables_exist:
            ensure_owned(self.engine, DocumentRow.__table__, self.chunks, self.terms)
            remember_write(self.engine)
            self._tables_exist = True

    def where(self, scope: Scope, filters: Filters = None, language: str | None = None) -> WhereClause:
        """Return the condition that every statement about chunks must carry: the scope and the filters."""
        return WhereClause.of(self.table_name, scope, filters, language)

    def within(self, scope: Scope, filters: Filters = None) -> TextClause:
        """Return the same condition for a statement that SQLAlchemy builds."""
        return self.where(scope, filters).clause

    def of(self, owner: str | Scope) -> OwnedVectorStore:
        """Return the documents of an owner as a vector store of LlamaIndex."""
        return OwnedVectorStore(self, Scope.of(owner))

    @contextmanager
    def reading(self, scope: Scope) -> Iterator[Connection]:
        """Let the searches of an owner inside the block share one transaction."""
        self._make_tables()
        with read_transaction(self.engine, scope.user_id) as connection:
            yield connection

    @retry_on_disconnect
    def rows(self, statement: Select | TextClause, scope: Scope) -> Sequence[Row]:
        """Run a statement on the owner's rows; its WHERE should carry `within(scope)`."""
        with self.reading(scope) as connection:
            return connection.execute(statement).all()

    def version(self, scope: Scope) -> tuple:
        """Return a value that changes whenever any process adds, replaces or removes a document of the owner."""
        values = {"index_table": self.table_name, "user_id": scope.user_id}
        return tuple(self.rows(VERSION.bindparams(**values), scope)[0])

    @retry_on_disconnect
    def documents(self, scope: Scope) -> list[DocumentRow]:
        """List the documents of an owner in this index, by name."""
        statement = select(DocumentRow).where(*self.owned_by(scope.user_id)).order_by(DocumentRow.source_file)
        with self.reading(scope) as connection, Session(connection) as session:
            return list(session.scalars(statement))

    @retry_on_disconnect
    def content(self, scope: Scope, source_file: str) -> bytes | None:
        """Return the bytes of an owner's file as it was ingested, or None if they were not kept."""
        is_file = DocumentRow.source_file == source_file
        with self.reading(scope) as connection:
            return connection.scalar(select(DocumentRow.content).where(*self.owned_by(scope.user_id), is_file))

    def query(self, query: VectorStoreQuery, *, scope: Scope) -> SearchResult:
        """Find the nearest chunks to a query of LlamaIndex within a scope, which every search must name."""
        return self.query_each([query.query_embedding or []], query.similarity_top_k, scope, query.filters)[0]

    def query_each(self, vectors: Vectors, limit: int, scope: Scope, filters: Filters = None) -> list[SearchResult]:
        """Find the nearest chunks to each of the vectors by cosine similarity, in one statement."""
        return self.query_languages({}, vectors, limit, scope, filters)[0]

    @retry_on_disconnect
    def query_languages(
        self, baselines: Baselines, vectors: Vectors, limit: int, scope: Scope, filters: Filters = None
    ) -> list[Results]:
        """Search as `query_each` does, less a baseline; of very many chunks, each language has results of its own."""

        def search(where: WhereClause, plan: SearchPlan) -> Results:
            statement, values = self.vector_search(vectors, limit, where, plan, baselines)
            return _results(connection.execute(statement, values).all(), len(vectors), plan)

        within = self.where(scope, filters)
        values = {"hnsw": self._hnsw, "index_table": self.table_name, "few": settings().exact_search_chunks}
        condition = WhereClause(f"{within.sql} AND {IF_FEW}", within.values | values, within.narrow)
        with self.reading(scope) as connection:
            results = search(condition, "exact")
            if any(result.chunks for result in results) or not has_many_chunks(connection, condition):
                return [results]
            conditions = [self.where(scope, filters, language) for language in baselines or [None]]
            return [self._nearest(connection, where, limit, search) for where in conditions]

    def _nearest(self, connection: Connection, where: WhereClause, limit: int, run: Callable[..., Results]) -> Results:
        if choose_search_plan(connection, self.table_name, where.sql, where.values) == "hnsw":
            configure_hnsw_search(connection)
            results = run(where, "hnsw")
            if all(len(result.chunks) == limit for result in results):
                return results  # else a walk ended before it met enough chunks that meet the conditions
        return run(where, "exact")

    def vector_search(
        self, vectors: Vectors, limit: int, where: WhereClause, plan: SearchPlan, baselines: Baselines | None = None
    ) -> tuple[TextClause, dict[str, Any]]:
        """Return the statement that finds the nearest chunks to each of the vectors, with text, and its values."""
        names = {"chunks": f'"{self.table_name}"', "within": where.sql, "dimension": self.dimension}
        names["baseline"] = BASELINE if baselines else "0"
        hits = VECTOR_SEARCH.format(order=ORDER[plan].format(**names), **names)
        written = [to_json([*map(float, vector)]).decode() for vector in vectors]  # faster than `str` by far
        values = {**where.values, "vectors": written, "limit": limit}
        if baselines:
            values |= {"languages": [*baselines], "baselines": [*map(list, zip(*baselines.values(), strict=True))]}
        return self._with_text(hits), values

    def keyword_search(self, terms: Sequence[str], limit: int, scope: Scope, filters: Filters = None) -> SearchResult:
        """Find the chunks that match terms (of `lessons.text.terms`) best; their BM25 scores are above 0."""
        return self.keyword_search_each([terms], limit, scope, filters)[0]

    @retry_on_disconnect
    def keyword_search_each(
        self, questions: Sequence[Sequence[str]], limit: int, scope: Scope, filters: Filters = None
    ) -> list[SearchResult]:
        """Search as `keyword_search` does for the terms of each question, in one statement."""
        where = self.where(scope, filters)
        values = {**where.values, **search_values(questions, limit)}
        statement = self._with_text(KEYWORD_SEARCH.format(**self._keyword_names(where)))
        with self.reading(scope) as connection:
            return _results(connection.execute(statement, values).all(), len(questions), "keyword")

    @retry_on_disconnect
    def document_frequencies(self, terms: Sequence[str], scope: Scope, filters: Filters = None) -> dict[str, int]:
        """Count the chunks of the scope that contain each term."""
        where, counts = self.where(scope, filters), dict.fromkeys(distinct(terms), 0)
        statement = text(DOCUMENT_FREQUENCIES.format(**self._keyword_names(where)))
        with self.reading(scope) as connection:
            rows = connection.execute(statement, {**where.values, "terms": list(counts)})
            return counts | {row[0]: row[1] for row in rows}

    def _keyword_names(self, where: WhereClause) -> dict[str, str]:
        names = {"chunks": f'"{self.table_name}"', "terms": f'"{self.terms.name}"'}
        names["within"] = where.sql
        # Without a condition on chunks, the index of the terms alone is read.
        return {**names, "in_scope": IN_SCOPE.format(**names) if where.narrow else "true"}

    def _with_text(self, hits: str) -> TextClause:
        return cached_text(WITH_TEXT.format(hits=hits, chunks=f'"{self.table_name}"'))

    def get_nodes(
        self, node_ids: Sequence[str] | None = None, filters: Filters = None, *, scope: Scope, chunk_range: Range = None
    ) -> list[BaseNode]:
        """Return an owner's chunks by id, filter or range of `chunk_index` (start, end), in document order.

        An empty list of ids gives no chunk.
        """
        chunks = self.chunks.c
        statement = select(chunks.node_id, chunks.text, chunks.metadata_).where(self.within(scope, filters))
        if node_ids is not None:
            statement = statement.where(chunks.node_id.in_(node_ids))
        if chunk_range is not None:
            start, end = chunk_range
            statement = statement.where(chunks.chunk_index >= start, chunks.chunk_index < end)
        return [_node(*row) for row in self.rows(statement.order_by(chunks.document_id, chunks.chunk_index), scope)]


def _results(rows: Sequence[Row], searches: int, plan: SearchPlan | Literal["keyword"]) -> list[SearchResult]:
    """Split the rows of one statement into the results of its searches."""
    results, chunks = [SearchResult([], [], plan) for _ in range(searches)], dict[int, Chunk]()
    for number, chunk_id, score, *chunk in rows:  # of which the first with a chunk carries its text
        results[number - 1].chunks.append(chunks.setdefault(chunk_id, cast(Chunk, tuple(chunk))))
        results[number - 1].similarities.append(score)
    return results


def _node(node_id: str, text: str, metadata: dict[str, Any]) -> TextNode:
    return TextNode(id_=node_id, text=text, metadata=metadata)
