"""Retrievers: by vector and by keyword in PostgreSQL.

Each is a retriever of LlamaIndex. In a stage it is told with every question where to search and for whom; taken out of
it, it is told once:

    VectorRetriever(top_k=5).over(resources, Scope("me")).retrieve("When are refunds paid?")
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
from lessons.rag.store import Found
from lessons.rag.types import Query, Resources, RetrievedDocument, Scope
from lessons.text import terms


class ScopedRetriever(BaseRetriever):
    """A retriever of LlamaIndex that searches for one owner, by the `search_each` or `search` of a subclass."""

    callback_manager = CallbackManager()
    object_map = {}  # noqa: RUF012
    _verbose = False
    _place: tuple[Resources, Scope] | None = None

    def search(self, queries: Sequence[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        """The `top_k` best documents over all phrasings, each once, merged by score."""
        return ranked(merged(chain.from_iterable(self.search_each(queries, query, resources))))[: self.wanted(query)]

    def search_each(self, queries: Sequence[str], query: Query, resources: Resources) -> list[list[RetrievedDocument]]:
        """The best documents for each phrasing on its own; in PostgreSQL, in one round trip."""
        return [self.search([text], query, resources) for text in queries]

    def wanted(self, query: Query) -> int:
        return getattr(self, "top_k", None) or query.top_k

    def over(self, resources: Resources, owner: str | Scope) -> Self:
        """The same retriever, which searches these chunks for this owner whenever LlamaIndex calls it."""
        bound = copy(self)
        object.__setattr__(bound, "_place", (resources, Scope.of(owner)))
        return bound

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        if self._place is None:
            raise LessonsError("This retriever does not know where to search: name chunks and owner, `.over(…, …)`.")
        resources, scope = self._place
        query = Query(query_bundle.query_str, scope)
        return [document.node for document in self.search(query_bundle.embedding_strs, query, resources)]


@dataclass(frozen=True)
class VectorRetriever(ScopedRetriever):
    """The nearest chunks by cosine similarity; `top_k` None takes the query's, `threshold` None keeps all."""

    top_k: int | None = None
    threshold: float | None = None

    def search_each(self, queries: Sequence[str], query: Query, resources: Resources) -> list[list[RetrievedDocument]]:
        vectors = [resources.embedding.get_query_embedding(text) for text in queries]
        found = resources.store.query_each(vectors, self.wanted(query), query.scope, query.filters)
        return [ranked(documents(one), self.threshold) for one in found]


@dataclass(frozen=True)
class KeywordRetriever(ScopedRetriever):
    """The chunks that share the rarest words with a query, by BM25 (above 0, without an upper limit)."""

    top_k: int | None = None

    def search_each(self, queries: Sequence[str], query: Query, resources: Resources) -> list[list[RetrievedDocument]]:
        asked = [terms(text) for text in queries]
        found = resources.store.keyword_search_each(asked, self.wanted(query), query.scope, query.filters)
        return [ranked(documents(one)) for one in found]


def merged(documents: Iterable[RetrievedDocument]) -> Iterable[RetrievedDocument]:
    """Each document once, with the best of its scores."""
    best: dict[str, RetrievedDocument] = {}
    for document in documents:
        if document.id not in best or best[document.id].score < document.score:
            best[document.id] = document
    return best.values()


def ranked(documents: Iterable[RetrievedDocument], threshold: float | None = None) -> list[RetrievedDocument]:
    """Best score first, ids breaking ties so that the order never wavers; below the threshold is left out."""
    kept = [document for document in documents if threshold is None or document.score >= threshold]
    return sorted(kept, key=lambda document: (-document.score, document.id))


def documents(result: Found, common: float = 0.0) -> list[RetrievedDocument]:
    """What a search of the store found, as what travels on, with scores above what is `common` to all."""
    walked = result.search_plan == "hnsw"
    return [
        RetrievedDocument(
            chunk.node_id, chunk.text, score - common, chunk.metadata_["source_file"], chunk.metadata_, {}, walked
        )
        for chunk, score in zip(result.chunks, result.similarities, strict=True)
    ]
