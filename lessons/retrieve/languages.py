"""Search by meaning across languages.

An embedding model places the passages of one language near each other, and near the questions of that language: what
all of them have in common hides what a passage says. So each language is searched on its own, and from a passage's
similarity the similarity of the question to the mean of its language is taken away. Within one language this changes
no order. (Libovický et al., On the Language Neutrality of Pre-trained Multilingual Representations, 2020, arXiv
2004.05160.)
"""

from dataclasses import dataclass, replace

import numpy as np
from llama_index.core.vector_stores.types import FilterCondition, MetadataFilter, MetadataFilters
from sqlalchemy import func, select

from lessons.ingest.scope import Scope
from lessons.ingest.store import ChunkStore
from lessons.retrieve.catalog import remembered
from lessons.retrieve.search import VectorRetriever, ranked
from lessons.retrieve.types import Query, Resources, RetrievedDocument

_DIGITS = 6  # decimal places of a mean, whose last digits depend on the order of adding


@dataclass(frozen=True)
class CentredVectorRetriever:
    """The nearest chunks over all languages by cosine similarity above that of an average passage of their language."""

    top_k: int | None = None

    def retrieve(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        wanted = self.top_k or query.top_k
        centres = remembered(language_centres, resources.store, query.scope)
        best: dict[str, RetrievedDocument] = {}
        for text in queries:
            vector = np.asarray(resources.embedding.get_query_embedding(text))
            for language, centre in centres.items():
                within = replace(query, filters=_in_language(language, query.filters), top_k=wanted)
                for document in VectorRetriever().retrieve([text], within, resources):
                    score = document.score - float(vector @ centre)
                    if document.id not in best or best[document.id].score < score:
                        best[document.id] = document.with_score(score)
        return ranked(best.values())[:wanted]


def language_centres(store: ChunkStore, scope: Scope) -> dict[str, np.ndarray]:
    """The mean vector of the owner's chunks in each language."""
    chunks = store.chunks
    language = chunks.metadata_["language"].astext
    mean = func.avg(chunks.embedding, type_=chunks.embedding.type)
    found = store.rows(select(language, mean).where(chunks.user_id == scope.user_id).group_by(language), scope)
    return {name: np.asarray(centre).round(_DIGITS) for name, centre in found}


def _in_language(language: str, filters: MetadataFilters | None) -> MetadataFilters:
    this_language = MetadataFilter(key="language", value=language)
    parts: list[MetadataFilter | MetadataFilters] = [this_language] if filters is None else [this_language, filters]
    return MetadataFilters(filters=parts, condition=FilterCondition.AND)
