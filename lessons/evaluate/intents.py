"""How well intents are recognised, on labelled utterances, as many Korean as English, and what a wrong one costs.

`data/context/intent_test.jsonl` was written by an author who had not read the classifier, and is frozen.
"""

import html
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from llama_index.core.llms import LLM
from matplotlib.figure import Figure

from lessons.context.device import Answering
from lessons.context.intent import INTENTS, Intent, decide
from lessons.evaluate.canvas import canvas
from lessons.evaluate.compare import Interval, interval
from lessons.evaluate.evaluation import Evaluation, compare_records
from lessons.evaluate.golden import Golden
from lessons.evaluate.run import answers
from lessons.models.keyless import EXAMPLES, Utterance, utterances
from lessons.rag.stages import Stage
from lessons.tables import html_table
from lessons.trace import Step

TEST = EXAMPLES.with_name("intent_test.jsonl")
_HEAD = ["", "correctness (half points)", "against the stage", "strict (fully right)", "tokens a question"]


@dataclass(frozen=True, repr=False)
class Recognised:
    """Utterances, each with the intent that was recognised."""

    pairs: tuple[tuple[Utterance, str], ...]

    @property
    def accuracy(self) -> float:
        return sum(said.intent == found for said, found in self.pairs) / len(self.pairs)

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the accuracy."""
        return interval([float(said.intent == found) for said, found in self.pairs])

    @property
    def confusion(self) -> Counter[tuple[str, str]]:
        """How often each pair of (label, recognised) occurs."""
        return Counter((said.intent, found) for said, found in self.pairs)

    def only(self, wanted: Callable[[Utterance], bool]) -> "Recognised":
        """A part of the utterances, such as those of one language."""
        return Recognised(tuple((said, found) for said, found in self.pairs if wanted(said)))

    def __repr__(self) -> str:
        low, high = self.interval
        return f"{self.accuracy:.2f} [{low:.2f}, {high:.2f}] of {len(self.pairs)} utterances recognised"

    def _repr_html_(self) -> str:
        counts = self.confusion
        rows = [[label, *(str(counts[label, found] or "·") for found in INTENTS)] for label in INTENTS]
        return f"<p>{html.escape(repr(self))}</p>" + html_table(["labelled ↓ recognised →", *INTENTS], rows)


def recognise(llm: LLM) -> Recognised:
    """Let a model decide the intent of every utterance of the frozen test set."""
    return Recognised(tuple((said, decide(said.text, llm, Step("intent")).intent) for said in utterances(TEST)))


def plot_confusion(recognised: Recognised) -> Figure:
    """Rows are the labels, columns what was recognised; the darker, the larger the share of its row."""
    figure, axes = canvas(5, 4)
    counts = np.array([[recognised.confusion[label, found] for found in INTENTS] for label in INTENTS])
    axes.imshow(counts / counts.sum(axis=1, keepdims=True).clip(1), cmap="Blues", vmin=0, vmax=1.2)
    for row, column in np.ndindex(counts.shape):
        axes.text(column, row, str(counts[row, column]), ha="center", va="center")
    axes.set_xticks(range(len(INTENTS)), INTENTS)
    axes.set_yticks(range(len(INTENTS)), INTENTS)
    axes.set(xlabel="recognised", ylabel="labelled")
    axes.set_title(f"Accuracy {recognised.accuracy:.0%} of {len(recognised.pairs)} utterances")
    axes.grid(visible=False)
    return figure


@dataclass(frozen=True, repr=False)
class IntentCost:
    """The evaluation of a stage, of the stage by intent, and of the stage with every question given one intent."""

    evaluation: Evaluation

    @property
    def rows(self) -> list[list[str]]:
        """For each way to decide: correctness, the difference to the stage alone, strict, mean tokens."""
        run, (plain, *others), rows = self.evaluation, self.evaluation.stages, []
        for name in (plain, *others):
            gain = compare_records(run.of(plain), run.of(name), "correctness", plain, name)
            of, delta = run.summary(name), gain.with_interval if name != plain else ""
            rows.append([name, of.with_interval("correctness"), delta, of.with_interval("strict"), f"{of.tokens:,.0f}"])
        return rows

    def __repr__(self) -> str:
        return "\n".join(" | ".join(row) for row in [_HEAD, *self.rows])

    def _repr_html_(self) -> str:
        return html_table(_HEAD, self.rows)


def intent_cost(stage: Stage, questions: Sequence[Golden]) -> IntentCost:
    """Ask each question of the stage alone, by intent, and as if every question had the same intent."""
    forced = [Intent(stage, always=each, name=f"always {each}") for each in INTENTS]
    ways: list[Answering] = [stage, Intent(stage, name="by intent"), *forced]
    return IntentCost(Evaluation("golden", questions[0].split, tuple(answers(ways, questions))))
