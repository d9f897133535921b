"""Compression: a follow-up becomes a question that stands alone (row B5)."""

from dataclasses import dataclass

from lessons.retrieve.transform_checks import asked, note, strays, tidy
from lessons.retrieve.types import Query, Resources
from lessons.settings import settings
from lessons.trace import Step

_LONGEST_TURN = 1_000  # characters of a turn that the model is shown


@dataclass(frozen=True)
class Compress:
    """Puts what a follow-up leaves out into it, from the history; without a history nothing is asked."""

    def transform(self, queries: list[str], query: Query, resources: Resources, step: Step) -> list[str]:
        if not any(role == "user" and content.strip() for role, content in query.history):
            return tidy(queries, query.text)
        return tidy([_standalone(text, query, resources, step) for text in queries], query.text)


def _standalone(text: str, query: Query, resources: Resources, step: Step) -> str:
    turns = query.history[-2 * settings().history_turns :]
    history = "\n".join(f"{role}: {content[:_LONGEST_TURN]}" for role, content in turns)
    said = asked("compress", text, resources, step, settings().max_query_chars, history, history=history, turns=turns)
    if said is None or said == text:
        return text
    if problem := strays(said, text, f"{history}\n{text}"):
        note(step, problem)
        return text
    return said
