"""Answering: the model speaks, piece by piece, and what it said is tied back to the documents."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from llama_index.core.llms import LLM
from llama_index.core.prompts import BasePromptTemplate

from lessons.answer.answer import Answer
from lessons.answer.cite import citations, confidence
from lessons.answer.prompts import DEFAULT_RESPONSE_FORMAT, NOT_SEARCHED, NOTHING_FOUND, REFUSALS, answer_prompt
from lessons.models.call import stream

UNSOURCED = "The answer names none of the documents as its source; check it before you rely on it."


def respond(
    answer: Answer,
    llm: LLM,
    question: str | None = None,
    response_format: str = DEFAULT_RESPONSE_FORMAT,
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
        variables = hints | {"context": answer.context.text, "response_format": response_format}
        if memory or prompt:
            variables["memory"] = memory
        pieces = stream(llm, prompt or answer_prompt(memory=bool(memory)), step, question=question, **variables)
        try:
            with closing(pieces):
                for piece in pieces if answer.searched else _unsearched(pieces):
                    answer.text += piece
                    yield piece
        finally:
            step.output = answer.text
            _complete(answer, question, step.notes)
            if answer.found and answer.context.documents and not (answer.citations or memory):
                answer.warnings.append(UNSOURCED)


def _unsearched(pieces: Iterator[str]) -> Iterator[str]:
    """What a model says without documents: that it found nothing would not be true if nobody could look."""
    said = "".join(pieces)
    yield next((NOT_SEARCHED[each] for each, nothing in NOTHING_FOUND.items() if nothing == said.strip()), said)


def _complete(answer: Answer, question: str, notes: Sequence[str]) -> None:
    answer.text = answer.text.strip()
    answer.found = bool(answer.text) and answer.text not in REFUSALS
    answer.citations = citations(answer.text, answer.context) if answer.found else []
    answer.confidence = confidence(question, answer.context.documents) if answer.found else 0.0
    answer.warnings += [note for note in notes if note not in answer.warnings]
