"""The exercises of notebook 03: fusion, Korean pairs, BM25, named quarters; and questions to measure a search on."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import log
from random import Random
from statistics import fmean
from typing import Any

from lessons.evaluate.golden import Golden, golden_questions
from lessons.evaluate.metrics import retrieval_metrics
from lessons.exercises.cases import Case, Cases, exercise, value
from lessons.exercises.comparing import Nearly, kind
from lessons.rag.stages import stage_named
from lessons.rag.types import Query, RetrievedDocument, Scope
from lessons.search.hybrid import HybridRetriever, reciprocal_rank_fusion
from lessons.settings import settings
from lessons.workspace import workspace

LEGS = ("meaning", "words")
EVERY = 3
FOUND = 100
TERMS = ["budget", "alert", "invoic", "region", "예산", "알림", "매출", "분기"]
KOREAN = ["마케팅을", "예산이", "알림", "확인합니다", "매출액은"]
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
    found = [search.retrieve([query.text], query, resources) for query in queries]
    return list(map(Asked, shared, found))


def better(asked: Sequence[Asked], orders: Sequence[Sequence[str]], ours: Sequence[Sequence[str]]) -> str:
    """Nothing if the orders are better than ours, else both numbers in half a sentence."""
    theirs, others = (fmean(map(Asked.ndcg, asked, each)) for each in (orders, ours))
    return "" if theirs > others else f"nDCG@10 is {theirs:.3f} over {len(asked)} questions, and ours is {others:.3f}"


def _wins(rank: float) -> bool | str:
    if 50 <= rank < 61:
        return Nearly(f"{rank} is not it yet: a chunk wins there, and at a lower rank, too")
    if 61 < rank <= 62:
        return Nearly(f"{rank} is not it yet: at rank 62 both are worth the same")
    if rank in (121, 122):
        return Nearly(f"{rank} is not it yet: this holds the 60 that is added to a rank")
    return rank == 61


value("03.1", "What rank fusion rewards. Expects a rank, a whole number.", 61, accept=_wins)


def _fused(lists: Sequence[Sequence[str]], k: int) -> dict[str, float]:
    fused: Counter[str] = Counter()
    for ids in lists:
        fused.update({id_: 1 / (k + rank) for rank, id_ in enumerate(ids, start=1)})
    return dict(fused)


FUSED = {
    "ranks begin at 1": lambda lists, k: _fused(lists, k - 1),
    "k is given, and 60 only what is usual": lambda lists, k: _fused(lists, 60),
    "what the lists give is added up, none replaces another": lambda lists, k: {
        id_: 1 / (k + rank) for ids in lists for rank, id_ in enumerate(ids, start=1)
    },
}


@exercise("03.2", _fused, FUSED)
def rank_fusion(random: Random) -> Cases:
    """Fusion by rank. Expects a function of lists of ids, best first, and k."""
    ids = [f"chunk {number}" for number in range(6)]
    one, other = random.sample(ids, 6), random.sample(ids, 6)
    k = random.choice([1, 10, 60])
    yield "two lists hold the same ids", [one, other], k
    yield "an id stands in one list only", [one[:3], other[2:]], k
    yield "there are three lists", [one, other, one[::-1]], k
    yield "a list is empty", [one, []], k
    yield "there are no lists", [], k


def _pairs(text: str) -> list[str]:
    made: list[str] = []
    for word in unicodedata.normalize("NFC", text).lower().split():
        korean = "가" <= word[0] <= "힣" and len(word) > 1
        made += [word[i : i + 2] for i in range(len(word) - 1)] if korean else [word]
    return made


PAIRS = {
    "neighbouring pairs share a syllable": lambda text: [text[i : i + 2] for i in range(0, len(text) - 1, 2)],
    "the last syllable has no neighbour behind it": lambda text: [text[i : i + 2] for i in range(len(text))],
}


@exercise("03.3", _pairs, PAIRS)
def pairs(random: Random) -> Cases:
    """Korean words in pairs. Expects a function of a text."""
    one, other = random.sample(KOREAN, 2)
    yield "there is one Korean word", one
    yield "there are two Korean words", f"{one} {other}"
    yield "a word has a single syllable", f"{one} 꼭 {other}"
    yield "there are English words, too", f"{one} SDJ-CMO-2405 Budget"
    yield "the text stores Hangul as single letters", unicodedata.normalize("NFD", one)
    yield "there is no text", ""


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


@exercise("03.4", _bm25, {"the length of a document plays no part": partial(_bm25, of_length=0.0)})
def bm25(random: Random) -> Cases:
    """BM25. Expects a function of a query's terms and the terms of each document."""
    documents = [random.choices(TERMS, k=random.randint(3, 9)) for _ in range(6)]
    term = documents[0][0]
    yield "one term is asked for", [term], documents
    yield "several terms are asked for", TERMS[:3], documents
    yield "a term stands in a document several times", [term], [[term] * 4, *documents]
    yield "no document holds the term", ["turnov"], documents
    yield "a term is asked for twice", [term, term], documents
    yield "a document is empty", [term], [*documents, []]
    yield "every document holds the term", [term], [[term, *each] for each in documents]


@exercise("03.5")
def named_quarter(random: Random) -> Cases:
    """A quarter that is named. Expects a function of a question."""
    year, quarter = random.randint(2015, 2024), random.randint(1, 4)
    other = quarter % 4 + 1
    written = f"Q{quarter} {year}"
    yield Case("it names Q and a year", (f"What was the turnover in {written}?",), (year, quarter))
    yield Case("it is Korean", (f"세담소재의 {year}년 {quarter}분기 매출은?",), (year, quarter))
    yield Case("a year is named without a quarter", (f"What was the turnover in {year}?",), None)
    yield Case("a quarter is named without a year", (f"What was the turnover in Q{quarter}?",), None)
    yield Case("two quarters are named", (f"Was Q{quarter} {year} better than Q{other} {year}?",), None)
    yield Case("one quarter is named twice", (f"{written}: was {written} good?",), (year, quarter))
    yield Case("there is no such quarter", (f"What was the turnover in Q{random.randint(5, 9)} {year}?",), None)
    yield Case("Q and the year are small and far apart", (f"turnover q{quarter}   {year}",), (year, quarter))


def _orders(learner: Callable[[Lists], Any], questions: Sequence[Lists]) -> Any:
    """The ids as a learner's fusion orders them, for each pair of lists; what is no dict comes back as it is."""
    fused = [learner(lists) for lists in questions]
    wrong = [each for each in fused if kind(each) != "a dict"]
    return wrong[0] if wrong else [sorted(each, key=lambda id_: -each[id_]) for each in fused]


def _tower_first(made: Sequence[Sequence[str]]) -> bool | str:
    if made[0][-1] == "tower":
        return Nearly("the best hit comes last, and higher is better")
    return made[0][0] == "tower" or "another hit than that one comes first"


@exercise("03.6", use=_orders, rounds=1, seconds=90)
def score_fusion(random: Random) -> Cases:
    """Fusion by score. Expects a function of two dicts, id to score."""
    flat = {f"flat {number}": 10 - number / 10 for number in range(20)}
    tower = {"tower": 30.0} | {f"low {number}": 10 - number / 10 for number in range(20)}
    yield Case("one hit towers over all others", ([[flat, tower]],), accept=_tower_first)
    larger = {id_: 1_000 * score for id_, score in flat.items()}
    pair = [[flat, tower], [larger, tower]]
    yield Case("one search gives scores a thousand times larger", (pair,), accept=lambda made: made[0] == made[1])
    alone = [[{"first": 2.0, "second": 1.0, "third": 0.5}, {}]]
    yield Case("a list is empty", (alone,), accept=lambda made: made == [["first", "second", "third"]])
    asked = dev_questions()
    lists = [each.lists() for each in asked]
    ours = [list(reciprocal_rank_fusion(each)) for each in lists]
    yield Case("it is measured on dev questions", (lists,), accept=lambda made: better(asked, made, ours))
