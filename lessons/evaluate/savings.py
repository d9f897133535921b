"""What each device saves, and what it costs in right answers: a day at the help desk with each one on and off.

The day has questions that come again, come again in other words, and thanks in between. It is built from the golden
questions of *dev*, so that every answer can be judged, and from committed rewordings of them. Popular questions are
asked more often than others, as in every log of a search engine.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from matplotlib.figure import Figure

from lessons.context.active import DEVICES
from lessons.context.cache import Cached
from lessons.context.wrapper import Answering
from lessons.evaluate.evaluation import Evaluation, EvaluationTable, Record, compare_records, mean
from lessons.evaluate.golden import Golden, golden_questions, json_lines
from lessons.evaluate.plots import plot_cost
from lessons.evaluate.run import measure
from lessons.models.keyless import utterances
from lessons.rag.answer import Answer
from lessons.rag.stages import Stage
from lessons.settings import ROOT, settings
from lessons.text import language

REWORDED = ROOT / "data" / "context" / "reworded.jsonl"
REPEATED = 110  # questions that are drawn again
SMALL_TALK = 20

NONE, ALL = "none", "all"
CHAT = "chat"  # the category of small talk, whose answers are not judged


def workload(limit: int | None = None, seed: int = 0) -> list[Golden]:
    """More than 300 questions in the order in which they are asked, or `limit` of them with the same mixture."""
    draw = random.Random(seed)
    first = [golden for golden in golden_questions("dev") if not golden.history]
    known = {golden.id: golden for golden in first}
    again = [replace(known[line["id"]], question=line["question"]) for line in json_lines(REWORDED)]
    popular = [1 / rank for rank in range(1, len(first) + 1)]  # Zipf's law
    repeated = draw.choices(draw.sample(first, len(first)), popular, k=REPEATED)
    small_talk = draw.sample([each.text for each in utterances() if each.intent == "chat"], SMALL_TALK)
    asked = [*first, *again, *repeated, *map(chat, small_talk)]
    draw.shuffle(asked)
    return asked[:limit]


def chat(text: str) -> Golden:
    """Small talk, as something that is asked."""
    return Golden(CHAT, text, language(text), CHAT, owner=settings().user)


_HEAD = ["device", "calls", "tokens", "$ / 1,000", "hits", "chunks", "ratio", "fully right", "correctness", "change"]


def _row(way: str, records: Sequence[Record], alone: Sequence[Record]) -> list[str]:
    """A line of the table; `alone` are the answers without any device."""
    hits, wrong = (int(sum(each.value(part) for each in records)) for part in ("hit", "wrong hit"))
    return [
        way,
        f"{mean(records, 'llm_calls'):.2f}",
        f"{mean(records, 'tokens'):,.0f}",
        f"{1_000 * mean(records, 'cost'):.2f}",
        f"{hits} ({wrong} wrong)" if hits else "0",
        f"{mean(records, 'chunks'):.1f}",
        f"{mean(records, 'ratio'):.2f}".replace("nan", "–"),
        f"{mean(records, 'strict'):.3f}",
        f"{mean(records, 'correctness'):.3f}",
        "" if way == NONE else compare_records(alone, records, "correctness", NONE, way).with_interval,
    ]


def savings(stage: Stage, asked: Sequence[Golden], names: Sequence[str] = tuple(DEVICES)) -> EvaluationTable:
    """Serve the workload with no device, with each of those named alone, and with all of them together.

    These are the stages of its evaluation, whose records have the metrics of `_costs` as well. The kept answers of the
    owners are forgotten before and after, so that each way begins with an empty cache.
    """
    every: Answering = stage
    for name, device in DEVICES.items():
        every = device(every) if name in names else every
    ways = {NONE: stage} | {name: DEVICES[name](stage) for name in names} | {ALL: every}
    served = {name: list(_serve(name, way, asked)) for name, way in ways.items()}
    rows = [_row(name, records, served[NONE]) for name, records in served.items()]
    evaluation = Evaluation("workload", "dev", tuple(chain.from_iterable(served.values())))
    return EvaluationTable(_HEAD, rows, f"{len(asked)} questions, means over all of them", evaluation=evaluation)


def _serve(name: str, way: Answering, asked: Sequence[Golden]) -> Iterator[Record]:
    """Without a cache an answer depends on its question only, so a question asked again costs what it did before."""
    owners = {each.owner for each in asked}
    ids = {each.question: each.id for each in asked}
    known: dict[tuple[str, str], Record] = {}
    _forget(way, owners)
    for number, each in enumerate(asked):
        key = each.question, each.owner
        if key not in known or isinstance(way, Cached):
            answer = way.ask(each.question, user=each.owner)
            record, wrong = measure(each, answer), bool(answer.from_cache) and ids[answer.from_cache] != each.id
            judged = {} if each.category == CHAT else record.metrics
            metrics = judged | _costs(answer) | {"wrong hit": float(wrong)}
            known[key] = replace(record, stage=name, metrics=metrics)
        yield replace(known[key], question_id=str(number))
    _forget(way, owners)


def _costs(answer: Answer) -> dict[str, float]:
    """Chunks that were read, whether the cache answered, and to which share documents were compressed, if they were."""
    compressed = [step for step in answer.trace if step.name == "compress"]
    before, after = (
        sum(document.estimated_tokens for step in compressed for document in getattr(step, side) or ())
        for side in ("input", "output")
    )
    chunks = 0 if answer.from_cache else len(answer.context.documents)
    costs = {"chunks": float(chunks), "hit": float(bool(answer.from_cache))}
    return costs | ({"ratio": after / before} if before else {})


def _forget(way: Answering, owners: set[str]) -> None:
    if isinstance(way, Cached):
        for owner in owners:
            way.clear(owner)


def plot_savings(savings: EvaluationTable) -> Figure:
    """Correctness with its 95 % interval over the cost of 1,000 questions, a point for each way."""
    figure = plot_cost(savings.evaluation, "correctness")
    figure.axes[0].set_title("What each device saves, and what it costs")
    return figure
