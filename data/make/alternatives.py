"""`uv run python -m data.make.alternatives` lists the passages that may state what a piece of evidence states.

These are the passages of its owner's documents that hold all key facts which the evidence states, in any spelling (all
of its numbers if it states none), and those that BM25 ranks first for the question with its answer and the evidence.
Which of them state the same fact about the same thing and period, and are enough alone, is decided by reading them;
those are the `o` lines of `golden.txt`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from math import log
from pathlib import Path

from data.make.extract import GAP, pages, squeeze
from lessons.evaluate.golden import SPLITS, Evidence, Golden, golden_questions
from lessons.library import CORPUS, shipped_documents
from lessons.text import terms

LONGEST = 300  # characters of a passage; longer ones, which are tables, are cut into lines
BEST = 10  # by BM25
K1, B = 1.2, 0.75
NUMBER = re.compile(r"\d[\d,.]*\d|\d")


@dataclass(frozen=True)
class Passage:
    """A sentence, or a row of a table."""

    file: str
    page: int | None
    text: str

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(terms(self.text))


def passages(name: str) -> Iterator[Passage]:
    """The sentences and rows of a shipped document."""
    for page, text in pages(CORPUS / name):
        for sentence in re.split(r"(?<=[.!?])\s", text):
            parts = [sentence] if len(sentence) <= LONGEST else sentence.splitlines()
            yield from (Passage(name, page, squeeze(part)) for part in parts if part.strip())


def candidates(question: Golden, evidence: Evidence, found: Sequence[Passage]) -> list[Passage]:
    """The passages that hold all facts of the evidence, then the best ones by BM25 that do not."""
    facts = [fact for fact in question.key_facts if _states(evidence.quote, fact)] or NUMBER.findall(evidence.quote)
    holding = [each for each in found if facts and all(_states(each.text, fact) for fact in facts)]
    query = set(terms(f"{question.question} {question.answer} {evidence.quote}"))
    return [*holding, *(each for each in _best(query, found) if each not in holding)]


def _best(query: set[str], found: Sequence[Passage]) -> list[Passage]:
    mean = sum(len(each.text) for each in found) / len(found)
    spread = Counter(term for each in found for term in query & each.counts.keys())
    weight = {term: log(1 + (len(found) - n + 0.5) / (n + 0.5)) for term, n in spread.items()}
    return nlargest(BEST, found, key=lambda each: _bm25(each, weight, mean))


def _bm25(passage: Passage, weight: dict[str, float], mean: float) -> float:
    damping = K1 * (1 - B + B * len(passage.text) / mean)
    counts = passage.counts
    return sum(weight[term] * n * (K1 + 1) / (n + damping) for term in weight if (n := counts[term]))


def _states(text: str, fact: str) -> bool:
    """Whether one spelling of the fact stands in the text, not as a part of a longer number."""
    return any(re.search(rf"(?<![\d.,]){re.escape(each)}(?!\d|[.,]\d)", text, re.I) for each in fact.split("|"))


def _decided(evidence: Evidence, passage: Passage) -> bool:
    """Whether the passage holds words of the evidence or of one of its other places."""
    quotes = [place.quote for place in evidence.places if place.source_file == passage.file]
    return any(part in passage.text or passage.text in part for quote in quotes for part in quote.split(GAP))


def main() -> None:
    """Print every piece of evidence with its candidates; `+` marks those that are places of it already."""
    found: dict[str, list[Passage]] = {}
    for each in shipped_documents():
        found.setdefault(each["owner"], []).extend(passages(each["path"]))
    for question in (each for split in SPLITS for each in golden_questions(split)):
        for number, evidence in enumerate(question.evidence, start=1):
            print(f"\n{question.id}, {number}: {question.question}\n  {question.answer}\n  = {evidence.quote}")
            for each in candidates(question, evidence, found[question.owner]):
                mark = "+" if _decided(evidence, each) else "-"
                print(f"  {mark} {Path(each.file).name}{f', {each.page}' if each.page else ''}: {each.text}")


if __name__ == "__main__":
    main()
