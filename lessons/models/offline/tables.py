"""Tables that a PDF gives back without their lines: 'Revenue 41.2 38.0 +8.4%' under 'Item Q2 2024 Q2 2023 Change'."""

import re
from collections import Counter
from collections.abc import Sequence

from lessons.models.offline.table_names import column_names, is_dated

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
