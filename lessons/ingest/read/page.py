"""What a reader makes of a file: its pages, with the place of each heading; what no markup says, the words tell."""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from time import monotonic
from typing import NamedTuple

from lessons.ingest.read.encoding import repaired
from lessons.settings import settings
from lessons.text import normalize
from lessons.text.dates import Moment, replace_moments

TOP_CHARS = 600
LONGEST_TITLE = 120  # characters of a line that may serve as the title
LONGEST_DATELINE = 60
_DATE_LABEL = re.compile(
    r"(?:\bdate|dated|published|updated|issued|released|revised|발행일?|작성일?|게시일?|등록일?|배포일?|개정일?|일자|날짜)"
    r"(?: on)?[\s:|*]*$",
    re.IGNORECASE,
)
_MEANINGLESS = re.compile(
    r"(?:untitled|제목 ?없음|무제|microsoft (?:word|powerpoint)\b.*|powerpoint presentation|word document|"
    r"(?:document|presentation|slide|문서|프레젠테이션) ?\d*|.*\.(?:docx?|pptx?|hwpx?|pdf|indd|tex|html?))\s*",
    re.IGNORECASE,
)
_BEGINS_WITH_NUMBER = re.compile(r"\s*(?:\d|[IVX]+\.|chapter\b|제\s?\d)", re.IGNORECASE)
_NUMBER = r"\d{1,2}(?:\.\d{1,2}){0,3}\.?|[IVX]{1,5}\.|(?:Chapter|Part|Section) \d{1,2}[.:]?|제\s?\d{1,2}\s?[장절]\.?"
_LINE = re.compile(rf"(?P<number>{_NUMBER}) \S.{{0,70}}(?<![.!?,;:|…])")


class FileError(Exception):
    """Why a file cannot be used, as the end of a sentence that begins with its name."""


class Allowance:
    """What the reading of one file may still give; `spend` passes a text on, and raises FileError when too much is."""

    def __init__(self) -> None:
        chosen = settings()
        self._chars, self._pieces = chosen.max_file_bytes, chosen.max_pieces
        self._ends = monotonic() + chosen.max_read_seconds

    def spend(self, text: str = "") -> str:
        """The text of a line, a paragraph, a cell or a drawing, as it is."""
        self._chars -= len(text)
        self._pieces -= 1
        if self._chars < 0 or self._pieces < 0:
            chosen = settings()
            most = f"{chosen.max_pieces:,} lines and cells or {chosen.max_file_bytes // 1_000_000} MB of text"
            raise FileError(f"unfolds to more than {most}; split it into several files.")
        self.check()
        return text

    def check(self) -> None:
        """Raise FileError when the time is up."""
        if monotonic() > self._ends:
            seconds = settings().max_read_seconds
            raise FileError(f"takes more than {seconds:.0f} seconds to read; split it into several files.")


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


def numbered_headings(text: str) -> tuple[Heading, ...]:
    """Lines such as '1. Overview', 'II. Method' and '제3장 결론' with text between them; none if they form a list.

    '1. …' is of level 2, '1.1 …' of level 3, below the title.
    """
    lines, found, start = text.split("\n"), [], 0
    for before, line, after in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        opens = not before.strip() or before.rstrip().endswith((".", "!", "?", "…"))
        end = start + len(line)
        if opens and _LINE.fullmatch(line) and not _LINE.fullmatch(after):
            found.append(Heading(start, end, 2 + line.split(" ", 1)[0].strip(".").count("."), line))
        start = end + 1
    apart = all(text[one.end : other.start].strip() for one, other in pairwise(found))
    return tuple(found) if len(found) > 1 and apart else ()


def title_of(content: Content) -> str | None:
    """The heading of level 1, else the first heading that is not numbered, else what is declared, else a short line."""
    headings = [heading for page in content.pages for heading in page.headings]
    top = [heading.text for heading in headings if heading.level == 1]
    plain = [heading.text for heading in headings if not _BEGINS_WITH_NUMBER.match(heading.text)]
    declared = " ".join(normalize(content.title or "").split())
    first = next((page.text.partition("\n")[0].strip() for page in content.pages if page.text), "")
    lines = [declared] if declared and not _MEANINGLESS.fullmatch(declared) else []
    lines += [heading.text for heading in headings[:1]] or ([first] if first else [])
    return next((line for line in [*top, *plain, *lines] if len(line) <= LONGEST_TITLE), None)


def date_of(content: Content) -> date | None:
    """The date that the first lines give, else the declared one if a document can have it."""
    first = content.pages[0]
    headings = {heading.start for heading in first.headings}
    for line in re.finditer(".+", first.text[:TOP_CHARS]):
        if line.start() not in headings and (day := _dateline(line[0])):
            return day
    return content.created if content.created and _plausible(content.created) else None


def _dateline(line: str) -> date | None:
    """The date of a line that is there to tell it: labelled, or the only one of a short line that is no sentence.

    What a report tells of in its first sentences happened on some other day.
    """
    found = _dates(line)
    if not found:
        return None
    start, end, day = found[0]
    short = len(line) <= LONGEST_DATELINE and len(found) == 1 and "|" not in line
    closed = re.search(r"[.!?…]\s*$", line[end:]) is not None
    return day if _DATE_LABEL.search(line[:start]) or (short and not closed) else None


def first_date(text: str) -> date | None:
    """The date that comes first, as '2024-03-12', '12 March 2024', 'March 12, 2024' or '2024년 3월 12일'."""
    return next((day for _, _, day in _dates(text)), None)


def _dates(text: str) -> list[tuple[int, int, date]]:
    """Start, end and day of each date."""
    found: list[tuple[int, int, date]] = []

    def note(moment: Moment, match: re.Match[str]) -> str:
        with suppress(TypeError, ValueError):  # a month or a year alone, or no such day
            day = date(moment.year, moment.month, moment.day)  # type: ignore[arg-type]
            if _plausible(day):
                end = match.end() + (match[0][-1].isdigit() and "." in match[0] and text[match.end() :][:1] == ".")
                found.append((match.start(), end, day))
        return "\x00" * len(match[0])

    replace_moments(text, note)
    return sorted(found)


def _plausible(day: date) -> bool:
    """Not before computers wrote documents, not in the future."""
    return date(1970, 1, 1) < day <= date.today() + timedelta(days=1)
