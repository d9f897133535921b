"""A day at the help desk: questions that come again, come again in other words, and thanks in between.

Built from the golden questions of *dev*, so that every answer can be judged, and from committed rewordings of them.
Popular questions are asked more often than others, as in every log of a search engine.
"""

import json
import random
from dataclasses import dataclass

from lessons.evaluate.golden import Golden, golden_questions
from lessons.models.offline.intent import utterances
from lessons.settings import ROOT

REWORDED = ROOT / "data" / "context" / "reworded.jsonl"
REPEATED = 110  # questions that are drawn again
SMALL_TALK = 20


@dataclass(frozen=True)
class Asked:
    """One thing that is asked. `golden` is what is known of its answer, None for small talk."""

    text: str
    golden: Golden | None = None

    @property
    def owner(self) -> str | None:
        return self.golden.owner if self.golden else None


def workload(limit: int | None = None, seed: int = 0) -> list[Asked]:
    """More than 300 questions in the order in which they are asked, or `limit` of them with the same mixture."""
    draw = random.Random(seed)
    first = [Asked(golden.question, golden) for golden in golden_questions("dev") if not golden.history]
    known = {asked.golden.id: asked.golden for asked in first if asked.golden}
    lines = map(json.loads, REWORDED.read_text(encoding="utf-8").splitlines())
    again = [Asked(line["question"], known[line["id"]]) for line in lines]
    popular = [1 / rank for rank in range(1, len(first) + 1)]  # Zipf's law
    repeated = draw.choices(draw.sample(first, len(first)), popular, k=REPEATED)
    asked = [*first, *again, *repeated, *map(Asked, draw.sample(_small_talk(), SMALL_TALK))]
    draw.shuffle(asked)
    return asked[:limit]


def _small_talk() -> list[str]:
    return [each.text for each in utterances() if each.intent == "chat"]
