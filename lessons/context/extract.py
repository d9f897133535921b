"""Extractive compression (row D6): the sentences that say most about the question, in their order, as many as fit.

LlamaIndex's `SentenceEmbeddingOptimizer` embeds every sentence, which takes a small model a minute for one context.
TF-IDF over search terms needs no model and sees through Korean particles.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log, sqrt

from lessons.models.keyless import Line, kept_text, passage
from lessons.rag.types import Builder, Query, Resources, RetrievedDocument
from lessons.text import terms
from lessons.trace import Step

ABOVE = 0.5
"""What a word of the heading or of the column names above a sentence counts, against one in it."""


@dataclass(frozen=True)
class Sentence:
    """A sentence of a document with its place, and how much it has to do with the question (0 to 1)."""

    document: int
    position: int
    line: Line
    score: float


@dataclass(frozen=True)
class Extractive:
    """Keeps the best sentences; their number k is lowered until they fit. Headings and column names stay with them."""

    def compress(
        self, query: Query, documents: Sequence[RetrievedDocument], builder: Builder, resources: Resources, step: Step
    ) -> list[RetrievedDocument]:
        ranked = sorted(scored(query.text, documents), key=lambda one: (-one.score, one.document, one.position))
        sizes = range(1, len(ranked) + 1)
        k = bisect_left(sizes, True, key=lambda k: builder.overflows(only(ranked[:k], documents)))
        step.notes.append(f"{k} of {len(ranked)} sentences kept")
        return only(ranked[:k], documents)


def scored(question: str, documents: Sequence[RetrievedDocument]) -> list[Sentence]:
    """Every sentence with the cosine between its TF-IDF vector and the question's (Salton & Buckley, 1988).

    A term is the rarer the fewer sentences of these documents hold it.
    """
    lines = [
        (number, position, line)
        for number, document in enumerate(documents)
        for position, line in enumerate(passage(0, "", document.content).lines)
        if line.kind != "heading"
    ]
    bags = [_bag(line) for _, _, line in lines]
    spread = Counter(term for bag in bags for term in bag)
    rarity = {term: log((1 + len(bags)) / (1 + times)) + 1 for term, times in spread.items()}
    wanted = {term: times * rarity[term] for term, times in Counter(terms(question)).items() if term in rarity}
    return [
        Sentence(number, position, line, _cosine(wanted, bag, rarity))
        for (number, position, line), bag in zip(lines, bags, strict=True)
    ]


def only(kept: Sequence[Sentence], documents: Sequence[RetrievedDocument]) -> list[RetrievedDocument]:
    """The documents with nothing but these sentences and what stands above them; one without any is left out."""
    places: dict[int, set[int]] = {}
    for sentence in kept:
        places.setdefault(sentence.document, set()).add(sentence.position)
    return [
        replace(documents[number], content=kept_text(passage(0, "", documents[number].content).lines, places[number]))
        for number in sorted(places)
    ]


def _bag(line: Line) -> dict[str, float]:
    counts: dict[str, float] = dict(Counter(terms(line.text)))
    return {term: ABOVE for term in line.above if term not in counts} | counts


def _cosine(wanted: dict[str, float], bag: dict[str, float], rarity: dict[str, float]) -> float:
    shared = sum(weight * bag[term] * rarity[term] for term, weight in wanted.items() if term in bag)
    length = sqrt(sum((times * rarity[term]) ** 2 for term, times in bag.items()))
    asked = sqrt(sum(weight**2 for weight in wanted.values()))
    return shared / (length * asked) if shared else 0.0
