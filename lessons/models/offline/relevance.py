"""How the keyless model scores documents for a question: a linear model over features that a person can check.

The search has compared the question with whole documents. Here they are compared with each other, and line by line: a
word that stands in all candidates tells nothing, and one line that holds the rare words of the question tells more than
a page that scatters them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lessons.models.offline.passages import Passage, passage, quarters, search_terms, years
from lessons.models.offline.query.expand import expand
from lessons.models.offline.question import Question, read_question
from lessons.models.offline.score import candidates, rarity, with_topics
from lessons.models.offline.tasks import task

WEIGHTS = {
    "search": 2.7,  # the score of the search
    "line": 3.0,  # how much of the question, or of another phrasing or a part of it, the best line covers
    "text": 2.7,  # how much of the question the document holds anywhere, rare words counting more
    "meaning": 0.8,  # the similarity of the vectors, between the least and the most similar candidate
    "contradiction": -1.0,  # its title names other years or quarters than the question
}
"""Fitted to the dev questions by `uv run python -m data.make.relevance`, which also cross-validates them."""

EVEN = 7.4  # the weighted sum at which a document is as likely to be evidence as not; fitted with the weights
BY_MEANING = 0.5  # words cannot be found across languages; a similar document counts as if its best line covered half


@task("relevance")
def relevance(llm: Any, question: str, documents: Sequence[Any], **_: Any) -> dict[str, list[dict[str, float]]]:
    """A score from 0 to 10 for each document, numbered from 1. They are retrieved documents with their `legs`."""
    sums = features(question, documents, llm) @ np.array(list(WEIGHTS.values()))
    scores = 10 / (1 + np.exp(EVEN - sums))
    return {"scores": [{"number": number, "score": float(score)} for number, score in enumerate(scores, start=1)]}


def features(question: str, documents: Sequence[Any], llm: Any = None) -> np.ndarray:
    """A row for each document, a column for each key of `WEIGHTS`."""
    phrasings = [question, *expand(llm, question)["queries"]]
    found = [passage(number, f"{each.source} {_title(each)}", each.content) for number, each in enumerate(documents)]
    asked = with_topics(read_question(question), found)
    heads = [search_terms(f"{each.source} {_title(each)} {_known(each, 'section', 'about')}") for each in documents]
    meaning = _meaning(documents)
    columns = {
        "search": [each.score for each in documents],
        "line": np.max([_lines(read_question(text), found, meaning) for text in phrasings], axis=0),
        "text": _texts(asked, found),
        "meaning": meaning,
        "contradiction": [_contradictions(asked, head) for head in heads],
    }
    return np.array([columns[name] for name in WEIGHTS], dtype=float).T


def _title(document: Any) -> str:
    return " ".join(_known(document, "title").split())


def _known(document: Any, *keys: str) -> str:
    values = [document.metadata.get(key) or "" for key in keys]
    return " ".join(" ".join(map(str, value)) if isinstance(value, list) else str(value) for value in values)


def _meaning(documents: Sequence[Any]) -> list[float]:
    """From 0 to 1; a document that the search by meaning did not find is as far as the last that it found."""
    known = [each.legs["meaning"] for each in documents if "meaning" in each.legs]
    low, high = min(known, default=0.0), max(known, default=0.0)
    return [(each.legs.get("meaning", low) - low) / (high - low or 1.0) for each in documents]


def _lines(asked: Question, found: list[Passage], meaning: Sequence[float]) -> list[float]:
    asked = with_topics(asked, found)
    weights = rarity(asked, found)
    best = [max((line.score for line in candidates(asked, [one], weights)), default=0.0) for one in found]
    return [
        max(score, BY_MEANING * near) if one.language != asked.language else score
        for score, near, one in zip(best, meaning, found, strict=True)
    ]


def _texts(asked: Question, found: list[Passage]) -> list[float]:
    """The share of the question that each document holds, each word by how few lines of the candidates hold it."""
    weighed = list(zip(rarity(asked, found), asked.units, strict=True))
    total = sum(weight for weight, _ in weighed) or 1.0
    return [sum(weight * unit.covered(one.all) for weight, unit in weighed) / total for one in found]


def _contradictions(asked: Question, head: frozenset[str]) -> int:
    """In how many of year and quarter the document is headed by others than those asked about."""
    count = 0
    for kind, mentions in (("year", years), ("quarter", quarters)):
        wanted = [unit for unit in asked.units if unit.kind == kind]
        said = mentions(head)
        count += bool(wanted and said) and not any(unit.covered(said) for unit in wanted)
    return count
