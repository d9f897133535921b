"""Which stage to take, and what a rule of a stage is worth on questions that it was not made with."""

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from math import ceil, isnan
from typing import Any

from lessons.context.wrapper import Answering, Wrapper, follow
from lessons.errors import LessonsError
from lessons.evaluate.compare import Gain
from lessons.evaluate.evaluation import LABELS, Evaluation, compare_records
from lessons.evaluate.golden import SPLITS, golden_questions
from lessons.evaluate.run import answers
from lessons.language import _
from lessons.rag.pipeline import AnswerStream
from lessons.settings import settings
from lessons.tables import Table


@dataclass(frozen=True)
class Candidate:
    """A stage beside the best one. `tokens` are those of a question, `against_best` is the paired difference."""

    stage: str
    mean: float
    tokens: float
    against_best: Gain
    acceptable: bool


@dataclass(frozen=True, repr=False)
class Choice:
    """The stages by their tokens, the best by its mean, and the cheapest acceptable one, which is to be taken."""

    metric: str
    margin: float
    best: str
    candidates: tuple[Candidate, ...]

    @property
    def taken(self) -> str:
        return next(each.stage for each in self.candidates if each.acceptable)

    def __repr__(self) -> str:
        return f"Take {self.taken}: the cheapest within {self.margin:.2f} of {self.best} in {self.metric}"

    def _repr_html_(self) -> str:
        rows = []
        for each in self.candidates:
            against = "–" if each.stage == self.best else each.against_best.with_interval
            acceptable = _("yes") if each.acceptable else _("no")
            rows.append([each.stage, f"{each.mean:.2f}", f"{each.tokens:,.0f}", against, acceptable])
        head = ["", _(self.metric), _("tokens a question"), _("against {stage}", stage=self.best), _("acceptable")]
        return Table(head, rows, _(repr(self)))._repr_html_()


def choose(evaluation: Evaluation, metric: str = "correctness", margin: float | None = None) -> Choice:
    """The cheapest stage that is not inferior to the best by `margin` (Piaggio et al., 2012, CONSORT extension)."""
    margin = settings().choice_margin if margin is None else margin
    found = {stage: evaluation.summary(stage) for stage in evaluation.stages}
    known = {stage: each for stage, each in found.items() if not isnan(each.means[metric])}
    if not known:
        first = next(iter(found))
        raise LessonsError(f"{first} has no value of {metric}, so no stage can be chosen by it; take another metric.")
    best = max(known, key=lambda stage: (known[stage].means[metric], -known[stage].tokens))
    candidates = []  # that no difference was shown is not enough: the whole interval lies above minus the margin
    for stage, of in sorted(found.items(), key=lambda item: item[1].tokens):
        gain = compare_records(evaluation.of(best), evaluation.of(stage), metric, best, stage)
        candidates.append(Candidate(stage, of.means[metric], of.tokens, gain, acceptable=gain.ci_low >= -margin))
    return Choice(metric, margin, best, tuple(candidates))


def questions_needed(gain: Gain, margin: float) -> int:
    """About how many questions like these bring the half width of the interval down to the margin."""
    # Widths fall with the root of the number (Efron & Tibshirani, 1993, chapter 6).
    return ceil(gain.n * ((gain.ci_high - gain.ci_low) / 2 / margin) ** 2)


@dataclass(frozen=True)
class Without(Wrapper):
    """A stage whose answers are made while a rule is switched off; `rule` makes the block in which it is."""

    rule: Callable[[], AbstractContextManager[None]]

    def _pieces(self, stream: AnswerStream, question: str, scope: dict[str, Any]) -> Generator[Any, None, None]:
        with self.rule():
            yield from follow(stream, self.inner.stream(question, **scope))


def dev_and_test(
    before: Answering, after: Answering, metrics: Sequence[str] = ("recall@5", "correctness", "right", "wrong")
) -> Table:
    """What `after` gains over `before`, of another name, on both halves; a gain on dev alone was only fitted to it."""
    asked = {split: tuple(answers([before, after], golden_questions(split))) for split in SPLITS}
    rows = []
    for metric in metrics:
        for split, records in asked.items():
            (gain,) = Evaluation("golden", split, records).gains([metric])
            means = f"{gain.mean_before:.3f}", f"{gain.mean_after:.3f}"
            name = f"{_(LABELS.get(metric, metric))}, {split}"
            rows.append([name, str(gain.n), *means, gain.with_interval, str(gain.moved), gain.outcome])
    return Table(["", _("questions"), before.name, after.name, _("difference"), _("moved"), ""], rows)
