"""Parts of a pipeline that need neither database nor model."""

from collections.abc import Sequence
from dataclasses import dataclass

from lessons.rag.retrievers import ScopedRetriever, ranked
from lessons.rag.types import Query, Resources, RetrievedDocument
from lessons.search.jaccard import jaccard
from lessons.trace import Step


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


@dataclass(frozen=True)
class Passthrough:
    """Leaves the queries as they are."""

    def transform(self, queries: list[str], query: Query, resources: Resources, step: Step) -> list[str]:
        return queries
