"""How well a cache tells look-alikes from paraphrases: by similarity alone, and with the guard.

The pairs are in `data/context/cache_pairs.jsonl`. Those of the split test were written before the guard and not looked
at while it was made; one hand wrote both.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from llama_index.core.embeddings import BaseEmbedding
from matplotlib.figure import Figure

from lessons.context.cache.guard import RULES, differences
from lessons.evaluate.plots.canvas import canvas
from lessons.settings import ROOT, settings
from lessons.tables import html_table

PAIRS = ROOT / "data" / "context" / "cache_pairs.jsonl"
_COLOURS = {"look-alikes": "#e45756", "paraphrases": "#54a24b"}


@dataclass(frozen=True)
class Pair:
    """Two questions of which one was asked first. `same`: whether an answer to it answers the other as well."""

    asked: str
    again: str
    same: bool
    kind: str
    language: str

    def hits(self, rules: Sequence[str] = tuple(RULES)) -> bool:
        """Whether the guard with these rules lets the second question have the answer of the first."""
        return not differences(self.asked, self.again, rules)


@dataclass(frozen=True, repr=False)
class Ablation:
    """How many pairs hit with the whole guard, without each of its rules, and without a guard at all."""

    rows: tuple[tuple[str, int, int, str], ...]
    look_alikes: int
    paraphrases: int

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {wrong} wrong, {right} right" for name, wrong, right, _ in self.rows)

    def _repr_html_(self) -> str:
        head = ["guard", f"wrong hits of {self.look_alikes}", f"right hits of {self.paraphrases}", "wrong ones"]
        return html_table(head, [[name, str(wrong), str(right), kinds] for name, wrong, right, kinds in self.rows])


def cache_pairs(split: str, path: Path = PAIRS) -> list[Pair]:
    """The pairs of a split."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    names = ("asked", "again", "same", "kind", "language")
    return [Pair(**{name: line[name] for name in names}) for line in lines if line["split"] == split]


def guard_ablation(pairs: Sequence[Pair]) -> Ablation:
    """What each rule of the guard is there for: the look-alikes that would hit without it."""
    guards = {"whole": tuple(RULES)}
    guards |= {f"without {name}": tuple(rule for rule in RULES if rule != name) for name in RULES}
    rows = [_row(name, pairs, rules) for name, rules in (guards | {"none": ()}).items()]
    same = sum(pair.same for pair in pairs)
    return Ablation(tuple(rows), len(pairs) - same, same)


def similarities(pairs: Sequence[Pair], embedding: BaseEmbedding) -> list[float]:
    """The cosine similarity of the two questions of each pair."""
    embed = embedding.get_query_embedding
    return [float(embedding.similarity(embed(pair.asked), embed(pair.again))) for pair in pairs]


def plot_thresholds(pairs: Sequence[Pair], found: Sequence[float]) -> Figure:
    """The share of pairs that hit by the least similarity a hit must have: alone, and behind the guard."""
    figure, axes = canvas(6.5, 4)
    thresholds = np.linspace(0.8, 1, 101)
    for name, same in (("look-alikes", False), ("paraphrases", True)):
        chosen = [(pair, each) for pair, each in zip(pairs, found, strict=True) if pair.same == same]
        alone = [np.mean([each >= least for _, each in chosen]) for least in thresholds]
        behind = [np.mean([each >= least and pair.hits() for pair, each in chosen]) for least in thresholds]
        axes.plot(thresholds, alone, color=_COLOURS[name], linestyle="--", label=f"{name}, similarity alone")
        axes.plot(thresholds, behind, color=_COLOURS[name], label=f"{name}, with the guard")
    axes.axvline(settings().cache_similarity, color="grey", linewidth=0.8)
    axes.set_xlabel("least similarity of a hit (the line: the default)")
    axes.set_ylabel("share of the pairs that hit")
    axes.set_title("No threshold tells look-alikes from paraphrases")
    axes.legend(frameon=False, fontsize=8)
    return figure


def _row(name: str, pairs: Sequence[Pair], rules: Sequence[str]) -> tuple[str, int, int, str]:
    hits = [pair for pair in pairs if pair.hits(rules)]
    wrong = [pair.kind for pair in hits if not pair.same]
    kinds = ", ".join(f"{kind} {wrong.count(kind)}" for kind in dict.fromkeys(wrong))
    return name, len(wrong), len(hits) - len(wrong), kinds
