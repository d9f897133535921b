"""Reranking by a model that reads all candidates at once and names the best (row B8).

A model may score one document twice, invent numbers, give all the same score or say something else altogether. Then
what it said is not used at all, and the order of the search stays: reranking may fail, but never lose a document to a
failure.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from lessons.models.call import structured
from lessons.retrieve.rerank.prompt import excerpts, relevance_prompt
from lessons.retrieve.types import Query, Resources, RetrievedDocument
from lessons.trace import Step

logger = logging.getLogger(__name__)

HIGHEST = 10


class DocumentScore(BaseModel):
    """The score of one document."""

    number: int = Field(description="The number of the document.")
    score: float = Field(ge=0, le=HIGHEST, description="0: has nothing to do with the question. 10: holds its answer.")


class Scores(BaseModel):
    """The documents that help, best first."""

    scores: list[DocumentScore] = Field(description="The best documents, the most helpful first, each once.")


NO_SCORES = Scores(scores=[])


@dataclass(frozen=True)
class ModelScored:
    """The documents that a model names as the best, with its scores from 0 to 10, all given in one call.

    Those that it does not name follow in the order of the search and with their place below the least score named. The
    new score of a document is its tenth, 0 to 1. Equal scores keep their order. `top_k` None takes the query's own.
    """

    top_k: int | None = None

    def rerank(
        self, query: Query, documents: Sequence[RetrievedDocument], resources: Resources, step: Step
    ) -> list[RetrievedDocument]:
        kept = self.top_k or query.top_k
        scores = _scores(query.text, documents, kept, resources, step) if len(documents) > 1 else {}
        if scores:
            least = min(scores.values())
            scored = [document.with_score(scores.get(at, least) / HIGHEST) for at, document in enumerate(documents, 1)]
            order = sorted(range(len(scored)), key=lambda at: (at + 1 not in scores, -scored[at].score))
            documents = [scored[at] for at in order]
        return list(documents[:kept])


def _scores(
    question: str, documents: Sequence[RetrievedDocument], best: int, resources: Resources, step: Step
) -> dict[int, float]:
    """The scores of the documents that were named, by number; none, with a note on the step, if they cannot be used."""
    prompt, best = relevance_prompt(question), min(best, len(documents))
    try:
        said = structured(
            resources.llm,
            Scores,
            prompt,
            step,
            otherwise=NO_SCORES,
            items={"scores": (best, best)},
            question=question,
            documents=documents,
            excerpts=excerpts(question, documents, resources.llm, prompt),
            best=best,
        )
        return {} if said is NO_SCORES else by_number(said, len(documents))
    except Exception as error:
        logger.warning("the documents could not be scored", exc_info=not isinstance(error, ValueError))
        step.notes.append(f"the order stays as it was ({error})")
        return {}


def by_number(said: Scores, count: int) -> dict[int, float]:
    """The scores by the number of their document, 1 to `count`. ValueError if they cannot be used.

    A model that gives three documents or more the same score has not judged them.
    """
    scores = {each.number: each.score for each in said.scores}
    if not scores:
        raise ValueError("the model named no document")
    if len(scores) < len(said.scores) or not scores.keys() <= set(range(1, count + 1)):
        raise ValueError(f"the model did not name documents from 1 to {count}, each once")
    if not all(0 <= score <= HIGHEST for score in scores.values()):
        raise ValueError(f"a score is not between 0 and {HIGHEST}")
    if len(scores) > 2 and len(set(scores.values())) == 1:
        raise ValueError(f"the model gave all of them the same score, {said.scores[0].score:g}")
    return scores
