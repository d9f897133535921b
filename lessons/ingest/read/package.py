"""Office files: ZIP archives of XML parts that point at each other, as ECMA-376 (part 2) packs them.

Word, PowerPoint and Hangul call a paragraph `p`, its text `t` and a table `tbl`, each in namespaces of its own and in
two versions, transitional and strict. So only local names count here, and whatever holds text is read, wherever it
stands, unless it is known not to be shown.
"""

import posixpath
import zipfile
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from lxml import etree

from lessons.ingest.read.markdown import table
from lessons.ingest.read.page import Block, FileError, first_date
from lessons.settings import settings

_TEMPLATE_DATES = {date(2013, 12, 23), date(2013, 1, 27)}  # of python-docx's and python-pptx's, not of what is written
_UNSEEN = {"del", "moveFrom", "instrText", "rPr", "pPr", "tcPr", "nvSpPr"}  # what no page shows, or holds no text
_SIGNS = {"tab": " ", "br": "\n", "cr": "\n", "lineBreak": "\n", "noBreakHyphen": "-", "nbSpace": " ", "fwSpace": " "}
_BEFORE = {"den": "/", "sup": "^", "sub": "_", "deg": "√"}  # between the parts of a formula
_BLOCKS = {"p", "tbl", "chart", "relIds"}
MOST_COLUMNS = 63  # of a table in Word
MOST_ADDRESSED = 255  # the last column that a cell may claim by its address; a file can name any
REPEATED = 200  # characters that a merged cell may have to be repeated in each row that it spans


def local(node: Any) -> str:
    """The name of a tag without its namespace; "" for a comment."""
    return _without_namespace(node.tag) if isinstance(node.tag, str) else ""


@lru_cache
def _without_namespace(name: str) -> str:
    return name.rpartition("}")[2]


def attributes(node: Any) -> dict[str, str]:
    """The attributes of a tag without their namespaces."""
    return {_without_namespace(name): value for name, value in node.attrib.items()} if node is not None else {}


def named(node: Any, *names: str) -> list[Any]:
    """The tags below a node that have one of these local names, in order."""
    return [] if node is None else list(node.iterdescendants(*(f"{{*}}{name}" for name in names)))


def relation(node: Any, name: str = "id") -> str:
    """The id of a relationship, whose attribute has a namespace: `r:id`, beside an `id` that may be another."""
    return next((value for key, value in node.attrib.items() if key.endswith(f"}}{name}")), "")


class Package:
    """The parts of an office file. FileError if it is of another program, or a decompression bomb."""

    def __init__(self, path: Path, folder: str, program: str) -> None:
        self.archive = zipfile.ZipFile(path)
        self._names = {entry.filename for entry in self.archive.infolist()}
        self._trees: dict[str | None, Any] = {}
        self._inspect()
        if not any(name.startswith(folder) for name in self._names):
            raise FileError(
                f"is not a {program} document, whatever its name says; save it as one, or correct its name."
            )

    def part(self, name: str | None) -> Any:
        """The tree of a part; None if it is not there."""
        if name in self._names and name not in self._trees:
            parser = etree.XMLParser(resolve_entities=False, huge_tree=False)
            self._trees[name] = etree.fromstring(self.archive.read(name), parser)
        return self._trees.get(name)

    def parts(self, folder: str) -> list[str]:
        """The names of the parts that begin like this, in the order of their numbers."""
        return sorted((name for name in self._names if name.startswith(folder)), key=lambda name: (len(name), name))

    def relations(self, name: str) -> dict[str, tuple[str, str]]:
        """The kind and the target of each relationship of a part ("" for the package), by id."""
        folder, base = posixpath.split(name)
        tree = self.part(posixpath.join(folder, "_rels", f"{base}.rels"))
        links = [attributes(link) for link in tree] if tree is not None else []
        return {
            link["Id"]: (
                link["Type"].rpartition("/")[2],
                posixpath.normpath(posixpath.join("/", folder, link["Target"]))[1:],
            )
            for link in links
            if link.get("TargetMode") != "External" and "Target" in link
        }

    def related(self, name: str, kind: str) -> list[str]:
        """The targets of the relationships of one kind."""
        return [target for each, target in self.relations(name).values() if each == kind]

    @cached_property
    def main(self) -> str:
        return next(iter(self.related("", "officeDocument")), "")

    def declared(self) -> tuple[str | None, date | None]:
        """The title and the day of creation of the core properties."""
        (tree,) = [self.part(name) for name in self.related("", "core-properties")[:1]] or [None]
        values = {local(each): each.text or "" for each in (tree if tree is not None else ())}
        day = first_date(values.get("created", "")[:10])
        return values.get("title"), None if day in _TEMPLATE_DATES else day

    def _inspect(self) -> None:
        entries, chosen = self.archive.infolist(), settings()
        if len(entries) > chosen.max_archive_entries:
            raise FileError(f"packs {len(entries):,} files; it is refused as a decompression bomb.")
        texts = [entry for entry in entries if self._is_xml(entry)]
        unpacked = sum(entry.file_size for entry in entries)
        largest = max((entry.file_size for entry in texts), default=0)
        if unpacked > chosen.max_unpacked_bytes or largest > chosen.max_xml_bytes:
            raise FileError(f"unpacks to {unpacked // 1_000_000} MB; it is refused as a decompression bomb.")
        tags = sum(self.archive.read(entry).count(b"<") for entry in texts)
        if tags > chosen.max_xml_tags:
            raise FileError(f"holds {tags:,} tags; it is refused as a decompression bomb.")

    def _is_xml(self, entry: zipfile.ZipInfo) -> bool:
        """By its name or its first bytes: what is parsed is told by a content type, whatever the name of a part."""
        if entry.filename.endswith((".xml", ".rels")):
            return True
        with self.archive.open(entry) as packed:
            return packed.read(64).lstrip(b"\xef\xbb\xbf\xfe\xff\0 \t\r\n").startswith(b"<")


class Walker:
    """Reads the text of one part of a package, in the order of the file."""

    def __init__(self, package: Package, part: str) -> None:
        self.package, self.part, self.pictures = package, part, 0

    def blocks(self, node: Any) -> Iterator[Block]:
        """The paragraphs and tables below a node, or the one that it is."""
        name = local(node)
        if self.is_unseen(node):
            return
        if name == "p":
            yield from self._paragraph(node)
        elif name == "tbl":
            yield from self._table(node)
        elif name in ("chart", "relIds"):
            yield from self._drawing(node)
        else:
            self.pictures += name == "blip"
            for child in node:
                yield from self.blocks(child)

    def is_unseen(self, node: Any) -> bool:
        """Whether a page does not show it: a deletion, hidden letters, the second form of what has two."""
        name = local(node)
        if name == "Fallback":
            return any(local(each) == "Choice" for each in node.getparent())
        hidden = name == "r" and any(
            attributes(each).get("val") not in ("0", "false") for each in named(node, "vanish")
        )
        return not name or name in _UNSEEN or hidden or attributes(node).get("type") == "slidenum"

    def block(self, node: Any, text: str) -> Block:
        """A paragraph of this text; headings and lists are told from its node."""
        return Block(text)

    def insertion(self, node: Any) -> str:
        """What a tag stands for within a line, such as a reference to a note."""
        return _SIGNS.get(local(node), "")

    def text(self, node: Any) -> str:
        """All text below a node in one line."""
        return " ".join(" ".join(block.text.split()) for block in self.blocks(node))

    def _paragraph(self, node: Any) -> Iterator[Block]:
        texts: list[str] = []
        inner: list[Any] = []
        self._collect(node, texts, inner)
        if text := "".join(texts).strip():
            yield self.block(node, text)
        for child in inner:
            yield from self.blocks(child)

    def _collect(self, node: Any, texts: list[str], inner: list[Any]) -> None:
        """The pieces of a line, and what stands in a frame or a table that hangs on it."""
        for child in node:
            name = local(child)
            if name in _BLOCKS:
                inner.append(child)
            elif name in ("t", "script"):
                texts.append((child.text or "") + "".join(self.insertion(each) + (each.tail or "") for each in child))
            elif not self.is_unseen(child):
                self.pictures += name == "blip"
                texts.append(self.insertion(child) or (_BEFORE.get(name, "") if "math" in child.tag else ""))
                self._collect(child, texts, inner)

    def _table(self, node: Any) -> Iterator[Block]:
        """A table; rows that hold another one lay out the page, and are read cell by cell."""
        rows: list[list[str]] = []
        above: dict[int, str] = {}
        for row in (each for each in named(node, "tr") if _is_own(each, node)):
            if not named(row, "tbl"):
                rows.append(self._row(row, above))
                continue
            yield from _tables(rows)
            rows = []
            yield from (block for cell in named(row, "tc") if _is_own(cell, row) for block in self._cell(cell))
        yield from _tables(rows)

    def _cell(self, cell: Any) -> Iterator[Block]:
        for child in cell:
            yield from self.blocks(child)

    def _row(self, row: Any, above: dict[int, str]) -> list[str]:
        """The cells of a row; one that is merged stands in each row that it spans. `above` is the row before."""
        cells: dict[int, str] = {}
        column = 0
        for cell in (each for each in named(row, "tc") if _is_own(each, row)):
            (address,) = [attributes(each) for each in named(cell, "cellAddr")[:1]] or [{}]
            properties = {local(each): attributes(each).get("val", "1") for each in named(cell, "gridSpan", "vMerge")}
            properties |= attributes(cell)
            if properties.get("hMerge") in ("1", "true"):
                continue
            column = max(column, min(int(address.get("colAddr", column)), MOST_ADDRESSED))
            continues = properties.get("vMerge") in ("1", "true", "continue")
            cells[column] = above.get(column, "") if continues else " ".join(block.text for block in self._cell(cell))
            column += max(1, min(int(properties.get("gridSpan", 1)), MOST_COLUMNS))
        all_cells = (above if named(row, "cellAddr") else {}) | cells
        width = max([column, *(place + 1 for place in all_cells)])
        above.clear()
        above.update({place: text if len(text) <= REPEATED else "" for place, text in all_cells.items()})
        return [all_cells.get(place, "") for place in range(width)]

    def _drawing(self, node: Any) -> Iterator[Block]:
        """A chart as a table, a diagram as its paragraphs: both are parts of their own."""
        id_ = relation(node, "id") or relation(node, "dm")
        name = self.package.relations(self.part).get(id_, ("", ""))[1]
        tree = self.package.part(name)
        if tree is not None and local(node) == "chart":
            yield from _chart(tree)
        elif tree is not None:
            yield from self.blocks(tree)


def _is_own(part: Any, whole: Any) -> bool:
    """Whether a row is of this table, or a cell of this row, and not of one that is nested in it."""
    return next(part.iterancestors(whole.tag)) is whole


def _tables(rows: Iterable[list[str]]) -> Iterator[Block]:
    if text := table(rows):
        yield Block(text)


def _chart(tree: Any) -> Iterator[Block]:
    """The title of a chart, and its values by category, as they were when it was saved."""
    titles = ["".join(text.text or "" for text in named(title, "t", "v")) for title in named(tree, "title")]
    yield from (Block(title) for title in titles if title.strip())
    columns = [column for series in named(tree, "ser") for column in _columns(series)] or [
        _points(dimension, "") for dimension in named(tree, "strDim", "numDim")
    ]
    distinct = [column for at, column in enumerate(columns) if column and column not in columns[:at]]
    rows = sorted({index for column in distinct for index in column})
    yield from _tables([[column.get(index, "") for column in distinct] for index in rows])


def _columns(series: Any) -> list[dict[int, str]]:
    """The categories and the values of a series, each by index, under its head at −1."""
    (name,) = ["".join(text.text or "" for text in named(head, "v")) for head in named(series, "tx")[:1]] or [""]
    return [
        *(_points(each, "") for each in named(series, "cat", "xVal")),
        *(_points(each, name) for each in named(series, "val", "yVal", "bubbleSize")),
    ]


def _points(node: Any, head: str) -> dict[int, str]:
    """Texts by index. Categories may have several levels, inner ones first: an outer one counts up to the next."""
    points: dict[int, str] = {}
    for level in named(node, "lvl") or [node]:
        own, outer = {int(attributes(point).get("idx", 0)): _text(point) for point in named(level, "pt")}, ""
        for index in sorted(points | own):
            outer = own.get(index, outer)
            points[index] = f"{outer} {points.get(index, '')}".strip()
    return {-1: head, **points} if points else {}


def _text(node: Any) -> str:
    return "".join(text.strip() for text in node.itertext())
