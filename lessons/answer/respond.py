"""Answering: the model speaks, piece by piece, and what it said is tied back to the documents."""

from collections.abc import Iterator
from contextlib import closing

from llama_index.core.llms import LLM

from lessons.answer.answer import Answer
from lessons.answer.cite import citations, confidence
from lessons.answer.prompts import DEFAULT_RESPONSE_FORMAT, NOT_FOUND, answer_prompt
from lessons.models.call import stream


def respond(answer: Answer, llm: LLM, response_format: str = DEFAULT_RESPONSE_FORMAT) -> Iterator[str]:
    """Stream the answer to `answer.question` from `answer.context`, and complete `answer` while doing so.

    When the consumer stops early, the model call is closed and what was said so far is kept.
    """
    with answer.trace.step("answer", answer.question) as step:
        prompt = answer_prompt()
        pieces = stream(
            llm,
            prompt,
            step,
            question=answer.question,
            context=answer.context.text,
            response_format=response_format,
        )
        try:
            with closing(pieces):
                for piece in pieces:
                    answer.text += piece
                    yield piece
        finally:
            step.output = answer.text
            _complete(answer)


def _complete(answer: Answer) -> None:
    answer.text = answer.text.strip()
    answer.found = bool(answer.text) and answer.text not in NOT_FOUND.values()
    answer.citations = citations(answer.text, answer.context) if answer.found else []
    answer.confidence = confidence(answer.question, answer.context.documents) if answer.found else 0.0
    answer.warnings += [note for note in answer.trace["answer"].notes if note not in answer.warnings]
