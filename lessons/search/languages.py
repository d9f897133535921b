"""Search by meaning across languages.

An embedding model places passages of one language near each other and near its questions: what they have in common
hides what a passage says. So each language is searched on its own, and from a passage's similarity that of the question
to the mean of its language is taken away, which changes no order within a language. (Libovický et al., On the Language
Neutrality of Pre-trained Multilingual Representations, 2020, arXiv 2004.05160.)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
from sqlalchemy import func, select

from lessons.database.owners import retry_on_disconnect
from lessons.models.embedding_cache import mean_key, read_vectors
from lessons.rag.retrievers import ScopedRetriever, documents_of, ranked
from lessons.rag.store import ChunkStore
from lessons.rag.types import Query, Resources, RetrievedDocument, Scope

UNKNOWN_LANGUAGE = ""
"""The language of a chunk whose metadata do not name one."""

PRIOR_CHUNKS = 10  # at the mean of all languages, counted as chunks of each
SHIPPED_CHUNKS = 200
"""The same for the mean of a language in the shipped corpus, where there is one for this model. Set on *dev*: of 74
questions in 24 folders of 1 to 32 chunks 4 find nothing, and 7 without it."""

_DIGITS = 6  # decimal places of a mean, whose last digits depend on the order of adding


@dataclass(frozen=True)
class CentredVectorRetriever(ScopedRetriever):
    """The nearest chunks over all languages by cosine similarity above that of an average passage of their language.

    In an index whose chunks do not tell their language, such as the naive one, by cosine similarity alone.
    """

    top_k: int | None = None

    @retry_on_disconnect
    def search_each(self, queries: Sequence[str], query: Query, resources: Resources) -> list[list[RetrievedDocument]]:
        vectors = [resources.embedding.get_query_embedding(text) for text in queries]
        store, most = resources.store, self.limit(query)
        with store.reading(query.scope):  # in one transaction with the means of the languages
            centres = language_centres(
                store, Scope(query.scope.user_id), store.version(query.scope), resources.embedding.model_name
            )
            if UNKNOWN_LANGUAGE in centres:
                centres = {}
            baselines = {
                language: [float(np.asarray(vector) @ centre) for vector in vectors]
                for language, centre in centres.items()
            }
            parts = store.query_languages(baselines, vectors, most, query.scope, query.filters)
        return [ranked(chain.from_iterable(map(documents_of, results)))[:most] for results in zip(*parts, strict=True)]


@lru_cache(maxsize=64)
def language_centres(store: ChunkStore, scope: Scope, _version: tuple, model_name: str) -> dict[str, np.ndarray]:
    """Return the mean vector of the owner's chunks in each language; `UNKNOWN_LANGUAGE` for those without one.

    The fewer there are, the more counts what is known without them, as if so many chunks more lay there (a conjugate
    prior; Gelman et al., Bayesian Data Analysis, 2013, section 2.5): the mean of the language in the shipped corpus,
    else that over all languages. A chunk that is alone in its language would be its own mean.
    """
    chunks, shipped = store.chunks.c, read_vectors(model_name)
    language = func.coalesce(chunks.metadata_["language"].astext, UNKNOWN_LANGUAGE)
    mean = func.avg(chunks.embedding, type_=chunks.embedding.type)
    per_language = select(language, func.count(), mean).where(chunks.user_id == scope.user_id).group_by(language)
    groups = [(name, count, np.asarray(mean)) for name, count, mean in store.rows(per_language, scope)]
    overall = sum(count * mean for _, count, mean in groups) / max(1, sum(count for _, count, _ in groups))
    centres = {}
    for name, count, local in groups:
        general = shipped.get(mean_key(name))
        weight, prior = (PRIOR_CHUNKS, overall) if general is None else (SHIPPED_CHUNKS, general.astype(float))
        centres[name] = ((count * local + weight * prior) / (count + weight)).round(_DIGITS)
    return centres
