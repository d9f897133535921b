"""Reranking by a model that reads all candidates at once and scores them (row B8).

A model may leave documents out, score one twice, invent numbers or say something else altogether. Then its scores are
not used at all, and the order of the search stays: reranking may fail, but never lose a document to a failure.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from lessons.models.call import structured
from lessons.retrieve.rerank.prompt import relevance_prompt
from lessons.retrieve.types import Query, Resources, RetrievedDocument
from lessons.trace import Step

logger = logging.getLogger(__name__)

HIGHEST = 10


class DocumentScore(BaseModel):
    """The score of one document."""

    number: int = Field(description="The number of the document.")
    score: float = Field(ge=0, le=HIGHEST, description="0: has nothing to do with the question. 10: holds its answer.")


class Scores(BaseModel):
    """The scores of all documents."""

    scores: list[DocumentScore] = Field(description="One score for each document.")


NO_SCORES = Scores(scores=[])


@dataclass(frozen=True)
class ModelScored:
    """The documents with the highest scores from 0 to 10, all given in one call. Equal scores keep their order.

    The new score of a document is its tenth, 0 to 1. `top_k` None takes the query's own.
    """

    top_k: int | None = None

    def rerank(
        self, query: Query, documents: Sequence[RetrievedDocument], resources: Resources, step: Step
    ) -> list[RetrievedDocument]:
        scores = _scores(query.text, documents, resources, step) if len(documents) > 1 else None
        if scores:
            scored = [document.with_score(score / HIGHEST) for document, score in zip(documents, scores, strict=True)]
            documents = sorted(scored, key=lambda document: -document.score)
        return list(documents[: self.top_k or query.top_k])


def _scores(
    question: str, documents: Sequence[RetrievedDocument], resources: Resources, step: Step
) -> list[float] | None:
    """The score of each document, in their order; None, with a note on the step, if they cannot be used."""
    try:
        said = structured(
            resources.llm,
            Scores,
            relevance_prompt(question),
            step,
            otherwise=NO_SCORES,
            question=question,
            documents=documents,
        )
        if said is NO_SCORES:
            return None
        return in_order(said, len(documents))
    except Exception as error:
        logger.warning("the documents could not be scored", exc_info=True)
        step.notes.append(f"the order stays as it was ({error})")
        return None


def in_order(said: Scores, count: int) -> list[float]:
    """The scores of the documents 1 to `count`, whatever their order; ValueError unless each has exactly one."""
    by_number = {each.number: each.score for each in said.scores}
    if len(said.scores) != count or by_number.keys() != set(range(1, count + 1)):
        raise ValueError(f"the model scored {len(said.scores)} documents, not each of the {count} once")
    if not all(0 <= score <= HIGHEST for score in by_number.values()):
        raise ValueError(f"a score is not between 0 and {HIGHEST}")
    return [by_number[number] for number in range(1, count + 1)]
