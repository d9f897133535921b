"""PDF: the text of each page, and which of its lines are headings, by the bookmarks of the file or by the letters."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import groupby
from pathlib import Path
from threading import Lock, Timer
from typing import Any, NamedTuple

from lessons.ingest.read.page import Block, Content, FileError, first_date, page, running_lines
from lessons.ingest.read.text import table
from lessons.settings import settings

NEEDS_PASSWORD = 4  # PDFium's FPDF_ERR_PASSWORD
LONGEST = 160  # characters of a heading
MOST_LINES = 3  # that a heading is broken into
LARGER = 1.08  # times the size of the text
BODY_SHARE = 0.3  # of all letters: a size with that many is the text's
_END, _OBJECT = re.compile(rb"%%EOF|startxref"), re.compile(rb"\d \d{1,10} obj\b")
_BROKEN_WORD = re.compile("(\\w{1,60})\u00ad(\\w{1,60})")


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
Running = Sequence[dict[int, bool]]


def read_pdf(path: Path) -> Content:
    """Read each page. FileError if the file needs a password, is no PDF, or takes too long or too much memory."""
    about, *drawn_pages = _drawn_pages(path)
    pages = _with_whole_words([[Line(_written(drawn), *style) for drawn, *style in lines] for lines in drawn_pages])
    running = running_lines([[line.text for line in lines] for lines in pages])
    headings = _headings(pages, running, {(at, _compact(title)): depth for at, title, depth in about["outline"]})
    numbered_blocks = enumerate(_blocks(pages, running, headings), start=1)
    created = re.sub(r"^D:(\d{4})(\d\d)(\d\d).*", r"\1-\2-\3", about.get("CreationDate", ""))
    notes = () if _is_whole(path) else ("The end of the file is missing, and pages with it.",)
    pages_read = [page(number, blocks) for number, blocks in numbered_blocks]
    return Content(pages_read, about.get("Title"), first_date(created), notes)


def _written(drawn: str | list[list[str | None]]) -> str:
    return drawn if isinstance(drawn, str) else f"\n{table(drawn)}\n"


def _drawn_pages(path: Path) -> list[Any]:
    """Return what PDFium reads of the file and of each of its pages."""
    limits = settings()
    about, *pages = _reader(os.getpid()).read(path, limits.max_pages, limits.max_read_seconds)
    if about.get("error") == NEEDS_PASSWORD:
        raise FileError("is protected by a password; save a copy without one.")
    if "error" in about or about["pages"] == 0:
        raise FileError("is damaged: no page of it can be opened. Save or download it anew.")
    if about["pages"] > limits.max_pages:
        count, most = about["pages"], limits.max_pages
        raise FileError(f"has {count:,} pages, more than {most:,}; split it, or raise LESSONS_MAX_PAGES.")
    return [about, *pages]


class PdfiumProcess:
    """PDFium in a process of its own (`pdfium.py`), which reads file after file, and a new one when a file ended it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: Any = None

    def read(self, path: Path, most_pages: int, seconds: float) -> list[Any]:
        """Return an object for the file, then the lines of each page; FileError if it died or took too long."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                command = [sys.executable, "-P", str(Path(__file__).with_name("pdfium.py"))]
                self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            process, request = self._process, json.dumps([str(path), most_pages]).encode()
            timer = Timer(seconds, process.kill)
            timer.start()
            with suppress(OSError):  # it has been killed
                process.stdin.write(request + b"\n")
                process.stdin.flush()
            line, in_time = process.stdout.readline(), timer.is_alive()
            timer.cancel()
            if not line.endswith(b"\n") or line.startswith(b'[{"error"'):
                process.kill()
                process.wait()
        if line.endswith(b"\n"):
            return json.loads(line)
        if not in_time:
            raise FileError(f"takes more than {seconds:.0f} seconds to read; split it into several files.")
        raise FileError("would exhaust its reader and is refused; if you trust it, print it to a new PDF.")


@cache
def _reader(process_id: int) -> PdfiumProcess:
    """Keep one for each process: a forked child must not share its parent's."""
    return PdfiumProcess()


def _is_whole(path: Path) -> bool:
    """Check that no object follows the last mark of an end; web servers and mail programs add other things there."""
    return _OBJECT.search(_END.split(path.read_bytes())[-1]) is None


def _with_whole_words(pages: Sequence[Lines]) -> list[Lines]:
    """Join the words that were cut at the end of a line; the hyphen stays where the document writes it elsewhere."""
    text = " ".join(line.text for lines in pages for line in lines)
    words = set(re.findall(r"[\w-]+", _BROKEN_WORD.sub("", text)))

    def joined(match: re.Match[str]) -> str:
        hyphenated = f"{match[1]}-{match[2]}"
        return hyphenated if hyphenated in words or {match[1], match[2]} <= words else match[1] + match[2]

    return [[line._replace(text=_BROKEN_WORD.sub(joined, line.text)) for line in lines] for lines in pages]


def _compact(text: str) -> str:
    return re.sub(r"\s+", "", text)  # a page is broken into lines and spaces in its own way


def _blocks(pages: Sequence[Lines], running: Running, headings: Sequence[Run]) -> Iterator[list[Block]]:
    """Yield the blocks of each page, where a heading of several lines is one block, without headers and footers."""
    for number, lines in enumerate(pages):
        runs = {run.first: run for run in headings if run.page == number}
        blocks, at = [], 0
        while at < len(lines):
            run = runs.get(at, Run(number, at, at, 0))
            text = "\n".join(line.text for line in lines[at : run.last + 1])
            blocks += [] if running[number].get(at) else [Block(text, run.level or None)]
            at = run.last + 1
        yield blocks


def _headings(pages: Sequence[Lines], running: Running, bookmarks: dict[tuple[int, str], int]) -> list[Run]:
    """Find what the bookmarks name, if that is at least half of them, else what is drawn as headings are."""
    headings, missing = [], {key: depth for key, depth in bookmarks.items() if key[1]}
    for number, lines in enumerate(pages if missing else ()):
        for first in range(len(lines)):
            for last in range(first, min(first + MOST_LINES, len(lines))):
                depth = missing.pop((number, _compact("".join(line.text for line in lines[first : last + 1]))), None)
                if depth is not None:
                    headings.append(Run(number, first, last, depth))
    largest = max((pages[run.page][run.first].size for run in headings), default=0)
    title = [run for run in _drawn_headings(pages[:1], running) if pages[0][run.first].size > largest][:1]
    if not headings or 2 * len(title + headings) < len(bookmarks):
        return _drawn_headings(pages, running)
    return [*title, *(run._replace(level=run.level + len(title)) for run in headings)]


def _drawn_headings(pages: Sequence[Lines], running: Running) -> list[Run]:
    """Find runs of lines that stand out. The largest letters are the title's if one run has them, else chapters'."""
    body = _body(pages)
    runs: list[tuple[Run, Style]] = []
    for number, lines in enumerate(pages):
        filled = [at for at, line in enumerate(lines) if line.text.strip() and at not in running[number]]
        for style, group in groupby(filled, key=lambda at: (lines[at].size, lines[at].bold)):
            positions = list(group)
            if _stands_out(style, body) and _reads_like_heading([lines[at].text for at in positions]):
                runs.append((Run(number, positions[0], positions[-1], 0), style))
    styles = sorted({style for _, style in runs}, reverse=True)
    chapters = bool(styles) and sum(style == styles[0] for _, style in runs) > 1
    return [run._replace(level=min(6, 1 + chapters + styles.index(style))) for run, style in runs]


def _body(pages: Sequence[Lines]) -> Style:
    """Return the largest size that many letters have, and whether most of the letters of this size are bold."""
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


def _reads_like_heading(texts: Sequence[str]) -> bool:
    heading = " ".join(text.strip() for text in texts)
    fits = len(texts) <= MOST_LINES and len(heading) <= LONGEST
    return fits and heading[-1] not in ".,;:!。…" and any(char.isalpha() for char in heading)
