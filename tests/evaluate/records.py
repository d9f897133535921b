"""Evaluations made up for tests: stages whose metrics are known."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lessons.evaluate.evaluation import Evaluation, Record

CATEGORIES = ("fact", "multi-part", "identifier")


def record(stage: str, number: int, **changed: object) -> Record:
    """One answer that is right, grounded and found its evidence, unless something is `changed`."""
    plain = Record(
        stage=stage,
        question_id=f"q{number}",
        question=f"{number}번 질문은 무엇인가요?" if number % 2 else f"What is question {number}?",
        category=CATEGORIES[number % 3],
        language="ko" if number % 2 else "en",
        answerable=True,
        metrics={"recall@5": 1.0, "ndcg@10": 1.0, "correctness": 1.0, "groundedness": 1.0},
        ms=10.0 + number,
        llm_calls=1,
        tokens=100,
        cost=0.001,
        answer="42 [1].",
        refused=False,
        retrieved=("c1", "c2"),
    )
    return replace(plain, **changed)


def evaluation(scores: Mapping[str, Sequence[float]], metric: str = "recall@5") -> Evaluation:
    """A run in which each stage has these values of one metric, question by question."""
    records = [
        record(stage, number, metrics={**record(stage, number).metrics, metric: value})
        for stage, values in scores.items()
        for number, value in enumerate(values)
    ]
    return Evaluation("golden", "dev", tuple(records), {"top_k": 10})
