"""Which lines of a PDF are headings: those its bookmarks name, else those in larger or bolder letters than the text."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from lessons.ingest.read.page import Block

LONGEST = 160  # characters of a heading
MOST_LINES = 3  # that a heading is broken into
LARGER = 1.08  # times the size of the text
BODY_SHARE = 0.3  # of all letters: a size with that many is the text's


class Line(NamedTuple):
    """A line as it is drawn. `size` is in points."""

    text: str
    size: float
    bold: bool


class Bookmark(NamedTuple):
    """An entry of the outline: 0-based page, title without white space, depth from 1."""

    page: int
    title: str
    depth: int


class Run(NamedTuple):
    """Neighbouring lines of one page that make up one heading."""

    page: int
    first: int
    last: int
    level: int


def compact(text: str) -> str:
    """The text without white space: a page is broken into lines and spaces in its own way."""
    return re.sub(r"\s+", "", text)


def headed(pages: Sequence[Sequence[Line]], bookmarks: Sequence[Bookmark]) -> Iterator[list[Block]]:
    """The blocks of each page, where a heading of several lines is one block."""
    runs = _bookmarked(pages, bookmarks) if bookmarks else []
    if 2 * len(runs) < len(bookmarks) or not runs:
        runs = _drawn(pages)
    for number, lines in enumerate(pages):
        yield _blocks(lines, {run.first: run for run in runs if run.page == number})


def _blocks(lines: Sequence[Line], runs: dict[int, Run]) -> list[Block]:
    blocks, at = [], 0
    while at < len(lines):
        run = runs.get(at)
        last = run.last if run else at
        blocks.append(Block("\n".join(line.text for line in lines[at : last + 1]), run.level if run else None))
        at = last + 1
    return blocks


def _bookmarked(pages: Sequence[Sequence[Line]], bookmarks: Sequence[Bookmark]) -> list[Run]:
    """The lines that bookmarks name, and the title if the first page has one in larger letters."""
    wanted = {(mark.page, mark.title): mark.depth for mark in bookmarks if mark.title}
    found = []
    for number, lines in enumerate(pages):
        for first in range(len(lines)):
            for last in range(first, min(first + MOST_LINES, len(lines))):
                depth = wanted.pop((number, compact("".join(line.text for line in lines[first : last + 1]))), None)
                if depth is not None:
                    found.append(Run(number, first, last, depth))
    largest = max((pages[run.page][run.first].size for run in found), default=0)
    top = [run for run in _drawn(pages[:1]) if pages[0][run.first].size > largest][:1]
    return [*top, *(run._replace(level=run.level + len(top)) for run in found)] if found else []


def _drawn(pages: Sequence[Sequence[Line]]) -> list[Run]:
    """Runs of lines that stand out. The largest letters are the title's if there is one such run, else chapters'."""
    body = _body(pages)
    running = _running(pages, body)
    runs: list[tuple[Run, tuple[float, bool]]] = []
    for number, lines in enumerate(pages):
        places = [at for at, line in enumerate(lines) if line.text.strip()]
        for style, group in groupby(places, key=lambda at: (lines[at].size, lines[at].bold)):
            own = [at for at in group if _key(lines[at], body) not in running]
            if own and _stands_out(style, body) and _reads_like_one([lines[at].text for at in own]):
                runs.append((Run(number, own[0], own[-1], 0), style))
    styles = sorted({style for _, style in runs}, reverse=True)
    chapters = bool(styles) and sum(style == styles[0] for _, style in runs) > 1
    return [run._replace(level=min(6, 1 + chapters + styles.index(style))) for run, style in runs]


def _body(pages: Sequence[Sequence[Line]]) -> tuple[float, bool]:
    """The largest size that many letters have, and whether most of the letters of this size are bold."""
    letters: Counter[tuple[float, bool]] = Counter()
    sizes: Counter[float] = Counter()
    for line in (line for lines in pages for line in lines):
        letters[line.size, line.bold] += len(line.text)
        sizes[line.size] += len(line.text)
    many = [size for size, count in sizes.items() if count >= BODY_SHARE * sizes.total()]
    size = max(many or [size for size, _ in sizes.most_common(1)], default=0.0)
    return size, letters[size, True] > letters[size, False]


def _stands_out(style: tuple[float, bool], body: tuple[float, bool]) -> bool:
    size, bold = style
    return size >= LARGER * body[0] or (bold and not body[1] and size >= body[0])


def _reads_like_one(texts: Sequence[str]) -> bool:
    whole = " ".join(text.strip() for text in texts)
    fits = len(texts) <= MOST_LINES and len(whole) <= LONGEST
    return fits and whole[-1] not in ".,;:!。…" and any(char.isalpha() for char in whole)


def _key(line: Line, body: tuple[float, bool]) -> tuple[str, float]:
    """The words and the size of a line. In letters as small as the text's, numbers are taken for page numbers."""
    words = compact(line.text)
    return words if line.size >= LARGER * body[0] else re.sub(r"\d+", "#", words), line.size


def _running(pages: Sequence[Sequence[Line]], body: tuple[float, bool]) -> set[tuple[str, float]]:
    """Lines that half of the pages have in the same size: headers and footers."""
    counts = Counter(key for lines in pages for key in {_key(line, body) for line in lines})
    return {key for key, count in counts.items() if count > 2 and 2 * count >= len(pages)}
