"""What a wrong intent costs: the same questions with the intent decided by the model, and with one forced on all."""

from collections.abc import Sequence
from dataclasses import dataclass

from lessons.context.device import Answering
from lessons.context.intent import INTENTS, Intent
from lessons.evaluate.evaluate import answers
from lessons.evaluate.evaluation import Evaluation, compare_records
from lessons.evaluate.golden import Golden
from lessons.rag.stages import Stage
from lessons.tables import html_table

_HEAD = ["", "correctness (half points)", "against the stage", "strict (fully right)", "tokens a question"]


@dataclass(frozen=True, repr=False)
class IntentCost:
    """The evaluation of a stage, of the stage by intent, and of the stage with every question given one intent."""

    evaluation: Evaluation

    @property
    def rows(self) -> list[list[str]]:
        """For each way to decide: correctness, the difference to the stage alone, strict, mean tokens."""
        plain, *others = self.evaluation.stages
        deltas = {plain: "", **{name: self._delta(plain, name) for name in others}}
        means = {name: self.evaluation.summary(name) for name in deltas}
        return [
            [name, of.with_interval("correctness"), deltas[name], of.with_interval("strict"), f"{of.tokens:,.0f}"]
            for name, of in means.items()
        ]

    def _delta(self, plain: str, name: str) -> str:
        before, after = self.evaluation.of(plain), self.evaluation.of(name)
        return compare_records(before, after, "correctness", plain, name).with_interval

    def __repr__(self) -> str:
        return "\n".join(" | ".join(row) for row in [_HEAD, *self.rows])

    def _repr_html_(self) -> str:
        return html_table(_HEAD, self.rows)


def intent_cost(stage: Stage, questions: Sequence[Golden]) -> IntentCost:
    """Ask each question of the stage alone, by intent, and as if every question had the same intent."""
    forced = [Intent(stage, always=each, name=f"always {each}") for each in INTENTS]
    ways: list[Answering] = [stage, Intent(stage, name="by intent"), *forced]
    return IntentCost(Evaluation("golden", questions[0].split, tuple(answers(ways, questions))))
