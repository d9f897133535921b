"""Ask every question of every stage, and measure each answer."""

import math
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

from lessons.answer.answer import Answer
from lessons.evaluate.evaluation import Record
from lessons.evaluate.golden import Golden
from lessons.evaluate.ranking import ranking, retrieval_metrics
from lessons.models.usage import price
from lessons.stages import Stage


def answers(stages: Sequence[Stage], questions: Sequence[Golden]) -> Iterator[Record]:
    """A record for each question and stage, stage by stage; each question is asked as the owner it belongs to.

    Everything but the times is the same each time. One question runs at a time, so that no answer waits for another.
    """
    for stage in stages:
        for question in questions:
            yield measure(question, stage.ask(question.question, user=question.owner, history=question.history))


def measure(question: Golden, answer: Answer) -> Record:
    """Judge one answer and its ranking. Correctness needs a known answer, groundedness something that was claimed."""
    documents = ranking(answer)
    verdict = _verdict(question, answer)
    metrics = retrieval_metrics(question, documents)
    if question.answer or not question.evidence:
        metrics["correctness"] = verdict.correctness
    if not verdict.refused:
        metrics["groundedness"] = verdict.grounded
    return Record(
        stage=answer.stage,
        question_id=question.id,
        question=question.question,
        category=question.category,
        language=question.language,
        answerable=bool(question.evidence),
        metrics=metrics,
        ms=answer.trace.ms,
        llm_calls=answer.trace.llm_calls,
        tokens=answer.trace.tokens,
        cost=sum(price(step.tokens_in, step.tokens_out) for step in answer.trace),
        answer=answer.text,
        refused=verdict.refused,
        right_answer_wrong_evidence=verdict.right_answer_wrong_evidence,
        retrieved=tuple(document.id for document in documents),
        warnings=tuple(answer.warnings),
    )


def _verdict(question: Golden, answer: Answer) -> Any:
    try:
        from lessons.evaluate.judge import judge
    except ModuleNotFoundError:
        return SimpleNamespace(
            correctness=math.nan, grounded=math.nan, refused=not answer.found, right_answer_wrong_evidence=False
        )
    return judge(question, answer)
