"""The one place that calls a language model: books what it used, and lets the keyless model answer when it fails.

Too many requests, server errors, timeouts and unusable output are answered by the keyless model, noted on the step.
A refused key or an unknown model is the reader's to fix and raises a ModelError. A prompt's metadata may bound the
reply (`max_tokens`), so that a model that does not find its end costs seconds instead of minutes.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, TypeVar, cast

from llama_index.core.base.llms.types import ChatResponse
from llama_index.core.llms import LLM
from llama_index.core.prompts import BasePromptTemplate, PromptTemplate
from pydantic import BaseModel, Field, create_model

from lessons.errors import ModelError
from lessons.models.keyless import OfflineLLM
from lessons.models.llm import name_of
from lessons.models.reply import repeats, spoken, without_thoughts
from lessons.models.usage import book, responses
from lessons.trace import Step

Schema = TypeVar("Schema", bound=BaseModel)
KEYLESS = "keyless model"
INSTEAD = "answered by the keyless model"
CUT_OFF = "the answer was cut off at the longest that it may be; raise LESSONS_MAX_OUTPUT_TOKENS"


def predict(llm: LLM, prompt: BasePromptTemplate, step: Step, **variables: Any) -> str:
    """The model's text for the prompt. ModelError if the key or the model is wrong."""
    asked = _text(prompt, variables)
    if not isinstance(llm, OfflineLLM):
        with responses() as heard:
            try:
                check_patience(llm)
                said = without_thoughts(_for_task(llm, prompt).predict(prompt, **variables))
                _book_heard(step, llm, asked, heard)
                if said.strip():
                    used(step, llm)
                    return said
                note_failure(step, ModelError("it said nothing"))
            except Exception as error:
                _book_heard(step, llm, asked, heard)
                fall_back(step, llm, error)
    keyless = keyless_of(llm)
    said = keyless.predict(prompt, **variables)
    book(step, keyless, asked, said)
    used(step, keyless)
    return said


def stream(llm: LLM, prompt: BasePromptTemplate, step: Step, **variables: Any) -> Generator[str, None, None]:
    """The model's text piece by piece; closing the iterator closes the connection.

    A failure before the first piece lets the keyless model answer; a later one ends the text with a note on the step.
    """
    asked = _text(prompt, variables)
    if not isinstance(llm, OfflineLLM):
        said = yield from _streamed(llm, prompt, step, asked, variables)
        if said:
            return
    keyless = keyless_of(llm)
    said = ""
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
    asked = _text(prompt, variables)
    if not isinstance(llm, OfflineLLM):
        with responses() as heard:
            try:
                check_patience(llm)
                result = _for_task(llm, prompt).structured_predict(_bounded(schema, items or {}), prompt, **variables)
                _book_heard(step, llm, asked, heard)
                used(step, llm)
                return result
            except Exception as error:
                _book_heard(step, llm, asked, heard)
                if otherwise is not None:
                    fall_back(step, llm, error, "went on without it")
                    return otherwise
                fall_back(step, llm, error)
    keyless = keyless_of(llm)
    result = keyless.structured_predict(schema, prompt, **variables)
    book(step, keyless, asked, result.model_dump_json())
    used(step, keyless)
    return cast(Schema, result)


def _for_task(llm: LLM, prompt: BasePromptTemplate) -> LLM:
    """The model with the bound of the prompt on its reply."""
    return llm.limited(prompt.metadata.get("max_tokens")) if hasattr(llm, "limited") else llm


def _bounded(schema: type[Schema], items: Mapping[str, tuple[int, int]]) -> type[Schema]:
    """The schema with its lists bounded in what the server is told. One of another length is not refused."""
    fields: dict[str, Any] = {}
    for name, (least, most) in items.items():
        known = schema.model_fields[name]
        bounds: dict[str, Any] = {"minItems": least, "maxItems": most}
        fields[name] = (known.annotation, Field(description=known.description, json_schema_extra=bounds))
    return create_model(schema.__name__, __base__=schema, **fields) if fields else schema


def _streamed(
    llm: LLM, prompt: BasePromptTemplate, step: Step, asked: str, variables: dict[str, Any]
) -> Generator[str, None, str]:
    """Yield the pieces of a served model and return the whole text, empty if it failed before the first piece."""
    said, seen = "", _Seen()
    try:
        check_patience(llm)
        with closing(
            cast(Any, _for_task(llm, prompt).stream_chat(prompt.format_messages(llm=llm, **variables)))
        ) as chunks:
            for piece in spoken(seen.deltas(chunks, llm)):
                said += piece
                yield piece
                if repeats(said):
                    raise ModelError("it repeated itself")
        if not said:
            note_failure(step, ModelError("it said nothing"))
        elif seen.ended != "stop":
            step.notes.append(CUT_OFF if seen.ended == "length" else "the answer broke off (its end did not arrive)")
    except Exception as error:
        if not said:
            fall_back(step, llm, error)
        else:
            step.notes.append(f"the answer broke off ({_explained(error, llm)})")
    finally:
        if said or seen.usage:
            book(step, llm, asked, said, seen.usage)
        if said:
            used(step, llm)
    return said


@dataclass
class _Seen:
    """What a streamed reply says besides its text: the tokens it used and why it ended."""

    usage: dict[str, Any] = field(default_factory=dict)
    ended: str | None = "stop"

    def deltas(self, chunks: Iterable[ChatResponse], llm: LLM) -> Iterator[str]:
        for chunk in chunks:
            check_patience(llm)
            self.usage |= {key: value for key, value in chunk.additional_kwargs.items() if value is not None}
            choices = getattr(chunk.raw, "choices", None)
            self.ended = choices[0].finish_reason if choices else self.ended
            if chunk.delta:
                yield chunk.delta


def fall_back(step: Step, llm: LLM, error: Exception, instead: str = INSTEAD) -> None:
    """Note why the model's answer was not used and what came instead; raise what only the reader can fix."""
    from lessons.models.server import is_for_the_reader, is_out_of_reach, is_timeout  # imports the client: a second

    if is_for_the_reader(error):
        raise _explained(error, llm) from error
    if patience := getattr(llm, "patience", None):
        patience.timeouts += is_timeout(error)
        if is_out_of_reach(error) or patience.timeouts > 1:
            patience.given_up = _explained(error, llm)
    note_failure(step, _explained(error, llm), instead)


def check_patience(llm: LLM) -> None:
    """Raise the error for which a model was given up earlier in the same answer, or that its time is over."""
    patience = getattr(llm, "patience", None)
    if patience and patience.given_up:
        raise patience.given_up
    if patience and monotonic() > patience.until:
        raise ModelError("the answer has taken longer than LESSONS_ANSWER_SECONDS")


def note_failure(step: Step, reason: ModelError, instead: str = INSTEAD) -> None:
    step.notes.append(f"model failed ({reason}); {instead}")


def _explained(error: Exception, llm: LLM) -> ModelError:
    from lessons.models.server import explain

    return explain(error, name_of(llm), getattr(llm, "api_base", None))


def _book_heard(step: Step, llm: LLM, asked: str, heard: list[ChatResponse]) -> None:
    """Book the calls that were answered; one that never was costs nothing."""
    for response in heard:
        book(step, llm, asked, response.message.content or "", response.additional_kwargs)


def used(step: Step, llm: LLM) -> None:
    """Note whose output the step goes on with."""
    step.answered[KEYLESS if isinstance(llm, OfflineLLM) else name_of(llm)] += 1


def keyless_of(llm: LLM) -> OfflineLLM:
    """The keyless model that stands in for a model, or the model itself if it is keyless."""
    return llm if isinstance(llm, OfflineLLM) else getattr(llm, "keyless", None) or OfflineLLM()


def _text(prompt: BasePromptTemplate, variables: dict[str, Any]) -> str:
    """The prompt as sent, for counting. KeyError if a variable is missing, which LlamaIndex would leave as `{name}`."""
    if missing := set(prompt.template_vars) - set(variables) - set(prompt.kwargs):
        raise KeyError(f"the prompt lacks {', '.join(sorted(missing))}")
    return "\n".join(message.content or "" for message in prompt.format_messages(**variables))
