"""Runs that are kept: in the database, saved with their settings, listed and loaded; and as files for others.

A run over the golden questions belongs to nobody and everybody sees it. One over a reader's own questions holds what
the reader's documents say, so it has an owner, and nobody else sees it.
"""

import csv
import io
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import BIGINT, Connection, DateTime, Engine, ForeignKey, Select, or_, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship

from lessons.database import ensure_schema
from lessons.database.owned import OWNED, protect
from lessons.database.row_security import scoped
from lessons.errors import LessonsError
from lessons.evaluate.evaluation import CEILING, METRICS, Evaluation, Record
from lessons.evaluate.run import stood_in
from lessons.models.llm import KEYLESS


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
    user_id: Mapped[str | None]
    results: Mapped[list["ResultRow"]] = relationship(order_by="ResultRow.id", cascade="all, delete-orphan")

    def __str__(self) -> str:
        asked = f"{self.questions} question{'s' * (self.questions != 1)}"
        whose = "one's own" if self.user_id else f"{self.data}, {self.split}"
        return f"run {self.id} · {self.at:%Y-%m-%d %H:%M} · {', '.join(self.stages)} · {asked} of {whose}"


class ResultRow(Base):
    """One answer of a run: the record as it was, with the two columns that queries need beside it."""

    __tablename__ = "evaluation_results"

    id: Mapped[int] = mapped_column(BIGINT, primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey(RunRow.id, ondelete="CASCADE"), index=True)
    stage: Mapped[str]
    question_id: Mapped[str]
    record: Mapped[dict[str, Any]] = mapped_column(JSONB)


def save(evaluation: Evaluation, engine: Engine, owner: str | None = None) -> int:
    """Store a run with all its answers in one transaction, and return its number. With an `owner` it is private."""
    row = RunRow(
        at=evaluation.at,
        data=evaluation.data,
        split=evaluation.split,
        stages=evaluation.stages,
        questions=len({record.question_id for record in evaluation.records}),
        settings=evaluation.settings,
        user_id=owner,
    )
    for record in (*evaluation.records, *evaluation.ceiling):
        row.results.append(ResultRow(stage=record.stage, question_id=record.question_id, record=as_json(record)))
    with _session(engine, owner) as session:
        session.add(row)
        session.flush()
        return row.id


def runs(engine: Engine, owner: str | None = None) -> list[RunRow]:
    """The stored runs that this owner may see, latest first, without their answers."""
    with _session(engine, owner) as session:
        return list(session.scalars(_seen_by(owner).order_by(RunRow.id.desc())))


def load(number: int, engine: Engine, owner: str | None = None) -> Evaluation:
    """A stored run; LessonsError if there is none of that number that this owner may see."""
    with _session(engine, owner) as session:
        row = session.scalar(_seen_by(owner).where(RunRow.id == number))
        if row is None:
            raise LessonsError(f"There is no run {number}; list the stored ones with `runs`.")
        tuples = ("retrieved", "warnings")
        stored = (result.record for result in row.results)
        records = [Record(**each | {name: tuple(each[name]) for name in tuples}) for each in stored]
        asked, given = (tuple(each for each in records if (each.stage == CEILING) is it) for it in (False, True))
        notes = tuple(stood_in(asked, str(row.settings.get("answers", KEYLESS))))
        return Evaluation(row.data, row.split, asked, row.settings, row.at, notes, given)


def delete(number: int, engine: Engine, owner: str | None = None) -> None:
    """Remove a run with its answers; nothing happens if there is none of that number that this owner may see."""
    with _session(engine, owner) as session:
        if row := session.scalar(_seen_by(owner).where(RunRow.id == number)):
            session.delete(row)
            session.flush()


def _seen_by(owner: str | None) -> Select[tuple[RunRow]]:
    return select(RunRow).where(or_(RunRow.user_id.is_(None), RunRow.user_id == owner))


@contextmanager
def _session(engine: Engine, owner: str | None) -> Iterator[Session]:
    """A transaction in which row security shows what this owner may see."""
    ensure_schema(engine, _create)
    with scoped(engine, owner or "") as connection, Session(connection) as session:
        yield session


def _create(connection: Connection) -> None:
    Base.metadata.create_all(connection)
    protect(connection, RunRow.__tablename__, f"user_id IS NULL OR {OWNED}")
    protect(connection, ResultRow.__tablename__, "run_id IN (SELECT id FROM evaluation_runs)")


# As files


def as_csv(evaluation: Evaluation) -> str:
    """One line for each answer, after a line of names."""
    lists = ("retrieved", "warnings", "answered")
    plain = [each.name for each in fields(Record) if each.name not in ("metrics", *lists)]
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, [*plain, *METRICS, *lists], extrasaction="ignore")
    writer.writeheader()
    for record in evaluation.records:
        answered = ", ".join(f"{name}: {count}" for name, count in record.answered.items())
        joined = dict(zip(lists, (" ".join(record.retrieved), " ".join(record.warnings), answered), strict=True))
        item = as_json(record)
        writer.writerow({name: _cell(value) for name, value in (item | item["metrics"] | joined).items()})
    return file.getvalue()


def as_jsonl(evaluation: Evaluation) -> str:
    """One object for each answer, with its metrics by name."""
    return "".join(json.dumps(as_json(record), ensure_ascii=False) + "\n" for record in evaluation.records)


def as_json(record: Record) -> dict[str, Any]:
    """A record for JSON, without the metrics that have no value."""
    known = {name: value for name, value in record.metrics.items() if not math.isnan(value)}
    return vars(record) | {"metrics": known}


def export_csv(evaluation: Evaluation, path: Path) -> None:
    """Write the table as UTF-8 with a mark by which spreadsheets recognise it; LessonsError if it cannot be written."""
    try:
        path.write_bytes(as_csv(evaluation).encode("utf-8-sig"))
    except OSError as error:
        raise LessonsError(f"{path} cannot be written: {error.strerror}; choose another file.") from error


def _cell(value: Any) -> Any:
    """A text that a spreadsheet would run as a formula is quoted, as OWASP advises against CSV injection."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
