"""Headings by their numbers, for files in which nothing else tells them."""

import re
from itertools import pairwise

from lessons.ingest.read.page import Heading

_NUMBER = r"\d{1,2}(?:\.\d{1,2}){0,3}\.?|[IVX]{1,5}\.|(?:Chapter|Part|Section) \d{1,2}[.:]?|제\s?\d{1,2}\s?[장절]\.?"
_LINE = re.compile(rf"(?P<number>{_NUMBER}) \S.{{0,70}}(?<![.!?,;:|…])")


def numbered_headings(text: str) -> tuple[Heading, ...]:
    """Lines such as '1. Overview', 'II. Method' and '제3장 결론' with text between them; none if they form a list."""
    lines, found, start = text.split("\n"), [], 0
    for number, (line, after) in enumerate(zip(lines, [*lines[1:], ""], strict=True)):
        opens = number == 0 or _ends(lines[number - 1])
        if opens and _LINE.fullmatch(line) and not _LINE.fullmatch(after):
            found.append((number, start))
        start += len(line) + 1
    apart = all(any(line.strip() for line in lines[a + 1 : b]) for (a, _), (b, _) in pairwise(found))
    return tuple(_heading(lines[number], start) for number, start in found) if len(found) > 1 and apart else ()


def _ends(before: str) -> bool:
    return not before.strip() or before.rstrip().endswith((".", "!", "?", "…"))


def _heading(line: str, start: int) -> Heading:
    """'1. …' is of level 2, '1.1 …' of level 3, below the title."""
    number = line.split(" ", 1)[0].strip(".")
    return Heading(start, start + len(line), 2 + number.count("."), line)
