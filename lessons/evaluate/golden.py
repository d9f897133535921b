"""Golden questions: what is asked, what the answer must say, and the very passages that it must rest on."""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from lessons.errors import LessonsError
from lessons.settings import ROOT
from lessons.text import normalize

GOLDEN = ROOT / "data" / "golden"
SPLITS = ("dev", "test")


@dataclass(frozen=True)
class Evidence:
    """A passage of a document. Without a quote the whole document is meant; `grade` is its relevance, 1 or more."""

    source_file: str
    quote: str = ""
    page: int | None = None
    grade: int = 1

    def covered_by(self, source_file: str, content: str) -> bool:
        """Whether a chunk holds all words of the quote, in order, letter case, white space and table bars aside.

        A quote that is cut by the border of two chunks is covered by neither: a reader of one of them would not know.
        """
        return source_file == self.source_file and _compact(self.quote) in _compact(content)


@dataclass(frozen=True)
class Golden:
    """A question with what is known about it. One without evidence cannot be answered from the documents.

    `key_facts` are the parts of the answer that must be right, each with its spellings separated by `|`.
    """

    id: str
    question: str
    language: str
    category: str
    answer: str = ""
    key_facts: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    history: tuple[tuple[str, str], ...] = ()
    split: str = "dev"
    owner: str = "reader"


@lru_cache(maxsize=4_096)
def _compact(text: str) -> str:
    return "".join(normalize(text).casefold().replace("|", " ").split())


def golden_questions(split: str, folder: Path = GOLDEN) -> list[Golden]:
    """The questions of a split from every `*.jsonl` of the folder, by file and line.

    LessonsError names the file and line of what cannot be read, and of an id that was used before.
    """
    found: dict[str, Golden] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            question = _question(line, f"{path.name}, line {number}")
            if question.id in found:
                raise LessonsError(
                    f"{path.name}, line {number}: the id {question.id!r} was used before; give it another."
                )
            found[question.id] = question
    chosen = [question for question in found.values() if question.split == split]
    if not chosen:
        raise LessonsError(f"There are no questions of the split {split!r} in {folder}; the splits are dev and test.")
    return chosen


def sample(questions: Sequence[Golden], limit: int | None, seed: int) -> list[Golden]:
    """At most `limit` questions drawn at random, the same for the same seed, in their own order."""
    if limit is None or limit >= len(questions):
        return list(questions)
    kept = sorted(random.Random(seed).sample(range(len(questions)), limit))
    return [questions[place] for place in kept]


def _question(line: str, place: str) -> Golden:
    try:
        return _from_dict(json.loads(line))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        reason = f"the field {error} is missing" if isinstance(error, KeyError) else str(error)
        raise LessonsError(
            f"{place} is not a golden question: {reason}; data/README.md describes the fields."
        ) from error


def _from_dict(item: dict[str, Any]) -> Golden:
    plain = {key: item[key] for key in ("id", "question", "language", "category", "split")}
    return Golden(
        **plain,
        answer=item.get("answer", ""),
        key_facts=tuple(item.get("key_facts", ())),
        evidence=tuple(Evidence(each["source_file"], each["quote"], each.get("page")) for each in item["evidence"]),
        history=tuple((turn["role"], turn["content"]) for turn in item.get("history", ())),
        owner=item.get("owner", "reader"),
    )
