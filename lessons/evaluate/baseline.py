"""A gate for a repository of one's own: today's answers against a baseline run that is kept as a file beside them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lessons.errors import LessonsError
from lessons.evaluate.compare import Gain
from lessons.evaluate.evaluation import Evaluation, Pair, Record, compare_records, moved_records
from lessons.language import _
from lessons.settings import settings

GATED = ("recall@5", "ndcg@10", "correctness")
LISTED = 5  # questions that are named


@dataclass(frozen=True)
class GateResult:
    """A stage against its baseline, by metric, and the questions that fell; a `margin` asks for proof of no loss."""

    gains: tuple[Gain, ...]
    lost: tuple[Pair, ...]
    margin: float | None = None

    @property
    def failed(self) -> list[Gain]:
        least = -1.0 if self.margin is None else -self.margin
        return [gain for gain in self.gains if gain.verdict == "worse" or gain.ci_low < least]

    def __str__(self) -> str:
        lines = [f"{_('FAILED') if gain in self.failed else _('held')}  {_told(gain)}" for gain in self.gains]
        lines += [_("  fell: {question}", question=new.question) for _before, new in self.lost[:LISTED]]
        if (rest := len(self.lost) - LISTED) > 0:
            lines.append(_("  … and {rest} more", rest=rest))
        return "\n".join([*lines, _("Failed.") if self.failed else _("Passed.")])


def against_baseline(baseline: Evaluation, today: Evaluation, margin: float | None = None) -> GateResult:
    """Compare the one stage of `today`; LessonsError if too few questions are in both runs and can be judged."""
    (stage,) = today.stages
    if stage not in baseline.stages:
        raise LessonsError(f"The baseline has no answers of {stage}, only of {', '.join(baseline.stages)}.")
    old, new = list(_by_words(baseline.of(stage))), list(_by_words(today.of(stage)))
    gains = [compare_records(old, new, metric, "the baseline", stage) for metric in GATED]
    judged = tuple(gain for gain in gains if gain.n >= settings().gate_questions)
    if not judged:
        most = max(gain.n for gain in gains)
        raise LessonsError(
            f"{most} questions with an answer or evidence are in both runs; "
            f"it takes {settings().gate_questions} to judge a metric."
        )
    fell = [pair for gain in judged for pair in moved_records(old, new, gain.metric)[::-1] if _fell(pair, gain.metric)]
    return GateResult(judged, tuple({before.question_id: (before, after) for before, after in fell}.values()), margin)


def changed_settings(baseline: Evaluation, today: Evaluation) -> list[str]:
    """The settings that both runs know and that differ, model and embedding among them, a line each."""
    before, now = baseline.settings, today.settings
    return [f"{name}: {before[name]} → {now[name]}" for name in before if name in now and before[name] != now[name]]


def _by_words(records: Sequence[Record]) -> Iterator[Record]:
    """The records by the words of their questions, because a line's number changes as a set of questions grows."""
    seen = Counter[str]()
    for record in records:
        seen[record.question] += 1
        yield replace(record, question_id=f"{record.question} {seen[record.question]}")


def _fell(pair: Pair, metric: str) -> bool:
    before, after = pair
    return after.value(metric) < before.value(metric)


def _told(gain: Gain) -> str:
    means = f"{_(gain.metric)}: {gain.mean_before:.3f} → {gain.mean_after:.3f}, {gain.with_interval}"
    return _("{means}, {moved} of {number} questions moved", means=means, moved=gain.moved, number=gain.n)
