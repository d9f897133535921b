"""Every prompt that the product sends, with the form that it asks for: what is on record for none of them is stale."""

from collections.abc import Iterator
from typing import Any, cast

from llama_index.core.prompts import BasePromptTemplate
from pydantic import BaseModel

from lessons.agent import AGENT, SearchTools
from lessons.context import cache, compress, intent, refine
from lessons.copilot import decision
from lessons.ingest import enrich
from lessons.memory import profile, summaries
from lessons.models.call_tools import described
from lessons.models.recorded import prompt_label
from lessons.rag.prompts import answer_prompt
from lessons.search import rerankers, transforms

ASKED = {"en": "Who?", "ko": "누가?"}
"""A question in each language, which the prompts of a question are made for."""


def labels() -> frozenset[str]:
    """What `prompt_label` makes of each prompt."""
    schemas = frozenset(prompt_label(prompt, schema and schema.model_json_schema()) for prompt, schema in _prompts())
    nothing = cast(Any, None)
    return schemas | {prompt_label(AGENT, described(SearchTools(nothing, nothing, nothing).tools))}


def _prompts() -> Iterator[tuple[BasePromptTemplate, type[BaseModel] | None]]:
    for language, question in ASKED.items():
        yield from ((answer_prompt(memory=memory, language=language), None) for memory in (False, True))
        yield from ((decision.answer_prompt(task, question), None) for task in ("answer", "steps"))
        yield decision.sufficiency_prompt(question), decision.Decision
        yield from ((transforms.query_prompt(task, question), None) for task in ("condense", "rewrite", "hyde"))
        yield transforms.query_prompt("expand", question), transforms.Variants
        yield rerankers.relevance_prompt(question), rerankers.Scores
        yield enrich.KEYWORDS[language], enrich.Keywords
        yield enrich.SUMMARY[language], None
    yield from ((prompt, None) for prompt in (intent.SMALL_TALK, cache.RESTYLE))
    yield from ((prompt, None) for prompt in (summaries.RECURSIVE_SUMMARY, summaries.TURNS_SUMMARY))
    yield summaries.ENTITIES, summaries.NotedEntities
    yield profile.PROFILE, profile.StatedFacts
    yield intent.INTENT, intent.Decision
    yield refine.JUDGE, refine.Judgement
    yield compress.SHORTEN, compress.Shortened
