"""A reader's own question set: a table (CSV), one JSON object a line, or one question a line."""

import csv
import io
import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from typing import Any

from lessons.errors import LessonsError
from lessons.evaluate.golden import Evidence, Golden, file_bytes
from lessons.ingest.read.encoding import decode, is_noise
from lessons.models.reply import normalized
from lessons.settings import settings
from lessons.text import language, normalize

COLUMNS = {  # the names that they may carry; only the question is needed
    "question": ("question", "질문"),
    "answer": ("answer", "답", "답변", "정답"),
    "source_file": ("source_file", "source", "file", "출처", "파일"),
    "evidence": ("evidence", "quote", "근거"),
    "history": ("history", "대화"),
}
EXAMPLE = """question,answer,source_file,evidence
When does the kiosk open?,At 7:30,kiosk.md,The kiosk opens at 7:30.
도서관은 몇 시에 열어요?,오전 9시,,"""

Row = tuple[int, dict[str, Any]]  # the number of a line, and what it says by the names of `COLUMNS`


def read_questions(content: bytes | str, owner: str, name: str = "") -> list[Golden]:
    """The questions of a set, asked as `owner`, from a file of that `name`; LessonsError says which line is no use."""
    text = content if isinstance(content, str) else _decoded(content)
    lines = normalize(text.lstrip("\ufeff")).splitlines()
    found = [_question(number, row, owner) for number, row in _rows(lines, name.lower().endswith((".csv", ".tsv")))]
    if not found:
        raise LessonsError("There is no question in it; write one a line, or a table with a column named question.")
    if len(found) > (most := settings().own_questions):
        raise LessonsError(
            f"These are {len(found):,} questions, and one run asks {most:,} at the most: "
            "ask fewer, or raise LESSONS_OWN_QUESTIONS."
        )
    return found


def read_question_file(path: Path, owner: str) -> list[Golden]:
    """The questions of a file; LessonsError if it cannot be opened or used."""
    try:
        return read_questions(file_bytes(path), owner, path.name)
    except OSError as error:
        raise LessonsError(f"{path} cannot be opened: {error.strerror or error}; name a file of questions.") from error


def _decoded(content: bytes) -> str:
    decoded = decode(content)
    if decoded is None or is_noise(decoded[0]):
        raise LessonsError("This is no text that can be read; save the questions as CSV, JSONL or TXT in UTF-8.")
    return decoded[0]


def _rows(lines: list[str], is_table: bool) -> Iterator[Row]:
    """A table names its columns in its first line, JSON begins with a brace, and all else is a list of questions."""
    filled = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    first = filled[0][1].strip() if filled else ""
    if first.startswith("{"):
        return _objects(filled)
    for separator in (",", ";", "\t"):
        with suppress(csv.Error):
            if "question" in _named(next(csv.reader([first], delimiter=separator), [])):
                return _table(lines, separator)
    if is_table and first:
        raise LessonsError(f"The table has no column named question; its first line is: {first[:100]}")
    return ((number, {"question": line}) for number, line in filled)


def _named(header: list[str]) -> list[str]:
    known = {alias: name for name, aliases in COLUMNS.items() for alias in aliases}
    return [known.get(cell.strip().casefold(), "") for cell in header]


def _table(lines: list[str], separator: str) -> Iterator[Row]:
    reader = csv.reader(io.StringIO("\n".join(lines)), delimiter=separator)
    try:
        filled = (cells for cells in reader if any(cell.strip() for cell in cells))
        header = _named(next(filled))
        for cells in filled:
            yield reader.line_num, {name: cell for name, cell in zip(header, cells, strict=False) if name}
    except csv.Error as error:
        raise LessonsError(f"Line {reader.line_num} is no row of a table: {error}.") from error


def _objects(filled: list[tuple[int, str]]) -> Iterator[Row]:
    for number, line in filled:
        try:
            item = normalized(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise LessonsError(f"Line {number} is no JSON: {error}.") from error
        if not isinstance(item, dict) or "question" not in (named := _named(list(item))):
            raise LessonsError(f"Line {number} has no question; write an object with the key question a line.")
        yield number, {name: value for name, value in zip(named, item.values(), strict=True) if name}


def _question(number: int, row: dict[str, Any], owner: str) -> Golden:
    words = {key: _words(number, key, row.get(key)) for key in ("question", "answer", "source_file", "evidence")}
    question, most = words["question"], settings().max_question_chars
    if not question:
        raise LessonsError(f"The question in line {number} is empty; write one, or remove the line.")
    if len(question) > most:
        raise LessonsError(f"The question in line {number} is longer than {most:,} characters; shorten it.")
    if words["evidence"] and not words["source_file"]:
        raise LessonsError(f"Line {number} has evidence, but no source_file that it stands in; name it.")
    history = _history(number, row.get("history"))
    unanswerable = "answer" in row and not words["answer"] and not words["source_file"]
    category = "unanswerable" if unanswerable else "follow-up" if history else "own"
    evidence = (Evidence(words["source_file"], words["evidence"]),) if words["source_file"] else ()
    known = question, language(question), category, words["answer"]
    return Golden(f"line-{number}", *known, evidence=evidence, history=history, split="all", owner=owner)


def _words(number: int, key: str, value: Any) -> str:
    if not isinstance(value, str | int | float | None):
        raise LessonsError(f"Line {number}: {key} is no text.")
    return "" if value is None else str(value).strip()


def _history(number: int, value: Any) -> tuple[tuple[str, str], ...]:
    """What was said before: messages with role and content, or texts of user and assistant in turn."""
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            value = normalized(json.loads(value))
        except (ValueError, RecursionError):
            raise LessonsError(f"Line {number}: history begins like a JSON list and is none.") from None
    said = value.splitlines() if isinstance(value, str) else value or []
    messages: list[tuple[Any, Any]] = [
        (each.get("role"), each.get("content")) if isinstance(each, dict) else (role, each)
        for each, role in zip(said if isinstance(said, list) else [None], cycle(["user", "assistant"]), strict=False)
    ]
    if not all(role in ("user", "assistant") and isinstance(text, str) for role, text in messages):
        raise LessonsError(f"Line {number}: history is no list of texts, or of messages with role and content.")
    return tuple(messages)
