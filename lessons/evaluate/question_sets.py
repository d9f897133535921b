"""Question sets from elsewhere: a reader's own file of questions, or a folder in BEIR layout with its corpus.

What would make a measurement wrong stops it with its line; a column or a document that is no use is named.
"""

import ast
import csv
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

from lessons.errors import LessonsError
from lessons.evaluate.golden import Evidence, Golden, check_regular, file_bytes
from lessons.evaluate.judge import is_unanswerable
from lessons.ingest.read.encoding import decode, is_noise
from lessons.models.keyless import NOT_FOUND
from lessons.models.replies import normalized
from lessons.rag.served_words import is_refusal
from lessons.settings import settings
from lessons.text import language, normalize

# A reader's own questions: a table (CSV), JSON, one JSON object a line, or one question a line

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

Row = tuple[str, dict[str, Any]]  # 'Line 2' or 'Entry 2', and its cells by the names of their columns
Teller = Callable[[str], object]
UNPLACED = "Passages are measured only beside a column source_file that names their documents."


def read_question_file(path: Path, owner: str, tell: Teller = lambda note: None) -> list[Golden]:
    """Read the questions of a file; LessonsError if it cannot be opened or used."""
    try:
        return read_questions(file_bytes(path), owner, path.name, tell)
    except OSError as error:
        raise LessonsError(f"{path} cannot be opened: {error.strerror or error}; name a file of questions.") from error


def read_questions(content: bytes | str, owner: str, name: str = "", tell: Teller = lambda note: None) -> list[Golden]:
    """Read the questions of a file of that `name`, to be asked as `owner`; `tell` gets which columns are ignored.

    LessonsError says which line is no use.
    """
    text = normalize((content if isinstance(content, str) else _decoded(content)).lstrip("\ufeff"))
    rows = [*_rows(text, name.lower().endswith((".csv", ".tsv")))]
    if not rows:
        raise LessonsError("There is no question in it; write one a line, or a table with a column named question.")
    if len(rows) > (limit := settings().own_questions):
        raise LessonsError(
            f"These are {len(rows):,} questions, and one run asks {limit:,} at the most: "
            "ask fewer, or raise LESSONS_OWN_QUESTIONS."
        )
    columns = [_columns(row) for _, row in rows]
    if not any("source_file" in names for names in columns) and [1 for names in columns if names.pop("evidence", "")]:
        tell(UNPLACED)
    pairs = [(*row, names) for row, names in zip(rows, columns, strict=True)]
    ignored = dict.fromkeys(name for _, row, names in pairs for name in row if row[name] and name not in names.values())
    if ignored:
        tell(f"Ignored: {', '.join(ignored)}.")
    return [_own_question(line, {key: row[name] for key, name in names.items()}, owner) for line, row, names in pairs]


def _decoded(content: bytes) -> str:
    decoded = decode(content)
    if decoded is None or is_noise(decoded[0]):
        raise LessonsError("This is no text that can be read; save the questions as CSV, JSON or TXT in UTF-8.")
    return decoded[0]


def _columns(names: Iterable[str]) -> dict[str, str]:
    """Map the keys of `COLUMNS` to the names that mean them; letter case, spaces and signs make no difference."""
    plain = {re.sub(r"[\W_]", "", name.casefold()): name for name in names}
    aliases = ((key, alias) for key, words in COLUMNS.items() for alias in reversed(words.replace("_", "").split()))
    return {key: plain[alias] for key, alias in aliases if alias in plain}


def _rows(text: str, is_table: bool) -> Iterator[Row]:
    """Split a text: JSON begins with a bracket, a table names its columns, and all else is a list of questions."""
    if re.match(r'\s*(\{|\[\s*["\[\]{])', text):
        return _json_rows(text)
    lines = re.sub(r"\Asep=.(?=\s)", "", text).splitlines()  # what Excel puts before a table
    filled = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    first = filled[0][1].strip() if filled else ""
    for separator in (",", ";", "\t"):
        with suppress(csv.Error):
            if "question" in _columns(next(csv.reader([first], delimiter=separator), [])):
                return _table_rows(lines, separator)
    if is_table and first:
        raise LessonsError(f"The table has no column named question; its first line is: {first[:100]}")
    return ((f"Line {number}", {"question": line}) for number, line in filled)


def _table_rows(lines: list[str], separator: str) -> Iterator[Row]:
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


def _json_rows(text: str) -> Iterator[Row]:
    """Yield the questions of one JSON document, or of several one after the other: an object a line."""
    position, count = 0, 0
    while start := re.compile(r"\S").search(text, position):
        line = text.count("\n", 0, start.start()) + 1
        try:
            item, position = json.JSONDecoder().raw_decode(text, start.start())
            item = normalized(item)
        except (ValueError, RecursionError) as error:
            raise LessonsError(f"What begins in line {line} is no JSON: {error}.") from error
        entries = item if isinstance(item, list) else _entries(item) or [item]
        for entry in entries:
            count += 1
            name = f"Line {line}" if entry is item else f"Entry {count}"
            row = {"question": entry} if isinstance(entry, str) else entry
            if not isinstance(row, dict) or "question" not in _columns(row):
                raise LessonsError(f"{name} has no question; write it under the key question.")
            yield name, row


def _entries(item: Any) -> list[Any]:
    """Find the questions in an object: itself, a list of objects somewhere in it, or columns with a cell for each."""
    if isinstance(item, list):
        return item if any(isinstance(entry, dict) and "question" in _columns(entry) for entry in item) else []
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


def _own_question(line: str, row: dict[str, Any], owner: str) -> Golden:
    texts = {key: _texts(line, key, row.get(key)) for key in ("question", "answer", "source_file", "evidence")}
    question, answer = " ".join(texts["question"]), "\n".join(texts["answer"])
    if not question:
        raise LessonsError(f"{line}: the question is empty; write one, or remove it.")
    if len(question) > (limit := settings().max_question_chars):
        raise LessonsError(f"{line}: the question is longer than {limit:,} characters; shorten it.")
    files, quotes, history = texts["source_file"], texts["evidence"], _history(line, row.get("history"))
    if quotes and not files:
        raise LessonsError(f"{line} has evidence, but no source_file that it stands in; name it.")
    if len(files) > 1 and quotes and len(files) != len(quotes):
        raise LessonsError(f"{line} has several files; name one for each passage of the evidence.")
    return Golden(
        id=line.lower().replace(" ", "-"),
        question=question,
        language=language(question),
        category="unanswerable" if "answer" in row and not answer and not files else "follow-up" if history else "own",
        answer=answer,
        evidence=tuple(map(Evidence, cycle(files), quotes) if quotes else map(Evidence, files)),
        history=history,
        split="all",
        owner=owner,
    )


def _texts(line: str, key: str, value: Any) -> list[str]:
    """Return the text of a cell, or each that it lists; None, and pandas' NaN, are no text."""
    items = _listed(value)
    texts = items if isinstance(items, list) and all(isinstance(item, str) for item in items) else [value]
    if not all(isinstance(text, str | int | float | None) for text in texts):
        raise LessonsError(f"{line}: {key} is no text.")
    return [str(text).strip() for text in texts if text is not None and text == text and str(text).strip()]


def _listed(cell: Any) -> Any:
    """Parse the list that a cell holds as JSON or, as pandas writes it, as Python; return any other cell as it is."""
    if isinstance(cell, str) and cell.strip().startswith("["):
        for read in (json.loads, ast.literal_eval):
            with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
                return normalized(read(cell.strip()))
    return cell


def _history(line: str, value: Any) -> tuple[tuple[str, str], ...]:
    """Parse the conversation: messages with role and content, or texts of user and assistant in turn."""
    turns = _listed(value)
    if isinstance(turns, str) and turns.strip().startswith("["):
        raise LessonsError(f"{line}: history begins like a JSON list and is none.")
    turns = turns.splitlines() if isinstance(turns, str) else turns or []
    messages: list[tuple[Any, Any]] = [
        (turn.get("role"), turn.get("content")) if isinstance(turn, dict) else (role, turn)
        for turn, role in zip(turns if isinstance(turns, list) else [None], cycle(["user", "assistant"]), strict=False)
    ]
    if not all(role in ("user", "assistant") and isinstance(text, str) for role, text in messages):
        raise LessonsError(f"{line}: history is no list of texts, or of messages with role and content.")
    return tuple(messages)


# The layout of the BEIR benchmark (Thakur et al., 2021): corpus, queries and judgements in a folder

LONGEST_FACT = 8  # words; a longer answer is a reference, not a fact that an answer has to state word by word
UNANSWERABLE = {"null", "null_query", "unanswerable"}  # values of `metadata.type`; `null_query` is MultiHop-RAG's
_GRADE = re.compile(r"-?\d{1,9}")

Judgements = dict[str, dict[str, int]]  # grades by question and document


@dataclass(frozen=True)
class BeirSet:
    """A corpus, text by id, with the judged questions of one split, whose evidence is whole documents."""

    name: str
    split: str
    documents: dict[str, str]
    questions: list[Golden]
    warnings: list[str]


def read_beir(folder: Path, split: str | None = None) -> BeirSet:
    """Read a set. Without a split, dev if it is there, else test. LessonsError says what to mend, and where."""
    split = split or ("dev" if os.path.exists(folder / "qrels" / "dev.tsv") else "test")
    documents, warnings = dict[str, str](), list[str]()
    for line, id_, item in _beir_objects(folder / "corpus.jsonl"):
        documents[id_] = _document_text(line, id_, item)
        if not documents[id_]:
            warnings.append(f"{line}: the document {id_!r} has no text and cannot be found.")
    judgements = _judgements(folder / "qrels" / f"{split}.tsv", documents)
    questions = _beir_questions(folder / "queries.jsonl", judgements, split)
    searchable = {id_: text for id_, text in documents.items() if text}
    return BeirSet(folder.resolve().name, split, searchable, questions, warnings)


def _document_text(line: str, id_: str, item: dict[str, Any]) -> str:
    """Return the text of a document; it begins with the title, where there is one."""
    limit = settings().max_document_chars
    text = "\n\n".join(filter(None, (_text(item, name, line) for name in ("title", "text"))))
    if len(text) > limit:
        raise LessonsError(
            f"{line}: the document {id_!r} has {len(text):,} characters, and {limit:,} are allowed; "
            "split it into several documents, or raise LESSONS_MAX_DOCUMENT_CHARS."
        )
    return text


def _beir_questions(path: Path, judgements: Judgements, split: str) -> list[Golden]:
    questions: dict[str, Golden] = {}
    for line, id_, item in _beir_objects(path):
        if not (text := _text(item, "text", line)):
            raise LessonsError(f"{line}: the question {id_!r} has no text; write one or remove the line.")
        questions[id_] = _beir_question(id_, text, item.get("metadata"), judgements.get(id_), split)
    if unknown := judgements.keys() - questions.keys():
        raise LessonsError(
            f"{path.name} has no question {min(unknown)!r}, which qrels/{split}.tsv judges; add or remove it."
        )
    return [
        question
        for question in questions.values()
        if question.evidence or (question.answer and is_unanswerable(question))
    ]


def _beir_question(id_: str, text: str, metadata: Any, grades: dict[str, int] | None, split: str) -> Golden:
    details = metadata if isinstance(metadata, dict) else {}
    kind, answer = str(details.get("type") or "all"), details.get("answer") or ""
    answers = [str(part) for part in (answer if isinstance(answer, list) else [answer]) if str(part)]
    facts = [fact for fact in answers if len(fact.split()) <= LONGEST_FACT]
    if grades is None and (kind in UNANSWERABLE or any(map(is_refusal, answers))):
        answers, facts = [NOT_FOUND["en"]], []
    evidence = tuple(Evidence(document, grade=grade) for document, grade in (grades or {}).items())
    reference, key_facts = next(iter(answers), ""), ("|".join(facts),) if facts else ()
    return Golden(id_, text, language(text), kind, reference, key_facts, evidence, split=split)


def _judgements(path: Path, documents: Collection[str]) -> Judgements:
    """Read the grades. One of 0 says that a document does not help, and is left out."""
    judgements: Judgements = {}
    for number, text in _lines(path):
        cells, line = [normalize(cell).strip() for cell in text.split("\t")], f"{path.name}, line {number}"
        if number == 1 and cells[-1:] == ["score"]:
            continue
        if len(cells) != 3 or not _GRADE.fullmatch(cells[2]):
            raise LessonsError(f"{line}: expected query-id, corpus-id and a whole number, separated by tabs.")
        question, document, grade = cells
        if document not in documents:
            raise LessonsError(f"{line}: the document {document!r} is not in corpus.jsonl; add it or remove the line.")
        if document in judgements.setdefault(question, {}):
            raise LessonsError(
                f"{line}: {question!r} and {document!r} are judged a second time; keep one of the lines."
            )
        judgements[question][document] = int(grade)
    relevant = {
        question: {document: grade for document, grade in grades.items() if grade > 0}
        for question, grades in judgements.items()
    }
    if not any(relevant.values()):
        raise LessonsError(f"{path.name} names no relevant document; a set needs at least one judged question.")
    return relevant


def _beir_objects(path: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the JSON objects of a file, each with its line and its `_id`, which is unique."""
    ids = set[str]()
    for number, text in _lines(path):
        line = f"{path.name}, line {number}"
        try:
            item = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise LessonsError(f"{line} is not JSON: {error}.") from error
        value = item.get("_id") if isinstance(item, dict) else None
        if not isinstance(value, str | int) or not (id_ := normalize(str(value)).strip()):
            raise LessonsError(f"{line}: expected a JSON object with an `_id`.")
        if id_ in ids:
            raise LessonsError(f"{line}: the id {id_!r} was used before; ids must differ.")
        ids.add(id_)
        yield line, id_, item


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, with their numbers, without reading the whole file into memory."""
    try:
        check_regular(path)
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                if text.strip():
                    yield number, text
    except UnicodeDecodeError as error:
        raise LessonsError(f"{path.name}, line {number}: not written in UTF-8; save the file as UTF-8.") from error
    except OSError as error:
        raise LessonsError(
            f"{path} cannot be read ({error.strerror}); a set in BEIR layout has corpus.jsonl, queries.jsonl "
            "and qrels/test.tsv or qrels/dev.tsv."
        ) from error


def _text(item: dict[str, Any], name: str, line: str) -> str:
    value = item.get(name) or ""
    if not isinstance(value, str):
        raise LessonsError(f"{line}: the field `{name}` is not a text.")
    return normalize(value).strip()
