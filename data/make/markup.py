"""Prose written as light Markdown, turned into the blocks of a `Document`.

The first line is `# Title`, the second `@YYYY-MM-DD`. `##` opens a chapter, `###` a section, `####` a part of it.
`1.` are steps, `-` bullets, `|` tables (a line `Table: …` before one is its caption), `>` small print,
`//` speaker notes, three back quotes code, `---` a page break. Lines of one paragraph or item are joined.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import groupby
from types import ModuleType

from data.make.document import Block, Bullets, Code, Footnote, Heading, Notes, PageBreak, Paragraph, Steps, Table

MARKER = re.compile(r"(#{2,4} |\d+\. |- |\||> |// )")


def texts(world: ModuleType) -> list[tuple[str, str]]:
    """File name and text of every document in the `DOCUMENTS` of a world's modules."""
    modules = [
        importlib.import_module(f"{world.__name__}.{info.name}") for info in pkgutil.iter_modules(world.__path__)
    ]
    return [item for module in modules for item in module.DOCUMENTS.items()]


def parse(text: str) -> tuple[str, date, list[Block]]:
    """Title, date and blocks; raises ValueError when the title or the date line is missing."""
    title, day, *rest = text.strip().splitlines()
    if not title.startswith("# ") or not day.startswith("@"):
        raise ValueError(f"A document begins with '# Title' and '@date', not with {title!r}, {day!r}.")
    return title[2:], date.fromisoformat(day[1:]), list(_blocks(rest))


def _blocks(lines: Iterable[str]) -> Iterator[Block]:
    body = "\n".join(lines)
    for number, part in enumerate(body.split("```\n")):
        if number % 2:
            yield Code(part.rstrip("\n"))
            continue
        caption = ""
        for chunk in re.split(r"\n\s*\n", part):
            for kind, items in _groups(chunk):
                if kind == "p" and items[0].startswith("Table: "):
                    caption = items[0].removeprefix("Table: ")
                else:
                    yield from _block(kind, items, caption)
                    caption = ""


def _groups(chunk: str) -> Iterator[tuple[str, list[str]]]:
    """(kind, items) for the consecutive lines of one kind; a line without a marker continues its item."""
    items: list[tuple[str, str]] = []
    for line in filter(None, map(str.strip, chunk.splitlines())):
        found = MARKER.match(line)
        if found:
            marker = found.group(1).strip()
            items.append(("1" if marker[0].isdigit() else marker, line[found.end() :] if marker != "|" else line))
        elif items and items[-1][0] not in {"|", "---"} and line != "---":
            items[-1] = (items[-1][0], f"{items[-1][1]} {line}")
        else:
            items.append((line if line == "---" else "p", line))
    for kind, group in groupby(items, key=lambda item: item[0]):
        yield kind, [text for _, text in group]


def _block(kind: str, items: list[str], caption: str) -> Iterator[Block]:
    if kind == "1":
        yield Steps(items)
    elif kind == "-":
        yield Bullets(items)
    elif kind == "|":
        rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in items]
        yield Table([row for row in rows if set("".join(row)) - set("- ")], caption)
    elif kind == "---":
        yield PageBreak()
    else:
        simple = {"p": Paragraph, ">": Footnote, "//": Notes}
        for item in items:
            yield Heading(item, len(kind) - 1) if kind.startswith("#") else simple[kind](item)
