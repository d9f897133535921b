"""HTML: the words of the page without what surrounds them on a site."""

import re
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from lessons.ingest.read.page import Block, Content, FileError, page
from lessons.ingest.read.text import text_of
from lessons.ingest.read.top import first_date
from lessons.settings import settings

if TYPE_CHECKING:
    from lxml.etree import _Element

_NOISE = {"script", "style", "nav", "template", "noscript"}
_FRAME = {"header", "footer"}
_OWN = {"main", "article"}
_LEVELS = {f"h{level}": level for level in range(1, 7)}
_DATES = {"date", "dc.date", "article:published_time", "datePublished"}
_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)|^<\?xml[^>]+encoding=[\"']([\w-]+)", re.IGNORECASE)


def read_html(path: Path) -> Content:
    """One page: a line for each string of the text, for each row of a table, for each heading."""
    from lxml import etree

    with path.open("rb") as file:
        declared = _CHARSET.search(file.read(2048))
    text, note = text_of(path, (declared[1] or declared[2]).decode() if declared else None)
    if text.count("<") > settings().max_html_tags:
        raise FileError(f"has more than {settings().max_html_tags:,} tags; split it into several files.")
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    root = etree.fromstring(text.encode(), parser)
    if any("depth" in error.message for error in parser.error_log):
        raise FileError("nests its tags too deeply; save it anew from a browser.")
    if root is None:
        return Content([])
    title = root.findtext(".//title")
    return Content([page(None, _blocks(_body(root)))], title, _declared_date(root), note)


def _body(root: "_Element") -> "_Element":
    return next((found for name in ("main", "body") for found in root.iter(name)), root)


def _declared_date(root: "_Element") -> date | None:
    named = [tag for tag in root.iter("meta") if {tag.get("name"), tag.get("property"), tag.get("itemprop")} & _DATES]
    dates = [tag.get("content") or "" for tag in named] + [tag.get("datetime") or "" for tag in root.iter("time")]
    return first_date(" ".join(dates))


def _blocks(root: "_Element") -> list[Block]:
    """The lines of a tree, which is walked through once and without recursion."""
    from lxml import etree

    lines = _Lines()
    for event, tag in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            lines.open(tag.tag)
            lines.say(tag.text)
        else:
            lines.close(tag.tag)
            lines.say(tag.tail if tag is not root else None)
    return lines.blocks


class _Lines:
    """Gathers what is said between tags. Only a row that holds no other row is one line: tables also lay out pages."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._hidden = self._own = 0  # how many open tags are left out, or are the page's own part
        self._rows: list[list[list[str]] | None] = []  # of each open row its cells, None once it holds another row
        self._heading: list[str] | None = None

    def open(self, name: str) -> None:
        frames = name in _FRAME and not (self._own and name == "header")
        if self._hidden or name in _NOISE or frames:
            self._hidden += 1
            return
        self._own += name in _OWN
        if name == "tr":
            self._spill()
            self._rows.append([])
        elif name in ("td", "th") and self._rows and self._rows[-1] is not None:
            self._rows[-1].append([])
        elif name in _LEVELS and not self._rows and self._heading is None:
            self._heading = []

    def close(self, name: str) -> None:
        if self._hidden:
            self._hidden -= 1
            return
        self._own -= name in _OWN
        if name == "tr" and (row := self._rows.pop()):
            self._add(" | ".join(" ".join(cell) for cell in row))
        elif name in _LEVELS and self._heading is not None:
            self._add(" ".join("".join(self._heading).split()).rstrip("¶ "), _LEVELS[name])
            self._heading = None

    def say(self, text: str | None) -> None:
        if not text or self._hidden:
            return
        if self._rows and (row := self._rows[-1]):
            row[-1] += [text.strip()] if text.strip() else []
        elif self._heading is not None:
            self._heading.append(text)
        else:
            self._add(text)

    def _spill(self) -> None:
        """A row opens inside the innermost open one, whose cells become lines."""
        if self._rows and (row := self._rows[-1]) is not None:
            for cell in row:
                self._add("\n".join(cell))
            self._rows[-1] = None

    def _add(self, text: str, level: int | None = None) -> None:
        self.blocks += [Block(line.strip(), level) for line in text.splitlines() if line.strip()]
