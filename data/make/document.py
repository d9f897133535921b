"""A document as a list of blocks, before it becomes a file."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import PurePosixPath


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is a chapter (a new slide in PPTX), 2 a section (a new slide too), 3 stays on the slide."""

    text: str
    level: int = 1


@dataclass(frozen=True)
class Paragraph:
    """Running text."""

    text: str


@dataclass(frozen=True)
class Bullets:
    """An unordered list."""

    items: Sequence[str]


@dataclass(frozen=True)
class Steps:
    """A numbered list."""

    items: Sequence[str]


@dataclass(frozen=True)
class Table:
    """Rows of cells, the first row is the header; the caption stands above."""

    rows: Sequence[Sequence[str]]
    caption: str = ""


@dataclass(frozen=True)
class Footnote:
    """Small print."""

    text: str


@dataclass(frozen=True)
class Code:
    """Text kept as it is, line by line."""

    text: str


@dataclass(frozen=True)
class Notes:
    """What the speaker says on this slide; formats other than PPTX leave it out."""

    text: str


@dataclass(frozen=True)
class PageBreak:
    """A new page in PDF and DOCX."""


Block = Heading | Paragraph | Bullets | Steps | Table | Footnote | Code | Notes | PageBreak


@dataclass(frozen=True)
class Document:
    """One file of the corpus.

    `path` is relative to `data/corpus`; its suffix (.pdf .docx .pptx .html .md) chooses the format.
    `header` and `footer` are printed on every PDF page (empty: only the page number);
    `nav` and `footer` become the boilerplate of an HTML page.
    """

    path: str
    title: str
    language: str  # "en" or "ko"
    world: str
    doc_type: str
    date: date
    blocks: Sequence[Block]
    owner: str = "reader"
    subtitle: str = ""
    author: str = ""
    header: str = ""
    footer: str = ""
    nav: Sequence[str] = ()
    extra: dict[str, str | int] = field(default_factory=dict)  # more manifest fields: company, year, quarter …

    @property
    def suffix(self) -> str:
        """The format, `.pdf` for example."""
        return PurePosixPath(self.path).suffix

    def manifest(self) -> dict[str, str | int]:
        """Return this document's line in `data/corpus/manifest.jsonl`."""
        return {
            "path": self.path,
            "owner": self.owner,
            "language": self.language,
            "world": self.world,
            "title": self.title,
            "doc_type": self.doc_type,
            "date": self.date.isoformat(),
            **self.extra,
        }
