"""Reranking by nothing but the scores of the search: the order to compare all others with (row A8)."""

from collections.abc import Sequence
from dataclasses import dataclass

from lessons.retrieve.search import ranked
from lessons.retrieve.types import Query, Resources, RetrievedDocument
from lessons.trace import Step


@dataclass(frozen=True)
class ByScore:
    """Best score first. `top_k` None takes the query's own."""

    top_k: int | None = None

    def rerank(
        self, query: Query, documents: Sequence[RetrievedDocument], resources: Resources, step: Step
    ) -> list[RetrievedDocument]:
        return ranked(documents)[: self.top_k or query.top_k]
