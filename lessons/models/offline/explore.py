"""A question that asks for a picture of something is searched in a few directions: the sections that the finds open."""

import re
from collections.abc import Sequence

from lessons.models.offline.coverage import WORTH
from lessons.models.offline.passages import Passage
from lessons.models.offline.question import Question, read_question

_EXPLORES = re.compile(
    r"\b(?:tell me (?:more )?about|(?:is|do we) know[n]? about|everything about|main (?:points|aspects))\b"
    r"|전반|두루|개관|살펴|(?:에 대해|에 관해) (?:알려|설명)",
    re.IGNORECASE,
)


def explores(question: Question) -> bool:
    """Whether a question asks for an overview rather than for a fact."""
    return "summary" in question.kinds or _EXPLORES.search(question.text) is not None


def directions(question: Question, found: Sequence[Passage]) -> list[str]:
    """What the question is about with a heading that it does not name, from each document in turn, best first."""
    topic = [unit for unit in question.units if unit.weight >= WORTH and not read_question(unit.text).kinds]
    words = " ".join(unit.text for unit in topic)
    chosen: dict[str, str] = {}
    for passage in found:
        for line in passage.lines:
            new = line.heading and line.heading != passage.name and not line.above <= question.terms | passage.title
            if new and line.kind != "heading" and line.heading not in chosen.values():
                chosen.setdefault(passage.name, line.heading)
    return [f"{words}: {heading}" for heading in chosen.values()]
