"""What an evaluation found: one record a question and stage, their summary, and the gains between the stages."""

import html
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
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
COMPARED = tuple(each for each in METRICS if each not in ("half", "refused"))  # more of these two may be either
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

    def value(self, metric: str) -> float:
        """The metric of this answer; NaN where it has none, such as recall without evidence."""
        if metric not in (*OUTCOMES, UNANSWERABLE):
            return self.metrics.get(metric, nan)
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
        """For example `0.62 [0.51, 0.73]`, with a dash for what is not known."""
        return mean_with_interval(self.means[metric], self.intervals[metric])

    def as_dict(self) -> dict[str, Any]:
        """The keys of `lessons evaluate --json`; None stands for what cannot be measured."""
        values = {name: value for name, value in vars(self).items() if name != "means"}
        return json.loads(json.dumps(values | self.means), parse_constant=lambda nan: None)


@dataclass(frozen=True, repr=False)
class Evaluation:
    """Every answer of a run, and what it was run on. `settings` are those in force, without secrets."""

    data: str
    split: str
    records: tuple[Record, ...]
    settings: dict[str, Any] = field(default_factory=dict, repr=False)
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
    notes: tuple[str, ...] = ()  # what a reader of the numbers has to know
    with_evidence: tuple[Record, ...] = ()  # the answers from the evidence itself, where that was asked

    @property
    def quotes(self) -> bool:
        """Whether nothing but the keyless model answered, which only quotes; by the settings in older runs."""
        answered = {name for record in self.records for name in record.answered}
        return answered == {KEYLESS} if answered else str(self.settings.get("answers", "")).startswith(KEYLESS)

    @property
    def replays(self) -> bool:
        """Whether a model's replies came from the record, so that no time of the run is the model's."""
        return bool(self.settings.get("recorded"))

    @property
    def counts(self) -> Counter[str]:
        """How many questions each stage has answered."""
        return Counter(record.stage for record in self.records)

    @property
    def is_stopped(self) -> bool:
        """Whether the stages have answered different numbers of questions."""
        return len(set(self.counts.values())) > 1

    @property
    def remarks(self) -> list[str]:
        """What a reader of the tables has to know, with the notes of the run."""
        found = [HALF_POINTS, *([QUOTED] if self.quotes else []), *([REPLAYED] if self.replays else [])]
        if self.is_stopped:
            told = ", ".join(f"{stage} {count}" for stage, count in self.counts.items())
            found.append(f"the run was stopped; questions answered: {told}. Means of stages are not comparable.")
        return [*found, *self.notes]

    def label(self, metric: str) -> str:
        """What tables and plots call a metric."""
        return "groundedness (only quotes)" if metric == "groundedness" and self.quotes else LABELS.get(metric, metric)

    @property
    def stages(self) -> list[str]:
        """The names of the stages, in the order in which they ran."""
        return list(self.counts)

    @property
    def questions(self) -> int:
        return len({record.question_id for record in self.records})

    def of(self, stage: str, **group: str) -> list[Record]:
        """The records of a stage, or of `WITH_EVIDENCE`, or only those of a `category` or `language`."""
        records, wanted = (
            self.with_evidence if stage == WITH_EVIDENCE else self.records,
            {"stage": stage, **group}.items(),
        )
        return [record for record in records if wanted <= vars(record).items()]

    def on_questions_of(self, other: "Evaluation") -> "Evaluation":
        """The part of the run that answers questions which the other run asked as well."""
        asked = {record.question_id for record in other.records}
        records, given = (
            [each for each in part if each.question_id in asked] for part in (self.records, self.with_evidence)
        )
        return replace(self, records=tuple(records), with_evidence=tuple(given))

    def groups(self, by: str) -> list[str]:
        """The categories or languages that occur, in order of appearance."""
        return list(dict.fromkeys(getattr(record, by) for record in self.records))

    def summary(self, stage: str, **group: str) -> Summary:
        """The summary of a stage, or of one `category=` or `language=` of it."""
        return summarise(self.of(stage, **group))

    def mean_with_evidence(self, metric: str, **group: str) -> float:
        """The mean of a metric of `JUDGED` over answers from the evidence itself; NaN for others, and without any."""
        return mean(self.of(WITH_EVIDENCE, **group) if metric in JUDGED else [], metric)

    def columns(self, **group: str) -> dict[str, Summary]:
        """Of each column of a table the summary, by its head: the stages, and the answers with the evidence given."""
        names = [*self.stages, *([WITH_EVIDENCE] if self.of(WITH_EVIDENCE, **group) else [])]
        return {name: self.summary(name, **group) for name in names}

    def gains(self, metrics: Iterable[str] = COMPARED) -> Gains:
        """Each stage against the one before it, and the stages of `ALSO`, metric by metric.

        The `PRIMARY` metric of a stage stands alone, and so does the only comparison; others are `COMPARISONS`.
        """
        records = {stage: self.of(stage) for stage in self.stages}
        pairs = dict.fromkeys([*pairwise(records), *([ALSO] if records.keys() >= set(ALSO) else [])])
        chosen = [(each, *pair) for each in metrics for pair in pairs]
        alone = {part for part in chosen if len(chosen) == 1 or PRIMARY.get(part[1:]) == part[0]}
        return Gains(
            compare_records(records[old], records[new], each, old, new, 1 if part in alone else COMPARISONS)
            for part in chosen
            for each, old, new in [part]
        )

    def room(self, metric: str = "all@10") -> Table:
        """The share of questions, by category, on which each stage leaves the next one something to gain."""
        groups: list[dict[str, str]] = [{}, *({"category": name} for name in self.groups("category"))]
        rows = [
            [_(group.get("category", "all")), *(_room(self.of(stage, **group), metric) for stage in self.stages)]
            for group in groups
        ]
        return Table([_(self.label(metric)), *map(_, self.stages)], [row for row in rows if {*row[1:]} != {"–"}])

    def as_dict(self) -> dict[str, Any]:
        """What `lessons evaluate --json` prints."""
        stages = {stage: self._as_dict(stage) for stage in self.stages}
        gains = [gain.as_dict() for gain in self.gains() if gain.n]
        with_evidence = self._as_dict(WITH_EVIDENCE, ("n", *JUDGED)) if self.with_evidence else None
        return {"stages": stages, "with_evidence": with_evidence, "gains": gains, "notes": self.remarks}

    def _as_dict(self, stage: str, only: Sequence[str] = ()) -> dict[str, Any]:
        """The summary of a stage as a whole, by category and by language; of its values those of `only`, if any."""

        def chosen(**group: str) -> dict[str, Any]:
            values = summarise(records).as_dict() if (records := self.of(stage, **group)) else {}
            return {name: value for name, value in values.items() if not only or name in only}

        groups = {by: {name: chosen(**{by: name}) for name in self.groups(by)} for by in ("category", "language")}
        return chosen() | {f"by_{by}": parts for by, parts in groups.items()}

    def __repr__(self) -> str:
        return f"Evaluation of {', '.join(self.stages)} on {self.questions} questions of {self.data}, {self.split}"

    def _repr_html_(self) -> str:
        columns = self.columns()
        stages = [columns[stage] for stage in self.stages]
        rows = [[_(self.label(metric)), *cells(columns, metric)] for metric in METRICS]
        rows.append([_("latency p50, p95 (ms)"), *(f"{each.p50_ms:,.0f}, {each.p95_ms:,.0f}" for each in stages)])
        if not self.quotes:
            rows.append([_("steps done by"), *(each.shares for each in stages)])
        rows.append([_("model calls, tokens"), *(f"{each.llm_calls:.1f}, {each.tokens:,.0f}" for each in stages)])
        below = "".join(f"<p>{html.escape(_(remark))}</p>" for remark in self.remarks)
        return Table(["", *map(_, columns)], rows, _(repr(self)))._repr_html_() + below


@dataclass(frozen=True, repr=False)
class EvaluationTable(Table):
    """A table with the evaluation that it was made of."""

    evaluation: Evaluation = field(kw_only=True)

    def mean(self, stage: str, part: str) -> float:
        """The mean of a metric or a field of the records that have it; NaN if none has."""
        return mean(self.evaluation.of(stage), part)


def mean(records: Sequence[Record], part: str) -> float:
    """The mean of a metric or a field of the records that have it; NaN if none has."""
    is_field = part not in METRICS and part in Record.__dataclass_fields__
    values = [getattr(each, part) if is_field else each.value(part) for each in records]
    known = [value for value in values if not isnan(value)]
    return float(np.mean(known)) if known else nan


def measured(records: Sequence[Record], metric: str) -> int:
    """How many of the answers have a value: a question without evidence, for one, has no recall."""
    return sum(not isnan(record.value(metric)) for record in records)


Pair = tuple[Record, Record]


def compare_records(
    before: Sequence[Record], after: Sequence[Record], metric: str, old: str, new: str, comparisons: int = 1
) -> Gain:
    """The gain in one metric over the questions that both lists answered, under the names `old` and `new`."""
    pairs = [(first.value(metric), second.value(metric)) for first, second in _pairs(before, after)]
    return paired_gain(old, new, metric, [first for first, _ in pairs], [second for _, second in pairs], comparisons)


def _room(records: Sequence[Record], metric: str) -> str:
    """For example `12 / 114`: the questions of which a stage has not all that there is to have."""
    known = [value for record in records if not isnan(value := record.value(metric))]
    return f"{room_left(metric, known)} / {len(known)}" if known else "–"


def moved_records(before: Sequence[Record], after: Sequence[Record], metric: str) -> list[Pair]:
    """The records of two stages or runs for each question whose metric changed, the largest gain first."""
    changed = [(old, new) for old, new in _pairs(before, after) if abs(new.value(metric) - old.value(metric)) > 0]
    return sorted(changed, key=lambda pair: pair[0].value(metric) - pair[1].value(metric))


def _pairs(before: Sequence[Record], after: Sequence[Record]) -> list[Pair]:
    later = {record.question_id: record for record in after}
    return [(record, later[record.question_id]) for record in before if record.question_id in later]


def summarise(records: Sequence[Record], metrics: Sequence[str] = METRICS) -> Summary:
    """The summary of the records; means are NaN where there is nothing to average."""
    p50, p95 = np.percentile([record.ms for record in records] or [nan], [50, 95])
    return Summary(
        n=len(records),
        means={metric: mean(records, metric) for metric in metrics},
        intervals={metric: interval([record.value(metric) for record in records]) for metric in metrics},
        p50_ms=float(p50),
        p95_ms=float(p95),
        llm_calls=mean(records, "llm_calls"),
        tokens=mean(records, "tokens"),
        cost=mean(records, "cost"),
        answered_by=dict(sum((Counter(record.answered) for record in records), Counter())),
    )


def cells(columns: dict[str, Summary], metric: str) -> list[str]:
    """A row of a table: the metric with its interval for each stage, and with the evidence given if it has one."""
    unknown = {WITH_EVIDENCE} if metric not in JUDGED else set()
    return ["" if name in unknown else summary.with_interval(metric) for name, summary in columns.items()]
