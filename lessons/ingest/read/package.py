"""Office files: ZIP archives of XML parts that point at each other, as ECMA-376 (part 2) packs them.

Word and PowerPoint call a paragraph `p`, its text `t` and a table `tbl`, each in namespaces of its own and in
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

from lessons.ingest.read.page import Block, FileError, first_date
from lessons.ingest.read.text import table
from lessons.settings import settings

_TEMPLATE_DATES = {date(2013, 12, 23), date(2013, 1, 27)}  # of python-docx's and python-pptx's, not of what is written
_UNSEEN = {"del", "moveFrom", "instrText", "rPr", "pPr", "tcPr", "nvSpPr"}  # what no page shows, or holds no text
_SIGNS = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_BEFORE = {"den": "/", "sup": "^", "sub": "_", "deg": "√"}  # between the parts of a formula
_BLOCKS = {"p", "tbl", "chart", "relIds"}
MOST_COLUMNS = 63  # of a table in Word
REPEATED = 200  # characters that a merged cell may have to be repeated in each row that it spans


@lru_cache
def _without_namespace(name: str) -> str:
    return name.rpartition("}")[2]


def local_name(node: Any) -> str:
    """Return the name of a tag without its namespace; "" for a comment."""
    return _without_namespace(node.tag) if isinstance(node.tag, str) else ""


def attributes(node: Any) -> dict[str, str]:
    """Return the attributes of a tag without their namespaces."""
    return {_without_namespace(name): value for name, value in node.attrib.items()} if node is not None else {}


def descendants(node: Any, *names: str) -> list[Any]:
    """List the tags below a node that have one of these local names, in order."""
    return [] if node is None else list(node.iterdescendants(*(f"{{*}}{name}" for name in names)))


def first_descendant(node: Any, name: str) -> Any:
    """Return the first tag below a node that has this local name, or None."""
    return next(iter(descendants(node, name)), None)


def relationship_id(node: Any, name: str = "id") -> str:
    """Return the id of a relationship, whose attribute has a namespace: `r:id`, beside an `id` that may be another."""
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
        """Return the tree of a part; None if it is not there."""
        if name in self._names and name not in self._trees:
            parser = etree.XMLParser(resolve_entities=False, huge_tree=False)
            self._trees[name] = etree.fromstring(self.archive.read(name), parser)
        return self._trees.get(name)

    def relations(self, name: str) -> dict[str, tuple[str, str]]:
        """Map the id of each relationship of a part ("" for the package) to its kind and its target."""
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
        """List the targets of the relationships of one kind."""
        return [target for its_kind, target in self.relations(name).values() if its_kind == kind]

    @cached_property
    def main(self) -> str:
        return next(iter(self.related("", "officeDocument")), "")

    def declared(self) -> tuple[str | None, date | None]:
        """Return the title and the day of creation of the core properties."""
        tree = self.part(next(iter(self.related("", "core-properties")), None))
        values = {local_name(tag): tag.text or "" for tag in (() if tree is None else tree)}
        day = first_date(values.get("created", "")[:10])
        return values.get("title"), None if day in _TEMPLATE_DATES else day

    def _inspect(self) -> None:
        entries, limits = self.archive.infolist(), settings()
        if len(entries) > limits.max_archive_entries:
            raise FileError(f"packs {len(entries):,} files; it is refused as a decompression bomb.")
        texts = [entry for entry in entries if self._is_xml(entry)]
        unpacked = sum(entry.file_size for entry in entries)
        largest = max((entry.file_size for entry in texts), default=0)
        if unpacked > limits.max_unpacked_bytes or largest > limits.max_xml_bytes:
            raise FileError(f"unpacks to {unpacked // 1_000_000} MB; it is refused as a decompression bomb.")
        tags = sum(self.archive.read(entry).count(b"<") for entry in texts)
        if tags > limits.max_xml_tags:
            raise FileError(f"holds {tags:,} tags; it is refused as a decompression bomb.")

    def _is_xml(self, entry: zipfile.ZipInfo) -> bool:
        """Judge by name and first bytes: a content type says what is parsed, whatever the name of a part."""
        if entry.filename.endswith((".xml", ".rels")):
            return True
        with self.archive.open(entry) as packed:
            return packed.read(64).lstrip(b"\xef\xbb\xbf\xfe\xff\0 \t\r\n").startswith(b"<")


class Walker:
    """Reads the text of one part of a package, in the order of the file."""

    def __init__(self, package: Package, part: str) -> None:
        self.package, self.part, self.pictures = package, part, 0

    def blocks(self, node: Any) -> Iterator[Block]:
        """Yield the paragraphs and tables below a node, or the one that it is."""
        name = local_name(node)
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
        """Return True for what no page shows: a deletion, hidden letters, the second form of what has two."""
        name = local_name(node)
        if name == "Fallback":
            return any(local_name(sibling) == "Choice" for sibling in node.getparent())
        vanish = descendants(node, "vanish") if name == "r" else []
        is_hidden = any(attributes(tag).get("val") not in ("0", "false") for tag in vanish)
        return not name or name in _UNSEEN or is_hidden or attributes(node).get("type") == "slidenum"

    def block(self, node: Any, text: str) -> Block:
        """Make the block of a paragraph; formats override it, as its node tells headings and lists."""
        return Block(text)

    def insertion(self, node: Any) -> str:
        """Return what a tag stands for within a line, such as a reference to a note."""
        return _SIGNS.get(local_name(node), "")

    def text(self, node: Any) -> str:
        """Return all text below a node in one line."""
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
        """Collect the pieces of a line, and what stands in a frame or a table that hangs on it."""
        for child in node:
            name = local_name(child)
            if name in _BLOCKS:
                inner.append(child)
            elif name == "t":
                texts.append(child.text or "")
            elif not self.is_unseen(child):
                self.pictures += name == "blip"
                texts.append(self.insertion(child) or (_BEFORE.get(name, "") if "math" in child.tag else ""))
                self._collect(child, texts, inner)

    def _table(self, node: Any) -> Iterator[Block]:
        """Read a table; rows that hold another one lay out the page, and are read cell by cell."""
        rows: list[list[str]] = []
        row_above: dict[int, str] = {}
        for row in _own_descendants(node, "tr"):
            if not descendants(row, "tbl"):
                rows.append(self._row(row, row_above))
                continue
            yield from _table_block(rows)
            rows = []
            for cell in _own_descendants(row, "tc"):
                yield from self._cell(cell)
        yield from _table_block(rows)

    def _cell(self, cell: Any) -> Iterator[Block]:
        for child in cell:
            yield from self.blocks(child)

    def _row(self, row: Any, row_above: dict[int, str]) -> list[str]:
        """Read the cells of a row, and put them in the place of `row_above`.

        A merged cell stands in each row that it spans.
        """
        cells: dict[int, str] = {}
        column = 0
        for cell in _own_descendants(row, "tc"):
            merging = {
                local_name(tag): attributes(tag).get("val", "1") for tag in descendants(cell, "gridSpan", "vMerge")
            }
            merging |= attributes(cell)
            if merging.get("hMerge") in ("1", "true"):
                continue
            continues = merging.get("vMerge") in ("1", "true", "continue")
            cells[column] = (
                row_above.get(column, "") if continues else " ".join(block.text for block in self._cell(cell))
            )
            column += max(1, min(int(merging.get("gridSpan", 1)), MOST_COLUMNS))
        row_above.clear()
        row_above.update({column: text if len(text) <= REPEATED else "" for column, text in cells.items()})
        return [cells.get(at, "") for at in range(column)]

    def _drawing(self, node: Any) -> Iterator[Block]:
        """Read a chart as a table, a diagram as its paragraphs: both are parts of their own."""
        id_ = relationship_id(node, "id") or relationship_id(node, "dm")
        _, target = self.package.relations(self.part).get(id_, ("", ""))
        tree = self.package.part(target)
        if tree is not None and local_name(node) == "chart":
            yield from _chart(tree)
        elif tree is not None:
            yield from self.blocks(tree)


def _own_descendants(node: Any, name: str) -> Iterator[Any]:
    """Yield the rows of a table, or the cells of a row, but not those of tables that are nested in it."""
    return (tag for tag in descendants(node, name) if next(tag.iterancestors(node.tag)) is node)


def _table_block(rows: Iterable[list[str]]) -> Iterator[Block]:
    if text := table(rows):
        yield Block(text)


def _chart(tree: Any) -> Iterator[Block]:
    """Read the title of a chart, and its values by category, as they were when it was saved."""
    titles = ["".join(text.text or "" for text in descendants(title, "t", "v")) for title in descendants(tree, "title")]
    yield from (Block(title) for title in titles if title.strip())
    columns = [column for series in descendants(tree, "ser") for column in _columns(series)]
    columns = columns or [_points(dimension, "") for dimension in descendants(tree, "strDim", "numDim")]
    distinct = [column for at, column in enumerate(columns) if column and column not in columns[:at]]
    rows = sorted({index for column in distinct for index in column})
    yield from _table_block([[column.get(index, "") for column in distinct] for index in rows])


def _columns(series: Any) -> list[dict[int, str]]:
    """Read the categories and the values of a series, each by index, under its head at −1."""
    name = "".join(text.text or "" for text in descendants(first_descendant(series, "tx"), "v"))
    return [
        *(_points(categories, "") for categories in descendants(series, "cat", "xVal")),
        *(_points(values, name) for values in descendants(series, "val", "yVal", "bubbleSize")),
    ]


def _points(node: Any, head: str) -> dict[int, str]:
    """Read texts by index. Categories may have several levels, inner ones first: an outer one counts up to the next."""
    points: dict[int, str] = {}
    for level in descendants(node, "lvl") or [node]:
        texts = {
            int(attributes(point).get("idx", 0)): "".join(text.strip() for text in point.itertext())
            for point in descendants(level, "pt")
        }
        outer = ""
        for index in sorted(points | texts):
            outer = texts.get(index, outer)
            points[index] = f"{outer} {points.get(index, '')}".strip()
    return {-1: head, **points} if points else {}
