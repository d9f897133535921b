"""Retrievers: by vector and by keyword in PostgreSQL.

Each is a retriever of LlamaIndex. A stage tells it with every question where to search and for whom. Outside of a stage
it is bound to chunks and an owner once:

    VectorRetriever(top_k=5).bind(resources, Scope("me")).retrieve("When are refunds paid?")
"""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import chain
from typing import Self

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import NodeWithScore, QueryBundle

from lessons.errors import LessonsError
from lessons.rag.store import SearchResult
from lessons.rag.types import Query, Resources, RetrievedDocument, Scope
from lessons.text import terms


class ScopedRetriever(BaseRetriever):
    """A retriever of LlamaIndex that searches for one owner, by the `search_each` or `search` of a subclass."""

    callback_manager = CallbackManager()
    object_map = {}  # noqa: RUF012
    _verbose = False
    _bound: tuple[Resources, Scope] | None = None

    def search(self, queries: Sequence[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        """Return the `top_k` best documents over all phrasings, each once, merged by score."""
        return ranked(merge(chain.from_iterable(self.search_each(queries, query, resources))))[: self.limit(query)]

    def search_each(self, queries: Sequence[str], query: Query, resources: Resources) -> list[list[RetrievedDocument]]:
        """Return the best documents for each phrasing on its own."""
        return [self.search([text], query, resources) for text in queries]

    def limit(self, query: Query) -> int:
        """Return how many documents to find: the retriever's own `top_k`, or else the query's."""
        return getattr(self, "top_k", None) or query.top_k

    def bind(self, resources: Resources, owner: str | Scope) -> Self:
        """Return a copy that searches these chunks for this owner whenever LlamaIndex calls it."""
        bound = copy(self)
        object.__setattr__(bound, "_bound", (resources, Scope.of(owner)))
        return bound

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        if self._bound is None:
            raise LessonsError("This retriever does not know where to search: name chunks and owner, `.bind(…, …)`.")
        resources, scope = self._bound
        query = Query(query_bundle.query_str, scope)
        return [document.node for document in self.search(query_bundle.embedding_strs, query, resources)]


@dataclass(frozen=True)
class VectorRetriever(ScopedRetriever):
    """The nearest chunks by cosine similarity. `top_k` None takes the query's; `threshold` None keeps all."""

    top_k: int | None = None
    threshold: float | None = None

    def search_each(self, queries: Sequence[str], query: Query, resources: Resources) -> list[list[RetrievedDocument]]:
        vectors = [resources.embedding.get_query_embedding(text) for text in queries]
        results = resources.store.query_each(vectors, self.limit(query), query.scope, query.filters)
        return [ranked(documents_of(result), self.threshold) for result in results]


@dataclass(frozen=True)
class KeywordRetriever(ScopedRetriever):
    """The chunks that share the rarest words with a query, by BM25 (above 0, without an upper limit)."""

    top_k: int | None = None

    def search_each(self, queries: Sequence[str], query: Query, resources: Resources) -> list[list[RetrievedDocument]]:
        questions = [terms(text) for text in queries]
        results = resources.store.keyword_search_each(questions, self.limit(query), query.scope, query.filters)
        return [ranked(documents_of(result)) for result in results]


def merge(documents: Iterable[RetrievedDocument]) -> Iterable[RetrievedDocument]:
    """Return each document once, with the best of its scores."""
    best: dict[str, RetrievedDocument] = {}
    for document in documents:
        if document.id not in best or best[document.id].score < document.score:
            best[document.id] = document
    return best.values()


def ranked(documents: Iterable[RetrievedDocument], threshold: float | None = None) -> list[RetrievedDocument]:
    """Sort by score, best first, and leave out what lies below the threshold.

    Ids break ties, so that the order is the same every time.
    """
    above = [document for document in documents if threshold is None or document.score >= threshold]
    return sorted(above, key=lambda document: (-document.score, document.id))


def documents_of(result: SearchResult) -> list[RetrievedDocument]:
    """Turn the result of a search of the store into documents."""
    walked = result.search_plan == "hnsw"
    return [
        RetrievedDocument(id_, content, score, metadata["source_file"], metadata, approximate=walked)
        for (id_, content, metadata), score in zip(result.chunks, result.similarities, strict=True)
    ]
