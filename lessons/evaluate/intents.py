"""How well intents are recognised, on labelled utterances, as many Korean as English, and what a wrong one costs.

`data/context/intent_test.jsonl` was written by an author who had not read the classifier, and is frozen.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from llama_index.core.llms import LLM
from matplotlib.figure import Figure

from lessons.context.intent import INTENTS, Intent, decide
from lessons.context.wrapper import Answering
from lessons.evaluate.canvas import canvas
from lessons.evaluate.compare import interval
from lessons.evaluate.evaluation import Evaluation, compare_records
from lessons.evaluate.golden import Golden
from lessons.evaluate.run import answers
from lessons.models.keyless import EXAMPLES, Utterance, utterances
from lessons.rag.stages import Stage
from lessons.tables import Table
from lessons.trace import Step

TEST = EXAMPLES.with_name("intent_test.jsonl")


@dataclass(frozen=True, repr=False)
class Recognised:
    """Utterances, each with the intent that was recognised."""

    pairs: tuple[tuple[Utterance, str], ...]

    @property
    def accuracy(self) -> float:
        return float(np.mean([said.intent == found for said, found in self.pairs]))

    @property
    def confusion(self) -> list[list[int]]:
        """How often each label (the rows) was recognised as each intent, in the order of `INTENTS`."""
        counts = Counter((said.intent, found) for said, found in self.pairs)
        return [[counts[label, found] for found in INTENTS] for label in INTENTS]

    def only(self, wanted: Callable[[Utterance], bool]) -> "Recognised":
        """A part of the utterances, such as those of one language."""
        return Recognised(tuple((said, found) for said, found in self.pairs if wanted(said)))

    def __repr__(self) -> str:
        low, high = interval([said.intent == found for said, found in self.pairs])
        return f"{self.accuracy:.2f} [{low:.2f}, {high:.2f}] of {len(self.pairs)} utterances recognised"

    def _repr_html_(self) -> str:
        rows = [[label, *(str(n or "·") for n in row)] for label, row in zip(INTENTS, self.confusion, strict=True)]
        return Table(["labelled ↓ recognised →", *INTENTS], rows, repr(self))._repr_html_()


def recognise(llm: LLM) -> Recognised:
    """Let a model decide the intent of every utterance of the frozen test set."""
    return Recognised(tuple((said, decide(said.text, llm, Step("intent")).intent) for said in utterances(TEST)))


def plot_confusion(recognised: Recognised) -> Figure:
    """Rows are the labels, columns what was recognised; the darker, the larger the share of its row."""
    figure, axes = canvas(5, 4)
    counts = np.array(recognised.confusion)
    axes.imshow(counts / counts.sum(axis=1, keepdims=True).clip(1), cmap="Blues", vmin=0, vmax=1.2)
    for row, column in np.ndindex(counts.shape):
        axes.text(column, row, str(counts[row, column]), ha="center", va="center")
    axes.set_xticks(range(len(INTENTS)), INTENTS)
    axes.set_yticks(range(len(INTENTS)), INTENTS)
    axes.set(xlabel="recognised", ylabel="labelled")
    axes.set_title(f"Accuracy {recognised.accuracy:.0%} of {len(recognised.pairs)} utterances")
    axes.grid(visible=False)
    return figure


def intent_cost(stage: Stage, questions: Sequence[Golden]) -> Table:
    """Ask each question of the stage alone, by intent, and as if every question had the same intent."""
    forced = [Intent(stage, always=each, name=f"always {each}") for each in INTENTS]
    ways: list[Answering] = [stage, Intent(stage, name="by intent"), *forced]
    return costs(Evaluation("golden", questions[0].split, tuple(answers(ways, questions))))


def costs(run: Evaluation) -> Table:
    """A row for each way of the run: correctness, the difference to the first way, strict, tokens of a question."""
    rows, (plain, *_) = [], run.stages
    for way in run.stages:
        gain = compare_records(run.of(plain), run.of(way), "correctness", plain, way)
        of, delta = run.summary(way), gain.with_interval if way != plain else ""
        rows.append([way, of.with_interval("correctness"), delta, of.with_interval("strict"), f"{of.tokens:,.0f}"])
    head = ["", "correctness (half points)", "against the stage", "strict (fully right)", "tokens a question"]
    return Table(head, rows)
