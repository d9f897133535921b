"""The recursive summary: a state instead of a log (rows E1 and E2).

M(i) = model(M(i-1), new turns). It overwrites M(i-1), never has more than 20 sentences, and is handed over whole, so
nothing is searched and its price does not grow. Entities keep the values that a summary would round off.
"""

from dataclasses import replace
from typing import Any

from lessons.memory.entities import Entity, merged
from lessons.memory.long_term import LongTerm
from lessons.memory.prompts import ENTITIES, RECURSIVE_SUMMARY, NotedEntities, conversation, quoted_turns
from lessons.memory.turns import State, Turn
from lessons.models.call import predict, structured
from lessons.models.tokens import TokenEstimator
from lessons.settings import settings
from lessons.text import sentences


class RecursiveSummary(LongTerm):
    """The last turns word for word, a summary of all before them, and the entities."""

    name = "recursive summary"

    def known(self, question: str, state: State) -> list[str]:
        """The entities and the summary, whole, whatever the question is."""
        noted = [f"- {entity.key}: {entity.value}" for entity in state.entities]
        said = state.summary.splitlines()
        titled = (("Noted in this conversation:", noted), ("Summary of what was said before:", said))
        return [line for title, lines in titled if lines for line in (title, *lines)]

    def folded(self, state: State, window: list[Turn]) -> State:
        """Two calls: one writes the summary anew, one says which entities are new or have changed."""
        summary = self._summarised(state.summary, window)
        entities = merged(state.entities, self._named(state.entities, window))
        return replace(state, upto=window[-1].number, summary=summary, entities=entities)

    def needed_from(self, state: State) -> int:
        return state.upto + 1

    def _summarised(self, before: str, window: list[Turn]) -> str:
        chosen = settings()
        limits = {"count": chosen.summary_sentences, "tokens": chosen.summary_tokens}
        said = {"conversation": conversation(window), "turns": quoted_turns(window)}
        written = predict(self.llm, RECURSIVE_SUMMARY, self.spent, summary=before, **limits, **said)
        return bounded(written, chosen.summary_sentences, chosen.summary_tokens)

    def _named(self, known: tuple[Entity, ...], window: list[Turn]) -> list[Entity]:
        noted = "\n".join(f"- {entity.key}: {entity.value}" for entity in known)
        said: dict[str, Any] = {"conversation": conversation(window), "turns": quoted_turns(window), "noted": noted}
        most = {"entities": (0, settings().entities_kept)}
        triples = [(entity.key, entity.value, entity.turn) for entity in known]
        found = structured(self.llm, NotedEntities, ENTITIES, self.spent, items=most, known=triples, **said)
        first, last = window[0].number, window[-1].number
        return [Entity(each.key, each.value, min(max(each.turn, first), last)) for each in found.entities]


def bounded(summary: str, count: int, tokens: int) -> str:
    """A summary within its limits, whatever a model wrote: its last lines count most, so the first ones go."""
    lines = [" ".join(line.split()) for line in summary.splitlines() if line.strip()]
    kept: list[str] = []
    spoken = 0
    for line in reversed(lines):
        spoken += len(sentences(line))
        if spoken > count or TokenEstimator().count("\n".join([line, *kept])) > tokens:
            break
        kept.insert(0, line)
    return "\n".join(kept)
