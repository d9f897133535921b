"""PDF: the text of each page with the size and weight of its letters, from which the headings are told."""

import logging
from collections.abc import Callable
from datetime import date
from math import hypot
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from lessons.ingest.read.page import Content, FileError, page
from lessons.ingest.read.pdf_headings import Bookmark, Line, compact, headed
from lessons.settings import settings

TAIL = 4_096  # bytes in which the end of the file must be marked
LONGEST_OUTLINE = 5_000
if TYPE_CHECKING:
    from pypdf import PdfReader

logging.getLogger("pypdf").setLevel(logging.ERROR)  # of every flaw that it mends it would tell
_BOLD = ("bold", "black", "heavy")


def read_pdf(path: Path) -> Content:
    """A page for each page. Refused are files that need a password, were cut off, or take too long."""
    from pypdf import PdfReader
    from pypdf.errors import FileNotDecryptedError, LimitReachedError

    _refuse_cut_off(path)
    try:
        return _content(PdfReader(path))
    except FileNotDecryptedError as error:
        raise FileError("is protected by a password; save a copy without one.") from error
    except LimitReachedError as error:
        raise FileError("would exhaust its reader and is refused; if you trust it, print it to a new PDF.") from error


def _content(reader: "PdfReader") -> Content:
    count, most = len(reader.pages), settings().max_pages
    if not count:
        raise FileError("is damaged: it holds no pages. Save or download it anew.")
    if count > most:
        raise FileError(f"has {count:,} pages, more than {most:,}; split it, or raise LESSONS_MAX_PAGES.")
    in_time = _Deadline(settings().max_read_seconds)
    lines = [_lines(pdf_page, in_time) for pdf_page in reader.pages]
    numbered = enumerate(headed(lines, _bookmarks(reader)), start=1)
    title, created = _declared(reader)
    return Content([page(number, blocks) for number, blocks in numbered], title, created)


class _Deadline:
    """Ends the reading of a page when time is up; a page may draw for hours."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._end = seconds, monotonic() + seconds

    def __call__(self, *_: object) -> None:
        if monotonic() > self._end:
            raise FileError(f"takes more than {self._seconds:.0f} seconds to read; split it into several files.")


def _lines(pdf_page, in_time: Callable[..., None]) -> list[Line]:
    """The lines of a page, each in the size and weight that most of its letters have."""
    in_time()
    lines: list[list[tuple[str, float, bool]]] = [[]]

    def visit(text: str, cm: list[float], tm: list[float], font: dict | None, size: float) -> None:
        scaled = round(2 * size * hypot(tm[2], tm[3]) * hypot(cm[2], cm[3])) / 2
        bold = any(word in str((font or {}).get("/BaseFont", "")).lower() for word in _BOLD)
        first, *others = text.split("\n")
        lines[-1].append((first, scaled, bold))
        lines.extend([(other, scaled, bold)] for other in others)

    pdf_page.extract_text(visitor_operand_before=in_time, visitor_text=visit)
    in_time()
    return [_line(parts) for parts in lines]


def _line(parts: list[tuple[str, float, bool]]) -> Line:
    letters: dict[tuple[float, bool], int] = {}
    for text, size, bold in parts:
        letters[size, bold] = letters.get((size, bold), 0) + len(text.strip())
    size, bold = max(letters, key=lambda style: letters[style], default=(0.0, False))
    return Line("".join(text for text, _, _ in parts), size, bold)


def _bookmarks(reader: "PdfReader") -> list[Bookmark]:
    """The outline that the file carries, if it is sound."""
    found: list[Bookmark] = []

    def collect(entries: list, depth: int) -> None:
        for entry in entries:
            if isinstance(entry, list):
                collect(entry, depth + 1)
            elif len(found) < LONGEST_OUTLINE and (number := reader.get_destination_page_number(entry)) is not None:
                found.append(Bookmark(number, compact(str(entry.title)), depth))

    try:
        collect(reader.outline, 1)
    except Exception:  # a broken outline says nothing; the letters do
        return []
    return found


def _declared(reader: "PdfReader") -> tuple[str | None, date | None]:
    try:
        information = reader.metadata
        created = information.creation_date if information else None
        return (information.title if information else None), created.date() if created else None
    except Exception:  # metadata that cannot be read declare nothing
        return None, None


def _refuse_cut_off(path: Path) -> None:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL))
        tail = file.read()
    if b"%%EOF" not in tail and b"startxref" not in tail:
        raise FileError("is cut off: its end is missing. Download or save it anew.")
