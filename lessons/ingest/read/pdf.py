"""PDF: the text of each page, and which of its lines are headings, by the bookmarks of the file or by the letters."""

import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import groupby
from math import hypot
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lessons.ingest.read.page import Allowance, Block, Content, FileError, page
from lessons.settings import settings

if TYPE_CHECKING:
    from pypdf import PdfReader

TAIL = 4_096  # bytes in which the end of the file must be marked
LONGEST_OUTLINE = 5_000
LONGEST = 160  # characters of a heading
MOST_LINES = 3  # that a heading is broken into
LARGER = 1.08  # times the size of the text
BODY_SHARE = 0.3  # of all letters: a size with that many is the text's
_BOLD = ("bold", "black", "heavy")

logging.getLogger("pypdf").setLevel(logging.ERROR)  # of every flaw that it mends it would tell


class Line(NamedTuple):
    """A line as it is drawn, in the size (points) and weight of most of its letters."""

    text: str
    size: float
    bold: bool


class Run(NamedTuple):
    """Neighbouring lines of one page that make up one heading."""

    page: int
    first: int
    last: int
    level: int


Lines = Sequence[Line]
Style = tuple[float, bool]


def read_pdf(path: Path) -> Content:
    """A page for each page. Refused are files that need a password, were cut off, or take too long."""
    from pypdf import PdfReader
    from pypdf.errors import FileNotDecryptedError, LimitReachedError

    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL))
        tail = file.read()
    if b"%%EOF" not in tail and b"startxref" not in tail:
        raise FileError("is cut off: its end is missing. Download or save it anew.")
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
    allowed = Allowance()
    pages = [_lines(each, allowed) for each in reader.pages]
    title, created = _declared(reader)
    blocks = enumerate(_blocks(pages, _headings(pages, _bookmarks(reader))), start=1)
    return Content([page(number, each) for number, each in blocks], title, created)


def _lines(pdf_page, allowed: Allowance) -> Lines:
    """The lines of a page. A page may draw for hours, so its reading ends when time is up."""
    lines: list[list[tuple[str, Style]]] = [[]]

    def visit(text: str, cm: list[float], tm: list[float], font: dict | None, size: float) -> None:
        scaled = round(2 * size * hypot(tm[2], tm[3]) * hypot(cm[2], cm[3])) / 2
        bold = any(word in str((font or {}).get("/BaseFont", "")).lower() for word in _BOLD)
        first, *others = allowed.spend(text).split("\n")
        lines[-1].append((first, (scaled, bold)))
        lines.extend([(other, (scaled, bold))] for other in others)

    pdf_page.extract_text(visitor_operand_before=lambda *_: allowed.check(), visitor_text=visit)
    allowed.check()
    return [_line(parts) for parts in lines]


def _line(parts: list[tuple[str, Style]]) -> Line:
    letters = Counter[Style]()
    for text, style in parts:
        letters[style] += len(text.strip())
    style = max(letters, key=letters.__getitem__, default=(0.0, False))
    return Line("".join(text for text, _ in parts), *style)


def _bookmarks(reader: "PdfReader") -> dict[tuple[int, str], int]:
    """The depth from 1 of each entry of the outline by 0-based page and title without white space, if it is sound."""
    found: list[tuple[tuple[int, str], int]] = []

    def collect(entries: list, depth: int) -> None:
        for entry in entries:
            if isinstance(entry, list):
                collect(entry, depth + 1)
            elif len(found) < LONGEST_OUTLINE and (number := reader.get_destination_page_number(entry)) is not None:
                found.append(((number, _compact(str(entry.title))), depth))

    try:
        collect(reader.outline, 1)
    except Exception:  # a broken outline says nothing; the letters do
        return {}
    return dict(found)


def _declared(reader: "PdfReader") -> tuple[str | None, date | None]:
    try:
        information = reader.metadata
        created = information.creation_date if information else None
        return (information.title if information else None), created.date() if created else None
    except Exception:  # metadata that cannot be read declare nothing
        return None, None


def _compact(text: str) -> str:
    return re.sub(r"\s+", "", text)  # a page is broken into lines and spaces in its own way


def _blocks(pages: Sequence[Lines], headings: Sequence[Run]) -> Iterator[list[Block]]:
    """The blocks of each page, where a heading of several lines is one block."""
    for number, lines in enumerate(pages):
        runs = {run.first: run for run in headings if run.page == number}
        blocks, at = [], 0
        while at < len(lines):
            run = runs.get(at, Run(number, at, at, 0))
            blocks.append(Block("\n".join(line.text for line in lines[at : run.last + 1]), run.level or None))
            at = run.last + 1
        yield blocks


def _headings(pages: Sequence[Lines], bookmarks: dict[tuple[int, str], int]) -> list[Run]:
    """What the bookmarks name, where that is at least half of them, else what is drawn as headings are."""
    found, wanted = [], {key: depth for key, depth in bookmarks.items() if key[1]}
    for number, lines in enumerate(pages if wanted else ()):
        for first in range(len(lines)):
            for last in range(first, min(first + MOST_LINES, len(lines))):
                depth = wanted.pop((number, _compact("".join(line.text for line in lines[first : last + 1]))), None)
                if depth is not None:
                    found.append(Run(number, first, last, depth))
    largest = max((pages[run.page][run.first].size for run in found), default=0)
    title = [run for run in _drawn(pages[:1]) if pages[0][run.first].size > largest][:1]
    if not found or 2 * len(title + found) < len(bookmarks):
        return _drawn(pages)
    return [*title, *(run._replace(level=run.level + len(title)) for run in found)]


def _drawn(pages: Sequence[Lines]) -> list[Run]:
    """Runs of lines that stand out. The largest letters are the title's if there is one such run, else chapters'."""
    body = _body(pages)
    running = _running(pages, body)
    runs: list[tuple[Run, Style]] = []
    for number, lines in enumerate(pages):
        places = [at for at, line in enumerate(lines) if line.text.strip()]
        for style, group in groupby(places, key=lambda at: (lines[at].size, lines[at].bold)):
            own = [at for at in group if _key(lines[at], body) not in running]
            if own and _stands_out(style, body) and _reads_like_one([lines[at].text for at in own]):
                runs.append((Run(number, own[0], own[-1], 0), style))
    styles = sorted({style for _, style in runs}, reverse=True)
    chapters = bool(styles) and sum(style == styles[0] for _, style in runs) > 1
    return [run._replace(level=min(6, 1 + chapters + styles.index(style))) for run, style in runs]


def _body(pages: Sequence[Lines]) -> Style:
    """The largest size that many letters have, and whether most of the letters of this size are bold."""
    letters, sizes = Counter[Style](), Counter[float]()
    for line in (line for lines in pages for line in lines):
        letters[line.size, line.bold] += len(line.text)
        sizes[line.size] += len(line.text)
    many = [size for size, count in sizes.items() if count >= BODY_SHARE * sizes.total()]
    size = max(many or [size for size, _ in sizes.most_common(1)], default=0.0)
    return size, letters[size, True] > letters[size, False]


def _stands_out(style: Style, body: Style) -> bool:
    size, bold = style
    return size >= LARGER * body[0] or (bold and not body[1] and size >= body[0])


def _reads_like_one(texts: Sequence[str]) -> bool:
    whole = " ".join(text.strip() for text in texts)
    fits = len(texts) <= MOST_LINES and len(whole) <= LONGEST
    return fits and whole[-1] not in ".,;:!。…" and any(char.isalpha() for char in whole)


def _key(line: Line, body: Style) -> tuple[str, float]:
    """The words and the size of a line. In letters as small as the text's, numbers are taken for page numbers."""
    words = _compact(line.text)
    return words if line.size >= LARGER * body[0] else re.sub(r"\d+", "#", words), line.size


def _running(pages: Sequence[Lines], body: Style) -> set[tuple[str, float]]:
    """Lines that half of the pages have in the same size: headers and footers."""
    counts = Counter(key for lines in pages for key in {_key(line, body) for line in lines})
    return {key for key, count in counts.items() if count > 2 and 2 * count >= len(pages)}
