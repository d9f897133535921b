"""A document's title and date: what its first lines say, else what its own metadata declare."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from lessons.ingest.read.page import Content

TOP_CHARS = 600
LONGEST_TITLE = 120  # characters of a line that may serve as the title
LONGEST_DATELINE = 60
_DATE_LABEL = re.compile(
    r"(?:\bdate|dated|published|updated|issued|released|revised|발행일?|작성일?|게시일?|등록일?|배포일?|개정일?|일자|날짜)"
    r"(?: on)?[\s:|*]*$",
    re.IGNORECASE,
)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905
_MONTH = r"(?P<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_DATES = [
    re.compile(pattern)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})(?!\d)",
        r"(?<!\d)(?P<year>\d{4})(?:년|\.) ?(?P<month>\d{1,2})(?:월|\.) ?(?P<day>\d{1,2})(?:일|\.?(?!\d))",
        rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th)? {_MONTH},? (?P<year>\d{{4}})(?!\d)",
        rf"\b{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})(?!\d)",
    )
]
_MEANINGLESS = re.compile(
    r"(?:untitled|제목 ?없음|무제|microsoft (?:word|powerpoint)\b.*|powerpoint presentation|word document|"
    r"(?:document|presentation|slide|문서|프레젠테이션) ?\d*|.*\.(?:docx?|pptx?|hwpx?|pdf|indd|tex|html?))\s*",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\s*(?:\d|[IVX]+\.|chapter\b|제\s?\d)", re.IGNORECASE)


def title_of(content: Content) -> str | None:
    """The heading of level 1, else the first heading that is not numbered, else what is declared, else a short line."""
    headings = [heading for page in content.pages for heading in page.headings]
    top = [heading.text for heading in headings if heading.level == 1]
    plain = [heading.text for heading in headings if not _NUMBERED.match(heading.text)]
    declared = " ".join((content.title or "").split())
    first = next((page.text.partition("\n")[0].strip() for page in content.pages if page.text), "")
    lines = [declared] if declared and not _MEANINGLESS.fullmatch(declared) else []
    lines += [heading.text for heading in headings[:1]] or ([first] if first else [])
    return next((line for line in [*top, *plain, *lines] if len(line) <= LONGEST_TITLE), None)


def date_of(content: Content) -> date | None:
    """The date that the first lines give, else the declared one if a document can have it."""
    for top in (page for page in content.pages[:1] if page.text):
        headings = {heading.start for heading in top.headings}
        start = 0
        for line in top.text[:TOP_CHARS].split("\n"):
            if start not in headings and (day := _dateline(line)):
                return day
            start += len(line) + 1
    return content.created if content.created and _plausible(content.created) else None


def _dateline(line: str) -> date | None:
    """The date of a line that is there to tell it: labelled, or the only one of a short line that is no sentence.

    What a report tells of in its first sentences happened on some other day.
    """
    found = sorted(_dates(line))
    if not found:
        return None
    start, end, day = found[0]
    short = len(line) <= LONGEST_DATELINE and len(found) == 1 and "|" not in line
    closed = re.search(r"[.!?…]\s*$", line[end:]) is not None
    return day if _DATE_LABEL.search(line[:start]) or (short and not closed) else None


def first_date(text: str) -> date | None:
    """The date that comes first, as '2024-03-12', '12 March 2024', 'March 12, 2024' or '2024년 3월 12일'."""
    return min(((start, day) for start, _, day in _dates(text)), default=(0, None))[1]


def _dates(text: str) -> Iterator[tuple[int, int, date]]:
    """Start, end and day of each date."""
    for pattern in _DATES:
        for found in pattern.finditer(text):
            month = found["month"]
            number = int(month) if month.isdigit() else _MONTHS.index(month.lower()) + 1
            try:
                day = date(int(found["year"]), number, int(found["day"]))
            except ValueError:
                continue
            if _plausible(day):
                yield found.start(), found.end(), day


def _plausible(day: date) -> bool:
    """Not before computers wrote documents, not in the future."""
    return date(1970, 1, 1) < day <= date.today() + timedelta(days=1)
