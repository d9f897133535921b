"""HyDE: search with a passage that could stand in an answer (Gao et al. 2022, arXiv 2212.10496; row A7)."""

from dataclasses import dataclass

from lessons.retrieve.transform.checks import asked, tidy
from lessons.retrieve.types import Query, Resources
from lessons.settings import settings
from lessons.trace import Step


@dataclass(frozen=True)
class HyDE:
    """Adds a passage for the first query. A model invents it, so it only searches and is never quoted."""

    def transform(self, queries: list[str], query: Query, resources: Resources, step: Step) -> list[str]:
        queries = tidy(queries, query.text)
        said = asked("hyde", queries[0], resources, step, settings().max_passage_chars)
        return tidy([*queries, said], query.text) if said else queries
