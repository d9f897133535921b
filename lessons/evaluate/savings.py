"""What each device saves, and what it costs in right answers: a day at the help desk with each one on and off.

The day has questions that come again, come again in other words, and thanks in between. It is built from the golden
questions of *dev*, so that every answer can be judged, and from committed rewordings of them. Popular questions are
asked more often than others, as in every log of a search engine.
"""

import html
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.figure import Figure

from lessons.context.cache import Cached
from lessons.context.compress import Hybrid
from lessons.context.device import Device
from lessons.context.intent import Intent
from lessons.context.manager import Managed
from lessons.context.refine import Refined
from lessons.evaluate.canvas import Point, canvas, name_points, stage_colours
from lessons.evaluate.compare import Gain, interval, paired_gain
from lessons.evaluate.golden import Golden, golden_questions
from lessons.evaluate.judge.judge import judge
from lessons.models.keyless import utterances
from lessons.models.usage import price
from lessons.rag.answer import Answer
from lessons.rag.stages import Stage
from lessons.settings import ROOT
from lessons.tables import html_table

REWORDED = ROOT / "data" / "context" / "reworded.jsonl"
REPEATED = 110  # questions that are drawn again
SMALL_TALK = 20

Way = Stage | Device
NONE, ALL = "none", "all"


@dataclass(frozen=True)
class Asked:
    """One thing that is asked. `golden` is what is known of its answer, None for small talk."""

    text: str
    golden: Golden | None = None

    @property
    def owner(self) -> str | None:
        return self.golden.owner if self.golden else None


def workload(limit: int | None = None, seed: int = 0) -> list[Asked]:
    """More than 300 questions in the order in which they are asked, or `limit` of them with the same mixture."""
    draw = random.Random(seed)
    first = [Asked(golden.question, golden) for golden in golden_questions("dev") if not golden.history]
    known = {asked.golden.id: asked.golden for asked in first if asked.golden}
    lines = map(json.loads, REWORDED.read_text(encoding="utf-8").splitlines())
    again = [Asked(line["question"], known[line["id"]]) for line in lines]
    popular = [1 / rank for rank in range(1, len(first) + 1)]  # Zipf's law
    repeated = draw.choices(draw.sample(first, len(first)), popular, k=REPEATED)
    small_talk = [each.text for each in utterances() if each.intent == "chat"]
    asked = [*first, *again, *repeated, *map(Asked, draw.sample(small_talk, SMALL_TALK))]
    draw.shuffle(asked)
    return asked[:limit]


def _compressed(way: Way) -> Way:
    def change(stage: Stage) -> Stage:
        return stage.but(stage.name, compressor=Hybrid())

    return change(way) if isinstance(way, Stage) else way.on_stage(change)


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

    def __repr__(self) -> str:
        return "\n".join("  ".join(row) for row in [_HEAD, *map(self._row, self.served)])

    def _repr_html_(self) -> str:
        told = html.escape(f"{len(self.served[NONE])} questions, means over all of them")
        return f"<p>{told}</p>" + html_table(_HEAD, map(self._row, self.served))

    def _row(self, way: str) -> list[str]:
        ratio, hits = self.mean(way, "ratio"), sum(one.hit for one in self.served[way])
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
            "" if way == NONE else self.gain(way).with_interval,
        ]


_HEAD = ["device", "calls", "tokens", "$ / 1,000", "hits", "chunks", "ratio", "fully right", "correctness", "change"]


def savings(stage: Stage, asked: Sequence[Asked], names: Sequence[str] = tuple(DEVICES)) -> Savings:
    """Serve the workload with no device, with each of those named alone, and with all of them together.

    The kept answers of the owners are forgotten before and after, so that each way begins with an empty cache.
    """
    every: Way = stage
    for name, device in DEVICES.items():
        every = device(every) if name in names else every
    ways = {NONE: stage} | {name: DEVICES[name](stage) for name in names} | {ALL: every}
    return Savings({name: tuple(_serve(way, asked)) for name, way in ways.items()})


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
    compressed = [step for step in trace if step.name == "compress"]
    before, after = (
        sum(document.estimated_tokens for step in compressed for document in getattr(step, side) or ())
        for side in ("input", "output")
    )
    return Served(
        question=asked.text,
        correctness=judge(asked.golden, answer).correctness if asked.golden else float("nan"),
        llm_calls=trace.llm_calls,
        tokens=trace.tokens,
        cost=sum(price(step.tokens_in, step.tokens_out) for step in trace),
        top_k=0 if answer.from_cache else len(answer.context.documents),
        hit=bool(answer.from_cache),
        wrong_hit=False,
        ratio=after / before if before else float("nan"),
    )


def _forget(way: Way, owners: set[str | None]) -> None:
    if isinstance(way, Cached):
        for owner in owners:
            way.clear(owner)


def plot_savings(savings: Savings) -> Figure:
    """Correctness with its 95 % interval over the cost of 1,000 questions, a point for each way."""
    figure, axes = canvas(6.5, 4)
    points = []
    for way, colour in stage_colours(savings.served).items():
        cost, mean = savings.cost_per_1000(way), savings.mean(way, "correctness")
        low, high = interval([one.correctness for one in savings.served[way]])
        axes.errorbar(cost, mean, yerr=[[mean - low], [high - mean]], fmt="o", capsize=3, color=colour)
        points.append(Point(cost, mean, way, colour))
    axes.set_xlim(left=0)
    axes.margins(x=0.15)
    axes.set_ylim(0, 1)
    axes.set(xlabel="cost of 1,000 questions (US$)", ylabel="correctness, mean with 95 % interval")
    axes.set_title("What each device saves, and what it costs")
    name_points(axes, points)
    return figure
