"""A run as a file for others: a table for spreadsheets, or one JSON object a line."""

import csv
import io
import json
import math
from dataclasses import fields
from pathlib import Path
from typing import Any

from lessons.errors import LessonsError
from lessons.evaluate.evaluation import METRICS, Evaluation, Record

_LISTS = ("retrieved", "warnings", "answered")


def as_csv(evaluation: Evaluation) -> str:
    """One line for each answer, after a line of names."""
    plain = [name.name for name in fields(Record) if name.name not in ("metrics", *_LISTS)]
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow([*plain, *METRICS, *_LISTS])
    for record in evaluation.records:
        values = [_cell(getattr(record, name)) for name in plain]
        scores = [None if math.isnan(record.value(metric)) else record.value(metric) for metric in METRICS]
        answered = ", ".join(f"{name}: {count}" for name, count in record.answered.items())
        lists = " ".join(record.retrieved), " ".join(record.warnings), answered
        writer.writerow([*values, *scores, *map(_cell, lists)])
    return file.getvalue()


def as_jsonl(evaluation: Evaluation) -> str:
    """One object for each answer, with its metrics by name."""
    return "".join(json.dumps(as_json(record), ensure_ascii=False) + "\n" for record in evaluation.records)


def as_json(record: Record) -> dict[str, Any]:
    """A record for JSON, without the metrics that have no value."""
    values = {each.name: getattr(record, each.name) for each in fields(record)}
    return values | {"metrics": {name: value for name, value in record.metrics.items() if not math.isnan(value)}}


def export_csv(evaluation: Evaluation, path: Path) -> None:
    """Write the table as UTF-8 with a mark by which spreadsheets recognise it.

    LessonsError if the file cannot be written.
    """
    try:
        path.write_bytes(as_csv(evaluation).encode("utf-8-sig"))
    except OSError as error:
        raise LessonsError(f"{path} cannot be written: {error.strerror}; choose another file.") from error


def _cell(value: Any) -> Any:
    """A text that a spreadsheet would run as a formula is quoted, as OWASP advises against CSV injection."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
