"""The names of a table's columns, found in a line that has lost what stood between them."""

import re

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
