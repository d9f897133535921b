"""Ask every question of every stage, and measure each answer."""

from collections.abc import Iterator, Sequence
from math import isnan

from lessons.context.device import Answering
from lessons.evaluate.evaluation import Record
from lessons.evaluate.golden import Golden
from lessons.evaluate.judge.judge import is_unanswerable, judge
from lessons.evaluate.ranking import ranking, retrieval_metrics
from lessons.models.embedding_cache import CachedEmbedding
from lessons.models.usage import price
from lessons.rag.answer import Answer
from lessons.workspace import workspace


def answers(stages: Sequence[Answering], questions: Sequence[Golden]) -> Iterator[Record]:
    """A record for each question and stage, stage by stage; each question is asked as the owner it belongs to.

    Everything but the times is the same each time. One question runs at a time, so that no answer waits for another.
    """
    for stage in stages:
        if isinstance(embedding := (stage.workspace or workspace()).embedding, CachedEmbedding):
            embedding.forget_questions()
        for question in questions:
            yield measure(question, stage.ask(question.question, user=question.owner, history=question.history))


def measure(question: Golden, answer: Answer) -> Record:
    """Judge one answer and its ranking.

    Correctness needs key facts or a short reference, groundedness something that was claimed. `correctness` is 1, 0.5
    or 0; `strict` is 1 only where the whole answer is right.
    """
    documents = ranking(answer)
    verdict = judge(question, answer)
    metrics = retrieval_metrics(question, documents)
    if not isnan(verdict.correctness):
        metrics |= {"correctness": verdict.correctness, "strict": float(verdict.correctness == 1)}
    if not verdict.refused:
        metrics["groundedness"] = verdict.grounded
    return Record(
        stage=answer.stage,
        question_id=question.id,
        question=question.question,
        category=question.category,
        language=question.language,
        answerable=not is_unanswerable(question),
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
        answered=dict(answer.trace.answered),
    )
