"""Reranking for diversity: maximal marginal relevance (Carbonell & Goldstein, SIGIR 1998; row A8).

The next document is the one with the highest λ · score − (1 − λ) · similarity, where the similarity is that to the
most similar document chosen before. Near-identical passages of one report then no longer fill the list.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from lessons.retrieve.search import jaccard, ranked
from lessons.retrieve.types import Query, Resources, RetrievedDocument
from lessons.settings import settings
from lessons.trace import Step


@dataclass(frozen=True)
class MMR:
    """The best score first, then what is relevant and new. Meant for scores from 0 to 1, which stay as they are.

    Similarity is Jaccard's, over the terms of two documents. `top_k` None takes the query's own.
    """

    lambda_: float = field(default_factory=lambda: settings().mmr_lambda)
    top_k: int | None = None

    def rerank(
        self, query: Query, documents: Sequence[RetrievedDocument], resources: Resources, step: Step
    ) -> list[RetrievedDocument]:
        left, chosen = ranked(documents), list[RetrievedDocument]()
        nearest = {document.id: 0.0 for document in left}  # similarity to any document chosen so far

        def worth(document: RetrievedDocument) -> float:
            return self.lambda_ * document.score - (1 - self.lambda_) * nearest[document.id]

        while left and len(chosen) < (self.top_k or query.top_k):
            best = max(left, key=worth) if chosen else left[0]
            left.remove(best)
            chosen.append(best)
            nearest |= {one.id: max(nearest[one.id], jaccard(best.content, one.content)) for one in left}
        return chosen
