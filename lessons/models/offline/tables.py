"""Tables that a PDF gives back without their lines: 'Revenue 41.2 38.0 +8.4%' under 'Item Q2 2024 Q2 2023 Change'."""

import re
from itertools import groupby

_NUMBER = re.compile(r"[(△▲▼+\-−–$€£₩]*\d[\d,.]*(?:%p?|x)?\)?|[–—-]|n/a", re.IGNORECASE)
_COLUMN = re.compile(
    r"Q[1-4] \d{4}|\d{4} Q[1-4]|\d{4}년 [1-4]분기|\d{4}년 [상하]반기|H[12] \d{4}|FY ?\d{4}|[^\s()]+\([^)]*\)|\S+"
)
_PERIOD = re.compile(r"(?:19|20)\d\d|[1-4]분기|Q[1-4]")
_LONGEST_LABEL = 60  # characters


def barred(text: str) -> str:
    """The text with a bar between the cells of such tables; everything else stays as it is.

    A table is a line of column names above lines that end in as many numbers. Where the names cannot be told apart,
    the lines stay without bars, each on its own.
    """
    lines = text.splitlines()
    rows = [_row(line) for line in lines]
    done: list[str] = []
    for width, group in groupby(range(len(lines)), key=lambda i: len(rows[i])):
        places = list(group)
        if not width or not (len(places) > 1 or width > 3):
            done += [lines[i] for i in places]
            continue
        header = _header(done[-1], width - 1) if done else ()
        if header:
            done[-1] = _bars(header)
        done += [_bars(rows[i]) for i in places] if header else ["", *("\n" + lines[i] for i in places), ""]
    return "\n".join(done)


def _bars(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def _row(line: str) -> tuple[str, ...]:
    """A label and the two or more numbers behind it; empty for any other line."""
    words = re.sub(r"(?<=\d) %", "%", line).split()
    start = len(words)
    while start and _NUMBER.fullmatch(words[start - 1]):
        start -= 1
    label = " ".join(words[:start])
    if len(words) - start < 2 or not re.search(r"[^\W\d_]", label) or len(label) > _LONGEST_LABEL or "|" in line:
        return ()
    return (label, *words[start:])


def _header(line: str, columns: int) -> tuple[str, ...]:
    """The label's name and those of the columns; empty where they are not as many as the columns."""
    if "|" in line or line.rstrip().endswith((".", ":", "?")):
        return ()
    words = _COLUMN.findall(line)
    names = tuple(words[-columns:])
    if len(words) == columns:
        return ("", *names)
    dated = sum(_PERIOD.search(name) is not None for name in names) > 1
    if len(words) > columns and (len(words) == columns + 1 or dated):
        return (" ".join(words[:-columns]), *names)
    return ()
