"""What a rule is worth on the questions it was made with, and on those that nobody looked at."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from lessons.context.device import Answering, Device, follow
from lessons.evaluate.compare import Gain
from lessons.evaluate.evaluate import answers
from lessons.evaluate.evaluation import LABELS, Evaluation
from lessons.evaluate.golden import SPLITS, golden_questions, sample
from lessons.rag.stages import AnswerStream
from lessons.tables import html_table

METRICS = ("recall@5", "correctness", "strict")


@dataclass(frozen=True)
class Without(Device):
    """A stage whose answers are made while a rule is switched off; `rule` makes the block in which it is."""

    rule: Callable[[], AbstractContextManager[None]]

    def _pieces(self, stream: AnswerStream, question: str, scope: dict[str, Any]) -> Generator[Any, None, None]:
        with self.rule():
            yield from follow(stream, self.inner.stream(question, **scope))


@dataclass(frozen=True, repr=False)
class Ablation:
    """Two stages on both halves of the golden questions: `dev`, where rules are made, and `test`."""

    runs: Mapping[str, Evaluation]
    metrics: Sequence[str]

    @property
    def gains(self) -> dict[tuple[str, str], Gain]:
        """What the second stage gains over the first, by metric and half."""
        return {(gain.metric, split): gain for split, run in self.runs.items() for gain in run.gains(self.metrics)}

    @property
    def rows(self) -> list[list[str]]:
        """A line for each metric and half."""
        gains = self.gains
        return [_row(gains[metric, split], split) for metric in self.metrics for split in self.runs]

    @property
    def _head(self) -> list[str]:
        return ["", "questions", *next(iter(self.runs.values())).stages, "difference", "moved", ""]

    def __repr__(self) -> str:
        return "\n".join(" | ".join(row) for row in [self._head, *self.rows])

    def _repr_html_(self) -> str:
        return html_table(self._head, self.rows)


def dev_and_test(
    before: Answering, after: Answering, metrics: Sequence[str] = METRICS, limit: int | None = None
) -> Ablation:
    """Ask both stages the golden questions of both halves, or `limit` of each; their names must differ.

    A rule that was made with dev at hand has to show its gain on test: what it gains on dev alone, it was fitted to.
    """
    asked = {split: sample(golden_questions(split), limit, 0) for split in SPLITS}
    runs = {
        split: Evaluation("golden", split, tuple(answers([before, after], questions)))
        for split, questions in asked.items()
    }
    return Ablation(runs, metrics)


def _row(gain: Gain, split: str) -> list[str]:
    means = [f"{mean:.3f}" for mean in (gain.mean_before, gain.mean_after)]
    name = LABELS.get(gain.metric, gain.metric)
    return [f"{name}, {split}", str(gain.n), *means, gain.with_interval, str(gain.moved), gain.verdict]
