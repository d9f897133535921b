"""Text files: plain text, Markdown with its headings, and HTML without what surrounds the words on a site."""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from lessons.ingest.read.encoding import decode
from lessons.ingest.read.page import Allowance, Block, Content, FileError, first_date, page
from lessons.settings import settings

MOST_ATTRIBUTES = 1_000  # of one HTML tag
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.+)")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NO_PARAGRAPH = re.compile(r"\s*$|\s*[-*+>|]|\s*\d+[.)]\s| {4}|\t")
_MARKUP = re.compile(r"\*\*|`|!?\[([^\]]{0,300})\]\([^)]{0,1000}\)")
_FRONT_MATTER = re.compile(r"---\n((?:[^\n]*\n){0,50}?)---(?=\n|$)")
_HIDDEN = ".//script|.//style|.//nav|.//template|.//noscript|.//footer"
_HIDDEN += "|.//header[not(ancestor::main or ancestor::article)]"
_HEADING = "self::h1 or self::h2 or self::h3 or self::h4 or self::h5 or self::h6"
_HEADINGS = f".//*[{_HEADING}][not(ancestor::tr or ancestor::*[{_HEADING}])]"
_ROWS = ".//tr[not(.//tr)]"
_DATES = {"date", "dc.date", "article:published_time", "datePublished"}
_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)|^<\?xml[^>]+encoding=[\"']([\w-]+)", re.IGNORECASE)


def read_text(path: Path) -> Content:
    """One page of plain text."""
    text, note = text_of(path)
    return Content([page(None, map(Block, text.split("\n")))], note=note)


def read_markdown(path: Path) -> Content:
    """One page of Markdown as it is written; title and date from its front matter, if it has one."""
    text, note = text_of(path)
    front = found[0] if (found := _FRONT_MATTER.match(text)) else ""
    values = re.findall(r"^(title|date):(.*)$", front, re.M)
    declared = {name: re.sub(r"^[\"']|[\"']$", "", value.strip(" \t")) for name, value in values}
    content = page(None, _markdown_blocks(text.split("\n"), front.count("\n") + 1 if front else 0))
    return Content([content], declared.get("title"), first_date(declared.get("date", "")), note)


def text_of(path: Path, declared: str | None = None) -> tuple[str, str | None]:
    """A file's text with \\n at the end of each line, and a note if its encoding was guessed; FileError for noise."""
    found = decode(path.read_bytes(), declared)
    if found is None:
        raise FileError("is not text in a known encoding, or no text at all; if it is text, save it as UTF-8.")
    text, encoding = found
    note = f"It was read as {encoding}." if encoding else None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if (lines := text.count("\n")) > settings().max_pieces:
        raise FileError(f"has {lines:,} lines, more than {settings().max_pieces:,}; split it into several files.")
    return text, note


def _markdown_blocks(lines: list[str], front_matter: int) -> Iterator[Block]:
    fence = ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence or number < front_matter:
            yield Block(line)
            if fence and mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        else:
            fence = mark[1] if mark else ""
            yield Block(line, *_markdown_heading(lines, number))


def _markdown_heading(lines: list[str], number: int) -> tuple[int, str] | tuple[()]:
    line, after = lines[number], lines[number + 1] if number + 1 < len(lines) else ""
    if atx := _ATX.match(line):
        return len(atx[1]), _MARKUP.sub(r"\1", _unclosed(atx[2]))
    stands_alone = number == 0 or not lines[number - 1].strip()
    if (underline := _SETEXT.match(after)) and stands_alone and not _NO_PARAGRAPH.match(line):
        return (1 if underline[1][0] == "=" else 2), _MARKUP.sub(r"\1", line)
    return ()


def _unclosed(title: str) -> str:
    """A heading without the signs that close it; a pattern for them takes time that grows with the square of blanks."""
    said = title.rstrip(" \t") or title
    bare = said.rstrip("#")
    return (bare.rstrip(" \t") if bare[-1:] in (" ", "\t") else said) or title


def read_html(path: Path) -> Content:
    """One page: a line for each string of the text, for each row of a table, for each heading."""
    from lxml import html

    with path.open("rb") as file:
        declared = _CHARSET.search(file.read(2048))
    text, note = text_of(path, (declared[1] or declared[2]).decode() if declared else None)
    if text.count("<") > settings().max_html_tags:
        raise FileError(f"has more than {settings().max_html_tags:,} tags; split it into several files.")
    html.etree.fromstring(text.encode(), html.HTMLParser(encoding="utf-8", huge_tree=True, target=_Tags()))
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    root = html.etree.fromstring(text.encode(), parser)
    if any("depth" in error.message for error in parser.error_log):
        raise FileError("nests its tags too deeply; save it anew from a browser.")
    if root is None:
        return Content([])
    title, day = root.findtext(".//title"), _declared_date(root)
    body = next((found for name in ("main", "body") for found in root.iter(name)), root)
    return Content([page(None, _html_blocks(body))], title, day, note)


class _Tags(Allowance):
    """Sees each tag before a tree is built, which takes a time that grows with the square of a tag's attributes."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.check()
        if len(attributes) > MOST_ATTRIBUTES:
            raise FileError(f"has a tag with more than {MOST_ATTRIBUTES:,} attributes; save it anew from a browser.")

    def close(self) -> None:
        pass


def _declared_date(root: Any) -> date | None:
    named = [tag for tag in root.iter("meta") if {tag.get("name"), tag.get("property"), tag.get("itemprop")} & _DATES]
    dates = [tag.get("content") or "" for tag in named] + [tag.get("datetime") or "" for tag in root.iter("time")]
    return first_date(" ".join(dates))


def _html_blocks(body: Any) -> Iterator[Block]:
    """The lines of a tree. Only a row that holds no other row is one line: tables also lay out pages."""
    from lxml import etree

    _drop(body.xpath(_HIDDEN))
    headings = body.xpath(_HEADINGS)
    for heading in headings:
        _say(heading, " ".join("".join(heading.itertext()).split()).rstrip("¶ "))
    for row in body.xpath(_ROWS):
        cells = [cell for cell in row.iter("td", "th") if next(cell.iterancestors("td", "th", "tr")) is row]
        if cells:
            _say(row, " | ".join(" ".join(filter(None, map(str.strip, cell.itertext()))) for cell in cells))
    levels = {heading: int(heading.tag[1]) for heading in headings}
    for event, tag in etree.iterwalk(body, events=("start", "end")):
        said, level = (tag.text, levels.get(tag)) if event == "start" else (tag.tail if tag is not body else None, None)
        yield from (Block(line.strip(), level) for line in (said or "").splitlines() if line.strip())


def _drop(hidden: list[Any]) -> None:
    """Take tags, in their order, out of a tree and leave what follows them; a text that grows is written once."""
    grown: dict[tuple[Any, str], list[str]] = {}
    for tag in hidden:
        parent, before = tag.getparent(), tag.getprevious()
        place = (parent, "text") if before is None else (before, "tail")
        grown.setdefault(place, []).append(tag.tail or "")
        parent.remove(tag)
    for (tag, name), texts in grown.items():
        setattr(tag, name, (getattr(tag, name) or "") + "".join(texts))


def _say(tag: Any, text: str) -> None:
    """Let a tag hold this text and no other tag."""
    tag[:] = []
    tag.text = text
