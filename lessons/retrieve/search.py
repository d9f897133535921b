"""Retrievers: by vector and by keyword in PostgreSQL, and by shared words without any database (row A7)."""

from collections.abc import Iterable
from dataclasses import dataclass

from llama_index.core.vector_stores.types import VectorStoreQuery, VectorStoreQueryResult

from lessons.retrieve.types import Query, Resources, RetrievedDocument
from lessons.text import terms


@dataclass(frozen=True)
class VectorRetriever:
    """The nearest chunks by cosine similarity over all queries, merged by score, each chunk once.

    `top_k` None takes the query's own; `threshold` None keeps everything.
    """

    top_k: int | None = None
    threshold: float | None = None

    def retrieve(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        wanted = self.top_k or query.top_k
        found = (document for text in queries for document in self._search(text, query, wanted, resources))
        return ranked(merged(found), self.threshold)[:wanted]

    def _search(self, text: str, query: Query, wanted: int, resources: Resources) -> list[RetrievedDocument]:
        vector = resources.embedding.get_query_embedding(text)
        request = VectorStoreQuery(query_embedding=vector, similarity_top_k=wanted, filters=query.filters)
        return _documents(resources.store.query(request, scope=query.scope))


@dataclass(frozen=True)
class KeywordRetriever:
    """The chunks that share the rarest words with a query, by BM25 over all queries, merged by score, each chunk once.

    `top_k` None takes the query's own. Scores are above 0 and have no upper limit; a query without terms finds nothing.
    """

    top_k: int | None = None

    def retrieve(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        wanted, store = self.top_k or query.top_k, resources.store
        results = (store.keyword_search(terms(text), wanted, query.scope, query.filters) for text in queries)
        return ranked(merged(document for result in results for document in _documents(result)))[:wanted]


@dataclass(frozen=True)
class JaccardRetriever:
    """Documents held in memory, ranked by the share of distinct terms they have in common with the query.

    Jaccard similarity |A ∩ B| / |A ∪ B| over `lessons.text.terms` (Jaccard, 1901).
    """

    documents: tuple[RetrievedDocument, ...]
    threshold: float | None = None

    def retrieve(self, queries: list[str], query: Query, resources: Resources | None = None) -> list[RetrievedDocument]:
        scored = [
            document.with_score(max(jaccard(text, document.content) for text in queries)) for document in self.documents
        ]
        found = [document for document in scored if document.score > 0]
        return ranked(found, self.threshold)[: query.top_k]


def merged(documents: Iterable[RetrievedDocument]) -> Iterable[RetrievedDocument]:
    """Each document once, with the best of its scores."""
    best: dict[str, RetrievedDocument] = {}
    for document in documents:
        if document.id not in best or best[document.id].score < document.score:
            best[document.id] = document
    return best.values()


def jaccard(left: str, right: str) -> float:
    """Shared distinct terms over all distinct terms, from 0 to 1; 0 when neither text has any."""
    first, second = set(terms(left)), set(terms(right))
    return len(first & second) / len(first | second) if first | second else 0.0


def ranked(documents: Iterable[RetrievedDocument], threshold: float | None = None) -> list[RetrievedDocument]:
    """Best score first, ids breaking ties so that the order never wavers; below the threshold is left out."""
    kept = [document for document in documents if threshold is None or document.score >= threshold]
    return sorted(kept, key=lambda document: (-document.score, document.id))


def _documents(result: VectorStoreQueryResult) -> list[RetrievedDocument]:
    return [
        RetrievedDocument(
            id=node.node_id,
            content=node.get_content(),
            score=score,
            source=node.metadata["source_file"],
            metadata=node.metadata,
        )
        for node, score in zip(result.nodes or [], result.similarities or [], strict=True)
    ]
