"""Rewriting: a question becomes a search query (row B5)."""

from dataclasses import dataclass

from lessons.retrieve.transform.checks import asked, note, strays, tidy
from lessons.retrieve.types import Query, Resources
from lessons.settings import settings
from lessons.trace import Step


@dataclass(frozen=True)
class Rewrite:
    """Drops courtesies and filler, keeps names, numbers, identifiers and negations."""

    def transform(self, queries: list[str], query: Query, resources: Resources, step: Step) -> list[str]:
        return tidy([_rewritten(text, resources, step) for text in queries], query.text)


def _rewritten(text: str, resources: Resources, step: Step) -> str:
    said = asked("rewrite", text, resources, step, settings().max_query_chars)
    if said and (problem := strays(said, text, text)):
        note(step, problem)
        return text
    return said or text
