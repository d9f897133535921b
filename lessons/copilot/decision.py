"""Reranking and judging what was found, in one structured call (row E6).

A model may rank passages that do not exist, name one twice, or ask for a search without a query. Then the keyless model
decides in its place: a copilot without a decision would be stuck.
"""

from collections.abc import Sequence
from typing import Any, Literal

from llama_index.core.llms import LLM
from pydantic import BaseModel, Field

from lessons.copilot.prompts import sufficiency_prompt
from lessons.errors import ModelError
from lessons.models.call import keyless_of, note_failure, structured
from lessons.rag.types import RetrievedDocument
from lessons.search.rerankers import excerpts
from lessons.text import terms
from lessons.trace import Step


class Decision(BaseModel):
    """Which passages help, whether they suffice, and what to do if not."""

    ranked_indices: list[int] = Field(description="The numbers of the passages that help, best first; empty if none.")
    is_sufficient: bool = Field(description="Whether these passages hold everything that the question asks for.")
    missing: str = Field("", description="What the passages do not say, in a few words; empty if nothing is missing.")
    next_action: Literal["get_section", "search_again", "none"] = Field(
        description="get_section: read a section of the first passage whole. search_again: search for refined_query."
    )
    refined_query: str = Field("", description="What to search for, understandable alone; empty unless search_again.")
    confidence: float = Field(ge=0, le=1, description="How sure it is that the first passages are about the question.")
    section: str | None = Field(
        None, description="If a procedure is asked for: the path of headings of its section, as in the first passage."
    )


def decide(
    question: str, documents: Sequence[RetrievedDocument], made: Sequence[str], llm: LLM, step: Step
) -> Decision:
    """The decision on the passages found so far; `made` are the calls that found them, in words."""
    prompt = sufficiency_prompt(question)
    variables: dict[str, Any] = {"question": question, "documents": documents, "made": list(made)}
    variables["excerpts"] = excerpts(question, documents, llm, prompt)
    said = structured(llm, Decision, prompt, step, items={"ranked_indices": (0, len(documents))}, **variables)
    if problem := _problem(said, documents):
        note_failure(step, ModelError(problem), "decided by the keyless model")
        said = structured(keyless_of(llm), Decision, prompt, step, **variables)
    if said.is_sufficient or (not said.ranked_indices and said.next_action == "get_section"):
        said.next_action = "none"
    return said


def _problem(said: Decision, documents: Sequence[RetrievedDocument]) -> str:
    """What makes a decision unusable; empty if nothing does."""
    if not all(1 <= number <= len(documents) for number in said.ranked_indices):
        return "it ranked passages that do not exist"
    if len(set(said.ranked_indices)) < len(said.ranked_indices):
        return "it ranked a passage twice"
    if said.is_sufficient and not said.ranked_indices:
        return "it called nothing sufficient"
    if said.next_action == "search_again" and not said.is_sufficient and not terms(said.refined_query):
        return "it wants to search for nothing"
    return ""
