"""How well a cache tells look-alikes from paraphrases: by similarity alone, by the guard, and by both.

The guard was developed on `data/context/cache_pairs.jsonl`. What counts is `cache_pairs_frozen.jsonl`, by an author who
has not read the guard: it is only counted, by language and by whether the questions ask the same.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import compress
from pathlib import Path

import numpy as np
from llama_index.core.embeddings import BaseEmbedding
from matplotlib.figure import Figure

from lessons.context.guard import differences
from lessons.evaluate.canvas import canvas
from lessons.evaluate.golden import json_lines
from lessons.settings import ROOT, settings
from lessons.tables import Table

PAIRS = ROOT / "data" / "context" / "cache_pairs.jsonl"
FROZEN = ROOT / "data" / "context" / "cache_pairs_frozen.jsonl"
_COLOURS = {"look-alikes": "#e45756", "paraphrases": "#54a24b"}


@dataclass(frozen=True)
class Pair:
    """Two questions of which one was asked first. `same`: whether an answer to it answers the other as well."""

    asked: str
    again: str
    same: bool
    kind: str
    language: str

    def hits(self) -> bool:
        """Whether the guard lets the second question have the answer of the first."""
        return not differences(self.asked, self.again)


def cache_pairs(path: Path = PAIRS) -> list[Pair]:
    """The pairs for development; with `FROZEN` those to measure on."""
    return [Pair(**{each.name: line[each.name] for each in fields(Pair)}) for line in json_lines(path)]


def count_hits(pairs: Sequence[Pair], found: Sequence[float]) -> Table:
    """How many pairs hit by the similarity of the settings, by the guard and by both; `found` are similarities."""
    near = [each >= settings().cache_similarity for each in found]
    guarded = [pair.hits() for pair in pairs]
    takes = {"similarity": near, "guard": guarded, "both": [a and b for a, b in zip(near, guarded, strict=True)]}
    asked = [(pair.language, pair.same) for pair in pairs]
    groups = sorted(set(asked))
    head = ["a hit takes", *(f"{'right' if same else 'wrong'} hits, {tongue}" for tongue, same in groups)]
    counts = {name: Counter(compress(asked, hits)) for name, hits in takes.items()}
    rows = [[name, *(f"{hits[each]} of {asked.count(each)}" for each in groups)] for name, hits in counts.items()]
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
    for name, same in (("look-alikes", False), ("paraphrases", True)):
        chosen = [number for number, pair in enumerate(pairs) if pair.same == same]
        alone, behind = ((np.array(each)[chosen] >= thresholds[:, None]).mean(axis=1) for each in (found, guarded))
        axes.plot(thresholds, alone, color=_COLOURS[name], linestyle="--", label=f"{name}, similarity alone")
        axes.plot(thresholds, behind, color=_COLOURS[name], label=f"{name}, with the guard")
    axes.axvline(settings().cache_similarity, color="grey", linewidth=0.8)
    axes.set(xlabel="least similarity of a hit (the line: the default)", ylabel="share of the pairs that hit")
    axes.set_title("No threshold tells look-alikes from paraphrases")
    axes.legend(frameon=False, fontsize=8)
    return figure
