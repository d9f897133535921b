"""Multi-query expansion: the same question in several phrasings, searched together (rows A7 and B5)."""

import logging
from dataclasses import dataclass, field

from pydantic import BaseModel, Field

from lessons.models.call import structured
from lessons.retrieve.prompts import query_prompt
from lessons.retrieve.transform.checks import note, tidy, unusable
from lessons.retrieve.types import Query, Resources
from lessons.settings import settings
from lessons.text import terms
from lessons.trace import Step

logger = logging.getLogger(__name__)


class Variants(BaseModel):
    """Other phrasings of a question."""

    queries: list[str] = Field(description="The other phrasings, each a whole question or search query.")


@dataclass(frozen=True)
class Expand:
    """Adds `n` phrasings of the first query to the queries."""

    n: int = field(default_factory=lambda: settings().query_variants)

    def transform(self, queries: list[str], query: Query, resources: Resources, step: Step) -> list[str]:
        queries = tidy(queries, query.text)
        prompt = query_prompt("expand", queries[0])
        try:
            said = structured(
                resources.llm,
                Variants,
                prompt,
                step,
                items={"queries": (self.n, self.n)},
                question=queries[0],
                count=self.n,
            )
        except Exception as error:
            logger.warning("the transform expand failed", exc_info=True)
            note(step, str(error))
            return queries
        variants = tidy([*queries, *(text for text in said.queries if _fits(text, queries[0], step))], query.text)
        return variants[: len(queries) + self.n]


def _fits(text: str, question: str, step: Step) -> bool:
    problem = unusable(text, question, settings().max_query_chars)
    if not problem and set(terms(text)).isdisjoint(terms(question)) and terms(question):
        problem = "it is about something else"
    if problem:
        note(step, problem)
    return problem is None
