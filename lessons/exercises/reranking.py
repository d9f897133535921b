"""The exercises of notebook 04."""

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import Any

from lessons.exercises.dev_questions import better, dev_questions
from lessons.exercises.nearly import Nearly
from lessons.exercises.registry import Case, exercise
from lessons.exercises.same import kind
from lessons.retrieve.rerank.keyword import share
from lessons.retrieve.types import RetrievedDocument
from lessons.text import terms

CANDIDATES = 30
WORDS = ["budget", "alert", "invoice", "region", "quarter", "turnover", "backup", "예산", "알림", "분기", "매출"]


def reranked(learner: Callable[..., Any], questions: Sequence[tuple[str, list[RetrievedDocument]]]) -> Any:
    """The ids of each question's documents in the learner's order; what is no list comes back as it is."""
    made = [learner(question, documents) for question, documents in questions]
    wrong = [each for each in made if kind(each) != "a list"]
    return wrong[0] if wrong else [[getattr(document, "id", document) for document in each] for each in made]


CEILINGS = {
    "these are counts of passages, and Recall is a share of the evidence": (2, 1),
    "with five candidates, does place 9 reach the reranker?": (1.0, 1.0),
    "a reranker may bring any of its fifteen candidates to the top": (0.5, 0.5),
    "of the first five, one place holds evidence": (1.0, 0.0),
    "the share is that of the evidence, not of the five documents": (0.4, 0.2),
}


@exercise("04.1", "What a reranker cannot do", "a pair of numbers from 0 to 1: Recall@5 with fifteen and with five", 1,
          slips=CEILINGS)  # fmt: skip
def ceiling(random: Random) -> Iterator[Case]:
    yield Case("both numbers are looked at", expected=(1.0, 0.5))


WEIGHTED = {
    "the documents come, not their places": lambda question, documents, weight: [
        documents[place] for place in _order(question, documents, weight)
    ],
    "the share is a part of the question's terms, from 0 to 1": lambda question, documents, weight: _order(
        question, documents, weight * len(set(terms(question))), 1 - weight
    ),
}


@exercise(
    "04.2",
    "Score and shared words",
    "a function of a question, documents as (text, score), and a weight",
    5,
    slips=WEIGHTED,
)
def keyword_weighted(random: Random) -> Iterator[Case]:
    documents = [(_text(random), round(random.random(), 6)) for _ in range(8)]
    question = _text(random)
    yield _weighted("there are eight documents", question, documents, 0.6)
    yield _weighted("the weight is 0", question, documents, 0.0)
    yield _weighted("the weight is 1 and documents are equally good", question, [(question, 0.1)] * 3 + documents, 1.0)
    yield _weighted("the question is in capitals", question.upper(), documents, 0.6)
    word, others = WORDS[0], " ".join(WORDS[1:3])
    named = [(f"{word} {_text(random)}", 0.5), (others, 0.5)]
    yield _weighted("a word stands in the question several times", f"{word} {word} {word} {others}", named, 1.0)
    yield _weighted("the question has no words", "?", documents, 0.6)
    yield Case("there are no documents", (question, [], 0.6), [])


def _text(random: Random) -> str:
    return " ".join(random.sample(WORDS, 5))


def _weighted(when: str, question: str, documents: Sequence[tuple[str, float]], weight: float) -> Case:
    return Case(when, (question, documents, weight), _order(question, documents, weight))


def _order(
    question: str, documents: Sequence[tuple[str, float]], weight: float, of_score: float | None = None
) -> list[int]:
    asked, rest = set(terms(question)), 1 - weight if of_score is None else of_score

    def worth(place: int) -> float:
        text, score = documents[place]
        return rest * score + weight * share(asked, text)

    return sorted(range(len(documents)), key=lambda place: -round(worth(place), 9))


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


@exercise(
    "04.3",
    "Maximal marginal relevance",
    "a function of scores, similarities[i][j], and how many are wanted",
    slips=MMR,
)
def mmr(random: Random) -> Iterator[Case]:
    scores = [random.random() for _ in range(7)]
    similar = _similarities(random, 7)
    yield Case("there are seven documents", (scores, similar, 4), _mmr(scores, similar, 4))
    first = max(range(7), key=scores.__getitem__)
    similar[first] = similar[first - 1] = [1.0 if i in (first, (first - 1) % 7) else 0.1 for i in range(7)]
    for i in range(7):
        similar[i][first], similar[i][first - 1] = similar[first][i], similar[first - 1][i]
    yield Case("a document is a copy of the best one", (scores, similar, 3), _mmr(scores, similar, 3))
    yield Case("more are wanted than there are", (scores, similar, 20), _mmr(scores, similar, 20))
    equal = [0.5] * 4
    apart = [[float(i == j) for j in range(4)] for i in range(4)]
    yield Case("all are equally good and have nothing in common", (equal, apart, 4), [0, 1, 2, 3])
    yield Case("there are no documents", ([], [], 3), [])


def _similarities(random: Random, count: int) -> list[list[float]]:
    made = [[1.0] * count for _ in range(count)]
    for i in range(count):
        for j in range(i):
            made[i][j] = made[j][i] = random.random()
    return made


@exercise("04.4", "Scores from a model that errs", "a function of the model's reply (a text) and a number")
def order_of(random: Random) -> Iterator[Case]:
    count = random.randint(4, 8)
    as_found = list(range(1, count + 1))
    scores = dict(zip(as_found, random.sample(range(11), count), strict=True))
    best_first = sorted(scores, key=lambda number: -scores[number])
    yield Case("every document has its score", (_reply(scores.items()), count), best_first)
    mixed = random.sample(list(scores.items()), count)
    yield Case("the scores come in another order", (_reply(mixed), count), best_first)
    equal = [(number, 7) for number in reversed(as_found)]
    yield Case("all scores are equal", (_reply(equal), count), as_found)
    missing = mixed[1:]
    twice = [*mixed[1:], mixed[1]]
    more = [*mixed, (mixed[0][0], 10 - mixed[0][1] / 2)]
    for when, pairs in {
        "a document has no score": missing,
        "one document has two scores and another none": twice,
        "a document has a second score": more,
        "a score is 11": [*missing, (mixed[0][0], 11)],
        "a score is below 0": [*missing, (mixed[0][0], -1)],
        "a document is numbered 0": [*missing, (0, 5)],
    }.items():
        yield Case(when, (_reply(pairs), count), as_found)
    yield Case("the reply is cut off", (_reply(mixed)[: -random.randint(2, 20)], count), as_found)
    yield Case("the reply is no JSON", ("Document 2 is the best one.", count), as_found)
    yield Case("the reply is JSON of another shape", (json.dumps([2, 1]), count), as_found)
    yield Case("a score is a word", (_reply([*missing, (mixed[0][0], "high")]), count), as_found)


def _all_of(ids: list[str]) -> Callable[[Any], bool | str]:
    """Whether each of the documents comes once."""

    def accept(orders: Any) -> bool | str:
        came = orders[0]
        if all(isinstance(each, int) for each in came):
            return Nearly("places come, and the documents themselves are asked for")
        if not set(came) <= set(ids):
            return f"what comes are no documents: {came[:2]}"
        if len(came) == len(ids):
            return sorted(came) == ids or "a document comes twice, and another is lost"
        return Nearly(f"of {len(ids)} documents, {len(came)} come back")

    return accept


def _reply(pairs: object) -> str:
    return json.dumps({"scores": [{"number": number, "score": score} for number, score in pairs]})  # type: ignore[attr-defined]


@exercise("04.5", "Your own reranker", "a function of a question and documents", rounds=1, seconds=90, use=reranked)
def own_reranker(random: Random) -> Iterator[Case]:
    made = [RetrievedDocument(f"d{number}", _text(random), random.random(), "file.md") for number in range(8)]
    ids = sorted(document.id for document in made)
    yield Case("all come back, each once", ([(WORDS[0], made)],), accept=_all_of(ids))
    yield Case("there are no documents", ([(WORDS[0], [])],), [[]])
    asked = dev_questions()
    questions = [(each.golden.question, each.nearest(CANDIDATES)) for each in asked]
    ours = [[document.id for document in documents] for _, documents in questions]
    yield Case("it is measured on dev questions", (questions,), accept=lambda orders: better(asked, orders, ours))
