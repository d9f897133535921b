"""The one place that calls a language model: books what it used, and lets the keyless model answer when it fails.

What a served model may do instead of answering, and what follows from it, is in `served_call`.
"""

from collections.abc import Generator, Mapping
from typing import Any, cast

from llama_index.core.llms import LLM
from llama_index.core.prompts import BasePromptTemplate, PromptTemplate

from lessons.models import served_call
from lessons.models.keyless import OfflineLLM
from lessons.models.llm import book, sent, used
from lessons.models.reply import Schema
from lessons.trace import Step


def predict(llm: LLM, prompt: BasePromptTemplate, step: Step, **variables: Any) -> str:
    """The model's text for the prompt. ModelError if the key or the model is wrong."""
    asked = sent(prompt, variables)
    if not isinstance(llm, OfflineLLM) and (said := served_call.predict(llm, prompt, step, asked, variables)):
        return said
    keyless = keyless_of(llm)
    said = keyless.predict(prompt, **variables)
    book(step, keyless, asked, said)
    used(step, keyless)
    return said


def stream(llm: LLM, prompt: BasePromptTemplate, step: Step, **variables: Any) -> Generator[str, None, None]:
    """The model's text piece by piece; closing the iterator closes the connection.

    A failure before the first piece lets the keyless model answer; a later one ends the text with a note on the step.
    """
    asked = sent(prompt, variables)
    if not isinstance(llm, OfflineLLM) and (yield from served_call.stream(llm, prompt, step, asked, variables)):
        return
    keyless, said = keyless_of(llm), ""
    try:
        for piece in keyless.stream(prompt, **variables):
            said += piece
            yield piece
    finally:
        book(step, keyless, asked, said)
        used(step, keyless)


def structured(
    llm: LLM,
    schema: type[Schema],
    prompt: PromptTemplate,
    step: Step,
    *,
    otherwise: Schema | None = None,
    items: Mapping[str, tuple[int, int]] | None = None,
    **variables: Any,
) -> Schema:
    """The model's answer as an instance of `schema`. ModelError if the key or the model is wrong.

    With `otherwise`, that is returned when a served model fails, and the keyless model is not asked in its place.
    `items` says how many each list of the schema has here, at least and at most, so that a model fills and ends it.
    """
    asked = sent(prompt, variables)
    if not isinstance(llm, OfflineLLM):
        found = served_call.structured(llm, schema, prompt, step, asked, variables, otherwise, items or {})
        if found is not None:
            return found
    keyless = keyless_of(llm)
    result = keyless.structured_predict(schema, prompt, **variables)
    book(step, keyless, asked, result.model_dump_json())
    used(step, keyless)
    return cast(Schema, result)


def keyless_of(llm: LLM) -> OfflineLLM:
    """The keyless model that stands in for a model, or the model itself if it is keyless."""
    return llm if isinstance(llm, OfflineLLM) else getattr(llm, "keyless", None) or OfflineLLM()
