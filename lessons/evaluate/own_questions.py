"""A reader's own question set: a table (CSV), JSON, one JSON object a line, or one question a line."""

import ast
import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from typing import Any

from lessons.errors import LessonsError
from lessons.evaluate.golden import Evidence, Golden, file_bytes
from lessons.ingest.read.encoding import decode, is_noise
from lessons.models.replies import normalized
from lessons.settings import settings
from lessons.text import language, normalize

COLUMNS = {  # their names here and in ragas, LlamaIndex, LangSmith and DeepEval; the first one that is there counts
    "question": "question questions user_input query queries input prompt 질문 질의",
    "answer": "reference ground_truth ground_truths reference_answer expected_answer expected_output answer answers "
    "정답 모범답안 답 답변",
    "source_file": "source_file source_files source file file_name document 출처 파일 파일명 문서",
    "evidence": "evidence quote reference_contexts ground_truth_contexts contexts context 근거",
    "history": "history chat_history 대화",
}
EXAMPLE = """question,answer,source_file,evidence
When does the kiosk open?,At 7:30,kiosk.md,The kiosk opens at 7:30.
도서관은 몇 시에 열어요?,오전 9시,,"""

Row = tuple[str, dict[str, Any]]  # 'Line 2' or 'Entry 2', and what it says by the names of its columns
Teller = Callable[[str], object]
UNPLACED = "Passages are measured only beside a column source_file that names their documents."


def read_questions(content: bytes | str, owner: str, name: str = "", tell: Teller = lambda note: None) -> list[Golden]:
    """The questions of a set, asked as `owner`, from a file of that `name`; `tell` hears which columns are ignored.

    LessonsError says which line is no use.
    """
    text = normalize((content if isinstance(content, str) else _decoded(content)).lstrip("\ufeff"))
    rows = [*_rows(text, name.lower().endswith((".csv", ".tsv")))]
    if not rows:
        raise LessonsError("There is no question in it; write one a line, or a table with a column named question.")
    if len(rows) > (most := settings().own_questions):
        raise LessonsError(
            f"These are {len(rows):,} questions, and one run asks {most:,} at the most: "
            "ask fewer, or raise LESSONS_OWN_QUESTIONS."
        )
    columns = [_columns(row) for _, row in rows]
    if not any("source_file" in each for each in columns) and [each for each in columns if each.pop("evidence", "")]:
        tell(UNPLACED)
    pairs = [(where, row, each) for (where, row), each in zip(rows, columns, strict=True)]
    ignored = dict.fromkeys(name for _, row, each in pairs for name in row if row[name] and name not in each.values())
    if ignored:
        tell(f"Ignored: {', '.join(ignored)}.")
    return [_question(where, {key: row[name] for key, name in each.items()}, owner) for where, row, each in pairs]


def read_question_file(path: Path, owner: str, tell: Teller = lambda note: None) -> list[Golden]:
    """The questions of a file; LessonsError if it cannot be opened or used."""
    try:
        return read_questions(file_bytes(path), owner, path.name, tell)
    except OSError as error:
        raise LessonsError(f"{path} cannot be opened: {error.strerror or error}; name a file of questions.") from error


def _decoded(content: bytes) -> str:
    decoded = decode(content)
    if decoded is None or is_noise(decoded[0]):
        raise LessonsError("This is no text that can be read; save the questions as CSV, JSON or TXT in UTF-8.")
    return decoded[0]


def _columns(names: Iterable[str]) -> dict[str, str]:
    """The names that are known, by those of `COLUMNS`; letter case, spaces and signs make no difference."""
    there = {re.sub(r"[\W_]", "", name.casefold()): name for name in names}
    aliases = ((key, alias) for key, known in COLUMNS.items() for alias in reversed(known.replace("_", "").split()))
    return {key: there[alias] for key, alias in aliases if alias in there}


def _rows(text: str, is_table: bool) -> Iterator[Row]:
    """JSON begins with a bracket, a table names its columns in its first line, and all else is a list of questions."""
    if re.match(r'\s*(\{|\[\s*["\[\]{])', text):
        return _objects(text)
    lines = re.sub(r"\Asep=.(?=\s)", "", text).splitlines()  # what Excel puts before a table
    filled = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    first = filled[0][1].strip() if filled else ""
    for separator in (",", ";", "\t"):
        with suppress(csv.Error):
            if "question" in _columns(next(csv.reader([first], delimiter=separator), [])):
                return _table(lines, separator)
    if is_table and first:
        raise LessonsError(f"The table has no column named question; its first line is: {first[:100]}")
    return ((f"Line {number}", {"question": line}) for number, line in filled)


def _table(lines: list[str], separator: str) -> Iterator[Row]:
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=separator)
    try:
        filled = (cells for cells in reader if any(cell.strip() for cell in cells))
        head = [*map(str.strip, next(filled))]
        names = [name if name and name not in head[:at] else f"#{at + 1}" for at, name in enumerate(head)]
        for cells in filled:
            if any(cell.strip() for cell in cells[len(head) :]):
                raise LessonsError(f"Line {reader.line_num} has more cells than the first; put its texts in quotes.")
            yield f"Line {reader.line_num}", dict(zip(names, cells, strict=False))
    except csv.Error as error:
        raise LessonsError(f"Line {reader.line_num} is no row of a table: {error}.") from error


def _objects(text: str) -> Iterator[Row]:
    """The questions of one JSON document, or of several one after the other: an object a line."""
    at, count = 0, 0
    while begun := re.compile(r"\S").search(text, at):
        line = text.count("\n", 0, begun.start()) + 1
        try:
            item, at = json.JSONDecoder().raw_decode(text, begun.start())
            item = normalized(item)
        except (ValueError, RecursionError) as error:
            raise LessonsError(f"What begins in line {line} is no JSON: {error}.") from error
        entries = item if isinstance(item, list) else _entries(item) or [item]
        for entry in entries:
            count += 1
            where = f"Line {line}" if entry is item else f"Entry {count}"
            row = {"question": entry} if isinstance(entry, str) else entry
            if not isinstance(row, dict) or "question" not in _columns(row):
                raise LessonsError(f"{where} has no question; write it under the key question.")
            yield where, row


def _entries(item: Any) -> list[Any]:
    """The questions in an object: itself, a list of objects somewhere in it, or columns with a cell for each."""
    if isinstance(item, list):
        return item if any(isinstance(each, dict) and "question" in _columns(each) for each in item) else []
    if not isinstance(item, dict):
        return []
    name = _columns(item).get("question")
    columns = {key: dict(enumerate(cells)) if isinstance(cells, list) else cells for key, cells in item.items()}
    if name and not isinstance(columns[name], dict):
        return [item]
    if entries := next(filter(None, map(_entries, item.values())), []):
        return entries
    return [
        {key: cells[at] if isinstance(cells, dict) and at in cells else cells for key, cells in columns.items()}
        for at in (columns[name] if name else ())
    ]


def _question(where: str, row: dict[str, Any], owner: str) -> Golden:
    texts = {key: _texts(where, key, row.get(key)) for key in ("question", "answer", "source_file", "evidence")}
    question, answer = " ".join(texts["question"]), "\n".join(texts["answer"])
    if not question:
        raise LessonsError(f"{where}: the question is empty; write one, or remove it.")
    if len(question) > (most := settings().max_question_chars):
        raise LessonsError(f"{where}: the question is longer than {most:,} characters; shorten it.")
    files, quotes, history = texts["source_file"], texts["evidence"], _history(where, row.get("history"))
    if quotes and not files:
        raise LessonsError(f"{where} has evidence, but no source_file that it stands in; name it.")
    if len(files) > 1 and quotes and len(files) != len(quotes):
        raise LessonsError(f"{where} has several files; name one for each passage of the evidence.")
    evidence = tuple(map(Evidence, cycle(files), quotes) if quotes else map(Evidence, files))
    unanswerable = "answer" in row and not answer and not files
    category = "unanswerable" if unanswerable else "follow-up" if history else "own"
    known = where.lower().replace(" ", "-"), question, language(question), category, answer
    return Golden(*known, evidence=evidence, history=history, split="all", owner=owner)


def _texts(where: str, key: str, value: Any) -> list[str]:
    """The text of a cell, or each that it lists; None, and pandas' NaN, are no text."""
    listed = _listed(value)
    texts = listed if isinstance(listed, list) and all(isinstance(each, str) for each in listed) else [value]
    if not all(isinstance(each, str | int | float | None) for each in texts):
        raise LessonsError(f"{where}: {key} is no text.")
    return [str(each).strip() for each in texts if each is not None and each == each and str(each).strip()]


def _listed(cell: Any) -> Any:
    """The list that a cell holds as JSON or, as pandas writes it, as Python; else the cell itself."""
    if isinstance(cell, str) and cell.strip().startswith("["):
        for read in (json.loads, ast.literal_eval):
            with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
                return normalized(read(cell.strip()))
    return cell


def _history(where: str, value: Any) -> tuple[tuple[str, str], ...]:
    """What was said before: messages with role and content, or texts of user and assistant in turn."""
    said = _listed(value)
    if isinstance(said, str) and said.strip().startswith("["):
        raise LessonsError(f"{where}: history begins like a JSON list and is none.")
    said = said.splitlines() if isinstance(said, str) else said or []
    messages: list[tuple[Any, Any]] = [
        (each.get("role"), each.get("content")) if isinstance(each, dict) else (role, each)
        for each, role in zip(said if isinstance(said, list) else [None], cycle(["user", "assistant"]), strict=False)
    ]
    if not all(role in ("user", "assistant") and isinstance(text, str) for role, text in messages):
        raise LessonsError(f"{where}: history is no list of texts, or of messages with role and content.")
    return tuple(messages)
