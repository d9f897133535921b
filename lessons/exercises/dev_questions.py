"""Questions of the dev half with what the two searches find for them: what a learner's own device is measured on."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean

from lessons.evaluate.golden import Golden, golden_questions
from lessons.evaluate.ranking import retrieval_metrics
from lessons.ingest.scope import Scope
from lessons.retrieve.hybrid import HybridRetriever
from lessons.retrieve.types import Query, RetrievedDocument
from lessons.settings import settings
from lessons.stages import stage_named
from lessons.workspace import workspace

LEGS = ("meaning", "words")
EVERY = 3
FOUND = 100


@dataclass(frozen=True)
class Asked:
    """A question with the documents found for it; their `legs` are the scores of the two searches."""

    golden: Golden
    documents: list[RetrievedDocument]

    def lists(self) -> list[dict[str, float]]:
        """The scores of each search by the documents' ids, best first."""
        found = [[each for each in self.documents if leg in each.legs] for leg in LEGS]
        ranked = [sorted(each, key=lambda d: -d.legs[leg]) for leg, each in zip(LEGS, found, strict=True)]
        return [{d.id: d.legs[leg] for d in each} for leg, each in zip(LEGS, ranked, strict=True)]

    def nearest(self, count: int) -> list[RetrievedDocument]:
        """The first documents of the search by meaning, with its scores."""
        by_id = {document.id: document for document in self.documents}
        return [by_id[id_].with_score(score) for id_, score in list(self.lists()[0].items())[:count]]


@cache
def dev_questions() -> list[Asked]:
    """Every third question whose evidence stands in the reader's documents, searched once in a process."""
    place = workspace()
    index = stage_named("smart").index
    answerable = [each for each in golden_questions("dev") if each.evidence and not each.history]
    shared = [each for each in answerable if each.owner == settings().user][::EVERY]
    resources, search = place.resources(index), HybridRetriever(top_k=FOUND)
    queries = [Query(each.question, Scope(settings().user)) for each in shared]
    return [
        Asked(golden, search.retrieve([query.text], query, resources))
        for golden, query in zip(shared, queries, strict=True)
    ]


def mean_ndcg(asked: Sequence[Asked], orders: Sequence[Sequence[str]]) -> float:
    """nDCG@10 of the documents' ids in these orders, one for each question, on average."""
    values = []
    for each, order in zip(asked, orders, strict=True):
        by_id = {document.id: document for document in each.documents}
        values.append(retrieval_metrics(each.golden, [by_id[id_] for id_ in order[:10]])["ndcg@10"])
    return fmean(values)


def better(asked: Sequence[Asked], orders: Sequence[Sequence[str]], ours: Sequence[Sequence[str]]) -> str:
    """Nothing if the orders are better than ours, else both numbers in half a sentence."""
    theirs, others = mean_ndcg(asked, orders), mean_ndcg(asked, ours)
    return "" if theirs > others else f"nDCG@10 is {theirs:.3f} over {len(asked)} questions, and ours is {others:.3f}"
