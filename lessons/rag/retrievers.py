"""Retrievers: by vector and by keyword in PostgreSQL, and by shared words without any database."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Protocol, runtime_checkable

from lessons.rag.store import Found
from lessons.rag.types import Query, Resources, RetrievedDocument, Retriever
from lessons.text import terms


@dataclass(frozen=True)
class VectorRetriever:
    """The nearest chunks by cosine similarity over all queries, merged by score, each chunk once.

    `top_k` None takes the query's own; `threshold` None keeps everything.
    """

    top_k: int | None = None
    threshold: float | None = None

    def retrieve(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        found = chain.from_iterable(self.retrieve_each(queries, query, resources))
        return ranked(merged(found), self.threshold)[: self.top_k or query.top_k]

    def retrieve_each(self, queries: list[str], query: Query, resources: Resources) -> list[list[RetrievedDocument]]:
        vectors = [resources.embedding.get_query_embedding(text) for text in queries]
        wanted = self.top_k or query.top_k
        results = resources.store.query_each(vectors, wanted, query.scope, query.filters)
        return [ranked(documents(result), self.threshold) for result in results]


@dataclass(frozen=True)
class KeywordRetriever:
    """The chunks that share the rarest words with a query, by BM25 over all queries, merged by score, each chunk once.

    `top_k` None takes the query's own. Scores are above 0 and have no upper limit; a query without terms finds nothing.
    """

    top_k: int | None = None

    def retrieve(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        found = chain.from_iterable(self.retrieve_each(queries, query, resources))
        return ranked(merged(found))[: self.top_k or query.top_k]

    def retrieve_each(self, queries: list[str], query: Query, resources: Resources) -> list[list[RetrievedDocument]]:
        asked, wanted = [terms(text) for text in queries], self.top_k or query.top_k
        results = resources.store.keyword_search_each(asked, wanted, query.scope, query.filters)
        return [ranked(documents(result)) for result in results]


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


@runtime_checkable
class Batched(Protocol):
    """A retriever that finds the documents of several queries in one round trip to the database."""

    def retrieve_each(
        self, queries: list[str], query: Query, resources: Resources
    ) -> list[list[RetrievedDocument]]: ...


def retrieved_each(
    retriever: Retriever, queries: list[str], query: Query, resources: Resources
) -> list[list[RetrievedDocument]]:
    """What a retriever finds for each query on its own."""
    if isinstance(retriever, Batched):
        return retriever.retrieve_each(queries, query, resources)
    return [retriever.retrieve([text], query, resources) for text in queries]


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


def documents(result: Found, common: float = 0.0) -> list[RetrievedDocument]:
    """What a search of the store found, as what travels on, with scores above what is `common` to all."""
    return [
        RetrievedDocument(
            id=chunk.node_id,
            content=chunk.text,
            score=score - common,
            source=chunk.metadata_["source_file"],
            metadata=chunk.metadata_,
            approximate=result.way == "hnsw",
        )
        for chunk, score in zip(result.chunks, result.similarities, strict=True)
    ]
