"""The exercises of notebook 04: rerankers."""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from random import Random
from typing import Any

from lessons.exercises.cases import Case, Cases, exercise, value
from lessons.exercises.comparing import Nearly, kind
from lessons.exercises.smart_search import Found, better, dev_questions
from lessons.rag.types import RetrievedDocument
from lessons.search.rerankers import share
from lessons.text import terms

CANDIDATES = 30
WORDS = ["budget", "alert", "invoice", "region", "quarter", "turnover", "backup", "예산", "알림", "분기", "매출"]

CEILINGS = {
    "these are counts of passages, and Recall is a share of the evidence": (2, 1),
    "with five candidates, does place 9 reach the reranker?": (1.0, 1.0),
    "a reranker may bring any of its fifteen candidates to the top": (0.5, 0.5),
    "of the first five, one place holds evidence": (1.0, 0.0),
    "the share is that of the evidence, not of the five documents": (0.4, 0.2),
}
value(
    "04.1",
    "What a reranker cannot do. Expects a pair of numbers from 0 to 1: Recall@5 with fifteen and with five.",
    (1.0, 0.5),
    CEILINGS,
)


def _text(random: Random) -> str:
    return " ".join(random.sample(WORDS, 5))


def _weighted(
    question: str, documents: Sequence[tuple[str, float]], weight: float, of_score: float | None = None
) -> list[int]:
    asked, rest = set(terms(question)), 1 - weight if of_score is None else of_score
    worth = [rest * score + weight * share(asked, text) for text, score in documents]
    return sorted(range(len(documents)), key=lambda place: -round(worth[place], 9))


WEIGHTED = {
    "the documents come, not their places": lambda question, documents, weight: [
        documents[place] for place in _weighted(question, documents, weight)
    ],
    "the share is a part of the question's terms, from 0 to 1": lambda question, documents, weight: _weighted(
        question, documents, weight * len(set(terms(question))), 1 - weight
    ),
}


@exercise("04.2", _weighted, WEIGHTED)
def keyword_weighted(random: Random) -> Cases:
    """Score and shared words. Expects a function of a question, documents as (text, score), and a weight."""
    documents = [(_text(random), round(random.random(), 6)) for _ in range(8)]
    question = _text(random)
    yield "there are eight documents", question, documents, 0.6
    yield "the weight is 0", question, documents, 0.0
    yield "the weight is 1 and documents are equally good", question, [(question, 0.1)] * 3 + documents, 1.0
    yield "the question is in capitals", question.upper(), documents, 0.6
    word, others = WORDS[0], " ".join(WORDS[1:3])
    named = [(f"{word} {_text(random)}", 0.5), (others, 0.5)]
    yield "a word stands in the question several times", f"{word} {word} {word} {others}", named, 1.0
    yield "the question has no words", "?", documents, 0.6
    yield "there are no documents", question, [], 0.6


def _mmr(
    scores: Sequence[float],
    similar: Sequence[Sequence[float]],
    wanted: int,
    penalty: Callable[[list[float]], float] = max,
) -> list[int]:
    left, chosen = list(range(len(scores))), list[int]()
    while left and len(chosen) < wanted:
        best = max(left, key=lambda i: scores[i] - (penalty([similar[i][j] for j in chosen]) if chosen else 0.0))
        left.remove(best)
        chosen.append(best)
    return chosen


MMR = {
    "similarity is taken away from the score": partial(_mmr, penalty=lambda near: -max(near)),
    "the most similar document counts, not all of them together": partial(_mmr, penalty=sum),
    "it is compared with the last one only": partial(_mmr, penalty=lambda near: near[-1]),
    "similarity plays no part": partial(_mmr, penalty=lambda near: 0.0),
}


def _similarities(random: Random, count: int) -> list[list[float]]:
    made = [[1.0] * count for _ in range(count)]
    for i in range(count):
        for j in range(i):
            made[i][j] = made[j][i] = random.random()
    return made


@exercise("04.3", _mmr, MMR)
def mmr(random: Random) -> Cases:
    """Maximal marginal relevance. Expects a function of scores, similarities[i][j], and how many are wanted."""
    scores, similar = [random.random() for _ in range(7)], _similarities(random, 7)
    yield "there are seven documents", scores, [[*row] for row in similar], 4
    best = max(range(7), key=scores.__getitem__)
    twins = (best, (best - 1) % 7)
    for i in range(7):
        for twin in twins:
            similar[i][twin] = similar[twin][i] = 1.0 if i in twins else 0.1
    yield "a document is a copy of the best one", scores, similar, 3
    yield "more are wanted than there are", scores, similar, 20
    apart = [[float(i == j) for j in range(4)] for i in range(4)]
    yield "all are equally good and have nothing in common", [0.5] * 4, apart, 4
    yield "there are no documents", [], [], 3


def _reply(pairs: Iterable[tuple[int, Any]]) -> str:
    return json.dumps({"scores": [{"number": number, "score": score} for number, score in pairs]})


@exercise("04.4")
def order_of(random: Random) -> Cases:
    """Scores from a model that errs. Expects a function of the model's reply (a text) and a number."""
    count = random.randint(4, 8)
    as_found = list(range(1, count + 1))
    scores = dict(zip(as_found, random.sample(range(11), count), strict=True))
    best_first = sorted(scores, key=lambda number: -scores[number])
    mixed = random.sample(list(scores.items()), count)
    (first, score), *missing = mixed
    yield Case("every document has its score", (_reply(scores.items()), count), best_first)
    yield Case("the scores come in another order", (_reply(mixed), count), best_first)
    as_they_were: dict[str, list[tuple[int, Any]]] = {
        "all scores are equal": [(number, 7) for number in reversed(as_found)],
        "a document has no score": missing,
        "one document has two scores and another none": [*missing, missing[0]],
        "a document has a second score": [*mixed, (first, 10 - score / 2)],
        "a score is 11": [*missing, (first, 11)],
        "a score is below 0": [*missing, (first, -1)],
        "a document is numbered 0": [*missing, (0, 5)],
        "a score is a word": [*missing, (first, "high")],
    }
    for when, pairs in as_they_were.items():
        yield Case(when, (_reply(pairs), count), as_found)
    yield Case("the reply is cut off", (_reply(mixed)[: -random.randint(2, 20)], count), as_found)
    yield Case("the reply is no JSON", ("Document 2 is the best one.", count), as_found)
    yield Case("the reply is JSON of another shape", (json.dumps([2, 1]), count), as_found)


def _reranked(learner: Callable[..., Any], questions: Sequence[tuple[str, Found]]) -> Any:
    """The ids of each question's documents in the learner's order; what is no list comes back as it is."""
    made = [learner(question, documents) for question, documents in questions]
    wrong = [each for each in made if kind(each) != "a list"]
    return wrong[0] if wrong else [[getattr(document, "id", document) for document in each] for each in made]


def _all_of(ids: list[str], came: list[Any]) -> bool | str:
    """Whether each of the documents comes once."""
    if all(isinstance(each, int) for each in came):
        return Nearly("places come, and the documents themselves are asked for")
    if not set(came) <= set(ids):
        return f"what comes are no documents: {came[:2]}"
    if len(came) == len(ids):
        return sorted(came) == ids or "a document comes twice, and another is lost"
    return Nearly(f"of {len(ids)} documents, {len(came)} come back")


@exercise("04.5", use=_reranked, rounds=1, seconds=90)
def own_reranker(random: Random) -> Cases:
    """Your own reranker. Expects a function of a question and documents."""
    made = [RetrievedDocument(f"d{number}", _text(random), random.random(), "file.md") for number in range(8)]
    ids = sorted(document.id for document in made)
    yield Case("all come back, each once", ([(WORDS[0], made)],), accept=lambda orders: _all_of(ids, orders[0]))
    yield Case("there are no documents", ([(WORDS[0], [])],), [[]])
    asked = dev_questions()
    questions = [(each.golden.question, each.nearest(CANDIDATES)) for each in asked]
    ours = [[document.id for document in documents] for _, documents in questions]
    yield Case("it is measured on dev questions", (questions,), accept=lambda orders: better(asked, orders, ours))
