"""The exercises of notebooks 03 and 04: fusion, Korean pairs, BM25; rerankers.

The last exercise of each is measured on questions of dev.
"""

import json
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import log
from statistics import fmean
from typing import Any

from lessons.evaluate.golden import Golden, golden_questions
from lessons.evaluate.metrics import retrieval_metrics
from lessons.exercises.cases import Case, case, exercise, value, worked_out
from lessons.exercises.comparing import Nearly, kind
from lessons.rag.stages import stage_named
from lessons.rag.types import Query, RetrievedDocument, Scope
from lessons.search.hybrid import HybridRetriever, reciprocal_rank_fusion
from lessons.settings import settings
from lessons.workspace import workspace

LEGS = ("meaning", "words")
EVERY = 3
FOUND = 100
CANDIDATES = 30
Lists = list[dict[str, float]]
Found = list[RetrievedDocument]


@dataclass(frozen=True)
class Asked:
    """A question of dev with the documents found for it; their `legs` are the scores of the two searches."""

    golden: Golden
    documents: Found

    def lists(self) -> Lists:
        """The scores of each search by the documents' ids, best first."""
        found = [{each.id: each.legs[leg] for each in self.documents if leg in each.legs} for leg in LEGS]
        return [dict(sorted(scores.items(), key=lambda item: -item[1])) for scores in found]

    def nearest(self, count: int) -> Found:
        """The first documents of the search by meaning, with its scores."""
        by_id = {document.id: document for document in self.documents}
        return [by_id[id_].with_score(score) for id_, score in list(self.lists()[0].items())[:count]]

    def ndcg(self, order: Sequence[str]) -> float:
        """nDCG@10 of the documents' ids in this order."""
        by_id = {document.id: document for document in self.documents}
        return retrieval_metrics(self.golden, [by_id[id_] for id_ in order[:10]])["ndcg@10"]


@cache
def dev_questions() -> list[Asked]:
    """Every third question whose evidence stands in the reader's documents, searched once in a process."""
    resources, search = workspace().resources(stage_named("smart").index), HybridRetriever(top_k=FOUND)
    answerable = [each for each in golden_questions("dev") if each.evidence and not each.history]
    shared = [each for each in answerable if each.owner == settings().user][::EVERY]
    queries = [Query(each.question, Scope(settings().user)) for each in shared]
    found = [search.search([query.text], query, resources) for query in queries]
    return list(map(Asked, shared, found))


def better(asked: Sequence[Asked], ours: Sequence[Sequence[str]]) -> Callable[[Any], bool | str]:
    """Accepts orders of ids that are better than ours; else it says both numbers in half a sentence."""

    def accept(orders: Sequence[Sequence[str]]) -> bool | str:
        theirs, others = (fmean(map(Asked.ndcg, asked, each)) for each in (orders, ours))
        return theirs > others or f"nDCG@10 is {theirs:.3f} over {len(asked)} questions, and ours is {others:.3f}"

    return accept


def _wins(rank: float) -> bool | str:
    if 50 <= rank < 61:
        return Nearly(f"{rank} is not it yet: a chunk wins there, and at a lower rank, too")
    if 61 < rank <= 62:
        return Nearly(f"{rank} is not it yet: at rank 62 both are worth the same")
    if rank in (121, 122):
        return Nearly(f"{rank} is not it yet: this holds the 60 that is added to a rank")
    return rank == 61


def _fused(lists: Sequence[Sequence[str]], k: int) -> dict[str, float]:
    fused: Counter[str] = Counter()
    for ids in lists:
        fused.update({id_: 1 / (k + rank) for rank, id_ in enumerate(ids, start=1)})
    return dict(fused)


def _bm25(query: Sequence[str], documents: Sequence[Sequence[str]], of_length: float = 0.75) -> list[float]:
    average = sum(map(len, documents)) / len(documents)

    def score(document: Sequence[str]) -> float:
        total = 0.0
        for term in set(query):
            holding, times = sum(term in each for each in documents), document.count(term)
            rarity = log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
            total += rarity * times * 2.2 / (times + 1.2 * (1 - of_length + of_length * len(document) / average))
        return total

    return list(map(score, documents))


def _orders(learner: Callable[[Lists], Any], questions: Sequence[Lists]) -> Any:
    """The ids as a learner's fusion orders them, for each pair of lists; what is no dict comes back as it is."""
    fused = [learner(lists) for lists in questions]
    wrong = [each for each in fused if kind(each) != "a dict"]
    return wrong[0] if wrong else [sorted(each, key=lambda id_: -each[id_]) for each in fused]


def _tower_first(made: Sequence[Sequence[str]]) -> bool | str:
    if made[0][-1] == "tower":
        return Nearly("the best hit comes last, and higher is better")
    return made[0][0] == "tower" or "another hit than that one comes first"


def _fusions() -> Iterator[Case]:
    flat = {f"flat {number}": 10 - number / 10 for number in range(20)}
    tower = {"tower": 30.0} | {f"low {number}": 10 - number / 10 for number in range(20)}
    yield case("one hit towers over all others", _tower_first, [[flat, tower]])
    yield case("that hit is in the other list", _tower_first, [[tower, flat]])
    larger = {id_: 1_000 * score for id_, score in flat.items()}
    scales = [[flat, tower], [larger, tower]]
    yield case("one search gives scores a thousand times larger", lambda made: made[0] == made[1], scales)
    alone = [[{"first": 2.0, "second": 1.0, "third": 0.5}, {}]]
    yield case("a list is empty", lambda made: made == [["first", "second", "third"]], alone)
    asked = dev_questions()
    lists = [each.lists() for each in asked]
    ours = [list(reciprocal_rank_fusion(each)) for each in lists]
    yield case("it is measured on dev questions", better(asked, ours), lists)


# fmt: off
A, B, C = "abc", "bca", "cab"  # ids, best first
TERMS = [["budget", "alert", "budget"], ["region"], ["alert", "예산", "알림", "매출", "분기"], ["budget", "예산"]]

value("03.1", "What rank fusion rewards", "a rank, a whole number", 61, {}, _wins)

exercise("03.2", "Fusion by rank", "a function of lists of ids, best first, and k", worked_out(_fused, {
    "two lists hold the same ids": ([list(A), list(B)], 10),
    "an id stands in one list only": ([list("abcd"), list("cdef")], 60),
    "there are three lists": ([list(A), list(B), list(C)], 1),
    "a list is empty": ([list(A), []], 60),
    "there are no lists": ([], 60),
}), {
    "ranks begin at 1": _fused([A, B], 9),
    "k is given, and 60 only what is usual": _fused([A, B], 60),
    "what the lists give is added up, none replaces another": _fused([B], 10),
})

exercise("03.3", "Korean words in pairs", "a function of a text", [
    case("there is one Korean word", ["마케", "케팅", "팅을"], "마케팅을"),
    case("there are two Korean words", ["마케", "케팅", "팅을", "예산", "산이"], "마케팅을 예산이"),
    case("a word has a single syllable", ["예산", "산이", "꼭", "알림"], "예산이 꼭 알림"),
    case("there are English words, too", ["예산", "산이", "sdj-cmo-2405", "budget"], "예산이 SDJ-CMO-2405 Budget"),
    case("a word has Hangul and does not begin with it", ["q3실적", "예산", "산이"], "Q3실적 예산이"),
    case("the text stores Hangul as single letters", ["매출", "출액"], unicodedata.normalize("NFD", "매출액")),
    case("there is no text", [], ""),
], {
    "neighbouring pairs share a syllable": ["마케", "팅을"],
    "the last syllable has no neighbour behind it": ["마케", "케팅", "팅을", "을"],
})

exercise("03.4", "BM25", "a function of a query's terms and the terms of each document", worked_out(_bm25, {
    "one term is asked for": (["budget"], TERMS),
    "several terms are asked for": (["budget", "alert", "예산"], TERMS),
    "a term stands in a document several times": (["alert"], [["alert"] * 4, *TERMS]),
    "no document holds the term": (["turnov"], TERMS),
    "a term is asked for twice": (["budget", "budget"], TERMS),
    "a document is empty": (["budget"], [*TERMS, []]),
    "every document holds the term": (["team"], [["team", *each] for each in TERMS]),
}), {"the length of a document plays no part": _bm25(["budget"], TERMS, of_length=0.0)})

exercise("03.5", "A quarter that is named", "a function of a question", [
    case("it names Q and a year", (2023, 2), "What was the turnover in Q2 2023?"),
    case("it is Korean", (2023, 2), "세담소재의 2023년 2분기 매출은?"),
    case("a year is named without a quarter", None, "What was the turnover in 2023?"),
    case("a quarter is named without a year", None, "What was the turnover in Q2?"),
    case("two quarters are named", None, "Was Q2 2023 better than Q3 2023?"),
    case("one quarter is named twice", (2023, 2), "Q2 2023: was Q2 2023 good?"),
    case("there is no such quarter", None, "What was the turnover in Q7 2023?"),
    case("Q and the year are small and far apart", (2023, 2), "turnover q2   2023"),
])

exercise("03.6", "Fusion by score", "a function of two dicts, id to score", _fusions, use=_orders, seconds=90)

PAIR = "a pair of numbers from 0 to 1: Recall@5 with fifteen and with five"
value("04.1", "What a reranker cannot do", PAIR, (1.0, 0.5), {
    "these are counts of passages, and Recall is a share of the evidence": (2, 1),
    "with five candidates, does place 9 reach the reranker?": (1.0, 1.0),
    "a reranker may bring any of its fifteen candidates to the top": (0.5, 0.5),
    "of the first five, one place holds evidence": (1.0, 0.0),
    "the share is that of the evidence, not of the five documents": (0.4, 0.2),
})

QUESTION = "budget alert 예산"
SCORED = [("budget alert region", 0.2), ("invoice backup", 0.9), ("예산 budget alert", 0.1), ("alert quarter", 0.3)]

exercise("04.2", "Score and shared words", "a function of a question, documents as (text, score), and a weight", [
    case("there are four documents", [2, 0, 1, 3], QUESTION, SCORED, 0.6),
    case("the weight is 0", [1, 3, 0, 2], QUESTION, SCORED, 0.0),
    case("the weight is 1 and documents are equally good", [0, 1, 2, 5, 3, 6, 4],
         QUESTION, [*[(QUESTION, 0.1)] * 3, *SCORED], 1.0),
    case("the question is in capitals", [2, 0, 1, 3], QUESTION.upper(), SCORED, 0.6),
    case("a word stands in the question several times", [1, 0],
         "budget budget budget alert region", [("budget quarter", 0.5), ("alert region", 0.5)], 1.0),
    case("the question has no words", [1, 3, 0, 2], "?", SCORED, 0.6),
    case("there are no documents", [], QUESTION, [], 0.6),
], {
    "the documents come, not their places": [SCORED[2], SCORED[0], SCORED[1], SCORED[3]],
    "the share is a part of the question's terms, from 0 to 1": [2, 0, 3, 1],
})

SCORES = [0.2, 0.3, 0.9, 0.7, 0.4]
SIMILAR = [
    [1.0, 0.2, 0.3, 0.0, 0.3],
    [0.2, 1.0, 0.9, 0.6, 0.9],
    [0.3, 0.9, 1.0, 0.5, 0.4],
    [0.0, 0.6, 0.5, 1.0, 0.3],
    [0.3, 0.9, 0.4, 0.3, 1.0],
]
TWINS = [[1.0, 1.0, 0.1, 0.1], [1.0, 1.0, 0.1, 0.1], [0.1, 0.1, 1.0, 0.1], [0.1, 0.1, 0.1, 1.0]]
APART = [[float(i == j) for j in range(4)] for i in range(4)]

exercise("04.3", "Maximal marginal relevance", "a function of scores, similarities[i][j], and how many are wanted", [
    case("four of five documents are wanted", [2, 3, 4, 0], SCORES, SIMILAR, 4),
    case("a document is a copy of the best one", [0, 2, 3], [0.9, 0.8, 0.5, 0.4], TWINS, 3),
    case("more are wanted than there are", [2, 3, 4, 0, 1], SCORES, SIMILAR, 20),
    case("all are equally good and have nothing in common", [0, 1, 2, 3], [0.5] * 4, APART, 4),
    case("there are no documents", [], [], [], 3),
], {
    "similarity is taken away from the score": [2, 1, 3, 4],
    "the most similar document counts, not all of them together": [2, 3, 0, 4],
    "it is compared with the last one only": [2, 3, 0, 1],
    "similarity plays no part": [2, 3, 4, 1],
})


def _reply(*pairs: tuple[int, Any]) -> str:
    return json.dumps({"scores": [{"number": number, "score": score} for number, score in pairs]})


MIXED = [(3, 5), (1, 2), (4, 9), (2, 7)]

exercise("04.4", "Scores from a model that errs", "a function of the model's reply (a text) and a number", [
    case("every document has its score", [4, 2, 3, 1], _reply(*sorted(MIXED)), 4),
    case("the scores come in another order", [4, 2, 3, 1], _reply(*MIXED), 4),
    *(case(when, [1, 2, 3, 4], reply, 4) for when, reply in {
        "all scores are equal": _reply((4, 7), (3, 7), (2, 7), (1, 7)),
        "a document has no score": _reply(*MIXED[1:]),
        "one document has two scores and another none": _reply(*MIXED[1:], (1, 2)),
        "a document has a second score": _reply(*MIXED, (3, 8)),
        "a score is 11": _reply(*MIXED[1:], (3, 11)),
        "a score is below 0": _reply(*MIXED[1:], (3, -1)),
        "a document is numbered 0": _reply(*MIXED[1:], (0, 5)),
        "a score is a word": _reply(*MIXED[1:], (3, "high")),
        "the reply is cut off": _reply(*MIXED)[:-9],
        "the reply is no JSON": "Document 2 is the best one.",
        "the reply is JSON of another shape": "[2, 1]",
    }.items()),
])
# fmt: on


def _reranked(learner: Callable[..., Any], questions: Sequence[tuple[str, Found]]) -> Any:
    """The ids of each question's documents in the learner's order; what is no list comes back as it is."""
    made = [learner(question, documents) for question, documents in questions]
    wrong = [each for each in made if kind(each) != "a list"]
    return wrong[0] if wrong else [[getattr(document, "id", document) for document in each] for each in made]


def _rerankings() -> Iterator[Case]:
    made = [RetrievedDocument(f"d{place}", text, score, "file.md") for place, (text, score) in enumerate(SCORED * 2)]
    ids = [document.id for document in made]

    def each_once(orders: list[list[Any]]) -> bool | str:
        came = orders[0]
        if all(isinstance(each, int) for each in came):
            return Nearly("places come, and the documents themselves are asked for")
        if not set(came) <= set(ids):
            return f"what comes are no documents: {came[:2]}"
        if len(came) == len(ids):
            return sorted(came) == ids or "a document comes twice, and another is lost"
        return Nearly(f"of {len(ids)} documents, {len(came)} come back")

    yield case("all come back, each once", each_once, [("budget", made)])
    yield case("there are no documents", [[]], [("budget", [])])
    asked = dev_questions()
    questions = [(each.golden.question, each.nearest(CANDIDATES)) for each in asked]
    ours = [[document.id for document in documents] for _, documents in questions]
    yield case("it is measured on dev questions", better(asked, ours), questions)


exercise("04.5", "Your own reranker", "a function of a question and documents", _rerankings, use=_reranked, seconds=90)
