"""Runs that are stored, in the database and as files. A run over a reader's own questions is seen by nobody else."""

import gzip
import json
import math
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import BIGINT, ColumnElement, Connection, DateTime, Engine, ForeignKey, or_, select
from sqlalchemy import delete as delete_rows
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, Session, mapped_column, relationship

from lessons.database import ensure_schema
from lessons.database.owners import owner_transaction
from lessons.database.schema import OWNED, protect
from lessons.errors import LessonsError
from lessons.evaluate.evaluation import METRICS, OUTCOMES, UNANSWERABLE, WITH_EVIDENCE, Evaluation, Record
from lessons.evaluate.golden import SETS, golden_questions
from lessons.evaluate.run import fallback_notes, rejudge
from lessons.models.llm import KEYLESS
from lessons.models.recorded import replace_file
from lessons.rag.tables import Base
from lessons.settings import ROOT, settings

SHIPPED = ROOT / "data" / "runs"
_RECORDS = TypeAdapter(list[Record])


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
        count = f"{self.questions} question{'s' * (self.questions != 1)}"
        owner = "your own" if self.user_id else f"{self.data}, {self.split}"
        return f"run {self.id} · {self.at:%Y-%m-%d %H:%M} · {', '.join(self.stages)} · {count} of {owner}"


class ResultRow(Base):
    """One answer of a run: the record, with the two columns that queries need beside it."""

    __tablename__ = "evaluation_results"

    id: Mapped[int] = mapped_column(BIGINT, primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey(RunRow.id, ondelete="CASCADE"), index=True)
    stage: Mapped[str]
    question_id: Mapped[str]
    record: Mapped[dict[str, Any]] = mapped_column(JSONB)


def save(evaluation: Evaluation, engine: Engine, owner: str | None = None) -> int:
    """Store a run in one transaction, private with an `owner`; return its number. The oldest beyond the limit go."""
    names = ("at", "data", "split", "stages", "questions", "settings")
    row = RunRow(**{name: getattr(evaluation, name) for name in names}, user_id=owner)
    for record in (*evaluation.records, *evaluation.with_evidence):
        row.results.append(ResultRow(stage=record.stage, question_id=record.question_id, record=as_json(record)))
    with _session(engine, owner) as session:
        session.add(row)
        session.flush()
        same_owner = RunRow.user_id.is_not_distinct_from(owner)
        newest = select(RunRow.id).where(same_owner).order_by(RunRow.id.desc())
        beyond = newest.offset(settings().stored_runs).limit(1).scalar_subquery()
        session.execute(delete_rows(RunRow).where(same_owner, RunRow.id <= beyond))
        return row.id


def runs(engine: Engine, owner: str | None = None) -> list[RunRow]:
    """List the stored runs that this owner may see, latest first, without their answers."""
    with _session(engine, owner) as session:
        return list(session.scalars(select(RunRow).where(_seen_by(owner)).order_by(RunRow.id.desc())))


def load(number: int, engine: Engine, owner: str | None = None) -> Evaluation:
    """Load a stored run; LessonsError if there is none of that number that this owner may see."""
    with _session(engine, owner) as session:
        row = session.scalar(select(RunRow).where(RunRow.id == number, _seen_by(owner)))
        if row is None:
            raise LessonsError(f"There is no run {number}; list the stored ones with `runs`.")
        return _evaluation(row.data, row.split, row.settings, row.at, [result.record for result in row.results])


def delete(number: int, engine: Engine, owner: str | None = None) -> None:
    """Remove a run with its answers; nothing happens if there is none of that number that this owner may see."""
    with _session(engine, owner) as session:
        session.execute(delete_rows(RunRow).where(RunRow.id == number, _seen_by(owner)))


def _seen_by(owner: str | None) -> ColumnElement[bool]:
    return or_(RunRow.user_id.is_(None), RunRow.user_id == owner)


@contextmanager
def _session(engine: Engine, owner: str | None) -> Iterator[Session]:
    """Open a transaction in which row security shows what this owner may see."""
    ensure_schema(engine, _create)
    with owner_transaction(engine, owner or "") as connection, Session(connection) as session:
        yield session


def _create(connection: Connection) -> None:
    Base.metadata.create_all(connection, [Base.metadata.tables[row.__tablename__] for row in (RunRow, ResultRow)])
    protect(connection, RunRow.__tablename__, f"user_id IS NULL OR {OWNED}")
    protect(connection, ResultRow.__tablename__, "run_id IN (SELECT id FROM evaluation_runs)")


def _evaluation(
    data: str, split: str, settings: dict[str, Any], at: datetime, stored: Sequence[dict[str, Any]]
) -> Evaluation:
    records = _RECORDS.validate_python(stored)
    answers, with_evidence = (
        tuple(record for record in records if (record.stage == WITH_EVIDENCE) is is_given) for is_given in (False, True)
    )
    notes = tuple(fallback_notes(answers, str(settings.get("answers", KEYLESS))))
    return Evaluation(data, split, answers, settings, at, notes, with_evidence)


# As files


def as_csv(evaluation: Evaluation) -> str:
    """Write a line for each answer, after a line of names."""
    import pandas  # type: ignore[import-untyped]  # Streamlit brings it

    last = ["retrieved", "warnings", "answered"]
    plain = [field.name for field in fields(Record) if field.name not in ("metrics", *last)]
    metrics = [metric for metric in METRICS if metric not in (*OUTCOMES, UNANSWERABLE)]
    rows = [
        as_json(record)["metrics"]
        | vars(record)
        | {name: " ".join(getattr(record, name)) for name in ("retrieved", "warnings")}
        | {"answered": ", ".join(f"{name}: {count}" for name, count in record.answered.items())}
        | {"outcome": record.outcome}
        for record in evaluation.records
    ]
    table = pandas.DataFrame(rows, columns=[*plain, "outcome", *metrics, *last])
    return table.map(_quote_formula).to_csv(index=False, lineterminator="\r\n")


def _quote_formula(value: Any) -> Any:
    """Quote a text that a spreadsheet would run as a formula, as OWASP advises against CSV injection."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def as_jsonl(evaluation: Evaluation) -> str:
    """Write one object for each answer, with its metrics by name."""
    return _lines(map(as_json, evaluation.records))


def as_json(record: Record) -> dict[str, Any]:
    """Return a record for JSON, without the metrics that have no value."""
    return vars(record) | {"metrics": {k: value for k, value in record.metrics.items() if not math.isnan(value)}}


def _lines(items: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items)


def ship(evaluation: Evaluation, path: Path) -> None:
    """Write a run, packed: a line that says what it is, then one for each answer; an earlier file stays until then."""
    head = {"data": evaluation.data, "split": evaluation.split, "settings": evaluation.settings}
    head |= {"at": evaluation.at.isoformat()}
    content = _lines([head, *map(as_json, (*evaluation.records, *evaluation.with_evidence))])
    try:
        replace_file(path.resolve(), gzip.compress(content.encode(), mtime=0))
    except OSError as error:
        raise LessonsError(f"{path} cannot be written: {error.strerror}; choose another file.") from error


def read_run(path: Path) -> Evaluation:
    """Read a run that `ship` wrote; LessonsError for any other file, and for one that is missing."""
    try:
        head, *records = map(json.loads, gzip.decompress(path.read_bytes()).splitlines())
        return _evaluation(**head | {"at": datetime.fromisoformat(head["at"]), "stored": records})
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError) as error:
        why = getattr(error, "strerror", None) or error
        raise LessonsError(f"{path} holds no run ({why}); `lessons gate --update` writes one.") from error


@cache
def shipped() -> dict[str, Evaluation]:
    """Read the reference runs by name, *test* first, with today's verdicts; LessonsError if they are missing."""
    paths = sorted(SHIPPED.glob("*.jsonl.gz"), reverse=True)
    if not paths:
        raise LessonsError(f"The reference runs are not at {SHIPPED}; run the workbook from its cloned folder.")
    return {path.name.partition(".")[0]: _rejudged(read_run(path)) for path in paths}


def _rejudged(run: Evaluation) -> Evaluation:
    """Judge the answers of a run as today's judge does, without asking a stage again."""
    questions = {question.id: question for question in golden_questions(run.split, SETS[run.data])}
    records, with_evidence = (
        tuple(rejudge(record, questions[record.question_id]) for record in part)
        for part in (run.records, run.with_evidence)
    )
    return replace(run, records=records, with_evidence=with_evidence)
