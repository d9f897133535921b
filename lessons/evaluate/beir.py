"""Question sets in the layout of the BEIR benchmark (Thakur et al., 2021): corpus, queries and judgements in a folder.

What would make a measurement wrong stops it, with file and line; a document without words, as real sets have, does not.
"""

import json
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lessons.errors import LessonsError
from lessons.evaluate.golden import Evidence, Golden, check_regular
from lessons.evaluate.judge.judge import is_unanswerable
from lessons.models.keyless import NOT_FOUND
from lessons.rag.served_words import is_refusal
from lessons.settings import settings
from lessons.text import language, normalize

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
    texts = {name: (place, text) for place, name, text in _documents(folder / "corpus.jsonl")}
    judged = _judgements(folder / "qrels" / f"{split}.tsv", texts)
    questions = _questions(folder / "queries.jsonl", judged, split)
    searchable = {name: text for name, (_, text) in texts.items() if text}
    empty = [(place, name) for name, (place, text) in texts.items() if not text]
    warnings = [f"{place}: the document {name!r} has no text and cannot be found." for place, name in empty]
    return BeirSet(folder.resolve().name, split, searchable, questions, warnings)


def _documents(path: Path) -> Iterator[tuple[str, str, str]]:
    """Place, id and text of each; a text begins with the title, where there is one."""
    limit = settings().max_document_chars
    for place, name, item in _objects(path):
        text = "\n\n".join(filter(None, (_text(item, field, place) for field in ("title", "text"))))
        if len(text) > limit:
            raise LessonsError(
                f"{place}: the document {name!r} has {len(text):,} characters, and {limit:,} are allowed; "
                "split it into several documents, or raise LESSONS_MAX_DOCUMENT_CHARS."
            )
        yield place, name, text


def _questions(path: Path, judged: Judgements, split: str) -> list[Golden]:
    found: dict[str, Golden] = {}
    for place, name, item in _objects(path):
        if not (text := _text(item, "text", place)):
            raise LessonsError(f"{place}: the question {name!r} has no text; write one or remove the line.")
        found[name] = _question(name, text, item.get("metadata"), judged.get(name), split)
    if unknown := judged.keys() - found.keys():
        raise LessonsError(
            f"{path.name} has no question {min(unknown)!r}, which qrels/{split}.tsv judges; add or remove it."
        )
    return [each for each in found.values() if each.evidence or (each.answer and is_unanswerable(each))]


def _question(name: str, text: str, metadata: Any, grades: dict[str, int] | None, split: str) -> Golden:
    details = metadata if isinstance(metadata, dict) else {}
    kind, answer = str(details.get("type") or "all"), details.get("answer") or ""
    spellings = [str(each) for each in (answer if isinstance(answer, list) else [answer]) if str(each)]
    facts = [each for each in spellings if len(each.split()) <= LONGEST_FACT]
    if grades is None and (kind in UNANSWERABLE or any(map(is_refusal, spellings))):
        spellings, facts = [NOT_FOUND["en"]], []
    evidence = tuple(Evidence(document, grade=grade) for document, grade in (grades or {}).items())
    reference, key_facts = next(iter(spellings), ""), ("|".join(facts),) if facts else ()
    return Golden(name, text, language(text), kind, reference, key_facts, evidence, split=split)


def _judgements(path: Path, documents: Collection[str]) -> Judgements:
    """A grade of 0 says that a document does not help, and is left out."""
    found: Judgements = {}
    for number, line in _lines(path):
        fields, place = [normalize(part).strip() for part in line.split("\t")], f"{path.name}, line {number}"
        if number == 1 and fields[-1:] == ["score"]:
            continue
        if len(fields) != 3 or not _GRADE.fullmatch(fields[2]):
            raise LessonsError(f"{place}: expected query-id, corpus-id and a whole number, separated by tabs.")
        question, document, grade = fields
        if document not in documents:
            raise LessonsError(f"{place}: the document {document!r} is not in corpus.jsonl; add it or remove the line.")
        if document in found.setdefault(question, {}):
            raise LessonsError(
                f"{place}: {question!r} and {document!r} are judged a second time; keep one of the lines."
            )
        found[question][document] = int(grade)
    kept = {name: {key: grade for key, grade in grades.items() if grade > 0} for name, grades in found.items()}
    if not any(kept.values()):
        raise LessonsError(f"{path.name} names no relevant document; a set needs at least one judged question.")
    return kept


def _objects(path: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The JSON objects of a file, each with its place and its `_id`, which no other one has."""
    taken = set[str]()
    for number, line in _lines(path):
        place = f"{path.name}, line {number}"
        try:
            item = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise LessonsError(f"{place} is not JSON: {error}.") from error
        given = item.get("_id") if isinstance(item, dict) else None
        if not isinstance(given, str | int) or not (name := normalize(str(given)).strip()):
            raise LessonsError(f"{place}: expected a JSON object with an `_id`.")
        if name in taken:
            raise LessonsError(f"{place}: the id {name!r} was used before; ids must differ.")
        taken.add(name)
        yield place, name, item


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers; the file is never held in memory whole."""
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


def _text(item: dict[str, Any], field_name: str, place: str) -> str:
    value = item.get(field_name) or ""
    if not isinstance(value, str):
        raise LessonsError(f"{place}: the field `{field_name}` is not a text.")
    return normalize(value).strip()
