"""Which stage to take, and what a rule of a stage is worth on questions that it was not made with."""

import html
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from math import ceil
from typing import Any

from lessons.context.device import Answering, Device, follow
from lessons.evaluate.compare import Gain
from lessons.evaluate.evaluation import LABELS, Evaluation, compare_records
from lessons.evaluate.golden import SPLITS, golden_questions, sample
from lessons.evaluate.run import answers
from lessons.rag.stages import AnswerStream
from lessons.settings import settings
from lessons.tables import html_table


@dataclass(frozen=True)
class Candidate:
    """A stage beside the best one. `tokens` are those of a question, `against_best` is the paired difference."""

    stage: str
    mean: float
    tokens: float
    against_best: Gain
    margin: float

    @property
    def acceptable(self) -> bool:
        """Whether the whole interval lies above minus the margin: not worse by more, on questions like these."""
        return self.against_best.ci_low >= -self.margin

    @property
    def row(self) -> list[str]:
        gain = self.against_best
        against = "–" if gain.before == gain.after else gain.with_interval
        return [self.stage, f"{self.mean:.2f}", f"{self.tokens:,.0f}", against, "yes" if self.acceptable else "no"]


@dataclass(frozen=True)
class Choice:
    """The stages by their tokens, the best by its mean, and the one to take."""

    metric: str
    best: str
    taken: str
    candidates: tuple[Candidate, ...]

    def __repr__(self) -> str:
        return f"Take {self.taken}: the cheapest within {self.candidates[0].margin:.2f} of {self.best} in {self.metric}"

    def _repr_html_(self) -> str:
        head = ["", self.metric, "tokens a question", f"against {self.best}", "acceptable"]
        return f"<p>{html.escape(repr(self))}</p>" + html_table(head, [each.row for each in self.candidates])


def choose(evaluation: Evaluation, metric: str = "correctness", margin: float | None = None) -> Choice:
    """The stage with the fewest tokens whose loss against the best one is at most `margin`, by its interval.

    This is a test of non-inferiority (Piaggio et al., 2012, CONSORT extension): that no difference was shown is not
    enough, the interval of the paired difference must exclude a loss larger than the margin. The best stage always
    passes. Without `margin` it is that of the settings.
    """
    margin = settings().choice_margin if margin is None else margin
    found = {stage: evaluation.summary(stage) for stage in evaluation.stages}
    best = max(found, key=lambda stage: (found[stage].means[metric], -found[stage].tokens))
    candidates = []
    for stage in sorted(found, key=lambda stage: found[stage].tokens):
        gain = compare_records(evaluation.of(best), evaluation.of(stage), metric, best, stage)
        candidates.append(Candidate(stage, found[stage].means[metric], found[stage].tokens, gain, margin))
    taken = next(each.stage for each in candidates if each.acceptable)
    return Choice(metric, best, taken, tuple(candidates))


def questions_needed(gain: Gain, margin: float) -> int:
    """About how many questions like these bring the half width of the interval down to the margin.

    Widths fall with the root of the number: half the width takes four times the questions (Efron & Tibshirani, 1993,
    chapter 6). 0 for a gain without spread.
    """
    return ceil(gain.n * ((gain.ci_high - gain.ci_low) / 2 / margin) ** 2)


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
    before: Answering,
    after: Answering,
    metrics: Sequence[str] = ("recall@5", "correctness", "strict"),
    limit: int | None = None,
) -> Ablation:
    """Ask both stages the golden questions of both halves, or `limit` of each; their names must differ.

    A rule that was made with dev at hand has to show its gain on test: what it gains on dev alone, it was fitted to.
    """
    asked = {split: sample(golden_questions(split), limit, 0) for split in SPLITS}
    runs = {name: Evaluation("golden", name, tuple(answers([before, after], each))) for name, each in asked.items()}
    return Ablation(runs, metrics)


def _row(gain: Gain, split: str) -> list[str]:
    means = [f"{mean:.3f}" for mean in (gain.mean_before, gain.mean_after)]
    name = LABELS.get(gain.metric, gain.metric)
    return [f"{name}, {split}", str(gain.n), *means, gain.with_interval, str(gain.moved), gain.verdict]
