"""The names of a table's columns, found in a line that has lost what stood between them."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lessons.text import language, sentences, terms

_WORD = re.compile(
    r"Q[1-4] \d{4}|\d{4} Q[1-4]|\d{4}년 [1-4]분기|\d{4}년 [상하]반기|H[12] \d{4}|FY ?\d{4}|[^\s()]+\([^)]*\)|\S+"
)
_PERIOD = re.compile(r"(?:19|20)\d\d|[1-4]분기|Q[1-4]")
_BEGIN = re.compile(r"\s(?=[A-Z])")  # 'Division Turnover Operating profit': a capital begins a name
_GOES_ON = re.compile(r"(?<=[가-힣]) (?=[가-힣](?:\(|\s|$))")  # '임직원 수(기말)': a single syllable ends one

Names = tuple[str, ...]


def is_dated(name: str) -> bool:
    return _PERIOD.search(name) is not None


def column_names(line: str, columns: int) -> Names:
    """What is written above the labels, then above each of so many columns; empty if that cannot be told."""
    words = _WORD.findall(line)
    if len(words) > columns + 1 and sum(map(is_dated, words[-columns:])) > 1:
        return (" ".join(words[:-columns]), *words[-columns:])
    joined = [word.replace("_", " ") for word in _WORD.findall(_GOES_ON.sub("_", line))]
    for names in (words, joined, _BEGIN.split(line.strip())):
        if len(names) == columns + 1:
            return tuple(names)
        if len(names) == columns:
            return ("", *names)
    return ()


_NUMBER = re.compile(r"[(△▲▼+\-−–$€£₩]*\d[\d,.]*(?:%p?|x)?\)?|[–—-]|n/a", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_DATED_LABEL = re.compile(r"(?:\b(?:Q[1-4]|H[12]|FY|total|year)|합계|누계|연간)$", re.IGNORECASE)
_LONGEST_LABEL = 60  # characters

Row = tuple[str, ...]  # a label and the numbers behind it


def barred(text: str) -> str:
    """The text with a bar between the cells of such tables; everything else stays as it is.

    A table is a line of column names above lines that end in numbers, most of them in as many. Where the names cannot
    be told apart, the lines stay without bars, each on its own.
    """
    lines = text.splitlines()
    done: list[str] = []
    place = 0
    while place < len(lines):
        rows = _rows(lines[place:])
        names = _names(done[-1], rows) if rows and done else ()
        if names:
            done[-1] = _bars(names)
            done += [_bars(_fitted(row, names)) for row in rows]
        elif rows:
            done += ["", *("\n" + line for line in lines[place : place + len(rows)]), ""]
        else:
            done.append(lines[place])
        place += len(rows) or 1
    return "\n".join(done)


def _bars(cells: Row) -> str:
    return f"| {' | '.join(cells)} |"


def _rows(lines: Sequence[str]) -> list[Row]:
    """The rows of the table that begins with the first line; none if there is none.

    A line with one number belongs to it if others with more follow, as 'Group costs (2.5)' above the total.
    """
    rows: list[Row] = []
    for line in lines:
        row = _row(line)
        if not row:
            break
        rows.append(row)
    full = [place for place, row in enumerate(rows) if len(row) > 2]
    if not full or full[0] != 0 or not (len(full) > 1 or len(rows[0]) > 3):
        return []
    return rows[: full[-1] + 1]


def _row(line: str) -> Row:
    """A label and the numbers behind it; empty for any other line."""
    words = re.sub(r"(?<=\d) %", "%", line).split()
    start = len(words)
    while start and _NUMBER.fullmatch(words[start - 1]):
        start -= 1
    label = " ".join(words[:start])
    if len(words) - start > 1 and _YEAR.fullmatch(words[start]) and _DATED_LABEL.search(label):
        label, start = f"{label} {words[start]}", start + 1
    if all(map(_YEAR.fullmatch, words[start:])) or "|" in line:
        return ()
    if not re.search(r"[^\W\d_]", label) or len(label) > _LONGEST_LABEL:
        return ()
    return (label, *words[start:])


def _names(line: str, rows: Sequence[Row]) -> Row:
    """The names above the label and the numbers, for the most usual count of numbers for which they can be told."""
    if "|" in line or line.rstrip().endswith((".", ":", "?")):
        return ()
    counts = Counter(len(row) - 1 for row in rows if len(row) > 2)
    return next((names for count, _ in counts.most_common() if (names := column_names(line, count))), ())


def _fitted(row: Row, names: Row) -> Row:
    """The cells of a row. One with fewer numbers than names has those of the periods, or they stay in its label.

    'Operating margin 9.5% 9.6%' has no change; nobody knows under which name a lone number stands.
    """
    label, *numbers = row
    if len(row) == len(names):
        return row
    dated = [place for place, name in enumerate(names) if is_dated(name)]
    if len(dated) == len(numbers) and 0 not in dated:
        found = dict(zip(dated, numbers, strict=True))
        return (label, *(found.get(place, "") for place in range(1, len(names))))
    return (" ".join(row), *[""] * (len(names) - 1))


_HEADER = re.compile(r"(?:\A|\n\n---\n\n)\[Source: (\d+) \| ([^\n]*)\][ \t]*(?:\n|\Z)")
_DAY = re.compile(r" \| (\d{4}-\d\d-\d\d)$")
_ROW = re.compile(r"\s*\|.*\||[^|]+\|[^|]+")
_RULE = re.compile(r"[\s|:+=_-]+")
_ITEM = re.compile(
    r"\s*(?:[-*•‣▪◦○●·–►▶]|\(?\d{1,2}[.)]|[①-⑳]|(?:step|단계)\s*\d+|\d+\s*단계)(?=[\s:.])", re.IGNORECASE
)
_NUMBERED = re.compile(r"\(?\d{1,2}(?:\.\d{1,2})?[.)]?\s+[^\W\d_]")
_ENDED = re.compile(r"[.!?:;,。！？][\"'”’)\]]*$")
_LABEL = re.compile(r"[^.:?!]{1,40}:\s\S")
_A_YEAR = re.compile(r"(?:19|20)\d\d")
_QUARTER = re.compile(r"q[1-4]")
_SPOKEN_QUARTER = re.compile(r"\b(first|second|third|fourth)[ -]quarter\b", re.IGNORECASE)
_QUARTERS = {"first": "Q1", "second": "Q2", "third": "Q3", "fourth": "Q4"}


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence, list item or table row, and what gives it its subject."""

    text: str
    kind: str  # "prose", "item", "row" or "heading"
    heading: str
    header: tuple[str, ...]  # the cells above a row
    own: frozenset[str]
    above: frozenset[str]  # terms of its headings and header cells


@dataclass(frozen=True, slots=True)
class Passage:
    """One document of the context. Without a header line the number is 0 and nothing can be cited.

    `name` is the document's title where its header gives one, else its first heading.
    """

    number: int
    name: str
    lines: tuple[Line, ...]
    title: frozenset[str]
    all: frozenset[str]
    language: str
    day: str = ""  # of its date, '2025-10-14'


def passages(context: str) -> list[Passage]:
    """The documents of the context builder's text, in order; a text without header lines is one unnumbered document."""
    parts = _HEADER.split(context)
    if len(parts) == 1:
        return [passage(0, "", context)] if context.strip() else []
    return [passage(int(parts[i]), parts[i + 1], parts[i + 2]) for i in range(1, len(parts), 3)]


@lru_cache(maxsize=512)
def passage(number: int, source: str, text: str) -> Passage:
    """One document, read."""
    lines = tuple(_lines(sentences(barred(text))))
    first = lines[0].text if lines and lines[0].kind == "heading" else ""
    day = _DAY.search(source)
    file, _, place = _DAY.sub("", source).partition(" | ")
    name = place.partition(" › ")[0] or first.lstrip("# ").strip()
    title = search_terms(f"{file} {place} {first}")
    every = title.union(*(line.own | line.above for line in lines))
    return Passage(number, name, lines, title, every, language(text), day[1] if day else "")


def search_terms(text: str) -> frozenset[str]:
    """The terms of a text; a spoken quarter also counts as Q1 to Q4."""
    if "uarter" in text:
        text = _SPOKEN_QUARTER.sub(lambda match: f"{match[0]} {_QUARTERS[match[1].lower()]}", text)
    return frozenset(terms(text))


_terms_above = lru_cache(maxsize=512)(search_terms)


def years(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if len(word) == 4 and _A_YEAR.fullmatch(word))


def quarters(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if len(word) == 2 and _QUARTER.fullmatch(word))


def cells(row: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in row.strip().strip("|").split("|"))


def _lines(found: list[str]) -> list[Line]:
    """Give every sentence its kind and the headings above it."""
    lines: list[Line] = []
    path: list[tuple[int, str]] = []
    header: tuple[str, ...] = ()
    for position, text in enumerate(found):
        is_row = "|" in text and _ROW.match(text) is not None
        if is_row and _RULE.fullmatch(text):
            continue
        if is_row and not header and _starts_table(text, found[position + 1 : position + 2]):
            header = cells(text)
            continue
        header = header if is_row else ()
        level = 0 if is_row else _heading_level(found, position)
        if level:
            path = [entry for entry in path if entry[0] < level]
        heading = " · ".join(entry[1] for entry in path)
        kind = "row" if is_row else "heading" if level else "item" if _ITEM.match(text) else "prose"
        above = _terms_above(" ".join([heading, *header]))
        lines.append(Line(text, kind, path[-1][1] if path else "", header, search_terms(text), above))
        if level:
            path.append((level, text.lstrip("# ").strip()))
    return lines


def _starts_table(text: str, following: list[str]) -> bool:
    return bool(following) and "|" in following[0] and len(cells(text)) == len(cells(following[0]))


def _heading_level(found: list[str], position: int) -> int:
    """1 to 6 for a Markdown heading, 7 for a plain line that heads what follows, 8 for a question, 0 for the rest."""
    text, following = found[position], found[position + 1 : position + 4]
    if text[0] == "#":
        return min(6, len(text) - len(text.lstrip("#")))
    if not following:
        return 0
    if text[-1] in "?？":
        return 8
    if _is_numbered_heading(found, position):
        return 7
    if not _is_short(text):
        return 0
    if position == 0:
        return 6
    # One or two short lines before a sentence, a list or a table head it; more of them are data.
    short = next((count for count, line in enumerate(following) if not _is_short(line)), len(following))
    return 7 if short < 2 and len(following) > short else 0


def is_ended(text: str) -> bool:
    """Whether a line ends as a sentence does."""
    return _ENDED.search(text) is not None


def _is_numbered_heading(found: list[str], position: int) -> bool:
    """'4. Storage' above a sentence, as no list has it: an open line between others that are no items."""
    around = [*found[position - 1 : position], found[position + 1]] if position else [found[position + 1]]
    is_open = _NUMBERED.match(found[position]) and len(found[position]) <= 60 and not _ENDED.search(found[position])
    return bool(is_open) and "|" not in found[position] and not any(_NUMBERED.match(other) for other in around)


def _is_short(text: str) -> bool:
    return not (len(text) > 80 or _ENDED.search(text) or _ITEM.match(text) or _LABEL.match(text) or "|" in text)


def kept_text(lines: Sequence[Line], places: Collection[int]) -> str:
    """The lines at these places in their order, under their headings, a row of a table under its column names."""
    above = {_heading(lines, place) for place in places}
    said: list[str] = []
    header: tuple[str, ...] = ()
    for place in sorted({*places, *(place for place in above if place is not None)}):
        line = lines[place]
        if line.header and line.header != header:
            said.append(f"| {' | '.join(line.header)} |")
        header = line.header
        said.append(line.text)
    return "\n".join(said)


def _heading(lines: Sequence[Line], place: int) -> int | None:
    """The place of the nearest heading above."""
    return next((above for above in range(place - 1, -1, -1) if lines[above].kind == "heading"), None)
