"""Hybrid search (rows C8, D4): by meaning and by words, fused for each phrasing of the question."""

from collections import defaultdict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Literal

from lessons.retrieve.fusion import fuse, reciprocal_rank_fusion
from lessons.retrieve.languages import CentredVectorRetriever
from lessons.retrieve.search import KeywordRetriever, ranked, retrieved_each
from lessons.retrieve.types import Query, Resources, RetrievedDocument, Retriever
from lessons.settings import settings
from lessons.text import language


@dataclass(frozen=True)
class HybridRetriever:
    """Takes `candidates` documents from either search, fuses their scores, and adds up those of all queries.

    The first query counts whole, a variant of it half. Scores run from 1 for the best document down to 0 for the last,
    and fall off faster than cosine similarities, for which thresholds such as row B5's are meant. So where there are
    more documents than `top_k`, those are left out of which the root of the score is below `threshold`. The scores of
    the two searches for the best-fitting query stay with each document, in `legs`. Among many chunks both
    searches run side by side.
    """

    top_k: int | None = None
    threshold: float | None = None
    candidates: int = field(default_factory=lambda: settings().fusion_candidates)
    meaning: Retriever = field(default_factory=CentredVectorRetriever)
    words: Retriever = field(default_factory=KeywordRetriever)
    fusion: Literal["scores", "ranks"] = "scores"

    def retrieve(self, queries: list[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        wide = replace(query, top_k=self.candidates)
        total: dict[str, float] = defaultdict(float)
        fitting: dict[str, _Fused] = {}
        legs = self._legs(queries, wide, resources)
        for number, (text, meaning, words) in enumerate(zip(queries, *legs, strict=True)):
            weight = settings().variant_weight if number else 1.0
            fused = self._fused(text, wide, {"meaning": meaning, "words": words})
            for id_, score in fused.scores.items():
                total[id_] += weight * score
                if id_ not in fitting or fitting[id_].scores[id_] < score:
                    fitting[id_] = fused
        best = max(total.values(), default=1.0) or 1.0
        wanted = self.top_k or query.top_k
        first = sorted(total, key=lambda id_: (-total[id_], id_))[:wanted]
        cut = self.threshold**2 if self.threshold is not None and len(total) > wanted else None
        return ranked((fitting[id_].document(id_, total[id_] / best) for id_ in first), cut)

    def _legs(self, queries: list[str], query: Query, resources: Resources) -> list[list[list[RetrievedDocument]]]:
        """What either search finds for each query. Few chunks are searched sooner than another thread wakes up."""

        def found(retriever: Retriever) -> list[list[RetrievedDocument]]:
            return retrieved_each(retriever, queries, query, resources)

        if resources.store.few(query.scope):
            return [found(self.meaning), found(self.words)]
        with ThreadPoolExecutor(1) as beside:
            words = beside.submit(found, self.words)
            return [found(self.meaning), words.result()]

    def _fused(self, text: str, query: Query, legs: Mapping[str, list[RetrievedDocument]]) -> "_Fused":
        """The candidates of either search for one query."""
        found = {document.id: document for documents in legs.values() for document in documents}
        scores = {leg: {document.id: document.score for document in documents} for leg, documents in legs.items()}
        asked_in = language(text)
        foreign = {id_ for id_, document in found.items() if document.metadata.get("language") != asked_in}
        if len(scores["words"]) < query.top_k:  # every match is there, so that the others match not at all
            scores["words"] = {id_: 0.0 for id_ in found if id_ not in foreign} | scores["words"]

        def missing(leg: int, id_: str) -> float | None:
            """Words cannot be compared across languages: there, not to be found by them says nothing."""
            return 0.0 if leg == 1 and id_ in foreign else None

        lists = list(scores.values())
        fused = _from_0_to_1(fuse(lists, missing) if self.fusion == "scores" else reciprocal_rank_fusion(lists))
        return _Fused(fused, found, scores, {document.id for document in legs["meaning"] if document.approximate})


@dataclass(frozen=True)
class _Fused:
    """What was found for one query: its scores from 0 to 1, best first, and those of either search, by id."""

    scores: Mapping[str, float]
    documents: Mapping[str, RetrievedDocument]
    legs: Mapping[str, Mapping[str, float]]
    walked: set[str]

    def document(self, id_: str, score: float) -> RetrievedDocument:
        legs = {leg: scores[id_] for leg, scores in self.legs.items() if id_ in scores}
        return self.documents[id_].scored(score, legs, id_ in self.walked)


def _from_0_to_1(scores: Mapping[str, float]) -> dict[str, float]:
    low, high = min(scores.values(), default=0.0), max(scores.values(), default=1.0)
    return {id_: (score - low) / (high - low) if high > low else 1.0 for id_, score in scores.items()}
