"""Runs that are kept, in the database and as files. A run over a reader's own questions is seen by nobody else."""

import csv
import gzip
import io
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

from sqlalchemy import BIGINT, ColumnElement, Connection, DateTime, Engine, ForeignKey, or_, select, text, update
from sqlalchemy import delete as delete_rows
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, Session, mapped_column, relationship

from lessons.database import ensure_schema
from lessons.database.owners import owner_transaction
from lessons.database.schema import OWNED, protect
from lessons.errors import LessonsError
from lessons.evaluate.evaluation import METRICS, OUTCOMES, UNANSWERABLE, WITH_EVIDENCE, Evaluation, Record
from lessons.evaluate.golden import SETS, golden_questions
from lessons.evaluate.run import rejudge, stood_in
from lessons.models.llm import KEYLESS
from lessons.models.recorded import replace_file
from lessons.rag.tables import Base
from lessons.settings import ROOT, settings

SHIPPED = ROOT / "data" / "runs"


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
    note: Mapped[str | None]
    results: Mapped[list["ResultRow"]] = relationship(order_by="ResultRow.id", cascade="all, delete-orphan")

    def __str__(self) -> str:
        asked = f"{self.questions} question{'s' * (self.questions != 1)}"
        whose = "your own" if self.user_id else f"{self.data}, {self.split}"
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
    """Store a run in one transaction, private with an `owner`; return its number. The oldest beyond the limit go."""
    known = {name: getattr(evaluation, name) for name in ("at", "data", "split", "stages", "questions", "settings")}
    row = RunRow(**known, user_id=owner)
    for each in (*evaluation.records, *evaluation.with_evidence):
        row.results.append(ResultRow(stage=each.stage, question_id=each.question_id, record=as_json(each)))
    with _session(engine, owner) as session:
        session.add(row)
        session.flush()
        mine = RunRow.user_id.is_not_distinct_from(owner)
        newest = select(RunRow.id).where(mine).order_by(RunRow.id.desc())
        beyond = newest.offset(settings().stored_runs).limit(1).scalar_subquery()
        session.execute(delete_rows(RunRow).where(mine, RunRow.id <= beyond))
        return row.id


def runs(engine: Engine, owner: str | None = None) -> list[RunRow]:
    """The stored runs that this owner may see, latest first, without their answers."""
    with _session(engine, owner) as session:
        return list(session.scalars(select(RunRow).where(_seen_by(owner)).order_by(RunRow.id.desc())))


def load(number: int, engine: Engine, owner: str | None = None) -> Evaluation:
    """A stored run; LessonsError if there is none of that number that this owner may see."""
    with _session(engine, owner) as session:
        row = session.scalar(select(RunRow).where(RunRow.id == number, _seen_by(owner)))
        if row is None:
            raise LessonsError(f"There is no run {number}; list the stored ones with `runs`.")
        return _evaluation(row.data, row.split, row.settings, row.at, [result.record for result in row.results])


def _evaluation(
    data: str, split: str, settings: dict[str, Any], at: datetime, stored: Sequence[dict[str, Any]]
) -> Evaluation:
    names = {each.name for each in fields(Record)}  # of today: older runs have more
    rows = [{name: each[name] for name in each.keys() & names} for each in stored]
    for row in rows:
        row["stage"] = WITH_EVIDENCE if row["stage"].startswith("ceiling") else row["stage"]  # its name in older runs
        row["metrics"] = {name: value for name, value in row["metrics"].items() if name != "strict"}  # is `right` now
    records = [
        Record(**each | {"retrieved": tuple(each["retrieved"]), "warnings": tuple(each["warnings"])}) for each in rows
    ]
    asked, given = (tuple(each for each in records if (each.stage == WITH_EVIDENCE) is it) for it in (False, True))
    notes = tuple(stood_in(asked, str(settings.get("answers", KEYLESS))))
    return Evaluation(data, split, asked, settings, at, notes, given)


def rename(number: int, note: str, engine: Engine, owner: str | None = None) -> None:
    """Give a run a name or a note, or take it away by an empty one."""
    with _session(engine, owner) as session:
        session.execute(update(RunRow).where(RunRow.id == number, _seen_by(owner)).values(note=note.strip() or None))


def delete(number: int, engine: Engine, owner: str | None = None) -> None:
    """Remove a run with its answers; nothing happens if there is none of that number that this owner may see."""
    with _session(engine, owner) as session:
        session.execute(delete_rows(RunRow).where(RunRow.id == number, _seen_by(owner)))


def _seen_by(owner: str | None) -> ColumnElement[bool]:
    return or_(RunRow.user_id.is_(None), RunRow.user_id == owner)


@contextmanager
def _session(engine: Engine, owner: str | None) -> Iterator[Session]:
    """A transaction in which row security shows what this owner may see."""
    ensure_schema(engine, _create)
    with owner_transaction(engine, owner or "") as connection, Session(connection) as session:
        yield session


def _create(connection: Connection) -> None:
    Base.metadata.create_all(connection, [Base.metadata.tables[row.__tablename__] for row in (RunRow, ResultRow)])
    connection.execute(text("ALTER TABLE evaluation_runs ADD COLUMN IF NOT EXISTS note varchar"))  # of older databases
    protect(connection, RunRow.__tablename__, f"user_id IS NULL OR {OWNED}")
    protect(connection, ResultRow.__tablename__, "run_id IN (SELECT id FROM evaluation_runs)")


# As files


def as_csv(evaluation: Evaluation) -> str:
    """One line for each answer, after a line of names."""
    last = ("retrieved", "warnings", "answered")
    plain = [*(each.name for each in fields(Record) if each.name not in ("metrics", *last)), "outcome"]
    metrics = [each for each in METRICS if each not in (*OUTCOMES, UNANSWERABLE)]
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, [*plain, *metrics, *last], extrasaction="ignore")
    writer.writeheader()
    for record in evaluation.records:
        item = as_json(record) | {"outcome": record.outcome}
        item |= item["metrics"] | {name: " ".join(item[name]) for name in ("retrieved", "warnings")}
        item["answered"] = ", ".join(f"{name}: {count}" for name, count in record.answered.items())
        writer.writerow({name: _cell(value) for name, value in item.items()})
    return file.getvalue()


def as_jsonl(evaluation: Evaluation) -> str:
    """One object for each answer, with its metrics by name."""
    return _lines(map(as_json, evaluation.records))


def _lines(items: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in items)


def as_json(record: Record) -> dict[str, Any]:
    """A record for JSON, without the metrics that have no value."""
    known = {name: value for name, value in record.metrics.items() if not math.isnan(value)}
    return vars(record) | {"metrics": known}


def ship(evaluation: Evaluation, path: Path) -> None:
    """Write a run, packed: a line that says what it is, then one for each answer; an earlier file stays until then."""
    head = {"data": evaluation.data, "split": evaluation.split, "settings": evaluation.settings}
    head |= {"at": evaluation.at.isoformat()}
    text = _lines([head, *map(as_json, (*evaluation.records, *evaluation.with_evidence))])
    with _writing(path):
        replace_file(path.resolve(), gzip.compress(text.encode(), mtime=0))


@cache
def shipped() -> dict[str, Evaluation]:
    """The reference runs by name, those on *test* first, with today's verdicts; LessonsError if they are missing."""
    found = {path.name.partition(".")[0]: read_run(path) for path in sorted(SHIPPED.glob("*.jsonl.gz"), reverse=True)}
    if not found:
        raise LessonsError(f"The reference runs are not at {SHIPPED}; run the workbook from its cloned folder.")
    return {name: _rejudged(run) for name, run in found.items()}


def _rejudged(run: Evaluation) -> Evaluation:
    """The run as the judge of today sees its answers, which no stage has to be asked for again."""
    questions = {each.id: each for each in golden_questions(run.split, SETS[run.data])}
    records, with_evidence = (
        tuple(rejudge(each, questions[each.question_id]) for each in part) for part in (run.records, run.with_evidence)
    )
    return replace(run, records=records, with_evidence=with_evidence)


def read_run(path: Path) -> Evaluation:
    """A run that `ship` wrote; LessonsError for any other file, and for one that is missing."""
    try:
        head, *records = map(json.loads, gzip.decompress(path.read_bytes()).splitlines())
        return _evaluation(**head | {"at": datetime.fromisoformat(head["at"]), "stored": records})
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError) as error:
        why = getattr(error, "strerror", None) or error
        raise LessonsError(f"{path} holds no run ({why}); `lessons gate --update` writes one.") from error


def export_csv(evaluation: Evaluation, path: Path) -> None:
    """Write the table as UTF-8 with a mark by which spreadsheets recognise it; LessonsError if it cannot be written."""
    with _writing(path):
        path.write_text(as_csv(evaluation), encoding="utf-8-sig", newline="")


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise LessonsError(f"{path} cannot be written: {error.strerror}; choose another file.") from error


def _cell(value: Any) -> Any:
    """A text that a spreadsheet would run as a formula is quoted, as OWASP advises against CSV injection."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
