"""What a reader makes of a file: its pages, each with its text and with the place of every heading in it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from lessons.ingest.read.encoding import repaired
from lessons.text import normalize


class FileError(Exception):
    """Why a file cannot be used, as the end of a sentence that begins with its name."""


class Block(NamedTuple):
    """A line, paragraph or table on its way into a page; a heading has a level and, if marked up, a label."""

    text: str
    level: int | None = None
    label: str | None = None


class Heading(NamedTuple):
    """Where a heading's line stands in the text of its page. Level 1 is the title of the document."""

    start: int
    end: int
    level: int
    text: str


@dataclass(frozen=True)
class Page:
    """A page or slide, or a whole file without pages (`number` None)."""

    number: int | None
    text: str
    headings: tuple[Heading, ...] = ()
    repaired: bool = False


@dataclass(frozen=True)
class Content:
    """A file as it was read. `title` and `created` are what the file's own metadata declare, `note` how it was read."""

    pages: list[Page]
    title: str | None = None
    created: date | None = None
    note: str | None = None


def page(number: int | None, blocks: Iterable[Block], separator: str = "\n") -> Page:
    """Join blocks into the cleaned text of a page, and find each heading's place in it."""
    texts: list[str] = []
    headings: list[Heading] = []
    position, changed = 0, False
    for block in blocks:
        whole = repaired(block.text)
        changed |= whole != block.text
        text = normalize(whole)
        if block.level is not None and text.strip():
            start = position + len(text) - len(text.lstrip())
            label = " ".join(normalize(repaired(block.label or text)).split())
            headings.append(Heading(start, start + len(text.strip()), block.level, label))
        texts.append(text)
        position += len(text) + len(separator)
    joined = separator.join(texts)
    cut = len(joined) - len(joined.lstrip())
    moved = tuple(heading._replace(start=heading.start - cut, end=heading.end - cut) for heading in headings)
    return Page(number, joined.strip(), moved, changed)
