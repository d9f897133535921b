"""The exercises of notebook 03."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import log
from random import Random
from typing import Any

from lessons.exercises.dev_questions import better, dev_questions
from lessons.exercises.nearly import Nearly
from lessons.exercises.registry import Case, exercise
from lessons.exercises.same import kind
from lessons.retrieve.fusion import reciprocal_rank_fusion

TERMS = ["budget", "alert", "invoic", "region", "예산", "알림", "매출", "분기"]
KOREAN = ["마케팅을", "예산이", "알림", "확인합니다", "매출액은"]
Lists = list[dict[str, float]]


def orders(learner: Callable[[Lists], Any], questions: Sequence[Lists]) -> Any:
    """The ids as a learner's fusion orders them, for each pair of lists; what is no dict comes back as it is."""
    fused = [learner(lists) for lists in questions]
    wrong = [each for each in fused if kind(each) != "a dict"]
    return wrong[0] if wrong else [sorted(each, key=lambda id_: -each[id_]) for each in fused]


@exercise("03.1", "What rank fusion rewards", "a rank, a whole number", rounds=1)
def rewarded_rank(random: Random) -> Iterator[Case]:
    yield Case("the ranks are compared", expected=61, accept=_wins)


def _wins(rank: float) -> bool | str:
    if 50 <= rank < 61:
        return Nearly(f"{rank} is not it yet: a chunk wins there, and at a lower rank, too")
    if 61 < rank <= 62:
        return Nearly(f"{rank} is not it yet: at rank 62 both are worth the same")
    if rank in (121, 122):
        return Nearly(f"{rank} is not it yet: this holds the 60 that is added to a rank")
    return rank == 61


FUSED = {
    "ranks begin at 1": lambda lists, k: _fused(lists, k - 1),
    "k is given, and 60 only what is usual": lambda lists, k: _fused(lists, 60),
    "what the lists give is added up, none replaces another": lambda lists, k: {
        id_: 1 / (k + rank) for ids in lists for rank, id_ in enumerate(ids, start=1)
    },
}


@exercise("03.2", "Fusion by rank", "a function of lists of ids, best first, and k", slips=FUSED)
def rank_fusion(random: Random) -> Iterator[Case]:
    ids = [f"chunk {number}" for number in range(6)]
    one, other = random.sample(ids, 6), random.sample(ids, 6)
    k = random.choice([1, 10, 60])
    yield _ranks("two lists hold the same ids", [one, other], k)
    yield _ranks("an id stands in one list only", [one[:3], other[2:]], k)
    yield _ranks("there are three lists", [one, other, one[::-1]], k)
    yield _ranks("a list is empty", [one, []], k)
    yield _ranks("there are no lists", [], k)


PAIRS = {
    "neighbouring pairs share a syllable": lambda text: [text[i : i + 2] for i in range(0, len(text) - 1, 2)],
    "the last syllable has no neighbour behind it": lambda text: [text[i : i + 2] for i in range(len(text))],
}


@exercise("03.3", "Korean words in pairs", "a function of a text", slips=PAIRS)
def pairs(random: Random) -> Iterator[Case]:
    one, other = random.sample(KOREAN, 2)
    yield _pairs("there is one Korean word", one)
    yield _pairs("there are two Korean words", f"{one} {other}")
    yield _pairs("a word has a single syllable", f"{one} 꼭 {other}")
    yield _pairs("there are English words, too", f"{one} SDJ-CMO-2405 Budget")
    yield _pairs("the text stores Hangul as single letters", unicodedata.normalize("NFD", one))
    yield _pairs("there is no text", "")


SCORES = {"the length of a document plays no part": lambda query, documents: _bm25(query, documents, 0.0)}


@exercise("03.4", "BM25", "a function of a query's terms and the terms of each document", slips=SCORES)
def bm25(random: Random) -> Iterator[Case]:
    documents = [random.choices(TERMS, k=random.randint(3, 9)) for _ in range(6)]
    term = documents[0][0]
    yield _scored("one term is asked for", [term], documents)
    yield _scored("several terms are asked for", TERMS[:3], documents)
    yield _scored("a term stands in a document several times", [term], [[term] * 4, *documents])
    yield _scored("no document holds the term", ["turnov"], documents)
    yield _scored("a term is asked for twice", [term, term], documents)
    yield _scored("a document is empty", [term], [*documents, []])
    yield _scored("every document holds the term", [term], [[term, *each] for each in documents])


@exercise("03.5", "A quarter that is named", "a function of a question")
def named_quarter(random: Random) -> Iterator[Case]:
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


@exercise("03.6", "Fusion by score", "a function of two dicts, id to score", rounds=1, seconds=90, use=orders)
def score_fusion(random: Random) -> Iterator[Case]:
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


def _tower_first(made: Sequence[Sequence[str]]) -> bool | str:
    if made[0][-1] == "tower":
        return Nearly("the best hit comes last, and higher is better")
    return made[0][0] == "tower" or "another hit than that one comes first"


def _ranks(when: str, lists: Sequence[Sequence[str]], k: int) -> Case:
    return Case(when, (lists, k), _fused(lists, k))


def _fused(lists: Sequence[Sequence[str]], k: int) -> dict[str, float]:
    fused: Counter[str] = Counter()
    for ids in lists:
        fused.update({id_: 1 / (k + rank) for rank, id_ in enumerate(ids, start=1)})
    return dict(fused)


def _pairs(when: str, text: str) -> Case:
    made: list[str] = []
    for word in unicodedata.normalize("NFC", text).lower().split():
        korean = "가" <= word[0] <= "힣" and len(word) > 1
        made += [word[i : i + 2] for i in range(len(word) - 1)] if korean else [word]
    return Case(when, (text,), made)


def _scored(when: str, query: Sequence[str], documents: Sequence[Sequence[str]]) -> Case:
    return Case(when, (query, documents), _bm25(query, documents))


def _bm25(query: Sequence[str], documents: Sequence[Sequence[str]], of_length: float = 0.75) -> list[float]:
    average = sum(map(len, documents)) / len(documents)

    def score(document: Sequence[str]) -> float:
        total = 0.0
        for term in set(query):
            holding, times = sum(term in each for each in documents), document.count(term)
            rarity = log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
            total += rarity * times * 2.2 / (times + 1.2 * (1 - of_length + of_length * len(document) / average))
        return total

    return [score(document) for document in documents]
