"""The one place that calls a language model: books what it used, and lets the keyless model answer when it fails.

Too many requests, server errors, timeouts and unusable output are answered by the keyless model, noted on the step.
A refused key or an unknown model is the reader's to fix and raises a ModelError.
"""

from collections.abc import Generator
from contextlib import closing
from typing import Any, TypeVar, cast

from llama_index.core.base.llms.types import ChatResponse
from llama_index.core.llms import LLM
from llama_index.core.output_parsers import PydanticOutputParser
from llama_index.core.prompts import BasePromptTemplate, PromptTemplate
from pydantic import BaseModel

from lessons.errors import ModelError
from lessons.models.offline.llm import OfflineLLM
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
                check_not_given_up(llm)
                said = llm.predict(prompt, **variables)
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
    **variables: Any,
) -> Schema:
    """The model's answer as an instance of `schema`. ModelError if the key or the model is wrong.

    With `otherwise`, that is returned when a served model fails, and the keyless model is not asked in its place.
    """
    asked = _text(prompt, variables)
    if not isinstance(llm, OfflineLLM):
        with responses() as heard:
            try:
                check_not_given_up(llm)
                result = _parsed(llm, schema, prompt, heard, variables)
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


def _streamed(
    llm: LLM, prompt: BasePromptTemplate, step: Step, asked: str, variables: dict[str, Any]
) -> Generator[str, None, str]:
    """Yield the pieces of a served model and return the whole text, empty if it failed before the first piece."""
    said, usage = "", dict[str, Any]()
    ended: str | None = "stop"
    try:
        check_not_given_up(llm)
        with closing(cast(Any, llm.stream_chat(prompt.format_messages(llm=llm, **variables)))) as chunks:
            for chunk in chunks:
                usage |= {k: v for k, v in chunk.additional_kwargs.items() if v is not None}
                ended = _ending(chunk, ended)
                if chunk.delta:
                    said += chunk.delta
                    yield chunk.delta
        if not said:
            note_failure(step, ModelError("it said nothing"))
        elif ended != "stop":
            step.notes.append(CUT_OFF if ended == "length" else "the answer broke off (its end did not arrive)")
    except Exception as error:
        if not said:
            fall_back(step, llm, error)
        else:
            step.notes.append(f"the answer broke off ({_explained(error, llm)})")
    finally:
        if said or usage:
            book(step, llm, asked, said, usage)
        if said:
            used(step, llm)
    return said


def _parsed(
    llm: LLM, schema: type[Schema], prompt: PromptTemplate, heard: list[ChatResponse], variables: dict[str, Any]
) -> Schema:
    """Ask through LlamaIndex, by a tool call; a model that wrote JSON as plain text instead is understood as well."""
    try:
        result = llm.structured_predict(schema, prompt, **variables)
    except ValueError:
        if not heard or not heard[-1].message.content:
            raise
        return cast(Schema, PydanticOutputParser(schema).parse(heard[-1].message.content))
    if heard and _was_cut(heard[-1]):
        raise ModelError("its output was cut off")
    return result


def _was_cut(response: ChatResponse) -> bool:
    """Whether the output ended at the token limit: LlamaIndex completes cut JSON, which may lack its last items."""
    return _ending(response, "stop") == "length"


def _ending(response: ChatResponse, before: str | None) -> str | None:
    """Why the model stopped, None if it has not; what was known `before` of a response that does not say."""
    choices = getattr(response.raw, "choices", None)
    return choices[0].finish_reason if choices else before


def fall_back(step: Step, llm: LLM, error: Exception, instead: str = INSTEAD) -> None:
    """Note why the model's answer was not used and what came instead; raise what only the reader can fix."""
    from lessons.models.server import is_for_the_reader, is_out_of_reach  # the client takes a second to import

    if is_for_the_reader(error):
        raise _explained(error, llm) from error
    if is_out_of_reach(error) and (given_up := getattr(llm, "given_up", None)) is not None:
        given_up.append(_explained(error, llm))
    note_failure(step, _explained(error, llm), instead)


def check_not_given_up(llm: LLM) -> None:
    """Raise the error for which a model was given up earlier in the same answer."""
    for error in getattr(llm, "given_up", None) or ():
        raise error


def note_failure(step: Step, reason: ModelError, instead: str = INSTEAD) -> None:
    step.notes.append(f"model failed ({reason}); {instead}")


def _explained(error: Exception, llm: LLM) -> ModelError:
    from lessons.models.server import explain

    return explain(error, llm.metadata.model_name, getattr(llm, "api_base", None))


def _book_heard(step: Step, llm: LLM, asked: str, heard: list[ChatResponse]) -> None:
    """Book the calls that were answered; one that never was costs nothing."""
    for response in heard:
        book(step, llm, asked, response.message.content or "", response.additional_kwargs)


def used(step: Step, llm: LLM) -> None:
    """Note whose output the step goes on with."""
    step.answered[KEYLESS if isinstance(llm, OfflineLLM) else llm.metadata.model_name] += 1


def keyless_of(llm: LLM) -> OfflineLLM:
    """The keyless model that stands in for a model, or the model itself if it is keyless."""
    return llm if isinstance(llm, OfflineLLM) else getattr(llm, "keyless", None) or OfflineLLM()


def _text(prompt: BasePromptTemplate, variables: dict[str, Any]) -> str:
    """The prompt as sent, for counting. KeyError if a variable is missing, which LlamaIndex would leave as `{name}`."""
    if missing := set(prompt.template_vars) - set(variables) - set(prompt.kwargs):
        raise KeyError(f"the prompt lacks {', '.join(sorted(missing))}")
    return "\n".join(message.content or "" for message in prompt.format_messages(**variables))
