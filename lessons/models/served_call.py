"""What a served model may do instead of answering: then the step says why, and the keyless model answers.

Too many requests, server errors, timeouts and unusable output are noted on the step. A refused key or an unknown
model is the reader's to fix and raises a ModelError.
"""

from collections.abc import Mapping
from time import monotonic
from typing import Any

from llama_index.core.llms import LLM
from llama_index.core.prompts import BasePromptTemplate
from pydantic import Field, create_model

from lessons.errors import ModelError
from lessons.models.recorded import NotRecordedError
from lessons.models.reply import Schema
from lessons.trace import Step

INSTEAD = "answered by the keyless model"
CHOSEN_INSTEAD = "the keyless model chooses the tools"


def name_of(llm: LLM) -> str:
    """The model's name, without asking its server for anything; of a model on record, it says so."""
    name: str = getattr(llm, "model", None) or llm.metadata.model_name
    return f"{name} (recorded)" if getattr(llm, "recorded", "") else name


def fall_back(step: Step, llm: LLM, error: Exception, instead: str = INSTEAD) -> None:
    """Note why the model's answer was not used and what came instead; raise what only the reader can fix.

    That a request is not on record is no failure: whose output was used says `answered`.
    """
    from lessons.models.server import is_for_the_reader, is_out_of_reach, is_timeout  # imports the client: a second

    if isinstance(error, NotRecordedError):
        return
    if is_for_the_reader(error):
        raise explained(error, llm) from error
    if patience := getattr(llm, "patience", None):
        patience.timeouts += is_timeout(error)
        if is_out_of_reach(error) or patience.timeouts > 1:
            patience.given_up = explained(error, llm)
    note_failure(step, explained(error, llm), instead)


def check_patience(llm: LLM) -> None:
    """Raise the error for which a model was given up earlier in the same answer, or that its time is over."""
    patience = getattr(llm, "patience", None)
    if patience and patience.given_up:
        raise patience.given_up
    if patience and monotonic() > patience.until:
        raise ModelError("the answer has taken longer than LESSONS_ANSWER_SECONDS")


def note_failure(step: Step, reason: ModelError, instead: str = INSTEAD) -> None:
    step.notes.append(f"model failed ({reason}); {instead}")


def explained(error: Exception, llm: LLM) -> ModelError:
    from lessons.models.server import explain

    return explain(error, name_of(llm), getattr(llm, "api_base", None))


def for_task(llm: LLM, prompt: BasePromptTemplate | None, form: Any = None) -> Any:
    """The model with the bound of the prompt on its reply, which has this form. ModelError as from `check_patience`."""
    check_patience(llm)
    return llm.for_prompt(prompt, form) if prompt is not None and hasattr(llm, "for_prompt") else llm


def bounded(schema: type[Schema], items: Mapping[str, tuple[int, int]]) -> type[Schema]:
    """The schema with its lists bounded in what the server is told. One of another length is not refused."""
    fields: dict[str, Any] = {}
    for name, (least, most) in items.items():
        known = schema.model_fields[name]
        bounds: dict[str, Any] = {"minItems": least, "maxItems": most}
        fields[name] = (known.annotation, Field(description=known.description, json_schema_extra=bounds))
    return create_model(schema.__name__, __base__=schema, **fields) if fields else schema
