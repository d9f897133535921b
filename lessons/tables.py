"""Small HTML tables for notebooks."""

import html
from collections.abc import Iterable, Sequence


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with its texts escaped; the first column is on the left, numbers are on the right."""
    body = "".join(f"<tr>{_cells(row, 'td')}</tr>" for row in rows)
    return f"<table><tr>{_cells(head, 'th')}</tr>{body}</table>"


def _cells(texts: Sequence[str], tag: str) -> str:
    sides = ["left", *["right"] * (len(texts) - 1)]
    return "".join(
        f"<{tag} style='text-align:{side}'>{html.escape(text)}</{tag}>" for side, text in zip(sides, texts, strict=True)
    )
