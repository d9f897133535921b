"""Foreign text that is shown and never interpreted: HTML tables for notebooks, Markdown for the app and for files."""

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from lessons.language import _

_MARKS = re.compile(r"([!#$&()*+.:<=>@\[\\\]^_`{|}~-])")
_ADDRESS = re.compile(r"(?i)((?:https?://|www\.)[\w.~:/?#@!$&'*+,;=%-]*|(?<![\w.+-])[\w.+-]++@[\w-]+\.[\w.+-]+)")
_INDENTED = re.compile(r"(?m)^[ \t]+")
_NUMBER = re.compile(r"[-+–−~<>≤≥≈$(\[]*(US\$ ?)?\d.{0,40}|[-–—]?")
"""A number with its unit or interval, or the dash where there is none."""


class Markup(str):
    """HTML that the package made itself, such as a drawing, and that a table shows as it is."""

    __slots__ = ()


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Build an HTML table with its texts escaped; numbers are aligned right, the first column and words left.

    The head is put into the reader's language, and so are the names of the rows: a first column without a head.
    """
    columns = list(zip_longest(map(_, head), *rows, fillvalue=""))  # a row may end early
    if columns and not columns[0][0]:
        columns[0] = tuple(map(_, columns[0]))
    sides = ["left", *(_side(cells) for _, *cells in columns[1:])]
    head, *rows = zip(*columns, strict=True)
    body = "".join(f"<tr>{_cells(row, sides, 'td')}</tr>" for row in rows)
    return f"<table><tr>{_cells(head, sides, 'th')}</tr>{body}</table>"


@dataclass(frozen=True, repr=False)
class Table:
    """Rows of texts under their head: lines where it is printed; in a notebook HTML, with the caption above."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""

    def __repr__(self) -> str:
        return "\n".join(map(" | ".join, [self.head, *self.rows]))

    def _repr_html_(self) -> str:
        above = f"<p>{html.escape(self.caption)}</p>" if self.caption else ""
        return above + html_table(self.head, self.rows)


def plain(text: str) -> str:
    """Markdown that shows `text` as it is: no markup, image, link or HTML of a document comes alive.

    A bare address is shown as code, of which neither GitHub's nor Streamlit's Markdown makes a link.
    """
    parts = _ADDRESS.split(text)  # every other part is an address
    escaped = "".join(f"`{part}`" if at % 2 else _MARKS.sub(r"\\\1", part) for at, part in enumerate(parts))
    return _INDENTED.sub(lambda indent: "\u00a0" * len(indent[0]), escaped).replace("\n", "  \n")


def plain_line(text: str) -> str:
    """Escape text as `plain` does, on one line, for a table cell or a list item."""
    return plain(" ".join(text.split()))


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Build a Markdown table with its texts escaped."""
    lines = [head, *rows]
    formatted = [f"| {' | '.join(map(plain_line, cells))} |" for cells in lines]
    return "\n".join([formatted[0], "|" + " --- |" * len(head), *formatted[1:]])


def counted(number: int, noun: str) -> str:
    """Format a count: `1 turn`, `1,200 turns`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def spent(calls: int, tokens_in: int, tokens_out: int, cost: float) -> str:
    """Format what a model has used; cost in US dollars."""
    return f"{counted(calls, 'call')}, {tokens_in:,} tokens in and {tokens_out:,} out, {money(cost)}"


def money(cost: float) -> str:
    """Format an amount of US dollars, as small as one answer's."""
    return f"${cost:.4f}" if cost else "free of charge"


def _side(column: Sequence[str]) -> str:
    return "right" if any(column) and all(map(_NUMBER.fullmatch, column)) else "left"


def _cells(texts: Sequence[str], sides: Sequence[str], tag: str) -> str:
    return "".join(
        f"<{tag} style='text-align:{side}'>{text if isinstance(text, Markup) else html.escape(text)}</{tag}>"
        for side, text in zip(sides, texts, strict=True)
    )
