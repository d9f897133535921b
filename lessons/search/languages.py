"""Search by meaning across languages.

An embedding model places passages of one language near each other and near its questions: what they have in common
hides what a passage says. So each language is searched on its own, and from a passage's similarity that of the question
to the mean of its language is taken away, which changes no order within a language. (Libovický et al., On the Language
Neutrality of Pre-trained Multilingual Representations, 2020, arXiv 2004.05160.)
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import func, select

from lessons.database.owners import retry_on_disconnect
from lessons.rag.catalog import cached
from lessons.rag.retrievers import ScopedRetriever, documents_of, merge, ranked
from lessons.rag.store import ChunkStore
from lessons.rag.types import Query, Resources, RetrievedDocument, Scope

UNKNOWN_LANGUAGE = ""
"""The language of a chunk whose metadata do not name one."""

PRIOR_CHUNKS = 10  # at the mean of all languages, counted as chunks of each
_DIGITS = 6  # decimal places of a mean, whose last digits depend on the order of adding


@dataclass(frozen=True)
class CentredVectorRetriever(ScopedRetriever):
    """The nearest chunks over all languages by cosine similarity above that of an average passage of their language.

    In an index whose chunks do not tell their language, such as the naive one, by cosine similarity alone.
    """

    top_k: int | None = None

    def search_each(self, queries: Sequence[str], query: Query, resources: Resources) -> list[list[RetrievedDocument]]:
        vectors = [resources.embedding.get_query_embedding(text) for text in queries]
        return self._near(vectors, query, resources.store)

    @retry_on_disconnect
    def _near(self, vectors: list[list[float]], query: Query, store: ChunkStore) -> list[list[RetrievedDocument]]:
        """Find the nearest chunks to each vector, in one transaction with the means of the languages."""
        most = self.limit(query)
        with store.reading(query.scope):
            centres = cached(language_centres, store, query.scope)
            languages: list[str | None] = [*centres]
            if UNKNOWN_LANGUAGE in centres:
                centres, languages = {UNKNOWN_LANGUAGE: np.zeros_like(centres[UNKNOWN_LANGUAGE])}, [None]
            within = store.query_languages(languages, vectors, most, query.scope, query.filters)
        documents: list[list[RetrievedDocument]] = [[] for _ in vectors]
        for centre, results in zip(centres.values(), within, strict=True):
            for its, vector, nearest in zip(documents, vectors, results, strict=True):
                its += documents_of(nearest, baseline=float(np.asarray(vector) @ centre))
        return [ranked(merge(its))[:most] for its in documents]


def language_centres(store: ChunkStore, scope: Scope) -> dict[str, np.ndarray]:
    """Return the mean vector of the owner's chunks in each language; `UNKNOWN_LANGUAGE` for those without one.

    The fewer there are, the more of the mean over all languages is mixed in, as if `PRIOR_CHUNKS` chunks more
    lay there (a conjugate prior; Gelman et al., Bayesian Data Analysis, 2013, section 2.5): one that is alone in its
    language would else be its own mean.
    """
    chunks, prior = store.chunks.c, PRIOR_CHUNKS
    language = func.coalesce(chunks.metadata_["language"].astext, UNKNOWN_LANGUAGE)
    mean = func.avg(chunks.embedding, type_=chunks.embedding.type)
    per_language = select(language, func.count(), mean).where(chunks.user_id == scope.user_id).group_by(language)
    groups = [(name, count, np.asarray(mean)) for name, count, mean in store.rows(per_language, scope)]
    if not groups:
        return {}
    overall = sum(count * mean for _, count, mean in groups) / sum(count for _, count, _ in groups)
    return {name: ((count * mean + prior * overall) / (count + prior)).round(_DIGITS) for name, count, mean in groups}
