"""What a reader makes of a file: its pages with the place of each heading, its title and its date."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from lessons.text import normalize
from lessons.text.periods import dates

TOP_CHARS = 600
LONGEST_TITLE = 120  # characters of a line that may serve as the title
LONGEST_DATELINE = 60
EDGE = 3  # lines at the top and at the bottom of a page, among which a header or a footer stands
LEAST_PAGES = 3  # on which a header or a footer repeats
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
_BULLET = re.compile(r"^([^\S\n]*)[\uf020-\uf0ff][^\S\n]*(?=\S)", re.MULTILINE)  # of a symbol font, such as Wingdings
_BEGINS_WITH_NUMBER = re.compile(r"\s*(?:\d|[IVX]+\.|chapter\b|제\s?\d)", re.IGNORECASE)


class FileError(Exception):
    """Why a file cannot be used, as the end of a sentence that begins with its name."""


class Block(NamedTuple):
    """A line on its way into a page; a heading has a level and, if marked up, a label."""

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


@dataclass(frozen=True)
class Content:
    """A file as it was read.

    `title` and `created` are what the file's own metadata declare; `notes` are sentences on how it was read and on
    what could not be.
    """

    pages: list[Page]
    title: str | None = None
    created: date | None = None
    notes: tuple[str, ...] = ()


def page(number: int | None, blocks: Iterable[Block], separator: str = "\n") -> Page:
    """Join blocks into the cleaned text of a page, and find each heading's place in it."""
    texts: list[str] = []
    headings: list[Heading] = []
    position = 0
    for block in blocks:
        text = _BULLET.sub(r"\1- ", normalize(block.text))
        if block.level is not None and text.strip():
            start = position + len(text) - len(text.lstrip())
            label = " ".join(normalize(block.label or text).split())
            headings.append(Heading(start, start + len(text.strip()), block.level, label))
        texts.append(text)
        position += len(text) + len(separator)
    joined = separator.join(texts)
    cut = len(joined) - len(joined.lstrip())
    moved = tuple(heading._replace(start=heading.start - cut, end=heading.end - cut) for heading in headings)
    return Page(number, joined.strip(), moved)


def unread_pictures(count: int) -> tuple[str, ...]:
    """Note the pictures that were not read; no note without any."""
    return (f"Pictures that were not read: {count}.",) if count else ()


def running_lines(pages: Sequence[Sequence[str]]) -> list[dict[int, bool]]:
    """Find the headers and footers among the first and last lines of each page: index of the line → drop it.

    They stay the same from page to page, or one number in them follows the page. The first time that a line with words
    is met it is not to be dropped, so that nothing is lost; nor is anything of a page that holds nothing else.
    """
    occurrences: dict[str, list[tuple[int, int]]] = {}
    for number, lines in enumerate(pages):
        filled = [index for index, line in enumerate(lines) if line.strip()]
        for index in dict.fromkeys([*filled[:EDGE], *filled[-EDGE:]]):
            for key in _keys(lines[index], number):
                occurrences.setdefault(key, []).append((number, index))
    running: list[dict[int, bool]] = [{} for _ in pages]
    for key, positions in occurrences.items():
        page_numbers = {number for number, _ in positions}
        near = [(at, index) for at, index in positions if page_numbers & {at - 2, at - 1, at + 1, at + 2}]
        for number, index in near if len({number for number, _ in near}) >= LEAST_PAGES else []:
            is_first = (number, index) == near[0] and any(map(str.isalpha, key))
            running[number][index] = running[number].get(index, False) or not is_first
    return [
        dropped if any(line.strip() and index not in dropped for index, line in enumerate(lines)) else {}
        for dropped, lines in zip(running, pages, strict=True)
    ]


def _keys(line: str, number: int) -> set[str]:
    """Return the line itself, and the line with each of its numbers relative to the number of the page."""
    text = re.sub(r"\s+", "", line)
    figures = re.finditer(r"\d{1,6}", text)
    return {text, *(f"{text[: match.start()]}#{int(match[0]) - number}{text[match.end() :]}" for match in figures)}


def title_of(content: Content) -> str | None:
    """Return the heading of level 1, else the first one without a number, the declared title, or a short line."""
    headings = [heading for page in content.pages for heading in page.headings]
    top = [heading.text for heading in headings if heading.level == 1]
    plain = [heading.text for heading in headings if not _BEGINS_WITH_NUMBER.match(heading.text)]
    declared = " ".join(normalize(content.title or "").split())
    first = next((page.text.partition("\n")[0].strip() for page in content.pages if page.text), "")
    lines = [declared] if declared and not _MEANINGLESS.fullmatch(declared) else []
    lines += [heading.text for heading in headings[:1]] or ([first] if first else [])
    return next((line for line in [*top, *plain, *lines] if len(line) <= LONGEST_TITLE), None)


def date_of(content: Content) -> date | None:
    """Return the date that the first lines give, else the declared one if it is plausible."""
    first = content.pages[0]
    headings = {heading.start for heading in first.headings}
    for line in re.finditer(".+", first.text[:TOP_CHARS]):
        if line.start() not in headings and (day := _dateline(line[0])):
            return day
    return content.created if content.created and _plausible(content.created) else None


def _dateline(line: str) -> date | None:
    """Return the date of a dateline: labelled, or the only one of a short line that is no sentence.

    What a report tells of in its first sentences happened on some other day.
    """
    line_dates = _dates(line)
    if not line_dates:
        return None
    start, end, day = line_dates[0]
    short = len(line) <= LONGEST_DATELINE and len(line_dates) == 1 and "|" not in line
    closed = re.search(r"[.!?…]\s*$", line[end:]) is not None
    return day if _DATE_LABEL.search(line[:start]) or (short and not closed) else None


def first_date(text: str) -> date | None:
    """Return the first date, as '2024-03-12', '12 March 2024', 'March 12, 2024' or '2024년 3월 12일'."""
    return next((day for _, _, day in _dates(text)), None)


def _dates(text: str) -> list[tuple[int, int, date]]:
    """List start, end and day of each plausible date; the full stop of '2024. 3. 12.' belongs to it."""
    results = []
    for start, end, day in dates(text):
        end += text[end - 1].isdigit() and "." in text[start:end] and text[end : end + 1] == "."
        results += [(start, end, day)] if _plausible(day) else []
    return results


def _plausible(day: date) -> bool:
    """Return True unless the day is before computers wrote documents, or in the future."""
    return date(1970, 1, 1) < day <= date.today() + timedelta(days=1)
