"""The documents of a context, line by line: every sentence, list item and table row with what gives it its subject."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import Any

from lessons.text import language, sentences, terms
from lessons.text.periods import periods

Row = tuple[str, ...]  # a label and the numbers behind it

_NUMBER = re.compile(r"[(△▲▼+\-−–$€£₩]*\d[\d,.]*(?:%p?|x)?\)?|[–—-]|n/a", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_DATED = re.compile(r"(?:19|20)\d\d|[1-4]분기|Q[1-4]")
_NAME = re.compile(
    r"Q[1-4] \d{4}|\d{4} Q[1-4]|\d{4}년 [1-4]분기|\d{4}년 [상하]반기|H[12] \d{4}|FY ?\d{4}|[^\s()]+\([^)]*\)|\S+"
)
_LONGEST_LABEL = 60  # characters
_HEADER = re.compile(r"(?:\A|\n\n---\n\n)\[Source: (\d+) \| ([^\n]*)\][ \t]*(?:\n|\Z)")
_DAY = re.compile(r" \| (\d{4}-\d\d-\d\d)$")
_PAGE = re.compile(r", pp?\. .*")
_ROW = re.compile(r"\s*\|.*\||[^|]+\|[^|]+")
_RULE = re.compile(r"[\s|:+=_-]+")
_ITEM = re.compile(
    r"\s*(?:[-*•‣▪◦○●·–►▶]|\(?\d{1,2}[.)]|[①-⑳]|(?:step|단계)\s*\d+|\d+\s*단계)(?=[\s:.])", re.IGNORECASE
)
_NUMBERED = re.compile(r"\(?(\d{1,2}\.)??(\d{1,2})[.)]?\s+[^\W\d_]")
_ENDED = re.compile(r"[.!?:;,。！？][\"'”’)\]]*$")
_LABEL = re.compile(r"[^.:?!]{1,40}:\s\S")


def mark_tables(text: str) -> str:
    """Put a bar between the cells of tables that a PDF's layout has lost; the rest stays as it is.

    A table is a line of column names above lines that end in numbers; where no names can be told, its rows stand alone.
    """
    lines = text.splitlines()
    output: list[str] = []
    while len(output) < len(lines):
        rows = list(takewhile(bool, map(_row, lines[len(output) :])))
        full = [index for index, row in enumerate(rows) if len(row) > 2]
        begins = full[:1] == [0] and (len(full) > 1 or len(rows[0]) > 3)
        rows = rows[: full[-1] + 1] if begins else []
        names = _names(output[-1], rows) if rows and output else ()
        if names:
            output[-1] = _bars(names)
        output += [_bars(_fitted(row, names)) if names else f"\n{' '.join(row)}\n" for row in rows] or [
            lines[len(output)]
        ]
    return "\n".join(output)


def _bars(cells: Row) -> str:
    return f"| {' | '.join(cells)} |"


def _row(line: str) -> Row:
    """Split a line into a label and the numbers behind it; empty for any other line."""
    words = re.sub(r"(?<=\d) %", "%", line).split()
    numbers = list(takewhile(_NUMBER.fullmatch, reversed(words)))[::-1]
    if len(numbers) > 1 and _YEAR.fullmatch(numbers[0]) and not _YEAR.fullmatch(numbers[1]):
        numbers = numbers[1:]  # 'Q1 2021' and 'Total 2021' are labels
    label = " ".join(words[: len(words) - len(numbers)])
    only_years = all(map(_YEAR.fullmatch, numbers))
    if only_years or "|" in line or len(label) > _LONGEST_LABEL or not re.search(r"[^\W\d_]", label):
        return ()
    return (label, *numbers)


def _names(line: str, rows: Sequence[Row]) -> Row:
    """Return what is written above the labels, then above each of the numbers; empty if that is not clear."""
    count = Counter(len(row) - 1 for row in rows if len(row) > 2).most_common(1)[0][0]
    if "|" in line or line.rstrip().endswith((".", ":", "?")):
        return ()
    words = _NAME.findall(line)
    if len(words) > count and sum(_DATED.search(word) is not None for word in words[-count:]) > 1:
        return (" ".join(words[:-count]), *words[-count:])
    readings = (words, [] if re.search(r"\d", line) else re.split(r"\s(?=[A-Z])", line.strip()))
    return next((("", *names)[-count - 1 :] for names in readings if len(names) in (count, count + 1)), ())


def _fitted(row: Row, names: Row) -> Row:
    """Return the cells of a row. With fewer numbers than names they are those of the periods, or stay in its label."""
    if len(row) == len(names):
        return row
    dated = [index for index, name in enumerate(names) if index and _DATED.search(name)]
    if len(dated) == len(row) - 1:
        cells = dict(zip(dated, row[1:], strict=True))
        return (row[0], *(cells.get(index, "") for index in range(1, len(names))))
    return (" ".join(row), *[""] * (len(names) - 1))


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
    """One document of the context."""

    number: int  # 0 without a header line; then nothing can be cited
    name: str  # the document's title where its header gives one, else its first heading
    lines: tuple[Line, ...]
    title: frozenset[str]
    all: frozenset[str]
    language: str
    day: str = ""  # of its date, '2025-10-14'
    file: str = ""


def passages(context: str) -> list[Passage]:
    """Read the documents of the context builder's text; one without header lines is one unnumbered document."""
    parts = _HEADER.split(context)
    if len(parts) == 1:
        return [passage(0, "", context)] if context.strip() else []
    return [passage(int(parts[i]), parts[i + 1], parts[i + 2]) for i in range(1, len(parts), 3)]


def passage(number: int, source: str, text: str) -> Passage:
    lines = _lines(text)
    first = lines[0].text if lines and lines[0].kind == "heading" else ""
    day = _DAY.search(source)
    file, _, path = _DAY.sub("", source).partition(" | ")
    name = path.partition(" › ")[0] or first.lstrip("# ").strip()
    title = search_terms(f"{file} {path} {first}")
    words = title.union(*(line.own | line.above for line in lines))
    return Passage(number, name, lines, title, words, language(text), day[1] if day else "", _PAGE.sub("", file))


def read_documents(documents: Sequence[Any]) -> list[Passage]:
    """Read retrieved documents, numbered from 1, under their source and title."""
    titles = (" ".join(str(document.metadata.get("title") or "").split()) for document in documents)
    numbered = enumerate(zip(documents, titles, strict=True), start=1)
    return [passage(number, f"{document.source} | {title}", document.content) for number, (document, title) in numbered]


def search_terms(text: str) -> frozenset[str]:
    """Return the terms of a text; a quarter in words also counts as Q1 to Q4."""
    in_words = [f"q{period.number}" for period in periods(text) if period.unit == "quarter"] if "uarter" in text else []
    return frozenset([*terms(text), *in_words])


def years(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if len(word) == 4 and _YEAR.fullmatch(word))


def quarters(words: frozenset[str]) -> frozenset[str]:
    return words & {"q1", "q2", "q3", "q4"}


def cells(row: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in row.strip().strip("|").split("|"))


@lru_cache(maxsize=2048)
def _lines(text: str) -> tuple[Line, ...]:
    """Cut a text into sentences, each with its kind and the headings above it."""
    texts = sentences(mark_tables(text))
    lines: list[Line] = []
    path: list[tuple[int, str]] = []
    header: tuple[str, ...] = ()
    for position, (text, following) in enumerate(pairwise([*texts, ""])):
        is_row = "|" in text and _ROW.match(text) is not None
        if is_row and _RULE.fullmatch(text):
            continue
        if is_row and (_RULE.fullmatch(following) or not header) and _is_header(cells(text), cells(following)):
            header = cells(text)
            continue
        header = header if is_row else ()
        level = 0 if is_row else _heading_level(texts, position)
        path = [entry for entry in path if entry[0] < level] if level else path
        above = search_terms(" ".join([" · ".join(entry[1] for entry in path), *header]))
        kind = "row" if is_row else "heading" if level else "item" if _ITEM.match(text) else "prose"
        lines.append(Line(text, kind, path[-1][1] if path else "", header, search_terms(text), above))
        if level:
            path.append((level, text.lstrip("# ").strip()))
    return tuple(lines)


def _is_header(row: Row, following: Row) -> bool:
    """Tell the names of columns from a name with its value, the first row of a table of two columns without names."""
    return len(row) == len(following) > 1 and not (len(row) == 2 and _NUMBER.match(row[1]) and not periods(row[1]))


def _heading_level(texts: list[str], position: int) -> int:
    """Return 1 to 6 for a Markdown heading, 7 for a plain line that heads what follows, 8 for a question, else 0.

    A plain line with a figure heads nothing: it is a row of a table that its layout has lost.
    """
    text, following = texts[position], texts[position + 1 : position + 4]
    if text[0] == "#":
        return min(6, len(text) - len(text.lstrip("#")))
    if _is_numbered_heading(texts, position):
        return 7
    if following and text[-1] in "?？":
        return 8
    if not (following and _is_short(text)) or any(map(_is_figure, text.split())):
        return 0
    # One or two short lines before a sentence, a list or a table head it; more of them are data.
    short = next((count for count, line in enumerate(following) if not _is_short(line)), len(following))
    return 6 if position == 0 else 7 if short < 2 and len(following) > short else 0


def is_ended(text: str) -> bool:
    """Tell whether a line ends as a sentence does."""
    return _ENDED.search(text) is not None


def _is_numbered_heading(texts: list[str], position: int) -> bool:
    """Tell '4. Storage' above a sentence, '4.1 Limits' or '1. Open it' from the item of a list."""
    text, around = texts[position], texts[max(0, position - 1) : position] + texts[position + 1 : position + 2]
    numbered = _NUMBERED.match(text)
    if not (numbered and around) or len(text) > 60 or "|" in text or is_ended(text):
        return False
    neighbours = filter(None, map(_NUMBERED.match, around))
    return not any(near[1] == numbered[1] and abs(int(near[2]) - int(numbered[2])) <= 1 for near in neighbours)


def _is_figure(word: str) -> bool:
    return word.strip("–—-") != "" and _NUMBER.fullmatch(word) is not None and not _YEAR.fullmatch(word)


def _is_short(text: str) -> bool:
    return not (len(text) > 80 or is_ended(text) or _ITEM.match(text) or _LABEL.match(text) or "|" in text)


def kept_text(lines: Sequence[Line], positions: Collection[int]) -> str:
    """Join the lines at these positions under their headings, a row of a table under its column names."""
    headings = [at for at, line in enumerate(lines) if line.kind == "heading"]
    above = {max((head for head in headings if head < at), default=at) for at in positions}
    output: list[str] = []
    header: tuple[str, ...] = ()
    for line in (lines[at] for at in sorted({*positions, *above})):
        if line.header and line.header != header:
            output.append(_bars(line.header))
        header = line.header
        output.append(line.text)
    return "\n".join(output)
