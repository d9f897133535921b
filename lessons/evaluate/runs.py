"""Runs in the database: saved with their settings, listed, loaded, compared.

A run over the golden questions belongs to nobody and everybody sees it. One over a reader's own questions holds what
the reader's documents say, so it has an owner, and nobody else sees it.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import BIGINT, Connection, DateTime, Engine, ForeignKey, or_, select, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship
from sqlalchemy.sql import ColumnElement

from lessons.database import ensure_schema
from lessons.database.row_security import OWNED, protect, scoped
from lessons.errors import LessonsError
from lessons.evaluate.answered_by import stood_in
from lessons.evaluate.compare import Gain
from lessons.evaluate.evaluation import CEILING, METRICS, Evaluation, Record, compare_records
from lessons.evaluate.export import as_json
from lessons.models.call import KEYLESS

_ADD_OWNER = text("ALTER TABLE evaluation_runs ADD COLUMN IF NOT EXISTS user_id varchar")
"""For runs that were stored before questions could be a reader's own."""


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
        many = "1 question" if self.questions == 1 else f"{self.questions} questions"
        asked = f"{many} of one's own" if self.user_id else f"{many} of {self.data}, {self.split}"
        return f"run {self.id} · {self.at:%Y-%m-%d %H:%M} · {', '.join(self.stages)} · {asked}"


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
    _ensure(engine)
    results = [
        ResultRow(stage=record.stage, question_id=record.question_id, record=as_json(record))
        for record in (*evaluation.records, *evaluation.ceiling)
    ]
    row = RunRow(
        at=evaluation.at,
        data=evaluation.data,
        split=evaluation.split,
        stages=evaluation.stages,
        questions=len({record.question_id for record in evaluation.records}),
        settings=evaluation.settings,
        user_id=owner,
        results=results,
    )
    with scoped(engine, owner or "") as connection, Session(connection) as session:
        session.add(row)
        session.flush()
        return row.id


def runs(engine: Engine, owner: str | None = None) -> list[RunRow]:
    """The stored runs that this owner may see, latest first, without their answers."""
    _ensure(engine)
    with scoped(engine, owner or "") as connection, Session(connection) as session:
        return list(session.scalars(select(RunRow).where(_seen_by(owner)).order_by(RunRow.id.desc())))


def load(number: int, engine: Engine, owner: str | None = None) -> Evaluation:
    """A stored run; LessonsError if there is none of that number that this owner may see."""
    _ensure(engine)
    with scoped(engine, owner or "") as connection, Session(connection) as session:
        row = session.scalar(select(RunRow).where(RunRow.id == number, _seen_by(owner)))
        if row is None:
            raise LessonsError(f"There is no run {number}; list the stored ones with `runs`.")
        records = [_from_json(result.record) for result in row.results]
        asked, given = (
            tuple(each for each in records if (each.stage == CEILING) is wanted) for wanted in (False, True)
        )
        notes = tuple(stood_in(asked, str(row.settings.get("answers", KEYLESS))))
        return Evaluation(row.data, row.split, asked, row.settings, row.at, notes, given)


def delete(number: int, engine: Engine, owner: str | None = None) -> None:
    """Remove a run with its answers; nothing happens if there is none of that number that this owner may see."""
    _ensure(engine)
    with scoped(engine, owner or "") as connection, Session(connection) as session:
        if row := session.scalar(select(RunRow).where(RunRow.id == number, _seen_by(owner))):
            session.delete(row)
            session.flush()


def compare_runs(before: Evaluation, after: Evaluation) -> list[Gain]:
    """What changed between two runs, for every stage that both have, over the questions that both asked."""
    shared = [stage for stage in before.stages if stage in after.stages]
    return [
        compare_records(before.of(stage), after.of(stage), metric, f"{stage} then", f"{stage} now")
        for metric in METRICS
        for stage in shared
    ]


def _seen_by(owner: str | None) -> ColumnElement[bool]:
    return or_(RunRow.user_id.is_(None), RunRow.user_id == owner)


def _ensure(engine: Engine) -> None:
    ensure_schema(engine, _create)


def _create(connection: Connection) -> None:
    Base.metadata.create_all(connection)
    connection.execute(_ADD_OWNER)
    protect(connection, RunRow.__tablename__, f"user_id IS NULL OR {OWNED}")
    protect(connection, ResultRow.__tablename__, "run_id IN (SELECT id FROM evaluation_runs)")


def _from_json(item: dict[str, Any]) -> Record:
    metrics = item["metrics"]
    strict = {"strict": float(metrics["correctness"] == 1)} if "correctness" in metrics else {}  # older runs lack it
    lists = {name: tuple(item[name]) for name in ("retrieved", "warnings")}
    return Record(**item | lists | {"metrics": strict | metrics})
