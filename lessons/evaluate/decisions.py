"""How well two decisions of active retrieval are made: may the cache answer a question, and what does somebody want?

The cache's guard was developed on `PAIRS`. `FROZEN`, by two authors who have not read it, is only counted, and so is
`TEST`, by one who had not read the classifier. Both hold as many Korean as English questions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path

import numpy as np
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import LLM
from matplotlib.figure import Figure

from lessons.context.guard import differences
from lessons.context.intent import decide
from lessons.evaluate.compare import interval, mean_with_interval
from lessons.evaluate.golden import json_lines, sample
from lessons.evaluate.plots import canvas
from lessons.language import _
from lessons.models.keyless import EXAMPLES, INTENTS, Utterance, utterances
from lessons.settings import ROOT, settings
from lessons.tables import Table
from lessons.trace import Step

PAIRS = ROOT / "data" / "context" / "cache_pairs.jsonl"
FROZEN = ROOT / "data" / "context" / "cache_pairs_frozen.jsonl"
TEST = EXAMPLES.with_name("intent_test.jsonl")


@dataclass(frozen=True)
class Pair:
    """Two questions of which one was asked first. `same`: whether an answer to it answers the other as well."""

    asked: str
    again: str
    same: bool
    kind: str
    language: str
    id: str = ""

    def hits(self) -> bool:
        """Whether the guard lets the second question have the answer of the first."""
        return not differences(self.asked, self.again)


def cache_pairs(path: Path = PAIRS) -> list[Pair]:
    """The pairs for development; with `FROZEN` those to measure on."""
    return [Pair(**line) for line in json_lines(path)]


def count_hits(pairs: Sequence[Pair], found: Sequence[float]) -> Table:
    """How many pairs hit by the similarity of the settings, by the guard and by both; `found` are similarities."""
    near, guarded = np.array(found) >= settings().cache_similarity, np.array([pair.hits() for pair in pairs])
    asked = [(pair.language, pair.same) for pair in pairs]
    groups = sorted(set(asked))
    rows = []
    for name, takes in {"similarity": near, "guard": guarded, "both": near & guarded}.items():
        hits = list(compress(asked, takes))
        rows.append([name, *(f"{hits.count(each)} of {asked.count(each)}" for each in groups)])
    head = [_("a hit takes"), *(f"{_('right hits' if same else 'wrong hits')}, {tongue}" for tongue, same in groups)]
    return Table(head, rows)


def similarities(pairs: Sequence[Pair], embedding: BaseEmbedding) -> list[float]:
    """The cosine similarity of the two questions of each pair."""
    embed = embedding.get_query_embedding
    return [float(embedding.similarity(embed(pair.asked), embed(pair.again))) for pair in pairs]


def plot_thresholds(pairs: Sequence[Pair], found: Sequence[float]) -> Figure:
    """The share of pairs that hit by the least similarity a hit must have: alone, and behind the guard."""
    figure, axes = canvas(6.5, 4)
    thresholds = np.linspace(0.8, 1, 101)
    guarded = [each if pair.hits() else 0.0 for pair, each in zip(pairs, found, strict=True)]
    for name, same, colour in (("look-alikes", False, "#e45756"), ("paraphrases", True, "#54a24b")):
        chosen = [number for number, pair in enumerate(pairs) if pair.same == same]
        alone, behind = ((np.array(each)[chosen] >= thresholds[:, None]).mean(axis=1) for each in (found, guarded))
        axes.plot(thresholds, alone, color=colour, linestyle="--", label=f"{name}, similarity alone")
        axes.plot(thresholds, behind, color=colour, label=f"{name}, with the guard")
    axes.axvline(settings().cache_similarity, color="grey", linewidth=0.8)
    axes.set(xlabel="least similarity of a hit (the line: the default)", ylabel="share of the pairs that hit")
    axes.set_title("No threshold tells look-alikes from paraphrases")
    axes.legend(frameon=False, fontsize=8)
    return figure


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
        counted = [(said.intent, found) for said, found in self.pairs]
        return [[counted.count((label, found)) for found in INTENTS] for label in INTENTS]

    def only(self, wanted: Callable[[Utterance], bool]) -> "Recognised":
        """A part of the utterances, such as those of one language."""
        return Recognised(tuple((said, found) for said, found in self.pairs if wanted(said)))

    def __repr__(self) -> str:
        ends = interval([said.intent == found for said, found in self.pairs])
        return f"{mean_with_interval(self.accuracy, ends)} of {len(self.pairs)} utterances recognised"


def recognise(llm: LLM) -> Recognised:
    """Let a model decide the intent of every utterance of the frozen test set."""
    return Recognised(tuple((said, decide(said.text, llm, Step("intent")).intent) for said in sample(utterances(TEST))))


def plot_confusion(recognised: Recognised) -> Figure:
    """Rows are the labels, columns what was recognised; the darker, the larger the share of its row."""
    figure, axes = canvas(5, 4)
    counts = np.array(recognised.confusion)
    axes.imshow(counts / counts.sum(axis=1, keepdims=True).clip(1), cmap="Blues", vmin=0, vmax=1.2)
    for row, column in np.ndindex(counts.shape):
        axes.text(column, row, str(counts[row, column]), ha="center", va="center")
    axes.set_xticks(range(len(INTENTS)), INTENTS)
    axes.set_yticks(range(len(INTENTS)), INTENTS)
    title = f"Accuracy {recognised.accuracy:.0%} of {len(recognised.pairs)} utterances"
    axes.set(xlabel="recognised", ylabel="labelled", title=title)
    axes.grid(visible=False)
    return figure
