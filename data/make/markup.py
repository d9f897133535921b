"""Parse the light Markdown of `data/sources` into the blocks of a `Document`.

`##` opens a chapter, `###` a section, `####` a part of it. `1.` are steps, `-` bullets, `|` tables (a line `Table: …`
before one is its caption), `>` small print, `//` speaker notes, three back quotes code, `---` a page break. Lines of
one paragraph or item are joined.
"""

import re
from collections.abc import Iterator
from itertools import groupby

from data.make.document import Block, Bullets, Code, Footnote, Heading, Notes, PageBreak, Paragraph, Steps, Table

MARKER = re.compile(r"(#{2,4} |\d+\. |- |\||> |// )")


def parse(text: str) -> list[Block]:
    """Return the blocks of a text."""
    return list(_blocks(text))


def _blocks(text: str) -> Iterator[Block]:
    for number, part in enumerate(text.split("```\n")):
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
    """Yield (kind, items) for consecutive lines of one kind; a line without a marker continues its item."""
    items: list[tuple[str, str]] = []
    for line in filter(None, map(str.strip, chunk.splitlines())):
        if match := MARKER.match(line):
            marker = match.group(1).strip()
            items.append(("1" if marker[0].isdigit() else marker, line[match.end() :] if marker != "|" else line))
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
