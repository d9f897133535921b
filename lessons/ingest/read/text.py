"""Markdown and plain text, and the headings that only their wording or markup tells."""

import re
from collections.abc import Iterator
from pathlib import Path

from lessons.ingest.read.encoding import decode
from lessons.ingest.read.page import Block, Content, FileError, page
from lessons.ingest.read.top import first_date

_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NO_PARAGRAPH = re.compile(r"\s*$|\s*[-*+>|]|\s*\d+[.)]\s| {4}|\t")
_MARKUP = re.compile(r"\*\*|`|!?\[([^\]]*)\]\([^)]*\)")
_FRONT_MATTER = re.compile(r"---\n((?:[^\n]*\n){0,50}?)---(?=\n|$)")


def read_text(path: Path) -> Content:
    """One page of plain text."""
    text, note = text_of(path)
    return Content([page(None, map(Block, text.split("\n")))], note=note)


def read_markdown(path: Path) -> Content:
    """One page of Markdown as it is written; title and date from its front matter, if it has one."""
    text, note = text_of(path)
    front = _FRONT_MATTER.match(text)
    declared = dict(re.findall(r"^(title|date):[ \t]*[\"']?(.*?)[\"']?[ \t]*$", front[1] if front else "", re.M))
    skipped = front[0].count("\n") + 1 if front else 0
    content = page(None, _markdown_blocks(text.split("\n"), skipped))
    return Content([content], declared.get("title"), first_date(declared.get("date", "")), note)


def text_of(path: Path, declared: str | None = None) -> tuple[str, str | None]:
    """A file's text with \\n at the end of each line, and a note if its encoding was guessed; FileError for noise."""
    found = decode(path.read_bytes(), declared)
    if found is None:
        raise FileError("is not text in a known encoding, or no text at all; if it is text, save it as UTF-8.")
    text, encoding = found
    note = f"It was read as {encoding}." if encoding else None
    return text.replace("\r\n", "\n").replace("\r", "\n"), note


def _markdown_blocks(lines: list[str], front_matter: int) -> Iterator[Block]:
    fence = ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            yield Block(line)
        elif number < front_matter:
            yield Block(line)
        else:
            fence = mark[1] if mark else ""
            yield Block(line, *_markdown_heading(lines, number))


def _markdown_heading(lines: list[str], number: int) -> tuple[int, str] | tuple[()]:
    line, after = lines[number], lines[number + 1] if number + 1 < len(lines) else ""
    if atx := _ATX.match(line):
        return len(atx[1]), _MARKUP.sub(r"\1", atx[2])
    stands_alone = number == 0 or not lines[number - 1].strip()
    if (underline := _SETEXT.match(after)) and stands_alone and not _NO_PARAGRAPH.match(line):
        return (1 if underline[1][0] == "=" else 2), _MARKUP.sub(r"\1", line)
    return ()
