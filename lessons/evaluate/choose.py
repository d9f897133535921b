"""Which stage to take: the cheapest one that is not shown to be worse by more than you would mind."""

import html
from dataclasses import dataclass
from math import ceil

from lessons.evaluate.compare import Gain
from lessons.evaluate.evaluation import Evaluation, compare_records
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
        rows = [
            [each.stage, f"{each.mean:.2f}", f"{each.tokens:,.0f}", _against(each), "yes" if each.acceptable else "no"]
            for each in self.candidates
        ]
        head = ["", self.metric, "tokens a question", f"against {self.best}", "acceptable"]
        return f"<p>{html.escape(repr(self))}</p>" + html_table(head, rows)


def choose(evaluation: Evaluation, metric: str = "correctness", margin: float | None = None) -> Choice:
    """The stage with the fewest tokens whose loss against the best one is at most `margin`, by its interval.

    This is a test of non-inferiority (Piaggio et al., 2012, CONSORT extension): that no difference was shown is not
    enough, the interval of the paired difference must exclude a loss larger than the margin. The best stage always
    passes. Without `margin` it is that of the settings.
    """
    margin = settings().choice_margin if margin is None else margin
    summaries = {stage: evaluation.summary(stage) for stage in evaluation.stages}
    best = max(summaries, key=lambda stage: (summaries[stage].means[metric], -summaries[stage].tokens))
    candidates = [
        Candidate(stage, summary.means[metric], summary.tokens, _gain(evaluation, metric, best, stage), margin)
        for stage, summary in sorted(summaries.items(), key=lambda item: item[1].tokens)
    ]
    taken = next(each.stage for each in candidates if each.acceptable)
    return Choice(metric, best, taken, tuple(candidates))


def questions_needed(gain: Gain, margin: float) -> int:
    """About how many questions like these bring the half width of the interval down to the margin.

    Widths fall with the root of the number: half the width takes four times the questions (Efron & Tibshirani, 1993,
    chapter 6). 0 for a gain without spread.
    """
    half_width = (gain.ci_high - gain.ci_low) / 2
    return ceil(gain.n * (half_width / margin) ** 2)


def _gain(evaluation: Evaluation, metric: str, best: str, stage: str) -> Gain:
    return compare_records(evaluation.of(best), evaluation.of(stage), metric, best, stage)


def _against(candidate: Candidate) -> str:
    gain = candidate.against_best
    return "–" if gain.before == gain.after else gain.with_interval
