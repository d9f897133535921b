"""How the keyless model shortens documents for a question: the lines that say most about it, as many as fit."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from lessons.models.offline.kept import kept_text
from lessons.models.offline.passages import Passage, passage
from lessons.models.offline.question import read_question
from lessons.models.offline.score import candidates, rarity, with_topics
from lessons.models.offline.summary import summary
from lessons.models.offline.tasks import task
from lessons.models.tokens import TokenEstimator


@task("condense")
def condense(
    llm: Any, question: str, documents: Sequence[Any], tokens: int, header: int = 0, **_: Any
) -> dict[str, list[Any]]:
    """Of each document its best lines; where the question shares no word with any, a sentence or two of each."""
    found = [
        passage(number, f"{document.source} | {document.metadata.get('title') or ''}", document.content)
        for number, document in enumerate(documents, start=1)
    ]
    texts = _lines_for(question, found, tokens, header) or {
        number: summary(llm, document.content) for number, document in enumerate(documents, start=1)
    }
    return {"summaries": [{"number": number, "text": text} for number, text in texts.items() if text]}


def _lines_for(question: str, found: list[Passage], tokens: int, header: int) -> dict[int, str]:
    """What is left of each document, by its number."""
    asked, counter = with_topics(read_question(question), found), TokenEstimator()
    ranked = sorted(candidates(asked, found, rarity(asked, found)), key=lambda one: -one.score)

    def first(k: int) -> dict[int, str]:
        kept: dict[int, set[int]] = {}
        for best in ranked[:k]:
            kept.setdefault(best.passage.number, set()).add(best.position)
        return {one.number: kept_text(one.lines, kept[one.number]) for one in found if one.number in kept}

    def size(k: int) -> int:
        return sum(header + counter.count(text) for text in first(k).values())

    return first(bisect_right(range(1, len(ranked) + 1), tokens, key=size))
