"""Reranking by score and shared words together (row A8)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from lessons.retrieve.search import ranked
from lessons.retrieve.types import Query, Resources, RetrievedDocument
from lessons.settings import settings
from lessons.text import terms
from lessons.trace import Step


@dataclass(frozen=True)
class KeywordWeighted:
    """score × (1 − `weight`) + keyword × `weight`, where keyword is the share of the question's terms in the document.

    Meant for scores from 0 to 1. `top_k` None takes the query's own.
    """

    weight: float = field(default_factory=lambda: settings().keyword_weight)
    top_k: int | None = None

    def rerank(
        self, query: Query, documents: Sequence[RetrievedDocument], resources: Resources, step: Step
    ) -> list[RetrievedDocument]:
        asked = set(terms(query.text))
        weighted = [
            document.with_score(document.score * (1 - self.weight) + share(asked, document.content) * self.weight)
            for document in documents
        ]
        return ranked(weighted)[: self.top_k or query.top_k]


def share(asked: set[str], content: str) -> float:
    """How much of the terms a text holds, 0 to 1."""
    return len(asked & set(terms(content))) / len(asked) if asked else 0.0
