"""Similarity of words alone, without any database: the share of distinct terms that two texts have in common."""

from collections.abc import Sequence
from dataclasses import dataclass

from lessons.rag.retrievers import ScopedRetriever, ranked
from lessons.rag.types import Query, Resources, RetrievedDocument
from lessons.text import terms


def jaccard(left: str, right: str) -> float:
    """|A ∩ B| / |A ∪ B| over `lessons.text.terms` (Jaccard, 1901), from 0 to 1; 0 when neither text has any."""
    first, second = set(terms(left)), set(terms(right))
    return len(first & second) / len(first | second) if first | second else 0.0


@dataclass(frozen=True)
class JaccardRetriever(ScopedRetriever):
    """Documents held in memory, whoever owns them, ranked by the share of terms they have in common with the query."""

    documents: tuple[RetrievedDocument, ...]
    threshold: float | None = None

    def search(
        self, queries: Sequence[str], query: Query, resources: Resources | None = None
    ) -> list[RetrievedDocument]:
        scored = [
            document.with_score(max(jaccard(text, document.content) for text in queries)) for document in self.documents
        ]
        return ranked((document for document in scored if document.score > 0), self.threshold)[: query.top_k]
