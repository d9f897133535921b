"""Runs in the database: saved with their settings, listed, loaded, compared, exported."""

import csv
import math
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import BIGINT, DateTime, Engine, ForeignKey, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship

from lessons.database import ensure_schema, explained
from lessons.errors import LessonsError
from lessons.evaluate.compare import Gain, corrected
from lessons.evaluate.evaluation import METRICS, Evaluation, Record, compare_records


class Base(DeclarativeBase):
    """The tables of the evaluation room."""


class RunRow(Base):
    """A run: what was evaluated, when, and under which settings."""

    __tablename__ = "evaluation_runs"

    id: Mapped[int] = mapped_column(BIGINT, primary_key=True)
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    data: Mapped[str]
    split: Mapped[str]
    stages: Mapped[list[str]] = mapped_column(JSONB)
    questions: Mapped[int]
    settings: Mapped[dict[str, Any]] = mapped_column(JSONB)
    results: Mapped[list["ResultRow"]] = relationship(order_by="ResultRow.id", cascade="all, delete-orphan")

    def __str__(self) -> str:
        asked = f"{self.questions} questions of {self.data}, {self.split}"
        return f"run {self.id} · {self.at:%Y-%m-%d %H:%M} · {', '.join(self.stages)} · {asked}"


class ResultRow(Base):
    """One answer of a run: the record as it was, with the two columns that queries need beside it."""

    __tablename__ = "evaluation_results"

    id: Mapped[int] = mapped_column(BIGINT, primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey(RunRow.id, ondelete="CASCADE"), index=True)
    stage: Mapped[str]
    question_id: Mapped[str]
    record: Mapped[dict[str, Any]] = mapped_column(JSONB)


def save(evaluation: Evaluation, engine: Engine) -> int:
    """Store a run with all its answers in one transaction, and return its number."""
    _ensure(engine)
    results = [
        ResultRow(stage=record.stage, question_id=record.question_id, record=_as_json(record))
        for record in evaluation.records
    ]
    row = RunRow(
        at=evaluation.at,
        data=evaluation.data,
        split=evaluation.split,
        stages=evaluation.stages,
        questions=len({record.question_id for record in evaluation.records}),
        settings=evaluation.settings,
        results=results,
    )
    with explained(), Session(engine) as session, session.begin():
        session.add(row)
        session.flush()
        return row.id


def runs(engine: Engine) -> list[RunRow]:
    """The stored runs, latest first, without their answers."""
    _ensure(engine)
    with explained(), Session(engine) as session:
        return list(session.scalars(select(RunRow).order_by(RunRow.id.desc())))


def load(number: int, engine: Engine) -> Evaluation:
    """A stored run; LessonsError if there is none of that number."""
    _ensure(engine)
    with explained(), Session(engine) as session:
        row = session.get(RunRow, number)
        if row is None:
            raise LessonsError(f"There is no run {number}; list the stored ones with `runs`.")
        records = tuple(_from_json(result.record) for result in row.results)
        return Evaluation(row.data, row.split, records, row.settings, row.at)


def delete(number: int, engine: Engine) -> None:
    """Remove a run with its answers; nothing happens if there is none of that number."""
    _ensure(engine)
    with explained(), Session(engine) as session, session.begin():
        if row := session.get(RunRow, number):
            session.delete(row)


def compare_runs(before: Evaluation, after: Evaluation) -> list[Gain]:
    """What changed between two runs, for every stage that both have, over the questions that both asked."""
    shared = [stage for stage in before.stages if stage in after.stages]
    return [
        gain
        for metric in METRICS
        for gain in corrected(
            [
                compare_records(before.of(stage), after.of(stage), metric, f"{stage} then", f"{stage} now")
                for stage in shared
            ]
        )
    ]


def export_csv(evaluation: Evaluation, path: Path) -> None:
    """Write one line for each answer, as UTF-8 with a mark by which spreadsheets recognise it.

    LessonsError if the file cannot be written.
    """
    plain = [name.name for name in fields(Record) if name.name not in ("metrics", "retrieved", "warnings")]
    try:
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*plain, *METRICS, "retrieved", "warnings"])
            for record in evaluation.records:
                values = [_cell(getattr(record, name)) for name in plain]
                scores = [_none_if_nan(record.value(metric)) for metric in METRICS]
                writer.writerow([*values, *scores, " ".join(record.retrieved), _cell(" ".join(record.warnings))])
    except OSError as error:
        raise LessonsError(f"{path} cannot be written: {error.strerror}; choose another file.") from error


def _ensure(engine: Engine) -> None:
    ensure_schema(engine, Base.metadata.create_all)


def _as_json(record: Record) -> dict[str, Any]:
    values = {each.name: getattr(record, each.name) for each in fields(record)}
    return values | {"metrics": {name: value for name, value in record.metrics.items() if not math.isnan(value)}}


def _from_json(item: dict[str, Any]) -> Record:
    return Record(**item | {"retrieved": tuple(item["retrieved"]), "warnings": tuple(item["warnings"])})


def _none_if_nan(value: float) -> float | None:
    return None if math.isnan(value) else value


def _cell(value: Any) -> Any:
    """A text that a spreadsheet would run as a formula is quoted, as OWASP advises against CSV injection."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
