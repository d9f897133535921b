"""Conclusions from a run: which stage to take, and whether one fell behind a baseline."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, isnan

from lessons.errors import LessonsError
from lessons.evaluate.compare import Gain
from lessons.evaluate.evaluation import Evaluation, Pair, Record, Summary, compare_records, moved_records
from lessons.language import _
from lessons.settings import settings
from lessons.tables import Table


@dataclass(frozen=True, repr=False)
class Choice:
    """The stages, cheapest first, each compared with the `best` by its mean; recommended is the first acceptable one.

    That no difference was shown is not enough to accept a stage: the whole interval must lie above minus the margin.
    """

    metric: str
    margin: float
    best: str
    summaries: dict[str, Summary]
    against_best: dict[str, Gain]

    def is_acceptable(self, stage: str) -> bool:
        return self.against_best[stage].ci_low >= -self.margin

    @property
    def recommended(self) -> str:
        return next(filter(self.is_acceptable, self.summaries))

    def __repr__(self) -> str:
        return _(f"Take {self.recommended}: the cheapest within {self.margin:.2f} of {self.best} in {self.metric}")

    def _repr_html_(self) -> str:
        rows = []
        for stage, summary in self.summaries.items():
            against = "–" if stage == self.best else self.against_best[stage].with_interval
            acceptable = _("yes") if self.is_acceptable(stage) else _("no")
            rows.append([stage, f"{summary.means[self.metric]:.2f}", f"{summary.tokens:,.0f}", against, acceptable])
        head = ["", _(self.metric), _("tokens a question"), _("against {stage}", stage=self.best), _("acceptable")]
        return Table(head, rows, repr(self))._repr_html_()


def choose(evaluation: Evaluation, metric: str = "correctness", margin: float | None = None) -> Choice:
    """Choose the cheapest stage not inferior to the best by `margin` (Piaggio et al., 2012, CONSORT extension)."""
    margin = settings().choice_margin if margin is None else margin
    stages = sorted(evaluation.stages, key=lambda stage: evaluation.mean(stage, "tokens"))
    summaries = {stage: evaluation.summary(stage) for stage in stages}
    judged = [stage for stage in stages if not isnan(summaries[stage].means[metric])]
    if not judged:
        raise LessonsError(
            f"{evaluation.stages[0]} has no value of {metric}, so no stage can be chosen by it; take another metric."
        )
    best = max(judged, key=lambda stage: (summaries[stage].means[metric], -summaries[stage].tokens))
    against_best = {
        stage: compare_records(evaluation.of(best), evaluation.of(stage), metric, best, stage) for stage in stages
    }
    return Choice(metric, margin, best, summaries, against_best)


def questions_needed(gain: Gain, margin: float) -> int:
    """Estimate how many questions like these bring the half width of the interval down to the margin."""
    # Widths fall with the root of the number (Efron & Tibshirani, 1993, chapter 6).
    return ceil(gain.n * (gain.detectable / margin) ** 2)


# A gate for a repository of one's own: today's answers against a baseline run that is stored as a file beside them

GATED = ("recall@5", "ndcg@10", "correctness")
LISTED = 5  # questions that are named


@dataclass(frozen=True)
class GateResult:
    """A stage against its baseline, by metric, and the questions that fell; a `margin` asks for proof of no loss."""

    gains: tuple[Gain, ...]
    fallen: tuple[Pair, ...]
    margin: float | None = None

    @property
    def failed(self) -> list[Gain]:
        least = -1.0 if self.margin is None else -self.margin
        return [gain for gain in self.gains if gain.verdict == "worse" or gain.ci_low < least]

    def __str__(self) -> str:
        lines = []
        for gain in self.gains:
            means = f"{_(gain.metric)}: {gain.baseline_mean:.3f} → {gain.candidate_mean:.3f}, {gain.with_interval}"
            moved = _("{means}, {moved} of {number} questions moved", means=means, moved=gain.moved, number=gain.n)
            lines.append(f"{_('FAILED') if gain in self.failed else _('held')}  {moved}")
        lines += [_("  fell: {question}", question=new.question) for _old, new in self.fallen[:LISTED]]
        if (rest := len(self.fallen) - LISTED) > 0:
            lines.append(_("  … and {rest} more", rest=rest))
        return "\n".join([*lines, _("Failed.") if self.failed else _("Passed.")])


def against_baseline(baseline: Evaluation, today: Evaluation, margin: float | None = None) -> GateResult:
    """Compare the one stage of `today`; LessonsError if too few questions are in both runs and can be judged."""
    (stage,) = today.stages
    if stage not in baseline.stages:
        raise LessonsError(f"The baseline has no answers of {stage}, only of {', '.join(baseline.stages)}.")
    old, new = list(_by_question(baseline.of(stage))), list(_by_question(today.of(stage)))
    gains = [compare_records(old, new, metric, "the baseline", stage) for metric in GATED]
    judged = tuple(gain for gain in gains if gain.n >= settings().gate_questions)
    if not judged:
        raise LessonsError(
            f"{max(gain.n for gain in gains)} questions with an answer or evidence are in both runs; "
            f"it takes {settings().gate_questions} to judge a metric."
        )
    fallen = {
        pair[0].question_id: pair
        for metric in (gain.metric for gain in judged)
        for pair in moved_records(old, new, metric)[::-1]
        if pair[1].value(metric) < pair[0].value(metric)
    }
    return GateResult(judged, tuple(fallen.values()), margin)


def changed_settings(baseline: Evaluation, today: Evaluation) -> list[str]:
    """List the settings that both runs know and that differ, model and embedding among them, a line each."""
    old, new = baseline.settings, today.settings
    return [f"{name}: {old[name]} → {new[name]}" for name in old if name in new and old[name] != new[name]]


def _by_question(records: Sequence[Record]) -> Iterator[Record]:
    """Identify records by the words of their questions, because ids change as a set of questions grows."""
    counts = Counter[str]()
    for record in records:
        counts[record.question] += 1
        yield replace(record, question_id=f"{record.question} {counts[record.question]}")
