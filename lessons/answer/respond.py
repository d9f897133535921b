"""Answering: the model speaks, piece by piece, and what it said is tied back to the documents."""

import re
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any

from llama_index.core.llms import LLM
from llama_index.core.prompts import BasePromptTemplate

from lessons.answer.answer import Answer
from lessons.answer.cite import citations, plain_citations, unsupported_figures
from lessons.answer.prompts import (
    CITATION_RULE,
    DEFAULT_RESPONSE_FORMAT,
    NOT_SEARCHED,
    NOTHING_FOUND,
    REFUSALS,
    answer_prompt,
)
from lessons.answer.refusal import is_refusal
from lessons.models.call import KEYLESS, stream
from lessons.text import language
from lessons.trace import Step

UNSUPPORTED = "Not in the passages that the answer cites: {}. Check it before you rely on it."
UNSOURCED = "The answer names none of the documents as its source; check it before you rely on it."
_PLACEHOLDER = re.compile(r" ?\[number\]")


def respond(
    answer: Answer,
    llm: LLM,
    question: str | None = None,
    response_format: str | None = None,
    memory: str = "",
    prompt: BasePromptTemplate | None = None,
    **hints: Any,
) -> Iterator[str]:
    """Stream the answer to the question from `answer.context`, and complete `answer` while doing so.

    `question` is what a follow-up asks when it stands alone; None takes `answer.question` as it was put. `memory` is
    what was said before, as `conversation_memory` writes it. `prompt` stands in for the usual one and then always takes
    a memory; `hints` are what the keyless model is told besides.
    When the consumer stops early, the model call is closed and what was said so far is kept.
    """
    question = question or answer.question
    with answer.trace.step("answer", question) as step:
        try:
            with closing(_pieces(answer, llm, question, response_format, memory, prompt, step, hints)) as pieces:
                for piece in pieces:
                    answer.text += piece
                    yield piece
        finally:
            _complete(answer, question, memory, step)
            step.output = answer.text


def _pieces(
    answer: Answer,
    llm: LLM,
    question: str,
    response_format: str | None,
    memory: str,
    prompt: BasePromptTemplate | None,
    step: Step,
    hints: dict[str, Any],
) -> Generator[str, None, None]:
    """The model's text. Without documents and a conversation there is nothing to ask it about, so it is not asked."""
    spoken = language(question)
    if not answer.searched:
        yield NOT_SEARCHED[spoken]
    elif not answer.context.documents and not memory:
        yield NOTHING_FOUND[spoken]
    else:
        form = response_format or DEFAULT_RESPONSE_FORMAT[spoken]
        variables = hints | {"context": answer.context.text, "response_format": form}
        if memory or prompt:
            variables["memory"] = memory
        chosen = prompt or answer_prompt(memory=bool(memory), language=spoken)
        yield from stream(llm, chosen, step, question=question, **variables)


def own_words(text: str) -> str:
    """The text without what small models repeat of their instructions: the form at its start, the refusal behind."""
    for line in (*DEFAULT_RESPONSE_FORMAT.values(), *CITATION_RULE.values()):
        text = text.strip().removeprefix(line)
    for refusal in REFUSALS:
        text = text.strip().removesuffix(refusal) if text.strip() != refusal else text
    return _PLACEHOLDER.sub("", text).strip()


def _complete(answer: Answer, question: str, memory: str, step: Step) -> None:
    """What follows from the words of the answer, however its stream ended."""
    context = answer.context
    answer.text = plain_citations(own_words(answer.text), context)
    by_keyless = not step.answered or KEYLESS in step.answered
    refused = answer.text in REFUSALS or (not by_keyless and is_refusal(answer.text))
    answer.found = bool(answer.text) and not refused
    answer.citations = citations(answer.text, context) if answer.found else []
    answer.warnings += [note for note in step.notes if note not in answer.warnings]
    if answer.found and context.documents and not (answer.citations or memory):
        answer.warnings.append(UNSOURCED)
    if answer.found and (figures := unsupported_figures(answer.text, context, f"{question} {memory}")):
        answer.warnings.append(UNSUPPORTED.format(", ".join(figures)))
