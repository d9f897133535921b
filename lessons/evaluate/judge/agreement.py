"""Judging the judge: answers labelled by hand, and how far beyond chance the judge agrees with the labels.

The labelled answers are in `data/judged/pairs.jsonl`. The judge was tuned on the split dev. The split test was labelled
before the judge existed and is what to report, but by the hand that wrote the judge, so it flatters it. The split hard
came afterwards and was chosen to break it; the first kappa there was 0.33, and some words were added since. The judge
knows numbers, names and words, not who did what: it accepts 'opened 18 stores' where 18 were closed, and the right
number for the wrong company; it rejects free paraphrase, and a change that must be worked out from two figures.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lessons.evaluate.judge.judge import judge_text
from lessons.settings import ROOT

PAIRS = ROOT / "data" / "judged" / "pairs.jsonl"
LABELS = {1.0: "right", 0.5: "nearly", 0.0: "wrong"}


@dataclass(frozen=True)
class Labelled:
    """A question with its reference, an answer to it (`candidate`), and the label that a person gave: `verdict`."""

    id: str
    split: str
    language: str
    category: str
    question: str
    answer: str
    key_facts: tuple[str, ...]
    candidate: str
    verdict: str
    evidence: tuple = ()


@dataclass(frozen=True)
class Agreement:
    """Cohen's kappa (1 = always the same, 0 = as often as chance would), over `n` pairs; `confusion` counts them."""

    kappa: float
    n: int
    confusion: dict[tuple[str, str], int]


def agreement(pairs: Iterable[tuple[str, str]]) -> Agreement:
    """How two raters agree on the same things (Cohen 1960). ValueError without pairs."""
    counts = Counter(pairs)
    n = counts.total()
    if not n:
        raise ValueError("agreement needs at least one pair of labels")
    first, second = Counter[str](), Counter[str]()
    for (one, other), times in counts.items():
        first[one] += times
        second[other] += times
    observed = sum(times for (one, other), times in counts.items() if one == other) / n
    chance = sum(first[label] * second[label] for label in first) / n**2
    return Agreement(1.0 if chance == 1 else (observed - chance) / (1 - chance), n, dict(counts))


def labelled(split: str, path: Path = PAIRS) -> list[Labelled]:
    """The hand-labelled answers of a split: 'dev', 'test' or 'hard'."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [_labelled(row) for row in rows if row["split"] == split]


def validate(split: str = "test", judged: Callable[[Labelled], float] | None = None) -> Agreement:
    """How the judge agrees with the labels: (label, verdict). `judged` may be another judge's correctness."""
    rate = judged or (lambda pair: judge_text(pair, pair.candidate)[0])
    return agreement((pair.verdict, LABELS[rate(pair)]) for pair in labelled(split))


def _labelled(row: dict[str, Any]) -> Labelled:
    plain = {key: row[key] for key in ("id", "split", "language", "category", "question", "verdict")}
    return Labelled(**plain, answer=row["reference"], key_facts=tuple(row["key_facts"]), candidate=row["answer"])
