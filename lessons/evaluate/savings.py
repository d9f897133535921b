"""What each device saves, and what it costs in right answers: the same workload with each one on and off (row D9)."""

import html
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lessons.context.cache.cache import Cached
from lessons.context.compress import Hybrid
from lessons.context.device import Device
from lessons.context.intent import Intent
from lessons.context.managed import Managed
from lessons.context.refine import Refined
from lessons.evaluate.compare import Gain, paired_gain
from lessons.evaluate.judge.judge import judge
from lessons.evaluate.workload import Asked
from lessons.models.usage import price
from lessons.rag.answer import Answer
from lessons.rag.stages import Stage
from lessons.tables import html_table

Way = Stage | Device
NONE, ALL = "none", "all"


def _compressed(way: Way) -> Way:
    if isinstance(way, Stage):
        return way.but(way.name, compressor=Hybrid())
    return way.on_stage(lambda stage: stage.but(stage.name, compressor=Hybrid()))


DEVICES: Mapping[str, Callable[[Way], Way]] = {
    "compression": _compressed,
    "refine": Refined,
    "manager": Managed,
    "intent": Intent,
    "cache": Cached,
}
"""From the innermost to the outermost: what the cache answers needs no other device."""


@dataclass(frozen=True)
class Served:
    """What one question cost and gave. `correctness` is NaN for small talk, `ratio` where nothing was compressed.

    `correctness` is 1, 0.5 for an answer that is partly right, or 0; `strict` is 1 only where all of it is right.
    """

    question: str
    correctness: float
    llm_calls: int
    tokens: int
    cost: float
    ms: float
    top_k: int
    hit: bool
    wrong_hit: bool
    ratio: float

    @property
    def strict(self) -> float:
        return self.correctness if np.isnan(self.correctness) else float(self.correctness == 1)


@dataclass(frozen=True, repr=False)
class Savings:
    """A workload served in several ways, by their names."""

    served: Mapping[str, tuple[Served, ...]]

    def mean(self, way: str, part: str) -> float:
        """The mean of a part of `Served` over the questions that have it; NaN if none has."""
        values = np.array([getattr(one, part) for one in self.served[way]], float)
        return float(np.nanmean(values)) if not np.isnan(values).all() else float("nan")

    def cost_per_1000(self, way: str) -> float:
        """US dollars for 1,000 questions, at the prices of the settings."""
        return 1_000 * self.mean(way, "cost")

    def gain(self, way: str) -> Gain:
        """The correctness of a way against none of the devices, question by question."""
        before, after = ([one.correctness for one in self.served[name]] for name in (NONE, way))
        return paired_gain(NONE, way, "correctness", before, after)

    def as_dict(self) -> dict[str, dict[str, float]]:
        """Every mean, the latencies at p50 and p95 in milliseconds with them."""
        parts = ("llm_calls", "tokens", "correctness", "strict", "top_k", "hit", "wrong_hit", "ratio")
        return {
            way: {part: self.mean(way, part) for part in parts}
            | {"cost_per_1000": self.cost_per_1000(way)}
            | dict(zip(("p50_ms", "p95_ms"), np.percentile([one.ms for one in served], [50, 95]), strict=True))
            for way, served in self.served.items()
        }

    def __repr__(self) -> str:
        return "\n".join("  ".join(row) for row in [_HEAD, *self._rows()])

    def _repr_html_(self) -> str:
        asked = len(self.served[NONE])
        return f"<p>{html.escape(f'{asked} questions, means over all of them')}</p>" + html_table(_HEAD, self._rows())

    def _rows(self) -> list[list[str]]:
        return [self._row(way) for way in self.served]

    def _row(self, way: str) -> list[str]:
        gain, ratio = self.gain(way), self.mean(way, "ratio")
        change = "" if way == NONE else gain.with_interval
        hits = sum(one.hit for one in self.served[way])
        return [
            way,
            f"{self.mean(way, 'llm_calls'):.2f}",
            f"{self.mean(way, 'tokens'):,.0f}",
            f"{self.cost_per_1000(way):.2f}",
            f"{hits}" + (f" ({sum(one.wrong_hit for one in self.served[way])} wrong)" if hits else ""),
            f"{self.mean(way, 'top_k'):.1f}",
            "–" if np.isnan(ratio) else f"{ratio:.2f}",
            f"{self.mean(way, 'strict'):.3f}",
            f"{self.mean(way, 'correctness'):.3f}",
            change,
        ]


_HEAD = ["device", "calls", "tokens", "$ / 1,000", "hits", "chunks", "ratio", "fully right", "correctness", "change"]


def savings(stage: Stage, asked: Sequence[Asked], names: Sequence[str] = tuple(DEVICES)) -> Savings:
    """Serve the workload with no device, with each of those named alone, and with all of them together.

    The kept answers of the owners are forgotten before and after, so that each way begins with an empty cache.
    """
    ways = {NONE: stage} | {name: DEVICES[name](stage) for name in names} | {ALL: stacked(stage, names)}
    return Savings({name: tuple(_serve(way, asked)) for name, way in ways.items()})


def stacked(stage: Stage, names: Sequence[str] = tuple(DEVICES)) -> Way:
    """The devices around each other, whatever the order in which they are named: the cache stands outermost."""
    way: Way = stage
    for name, device in DEVICES.items():
        way = device(way) if name in names else way
    return way


def _serve(way: Way, asked: Sequence[Asked]) -> Iterator[Served]:
    """Without a cache an answer depends on its question only, so a question asked again costs what it did before."""
    owners = {each.owner for each in asked}
    goldens = {each.text: each.golden and each.golden.id for each in asked}
    known: dict[tuple[str, str | None], Served] = {}
    _forget(way, owners)
    for each in asked:
        key = each.text, each.owner
        if key not in known or isinstance(way, Cached):
            answer = way.ask(each.text, user=each.owner)
            wrong = bool(answer.from_cache) and goldens[answer.from_cache] != goldens[each.text]
            known[key] = replace(_measured(each, answer), wrong_hit=wrong)
        yield known[key]
    _forget(way, owners)


def _measured(asked: Asked, answer: Answer) -> Served:
    trace = answer.trace
    return Served(
        question=asked.text,
        correctness=judge(asked.golden, answer).correctness if asked.golden else float("nan"),
        llm_calls=trace.llm_calls,
        tokens=trace.tokens,
        cost=sum(price(step.tokens_in, step.tokens_out) for step in trace),
        ms=trace.ms,
        top_k=0 if answer.from_cache else len(answer.context.documents),
        hit=bool(answer.from_cache),
        wrong_hit=False,
        ratio=_ratio([step for step in trace if step.name == "compress"]),
    )


def _ratio(steps: Sequence[Any]) -> float:
    """The tokens that compression left of those it was given."""
    before, after = (
        sum(document.estimated_tokens for step in steps for document in getattr(step, side) or ())
        for side in ("input", "output")
    )
    return after / before if before else float("nan")


def _forget(way: Way, owners: set[str | None]) -> None:
    if isinstance(way, Cached):
        for owner in owners:
            way.clear(owner)
