"""Golden questions: what is asked, what the answer must say, and the very passages that it must rest on."""

import errno
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from lessons.errors import LessonsError
from lessons.settings import ROOT, settings
from lessons.text import normalize

GOLDEN = ROOT / "data" / "golden"
SPLITS = ("dev", "test")
SETS = {"golden": GOLDEN, "multihop": GOLDEN / "multihop", "bilingual": GOLDEN / "bilingual"}
"""Questions on the shipped documents: of each kind, those that need several passages, facts asked in both languages."""
GAP = "…"
T = TypeVar("T")


def holds(text: str, quote: str) -> bool:
    """Return whether the text holds all words of the quote, in order. `…` stands for any words that are left out."""
    content, start = _compact(text), 0
    for part in map(_compact, quote.split(GAP)):
        position = content.find(part, start)
        if position < 0:
            return False
        start = position + len(part)
    return True


@lru_cache(maxsize=4_096)
def _compact(text: str) -> str:
    """Drop white space, letter case and the bars of tables, which may differ between a document and its chunks."""
    return "".join(normalize(text).casefold().replace("|", " ").split())


@dataclass(frozen=True)
class Evidence:
    """A fact that the answer rests on, and a passage that states it: the words, their document and page."""

    source_file: str
    quote: str = ""  # without one the whole document is meant
    page: int | None = None
    grade: int = 1  # the relevance, 1 or more
    any_of: tuple["Evidence", ...] = ()  # other passages, of which each is enough as well

    @property
    def passages(self) -> tuple["Evidence", ...]:
        """Every passage that states the fact, this one first."""
        return (self, *self.any_of)

    @property
    def files(self) -> "Evidence":
        """The documents of all passages, without the words."""
        first, *alternatives = (Evidence(name) for name in sorted({passage.source_file for passage in self.passages}))
        return replace(first, any_of=tuple(alternatives))

    def covered_by(self, source_file: str, content: str) -> bool:
        """Return whether a chunk holds the quote of a passage. A quote cut by a chunk border is covered by neither."""
        return any(passage.source_file == source_file and holds(content, passage.quote) for passage in self.passages)


@dataclass(frozen=True)
class Golden:
    """A question with what is known about it. One without evidence cannot be answered from the documents."""

    id: str
    question: str
    language: str
    category: str
    answer: str = ""
    key_facts: tuple[str, ...] = ()  # what of the answer must be right, the spellings of each separated by `|`
    evidence: tuple[Evidence, ...] = ()
    history: tuple[tuple[str, str], ...] = ()
    split: str = "dev"
    owner: str = "reader"


_GOLDEN = TypeAdapter(Golden)


def golden_questions(split: str, folder: Path = GOLDEN) -> list[Golden]:
    """Read the questions of a split from every `*.jsonl` of the folder; raise LessonsError if it has none."""
    lines = json_lines(*sorted(folder.glob("*.jsonl")))
    if questions := [golden_from(line) for line in lines if line["split"] == split]:
        return questions
    raise LessonsError(f"There are no questions of the split {split!r} in {folder}; the splits are dev and test.")


def golden_from(item: dict[str, Any]) -> Golden:
    """Build a question from an object as data/README.md describes it; raise ValidationError for a missing field."""
    history = [(turn["role"], turn["content"]) for turn in item.get("history", ())]
    return _GOLDEN.validate_python(item | {"history": history})


def json_lines(*files: Path) -> list[dict[str, Any]]:
    """Read the objects of files that hold one a line."""
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def sample(questions: Sequence[T], limit: int | None = None, seed: int = 0) -> list[T]:
    """Draw at most `limit` questions, and never more than LESSONS_EVALUATION_QUESTIONS, in their own order."""
    size = min(limit or len(questions), settings().evaluation_questions or len(questions), len(questions))
    positions = sorted(random.Random(seed).sample(range(len(questions)), size))
    return [questions[position] for position in positions]


def file_bytes(path: Path) -> bytes:
    """Read a file that a reader named; raise OSError for a device or a pipe, and beyond LESSONS_MAX_FILE_BYTES."""
    check_regular(path)
    if path.stat().st_size > settings().max_file_bytes:
        raise OSError(errno.EFBIG, "it is larger than LESSONS_MAX_FILE_BYTES allows")
    return path.read_bytes()


def check_regular(path: Path) -> None:
    """Raise OSError for what exists and is no file: a folder, or a device or a pipe, which may have no end."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is not a file")
