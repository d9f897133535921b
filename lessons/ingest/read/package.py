"""Office files: ZIP archives of XML parts that point at each other, as ECMA-376 (part 2) packs them.

Word and PowerPoint call a paragraph `p`, its text `t` and a table `tbl`, each in namespaces of its own and in
two versions, transitional and strict. So only local names count here, and whatever holds text is read, wherever it
stands, unless it is known not to be shown.
"""

import posixpath
import re
import zipfile
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from lxml import etree

from lessons.ingest.read.page import Block, FileError, first_date
from lessons.ingest.read.text import MOST_COLUMNS, REPEATED, Row, runs_on, table
from lessons.settings import settings

_TEMPLATE_DATES = {date(2013, 12, 23), date(2013, 1, 27)}  # of python-docx's and python-pptx's, not of what is written
_UNSEEN = {"del", "moveFrom", "instrText", "rPr", "pPr", "tcPr", "nvSpPr"}  # what no page shows, or holds no text
_SIGNS = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_BEFORE = {"den": "/", "sup": "^", "sub": "_"}  # between the parts of a formula
_FILE_NAME = re.compile(r"\S+\.\w{3,4}")  # what some programs write in place of a description
_BLOCKS = {"p", "tbl", "chart", "relIds"}


class Package:
    """The parts of an office file. FileError if it is of another program, or a decompression bomb."""

    def __init__(self, path: Path, folder: str, program: str) -> None:
        self.archive = zipfile.ZipFile(path)
        self._names = {entry.filename for entry in self.archive.infolist()}
        self._trees: dict[str, Any] = {}
        self.notes: dict[str, None] = {}  # on damage, each once, in order
        self._inspect()
        if not any(name.startswith(folder) for name in self._names):
            raise FileError(
                f"is not a {program} document, whatever its name says; save it as one, or correct its name."
            )

    def part(self, name: str) -> Any:
        """Return the tree of a part, without namespaces; an empty one if it is not there."""
        if name in self._names and name not in self._trees:
            parser = etree.XMLParser(
                resolve_entities=False, huge_tree=False, recover=True, remove_comments=True, remove_pis=True
            )
            tree = etree.fromstring(self.archive.read(name), parser)
            if parser.error_log:
                if tree is None or not any(map(str.strip, tree.itertext())):
                    raise ValueError(f"nothing of {name} can be read")
                self.notes[f"Damaged, and perhaps not read to its end: {name}."] = None
            self._trees[name] = _without_namespaces(tree)
        return self._trees.get(name, etree.Element("missing"))

    def relations(self, name: str) -> dict[str, tuple[str, str]]:
        """Map the id of each relationship of a part ("" for the package) to its kind and its target."""
        folder, base = posixpath.split(name)
        return {
            link.get("Id", ""): (
                link.get("Type", "").rpartition("/")[2],
                posixpath.normpath(posixpath.join("/", folder, link.get("Target")))[1:],
            )
            for link in self.part(posixpath.join(folder, "_rels", f"{base}.rels"))
            if link.get("TargetMode") != "External" and "Target" in link.attrib
        }

    def related(self, name: str, kind: str) -> list[str]:
        """List the targets of the relationships of one kind."""
        return [target for its_kind, target in self.relations(name).values() if its_kind == kind]

    @cached_property
    def main(self) -> str:
        return next(iter(self.related("", "officeDocument")), "")

    def declared(self) -> tuple[str | None, date | None]:
        """Return the title and the day of creation of the core properties."""
        properties = self.part(next(iter(self.related("", "core-properties")), ""))
        day = first_date(properties.findtext("created", "")[:10])
        return properties.findtext("title"), None if day in _TEMPLATE_DATES else day

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


def _without_namespaces(tree: Any) -> Any:
    """Take the namespaces off a tree; the id of a relationship, `r:id`, becomes `r-id`, beside an `id` of its own."""
    for node in tree.iter("*"):
        node.tag = node.tag.rpartition("}")[2]
        for key in [key for key in node.attrib if key[0] == "{"]:
            space, _, name = key.rpartition("}")
            node.set(f"r-{name}" if space.endswith("relationships") else name, node.attrib.pop(key))
    return tree


class Walker:
    """Reads the text of one part of a package, in the order of the file."""

    def __init__(self, package: Package, part: str) -> None:
        self.package, self.part, self.pictures, self.hidden_words = package, part, 0, 0

    def blocks(self, node: Any) -> Iterator[Block]:
        """Yield the paragraphs and tables below a node, or the one that it is."""
        if self.is_unseen(node):
            return
        if node.tag == "p":
            yield from self._paragraph(node)
        elif node.tag == "tbl":
            yield from self._table(node)
        elif node.tag in _BLOCKS:
            yield from self._drawing(node)
        else:
            if node.tag == "blip" and (description := self._description(node)):
                yield Block(description)
            for child in node:
                yield from self.blocks(child)

    def is_unseen(self, node: Any) -> bool:
        """Return True for what no page shows: a deletion, hidden letters, the second form of what has two."""
        if node.tag == "Fallback":
            return node.getparent().find("Choice") is not None
        vanish = node.iterfind("rPr/vanish") if node.tag == "r" else ()
        is_hidden = any(tag.get("val") not in ("0", "false") for tag in vanish)
        return is_hidden or node.tag in _UNSEEN or node.tag is etree.Entity or node.get("type") == "slidenum"

    def block(self, node: Any, text: str) -> Block:
        """Make the block of a paragraph; formats override it, as its node tells headings and lists."""
        return Block(text)

    def insertion(self, node: Any) -> str:
        """Return what a tag stands for within a line, such as a reference to a note, or what a picture shows."""
        return self._description(node) if node.tag == "blip" else _SIGNS.get(node.tag, "")

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
            if child.tag in _BLOCKS:
                inner.append(child)
            elif child.tag == "t":
                texts.append(child.text or "")
            elif self.is_unseen(child):
                self.hidden_words += len("".join(child.itertext()).split()) if child.tag == "r" else 0
            else:
                opening, closing = _around(child)
                texts += [self.insertion(child), opening]
                self._collect(child, texts, inner)
                texts.append(closing)

    def _description(self, blip: Any) -> str:
        """Return the words that stand for a picture, which itself is not read; "" without any."""
        self.pictures += 1
        frames = blip.iterancestors("pic", "inline", "anchor")
        tags = (tag for frame in frames for tag in frame.iterfind(".//cNvPr" if frame.tag == "pic" else "docPr"))
        descriptions = (" ".join(tag.get("descr", "").split()) for tag in tags)
        return next((text for text in descriptions if text and not _FILE_NAME.fullmatch(text)), "")

    def _table(self, node: Any) -> Iterator[Block]:
        """Read a table; rows that hold another one lay out the page, and are read cell by cell."""
        rows: list[Row] = []
        row_above: dict[int, str] = {}
        for row in _own_descendants(node, "tr"):
            if row.find(".//tbl") is None:
                rows.append(self._row(row, row_above))
                continue
            yield from _table_block(rows)
            rows = []
            for cell in _own_descendants(row, "tc"):
                yield from self.blocks(cell)
        yield from _table_block(rows)

    def _row(self, row: Any, row_above: dict[int, str]) -> Row:
        """Read the cells of a row, and put them in the place of `row_above`.

        A merged cell stands in each row that it spans, None in each further column.
        """
        cells: dict[int, str] = {}
        column = 0
        for cell in _own_descendants(row, "tc"):
            merging = {tag.tag: tag.get("val", "1") for tag in cell.iterdescendants("gridSpan", "vMerge")}
            merging |= cell.attrib
            if merging.get("hMerge") in ("1", "true"):
                continue
            continues = merging.get("vMerge") in ("1", "true", "continue")
            cells[column] = (
                row_above.get(column, "") if continues else " ".join(block.text for block in self.blocks(cell))
            )
            column += max(1, min(int(merging.get("gridSpan", 1)), MOST_COLUMNS))
        row_above.clear()
        row_above.update({column: text if len(text) <= REPEATED else "" for column, text in cells.items()})
        return [cells.get(at) for at in range(column)]

    def _drawing(self, node: Any) -> Iterator[Block]:
        """Read a chart as a table, a diagram as its paragraphs: both are parts of their own."""
        _, target = self.package.relations(self.part).get(node.get("r-id") or node.get("r-dm"), ("", ""))
        yield from (_chart if node.tag == "chart" else self.blocks)(self.package.part(target))


def _around(node: Any) -> tuple[str, str]:
    """Return what stands before and behind a raised number, or a part of a formula in one line, as in V/(t+4)."""
    if node.tag == "d":
        opening, closing = (node.find(f"dPr/{name}") for name in ("begChr", "endChr"))
        return "(" if opening is None else opening.get("val", ""), ")" if closing is None else closing.get("val", "")
    if node.tag == "nary":
        sign = node.find("naryPr/chr")
        return "∫" if sign is None else sign.get("val", ""), ""
    if node.tag == "r":
        return "^" if _is_raised(node.find("rPr")) and runs_on("".join(node.itertext())) else "", ""
    sign = "√" if node.tag == "e" and node.getparent().tag == "rad" else _BEFORE.get(node.tag, "")
    is_long = (sign or node.tag == "num") and not re.fullmatch(r"[\w.,]*", "".join(node.itertext()).strip())
    return (f"{sign}(", ")") if is_long else (sign, "")


def _is_raised(style: Any) -> bool:
    """Tell superscript by the style of a run, in Word or in PowerPoint."""
    if style is None:
        return False
    return style.find("vertAlign[@val='superscript']") is not None or style.get("baseline", "0")[0] not in "0-"


def _own_descendants(node: Any, name: str) -> Iterator[Any]:
    """Yield the rows of a table, or the cells of a row, but not those of tables that are nested in it."""
    return (tag for tag in node.iterdescendants(name) if next(tag.iterancestors(node.tag)) is node)


def _table_block(rows: Iterable[Row]) -> Iterator[Block]:
    if text := table(rows):
        yield Block(text)


def _chart(tree: Any) -> Iterator[Block]:
    """Read the title of a chart, and its values by category, as they were when it was saved."""
    titles = ["".join(text.text or "" for text in title.iter("t", "v")) for title in tree.iter("title")]
    yield from (Block(title) for title in titles if title.strip())
    columns = [column for series in tree.iter("ser") for column in _columns(series)]
    columns = columns or [_points(dimension, "") for dimension in tree.iter("strDim", "numDim")]
    distinct = [column for at, column in enumerate(columns) if column and column not in columns[:at]]
    rows = sorted({index for column in distinct for index in column})
    yield from _table_block([[column.get(index, "") for column in distinct] for index in rows])


def _columns(series: Any) -> list[dict[int, str]]:
    """Read the categories and the values of a series, each by index, under its head at −1."""
    name = "".join(text.text or "" for text in series.iterfind("tx//v"))
    return [
        *(_points(categories, "") for categories in series.iter("cat", "xVal")),
        *(_points(values, name) for values in series.iter("val", "yVal", "bubbleSize")),
    ]


def _points(node: Any, head: str) -> dict[int, str]:
    """Read texts by index. Categories may have several levels, inner ones first: an outer one counts up to the next."""
    points: dict[int, str] = {}
    for level in node.findall(".//lvl") or [node]:
        texts = {
            int(point.get("idx", 0)): "".join(text.strip() for text in point.itertext()) for point in level.iter("pt")
        }
        outer = ""
        for index in sorted(points | texts):
            outer = texts.get(index, outer)
            points[index] = f"{outer} {points.get(index, '')}".strip()
    return {-1: head, **points} if points else {}
