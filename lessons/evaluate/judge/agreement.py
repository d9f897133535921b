"""Judging the judge: answers labelled by hand, and how far beyond chance the judge agrees with the labels.

`data/judged` holds them by split. `outputs_frozen` is what to report: answers of the five stages, labelled before the
judge ran on them by a rater who had not read it. `outputs_dev` is the other half of the same draw; the judge was tuned
on it, as on `dev`. The author of the judge wrote the labels of `dev` and `test`, which therefore flatter it, and of
`hard`, which is meant to break it. The judge knows numbers, names and words, not who did what: it accepts 'opened 18
stores' and 'closed 18 warehouses' where 18 stores were closed, and another entity's figure unless an English name that
the question does not mention gives it away. It rejects free paraphrase, and a change that must be worked out from two
figures.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from lessons.evaluate.judge.judge import judge_text
from lessons.settings import ROOT

JUDGED = ROOT / "data" / "judged"
LABELS = {0.0: "wrong", 0.5: "partly", 1.0: "right"}
REDRAWS = 2_000
_RANK = list(LABELS.values())


@dataclass(frozen=True)
class Labelled:
    """A question with its reference, an answer to it (`candidate`), and the label that a rater gave: `verdict`."""

    id: str
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

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % percentile bootstrap interval of kappa (Efron & Tibshirani, 1993, chapter 13); seeded."""
        pairs, random = list(Counter(self.confusion).elements()), Random(0)
        drawn = sorted(agreement(random.choices(pairs, k=self.n)).kappa for _ in range(REDRAWS))
        return drawn[int(0.025 * REDRAWS)], drawn[int(0.975 * REDRAWS)]

    def errors(self) -> dict[str, int]:
        """How many verdicts were better than the label, and how many worse."""
        steps = {pair: _RANK.index(pair[1]) - _RANK.index(pair[0]) for pair in self.confusion}
        return {
            "too generous": sum(n for pair, n in self.confusion.items() if steps[pair] > 0),
            "too strict": sum(n for pair, n in self.confusion.items() if steps[pair] < 0),
        }


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


def labelled(split: str, folder: Path = JUDGED) -> list[Labelled]:
    """The hand-labelled answers of a split: 'outputs_dev', 'outputs_frozen', 'dev', 'test' or 'hard'."""
    path = folder / (f"{split}.jsonl" if split.startswith("outputs") else "pairs.jsonl")
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [_labelled(row) for row in rows if row.get("split", split) == split]


def validate(split: str = "outputs_frozen", judged: Callable[[Labelled], float] | None = None) -> Agreement:
    """How the judge agrees with the labels: (label, verdict). `judged` may be another judge's correctness."""
    rate = judged or (lambda pair: judge_text(pair, pair.candidate)[0])
    return agreement((pair.verdict, LABELS[rate(pair)]) for pair in labelled(split))


def _labelled(row: dict[str, Any]) -> Labelled:
    plain = {key: row[key] for key in ("id", "language", "category", "question", "verdict")}
    return Labelled(**plain, answer=row["reference"], key_facts=tuple(row["key_facts"]), candidate=row["answer"])
