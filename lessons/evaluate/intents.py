"""How well intents are recognised, on utterances that were labelled by hand before the classifier existed.

They are in `data/context/utterances.jsonl`, as many Korean as English. The classifier was built on the split dev; both
splits were written by one hand, so that test flatters it, too.
"""

import html
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from llama_index.core.llms import LLM
from matplotlib.figure import Figure

from lessons.context.intent import INTENTS, decide
from lessons.evaluate.compare import Interval, interval
from lessons.evaluate.plots.canvas import canvas
from lessons.settings import ROOT
from lessons.tables import html_table
from lessons.trace import Step

UTTERANCES = ROOT / "data" / "context" / "utterances.jsonl"


@dataclass(frozen=True)
class Utterance:
    """What somebody typed, and what it wants: one of `INTENTS`."""

    text: str
    language: str
    intent: str
    split: str


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

    @property
    def mistakes(self) -> list[tuple[Utterance, str]]:
        return [(said, found) for said, found in self.pairs if said.intent != found]

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


def utterances(split: str, path: Path = UTTERANCES) -> list[Utterance]:
    """The labelled utterances of a split, dev or test."""
    rows = [Utterance(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row.split == split]


def recognise(llm: LLM, split: str = "dev") -> Recognised:
    """Let a model decide the intent of every utterance of a split."""
    return Recognised(tuple((said, decide(said.text, llm, Step("intent")).intent) for said in utterances(split)))


def plot_confusion(recognised: Recognised) -> Figure:
    """Rows are the labels, columns what was recognised; the darker, the larger the share of its row."""
    figure, axes = canvas(5, 4)
    counts = np.array([[recognised.confusion[label, found] for found in INTENTS] for label in INTENTS])
    axes.imshow(counts / counts.sum(axis=1, keepdims=True).clip(1), cmap="Blues", vmin=0, vmax=1.2)
    for row, column in np.ndindex(counts.shape):
        axes.text(column, row, str(counts[row, column]), ha="center", va="center")
    axes.set_xticks(range(len(INTENTS)), INTENTS)
    axes.set_yticks(range(len(INTENTS)), INTENTS)
    axes.set_xlabel("recognised")
    axes.set_ylabel("labelled")
    axes.set_title(f"Accuracy {recognised.accuracy:.0%} of {len(recognised.pairs)} utterances")
    axes.grid(visible=False)
    return figure
