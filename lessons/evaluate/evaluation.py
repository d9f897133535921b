"""What an evaluation measured: one record a question and stage, their summary, and the gains between the stages."""

import html
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from math import isnan, nan
from typing import Any

import numpy as np

from lessons.evaluate.compare import (
    COMPARISONS,
    PRIMARY,
    Gain,
    Gains,
    Interval,
    interval,
    mean_with_interval,
    paired_gain,
    room_left,
)
from lessons.evaluate.metrics import RETRIEVAL_METRICS
from lessons.language import _
from lessons.models.llm import KEYLESS
from lessons.tables import Table

OUTCOMES = ("right", "half", "refused", "wrong")  # shares of the questions that have an answer; they sum to 1
UNANSWERABLE = "wrong_unanswerable"  # the share of the other questions that were answered
METRICS = (*RETRIEVAL_METRICS, *OUTCOMES, UNANSWERABLE, "belonging", "correctness", "groundedness")
COMPARED = tuple(metric for metric in METRICS if metric not in ("half", "refused"))  # more of these may be either
LABELS = {"correctness": "correctness (half points)", UNANSWERABLE: "wrong (no answer there)"}
ALSO = ("smart", "agentic")  # compared though Reranked stands between them: what it loses, Agentic must win back
WITH_EVIDENCE = "given the evidence"  # what the model answers from the evidence, in tables, plots and stored runs
JUDGED = (*OUTCOMES, UNANSWERABLE, "correctness")

HALF_POINTS = (
    "right, half, refused and wrong are shares of the questions that have an answer; wrong (no answer there) is the "
    "share of the others that were answered all the same. correctness gives half a point for an answer that is half "
    "right."
)
QUOTED = "groundedness is near 1 by construction: the keyless model only quotes the documents that it cites."
REPLAYED = "latency is that of a replay: the replies came from the record at once, and the model had taken longer."
FOUR_OUTCOMES = "right · half · refused · wrong in percent, by category and language"


@dataclass(frozen=True)
class Record:
    """One stage's answer to one question. Times are milliseconds, cost US dollars at the prices of the settings."""

    stage: str
    question_id: str
    question: str
    category: str
    language: str
    metrics: dict[str, float]
    answerable: bool = True
    ms: float = 0.0
    llm_calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    answer: str = ""
    refused: bool = False
    retrieved: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    answered: dict[str, int] = field(default_factory=dict)  # how many steps went on with the output of which model

    @property
    def outcome(self) -> str:
        """One of `OUTCOMES`, where the documents do not say refused or wrong; "" if the answer was not judged."""
        if isnan(correctness := self.metrics.get("correctness", nan)):
            return ""
        if self.answerable and correctness > 0:
            return "right" if correctness == 1 else "half"
        return "refused" if self.refused else "wrong"

    @property
    def is_rightly_refused(self) -> bool:
        """True if the documents do not say, and the answer says so."""
        return self.refused and not self.answerable

    def value(self, metric: str) -> float:
        """Return a metric or what the answer took (`tokens` …); NaN without one, such as recall without evidence."""
        if metric not in (*OUTCOMES, UNANSWERABLE):
            return self.metrics.get(metric, getattr(self, metric, nan))
        if not self.outcome or self.answerable == (metric == UNANSWERABLE):
            return nan
        return float(self.outcome == ("wrong" if metric == UNANSWERABLE else metric))


@dataclass(frozen=True)
class Summary:
    """Means over `n` answers, with 95 % intervals unless these are few."""

    n: int
    means: dict[str, float]
    intervals: dict[str, Interval]
    p50_ms: float
    p95_ms: float
    llm_calls: float
    tokens: float
    cost: float
    answered_by: dict[str, int] = field(default_factory=dict)  # steps by model

    @property
    def shares(self) -> str:
        """Who did the steps, in percent: `qwen3:8b 96%, keyless model 4%`."""
        total = sum(self.answered_by.values())
        shares = [f"{name} {count / total:.0%}" for name, count in Counter(self.answered_by).most_common()]
        return ", ".join(shares) or "–"

    @property
    def outcomes(self) -> str:
        """The shares of `OUTCOMES` in percent, such as `45 · 25 · 12 · 18`; a dash where no question has an answer."""
        shares = [self.means[outcome] for outcome in OUTCOMES]
        return "–" if isnan(shares[0]) else " · ".join(f"{100 * share:.0f}" for share in shares)

    def with_interval(self, metric: str) -> str:
        """Format as `0.62 [0.51, 0.73]`, with a dash for what is unknown."""
        return mean_with_interval(self.means[metric], self.intervals[metric])

    def as_dict(self) -> dict[str, Any]:
        """Return the keys of `lessons evaluate --json`; None stands for what cannot be measured."""
        values = {name: value for name, value in vars(self).items() if name != "means"}
        return json.loads(json.dumps(values | self.means), parse_constant=lambda nan: None)


USAGE: dict[str, Callable[[Summary], str]] = {
    "p50 (ms)": lambda summary: f"{summary.p50_ms:,.0f}",
    "p95 (ms)": lambda summary: f"{summary.p95_ms:,.0f}",
    "steps by": lambda summary: summary.shares,
    "model calls": lambda summary: f"{summary.llm_calls:.1f}",
    "tokens": lambda summary: f"{summary.tokens:,.0f}",
    "US$ per 1,000": lambda summary: f"{1_000 * summary.cost:.2f}",
}
"""The rows below the metrics, and how each is written."""


@dataclass(frozen=True, repr=False)
class Evaluation:
    """Every answer of a run, and what it was run on. `settings` are those in force, without secrets."""

    data: str
    split: str
    records: tuple[Record, ...]
    settings: dict[str, Any] = field(default_factory=dict, repr=False)
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
    notes: tuple[str, ...] = ()  # what a reader of the numbers has to know
    with_evidence: tuple[Record, ...] = ()  # the answers from the evidence itself, if they were measured
    stopped: bool = False  # before its end, while it ran

    @property
    def quotes(self) -> bool:
        """True if nothing but the keyless model answered, which only quotes."""
        return {name for record in self.records for name in record.answered} == {KEYLESS}

    @property
    def replays(self) -> bool:
        """True if a model's replies came from the record, so that no time of the run is the model's."""
        return bool(self.settings.get("recorded"))

    @property
    def counts(self) -> Counter[str]:
        """How many questions each stage has answered."""
        return Counter(record.stage for record in self.records)

    @property
    def is_stopped(self) -> bool:
        """True if it did not run to its end, as far as that can be seen in a stored run."""
        return self.stopped or len(set(self.counts.values())) > 1

    @property
    def remarks(self) -> list[str]:
        """What a reader of the tables has to know, with the notes of the run."""
        remarks = [HALF_POINTS, *([QUOTED] if self.quotes else []), *([REPLAYED] if self.replays else [])]
        if self.is_stopped:
            counts = ", ".join(f"{stage} {count}" for stage, count in self.counts.items())
            remarks.append(f"the run was stopped; questions answered: {counts}. Means of stages are not comparable.")
        return [*remarks, *self.notes]

    @property
    def stages(self) -> list[str]:
        """The names of the stages, in the order in which they ran."""
        return list(self.counts)

    @property
    def questions(self) -> int:
        return len({record.question_id for record in self.records})

    def label(self, metric: str) -> str:
        """Return the name of a metric in tables and plots."""
        return "groundedness (only quotes)" if metric == "groundedness" and self.quotes else LABELS.get(metric, metric)

    def of(self, stage: str, **group: str) -> list[Record]:
        """Select the records of a stage, or of `WITH_EVIDENCE`, or only those of a `category` or `language`."""
        records, fields = self.with_evidence if stage == WITH_EVIDENCE else self.records, {"stage": stage, **group}
        return [record for record in records if fields.items() <= vars(record).items()]

    def groups(self, by: str) -> list[str]:
        """List the categories or languages that occur, in order of appearance."""
        return list(dict.fromkeys(getattr(record, by) for record in self.records))

    def summary(self, stage: str, **group: str) -> Summary:
        """Summarise a stage, or one `category=` or `language=` of it."""
        return summarise(self.of(stage, **group))

    def mean(self, stage: str, metric: str) -> float:
        """Compute the mean of a metric, or of what the answers took (`tokens` …); NaN if none has a value."""
        return mean(self.of(stage), metric)

    def mean_with_evidence(self, metric: str, **group: str) -> float:
        """Compute the mean of a metric of `JUDGED` over answers from the evidence itself; NaN for another metric."""
        return mean(self.of(WITH_EVIDENCE, **group) if metric in JUDGED else [], metric)

    def columns(self, **group: str) -> dict[str, Summary]:
        """Summarise each column of a table by its head: the stages, and the answers with the evidence given."""
        names = [*self.stages, *([WITH_EVIDENCE] if self.of(WITH_EVIDENCE, **group) else [])]
        return {name: self.summary(name, **group) for name in names}

    def gains(self, metrics: Iterable[str] = COMPARED) -> Gains:
        """Compare each stage with the one before it, and the stages of `ALSO`, metric by metric.

        The `PRIMARY` metric of a stage stands alone, and so does the only comparison; all further ones are judged as
        `COMPARISONS`.
        """
        records = {stage: self.of(stage) for stage in self.stages}
        pairs = dict.fromkeys([*pairwise(records), *([ALSO] if records.keys() >= set(ALSO) else [])])
        triples = [(metric, *pair) for metric in metrics for pair in pairs]
        gains = Gains()
        for metric, old, new in triples:
            is_alone = len(triples) == 1 or PRIMARY.get((old, new)) == metric
            comparisons = 1 if is_alone else COMPARISONS
            gains.append(compare_records(records[old], records[new], metric, old, new, comparisons))
        return gains

    def table(self, metrics: Iterable[str] = METRICS) -> Table:
        """Return a row for each metric with its 95 % intervals, and below them what an answer took, by stage."""
        columns, rows = self.columns(), list[list[str]]()
        for metric in metrics:
            blank = {WITH_EVIDENCE} if metric not in JUDGED else set()  # the evidence was given, and decides it
            texts = ["" if name in blank else summary.with_interval(metric) for name, summary in columns.items()]
            rows.append([_(self.label(metric)), *texts])
        for label, value in USAGE.items():
            texts = ["" if name == WITH_EVIDENCE else _(value(summary)) for name, summary in columns.items()]
            rows.append([_(label), *texts])
        caption = f"{self.data}, {self.split}: {self.questions} questions, means with 95 % intervals"
        return Table(["", *map(_, columns)], rows, _(caption))

    def group_table(self, metric: str = "") -> Table:
        """Return a metric by category and language, or without one the shares of the four outcomes."""
        names = [*self.stages, *([WITH_EVIDENCE] if self.with_evidence and metric in (*JUDGED, "") else [])]
        rows = []
        for by in ("category", "language"):
            for group in self.groups(by):
                summaries = [
                    summarise(self.of(name, **{by: group}), [metric] if metric else OUTCOMES) for name in names
                ]
                texts = [summary.with_interval(metric) if metric else summary.outcomes for summary in summaries]
                rows.append([f"{_(group)} ({summaries[0].n})", *texts])
        title = f"{self.label(metric)} by category and language" if metric else FOUR_OUTCOMES
        return Table(["", *map(_, names)], [row for row in rows if {*row[1:]} != {"–"}], _(title))

    def room(self, metric: str = "all@10") -> Table:
        """Count the questions, by category, on which each stage leaves the next one something to gain."""
        groups: list[dict[str, str]] = [{}, *({"category": name} for name in self.groups("category"))]
        rows = [
            [_(group.get("category", "all")), *(_room(self.of(stage, **group), metric) for stage in self.stages)]
            for group in groups
        ]
        return Table([_(self.label(metric)), *map(_, self.stages)], [row for row in rows if {*row[1:]} != {"–"}])

    def as_dict(self) -> dict[str, Any]:
        """Return what `lessons evaluate --json` prints."""
        stages = {stage: self._as_dict(stage) for stage in self.stages}
        gains = [gain.as_dict() for gain in self.gains() if gain.n]
        given = self._as_dict(WITH_EVIDENCE) if self.with_evidence else {}
        with_evidence = {name: given[name] for name in given if name in ("n", *JUDGED, "by_category", "by_language")}
        return {"stages": stages, "with_evidence": with_evidence or None, "gains": gains, "notes": self.remarks}

    def _as_dict(self, stage: str) -> dict[str, Any]:
        """Summarise a stage as a whole, by category and by language."""
        values = self.summary(stage).as_dict()
        for by in ("category", "language"):
            values[f"by_{by}"] = {name: self.summary(stage, **{by: name}).as_dict() for name in self.groups(by)}
        return values

    def __repr__(self) -> str:
        message = _("Evaluation of {0} on {1} questions of {2}, {3}")
        return message.format(", ".join(self.stages), self.questions, self.data, self.split)

    def _repr_html_(self) -> str:
        return self.table()._repr_html_() + "".join(f"<p>{html.escape(_(remark))}</p>" for remark in self.remarks)


def metric_values(records: Iterable[Record], metric: str) -> list[float]:
    """List the values of a metric; a question without evidence, for one, has no recall and is left out."""
    return [value for record in records if not isnan(value := record.value(metric))]


def mean(records: Iterable[Record], metric: str) -> float:
    """Compute the mean over the records that have the metric; NaN if none has."""
    return float(np.mean(numbers)) if (numbers := metric_values(records, metric)) else nan


def summarise(records: Sequence[Record], metrics: Sequence[str] = METRICS) -> Summary:
    """Summarise the records; means are NaN where there is nothing to average."""
    p50, p95 = np.percentile([record.ms for record in records] or [nan], [50, 95])
    return Summary(
        n=len(records),
        means={metric: mean(records, metric) for metric in metrics},
        intervals={metric: interval(metric_values(records, metric)) for metric in metrics},
        p50_ms=float(p50),
        p95_ms=float(p95),
        llm_calls=mean(records, "llm_calls"),
        tokens=mean(records, "tokens"),
        cost=mean(records, "cost"),
        answered_by=dict(sum((Counter(record.answered) for record in records), Counter())),
    )


def _room(records: Sequence[Record], metric: str) -> str:
    """Count as in `12 / 114` the questions of which a stage has not all that there is to have."""
    numbers = metric_values(records, metric)
    return f"{room_left(metric, numbers)} / {len(numbers)}" if numbers else "–"


Pair = tuple[Record, Record]  # the answers of two stages or runs to one question


def compare_records(
    old: Sequence[Record], new: Sequence[Record], metric: str, baseline: str, candidate: str, comparisons: int = 1
) -> Gain:
    """Compare one metric over the questions that both lists answered, under the names `baseline` and `candidate`."""
    pairs = [(first.value(metric), second.value(metric)) for first, second in _pairs(old, new)]
    first, second = zip(*pairs, strict=True) if pairs else ((), ())
    return paired_gain(baseline, candidate, metric, first, second, comparisons)


def moved_records(old: Sequence[Record], new: Sequence[Record], metric: str) -> list[Pair]:
    """List the records of two stages or runs for each question whose metric changed, the largest gain first."""
    changed = [pair for pair in _pairs(old, new) if abs(pair[1].value(metric) - pair[0].value(metric)) > 0]
    return sorted(changed, key=lambda pair: pair[0].value(metric) - pair[1].value(metric))


def _pairs(old: Sequence[Record], new: Sequence[Record]) -> list[Pair]:
    by_id = {record.question_id: record for record in new}
    return [(record, by_id[record.question_id]) for record in old if record.question_id in by_id]
