"""Question sets from elsewhere: a reader's own file of questions, or a folder in BEIR layout with its corpus.

What would make a measurement wrong stops it with its line; a column or a document that is no use is named.
"""

import csv
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from itertools import cycle
from pathlib import Path
from typing import Any

from lessons.errors import LessonsError
from lessons.evaluate.golden import Evidence, Golden, check_regular, file_bytes
from lessons.evaluate.judge import is_unanswerable
from lessons.ingest.read.text import decode, is_noise
from lessons.models.keyless import NOT_FOUND
from lessons.models.replies import normalized
from lessons.rag.served_words import is_refusal
from lessons.settings import settings
from lessons.text import language, normalize

# A reader's own questions: a table (CSV), JSON objects, or one question a line

COLUMNS = {  # their names here and in ragas, LlamaIndex, LangSmith and DeepEval; the first one that is there counts
    "question": "question user_input query input 질문",
    "answer": "reference ground_truth ground_truths reference_answer expected_answer expected_output answer 정답 답",
    "source_file": "source_file source file_name 출처 파일",
    "evidence": "evidence reference_contexts retrieved_contexts contexts context 근거",
    "history": "history",
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
    if isinstance(content, bytes):
        decoded = decode(content)
        if decoded is None or is_noise(decoded[0]):
            raise LessonsError("This is no text that can be read; save the questions as CSV, JSON or TXT in UTF-8.")
        content = decoded[0]
    text = normalize(content.lstrip("\ufeff"))
    rows = _json_rows(text) if re.match(r"\s*(\{|\[\s*\{)", text) else _table_rows(text, name.endswith(".csv"))
    if not rows:
        raise LessonsError("There is no question in it; write one a line, or a table with a column named question.")
    if len(rows) > (limit := settings().own_questions):
        raise LessonsError(
            f"These are {len(rows):,} questions, and one run asks {limit:,} at the most: "
            "ask fewer, or raise LESSONS_OWN_QUESTIONS."
        )
    columns = _columns(name for _, row in rows for name in row)
    if "source_file" not in columns and columns.pop("evidence", ""):
        tell(UNPLACED)
    if ignored := dict.fromkeys(name for _, row in rows for name in row if row[name] and name not in columns.values()):
        tell(f"Ignored: {', '.join(ignored)}.")
    by_key = ((line, {key: row[name] for key, name in columns.items() if name in row}) for line, row in rows)
    return [_own_question(line, row, owner) for line, row in by_key]


def _columns(names: Iterable[str]) -> dict[str, str]:
    """Map the keys of `COLUMNS` to the names that mean them; letter case, spaces and signs make no difference."""
    plain = {re.sub(r"[\W_]", "", name.casefold()): name for name in names}
    aliases = ((key, alias) for key, words in COLUMNS.items() for alias in reversed(words.replace("_", "").split()))
    return {key: plain[alias] for key, alias in aliases if alias in plain}


def _table_rows(text: str, is_table: bool) -> list[Row]:
    """Split a table by the separator with which its first line names a column `question`; else a question a line."""
    lines = list(StringIO(text.strip(), newline=""))
    head = lines[0].strip() if lines else ""
    separator = next((separator for separator in ",;\t" if "question" in _columns(head.split(separator))), "")
    if not separator and is_table and head:
        raise LessonsError(f"The table has no column named question; its first line is: {head[:100]}")
    if not separator:
        return [(f"Line {number}", {"question": line}) for number, line in enumerate(lines, start=1) if line.strip()]
    table, rows = csv.DictReader(lines, delimiter=separator), list[Row]()
    try:
        for row in table:
            if None in row:
                raise ValueError("it has more cells than the first; put its texts in quotes")
            rows += [(f"Line {table.line_num}", row)] if any(row.values()) else []
    except (csv.Error, ValueError) as error:
        raise LessonsError(f"Line {table.line_num} is no row of a table: {error}.") from error
    return rows


def _json_rows(text: str) -> list[Row]:
    """Read a list of objects, or an object a line."""
    try:
        if text.lstrip().startswith("["):
            items = json.loads(text)
        else:
            items = [json.loads(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError) as error:
        raise LessonsError(f"This begins like JSON and is none: {error}.") from error
    rows = [(f"Entry {number}", normalized(item)) for number, item in enumerate(items, start=1)]
    for name, item in rows:
        if not isinstance(item, dict) or "question" not in _columns(item):
            raise LessonsError(f"{name} has no question; write it under the key question.")
    return rows


def _own_question(line: str, row: dict[str, Any], owner: str) -> Golden:
    texts = {key: _texts(line, key, value) for key, value in row.items()}
    question, answer = " ".join(texts.get("question", ())), "\n".join(texts.get("answer", ()))
    if not question:
        raise LessonsError(f"{line}: the question is empty; write one, or remove it.")
    if len(question) > (limit := settings().max_question_chars):
        raise LessonsError(f"{line}: the question is longer than {limit:,} characters; shorten it.")
    files, quotes, history = (texts.get(key, []) for key in ("source_file", "evidence", "history"))
    if quotes and len(files) not in (1, len(quotes)):
        raise LessonsError(f"{line} has evidence; name the source_file of each passage, or one for all.")
    is_unanswerable = "answer" in row and not answer and not files
    return Golden(
        id=line.lower().replace(" ", "-"),
        question=question,
        language=language(question),
        category="unanswerable" if is_unanswerable else "follow-up" if history else "own",
        answer=answer,
        evidence=tuple(map(Evidence, cycle(files), quotes) if quotes else map(Evidence, files)),
        history=tuple(zip(cycle(["user", "assistant"]), history, strict=False)),
        split="all",
        owner=owner,
    )


def _texts(line: str, key: str, value: Any) -> list[str]:
    """Return the text of a cell, or each that it lists."""
    texts = value if isinstance(value, list) else [value]
    if not all(isinstance(text, str | int | float | None) for text in texts):
        raise LessonsError(f"{line}: {key} is no text.")
    return [str(text).strip() for text in texts if text is not None and str(text).strip()]


# The layout of the BEIR benchmark (Thakur et al., 2021): corpus, queries and judgements in a folder

LONGEST_FACT = 8  # words; a longer answer is a reference, not a fact that an answer has to state word by word
UNANSWERABLE = {"null", "null_query", "unanswerable"}  # values of `metadata.type`; `null_query` is MultiHop-RAG's


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
    queries = {id_: (line, item) for line, id_, item in _beir_objects(folder / "queries.jsonl")}
    questions = [_beir_question(line, id_, item, judgements.get(id_), split) for id_, (line, item) in queries.items()]
    if unknown := judgements.keys() - queries.keys():
        raise LessonsError(f"queries.jsonl has no question {min(unknown)!r}, which qrels/{split}.tsv judges; add it.")
    asked = [question for question in questions if question.evidence or (question.answer and is_unanswerable(question))]
    searchable = {id_: text for id_, text in documents.items() if text}
    return BeirSet(folder.resolve().name, split, searchable, asked, warnings)


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


def _beir_question(line: str, id_: str, item: dict[str, Any], grades: dict[str, int] | None, split: str) -> Golden:
    if not (text := _text(item, "text", line)):
        raise LessonsError(f"{line}: the question {id_!r} has no text; write one or remove the line.")
    details = item["metadata"] if isinstance(item.get("metadata"), dict) else {}
    kind, answer = str(details.get("type") or "all"), details.get("answer") or ""
    answers = [str(part) for part in (answer if isinstance(answer, list) else [answer]) if str(part)]
    facts = [fact for fact in answers if len(fact.split()) <= LONGEST_FACT]
    if grades is None and (kind in UNANSWERABLE or any(map(is_refusal, answers))):
        answers, facts = [NOT_FOUND["en"]], []
    evidence = tuple(Evidence(document, grade=grade) for document, grade in (grades or {}).items())
    reference, key_facts = next(iter(answers), ""), ("|".join(facts),) if facts else ()
    return Golden(id_, text, language(text), kind, reference, key_facts, evidence, split=split)


def _judgements(path: Path, documents: Collection[str]) -> dict[str, dict[str, int]]:
    """Read the grades by question and document. One of 0 says that a document does not help, and is left out."""
    judgements: dict[str, dict[str, int]] = {}
    for line, text in _lines(path):
        cells = [normalize(cell).strip() for cell in text.split("\t")]
        if not judgements and cells[-1] == "score":
            continue
        if len(cells) != 3 or not re.fullmatch(r"-?\d{1,9}", cells[2]):
            raise LessonsError(f"{line}: expected query-id, corpus-id and a whole number, separated by tabs.")
        question, document, grade = cells
        if document not in documents:
            raise LessonsError(f"{line}: the document {document!r} is not in corpus.jsonl; add it or remove the line.")
        grades = judgements.setdefault(question, {})
        if int(grade) > 0:
            grades[document] = int(grade)
    if not any(judgements.values()):
        raise LessonsError(f"{path.name} names no relevant document; a set needs at least one judged question.")
    return judgements


def _beir_objects(path: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the JSON objects of a file, each with its line and its `_id`, which is unique."""
    ids = set[str]()
    for line, text in _lines(path):
        try:
            item = json.loads(text)
            id_ = normalize(str(item["_id"])).strip()
        except (ValueError, RecursionError, TypeError, KeyError) as error:
            raise LessonsError(f"{line}: expected a JSON object with an `_id`.") from error
        if id_ in ids:
            raise LessonsError(f"{line}: the id {id_!r} was used before; ids must differ.")
        ids.add(id_)
        yield line, id_, item


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the lines that are not blank, each after its place, without reading the whole file into memory."""
    try:
        check_regular(path)
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield f"{path.name}, line {number}", line.rstrip("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", "") or error
        raise LessonsError(
            f"{path} cannot be read ({reason}); a set in BEIR layout has corpus.jsonl, queries.jsonl "
            "and qrels/test.tsv or qrels/dev.tsv."
        ) from error


def _text(item: dict[str, Any], name: str, line: str) -> str:
    value = item.get(name) or ""
    if not isinstance(value, str):
        raise LessonsError(f"{line}: the field `{name}` is not a text.")
    return normalize(value).strip()
