"""Word and PowerPoint files: how each of them marks headings, lists, notes and the order of what it shows."""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from lessons.ingest.read.package import (
    Package,
    Walker,
    attributes,
    descendants,
    first_descendant,
    local_name,
    relationship_id,
)
from lessons.ingest.read.page import Block, Content, page, unread_pictures

_HEADING_STYLE = re.compile(r"(?:heading|제목|개요|outline)\s*([1-9])", re.IGNORECASE)
_TITLE_STYLE = re.compile(r"title|제목|표제", re.IGNORECASE)
_ROMAN = {1000: "m", 900: "cm", 500: "d", 400: "cd", 100: "c", 90: "xc", 50: "l", 40: "xl"}
_ROMAN |= {10: "x", 9: "ix", 5: "v", 4: "iv", 1: "i"}
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_LETTERS = {
    "Letter": "abcdefghijklmnopqrstuvwxyz",
    "ganada": "가나다라마바사아자차카타파하",
    "chosung": "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ",
}
_SHAPES = {"sp", "graphicFrame", "grpSp", "pic", "cxnSp", "AlternateContent"}
_TITLES, _FOOTERS = {"title", "ctrTitle"}, {"ftr", "dt", "sldNum", "hdr"}
ROW = 300_000  # English Metric Units, a third of an inch: shapes whose tops differ by less stand in one row


def read_docx(path: Path) -> Content:
    """Read a Word file as one page: what stands above all pages, then the text, then what stands below all pages."""
    package = Package(path, "word/", "Word")
    walker = WordWalker(package, package.main)
    blocks = list(walker.blocks(package.part(package.main)))
    blocks = [*_headers(package, "header"), *blocks, *_headers(package, "footer")]
    if any(block.level == 0 for block in blocks):
        blocks = [block._replace(level=None if block.level is None else block.level + 1) for block in blocks]
    comments = len(walker.tags("comments", "comment"))
    notes = (f"Comments that were left out: {comments}.",) if comments else ()
    lines = map(_heading_line, blocks)
    return Content([page(None, lines, "\n\n")], *package.declared(), notes + unread_pictures(walker.pictures))


def read_pptx(path: Path) -> Content:
    """Read a page for each slide. Its title is a heading, the first one the document's title."""
    package = Package(path, "ppt/", "PowerPoint")
    relations = package.relations(package.main)
    ids = [relationship_id(slide) for slide in descendants(package.part(package.main), "sldId")]
    walkers = [Walker(package, relations[id_][1]) for id_ in ids if id_ in relations]
    footers: set[str] = set()
    pages = [
        page(number, map(_heading_line, _slide(walker, number, footers)), "\n\n")
        for number, walker in enumerate(walkers, start=1)
    ]
    return Content(pages, *package.declared(), unread_pictures(sum(walker.pictures for walker in walkers)))


def _heading_line(block: Block) -> Block:
    """Write a heading as Markdown does; leave any other block as it is."""
    if block.level is None:
        return block
    level, label = max(1, min(block.level, 6)), " ".join(block.text.split())
    return Block(f"{'#' * level} {label}", level, label)


def _headers(package: Package, kind: str) -> list[Block]:
    """Read the paragraphs of all headers or footers, each once."""
    walkers = [(WordWalker(package, name), package.part(name)) for name in package.related(package.main, kind)]
    blocks = [block for walker, tree in walkers if tree is not None for block in walker.blocks(tree)]
    return list(dict.fromkeys(Block(block.text) for block in blocks if any(map(str.isalpha, block.text))))


class WordWalker(Walker):
    """Tells headings by style or outline level, numbers lists, and puts notes where they are referred to."""

    def __init__(self, package: Package, part: str) -> None:
        super().__init__(package, part)
        self._styles = {attributes(style).get("styleId", ""): style for style in self.tags("styles", "style")}
        self._numbering = Numbering(self.tags("numbering", "abstractNum"), self.tags("numbering", "num"))

    def tags(self, kind: str, name: str) -> list[Any]:
        """List the tags of this name in the parts of a kind, such as styles or comments."""
        parts = map(self.package.part, self.package.related(self.package.main, kind))
        return [tag for part in parts for tag in descendants(part, name)]

    def block(self, node: Any, text: str) -> Block:
        level = self._level(node)
        return Block(self._numbering.label(*self._list_of(node)) + text, level)

    def insertion(self, node: Any) -> str:
        name = local_name(node)
        if name not in ("footnoteReference", "endnoteReference"):
            return super().insertion(node)
        note = self._notes.get((name.removesuffix("Reference"), attributes(node).get("id")))
        return f" ({text})" if note is not None and (text := self.text(note)) else ""

    @cached_property
    def _notes(self) -> dict[tuple[str, str | None], Any]:
        """Each footnote and endnote by its kind and id."""
        kinds = "footnote", "endnote"
        return {(kind, attributes(note).get("id")): note for kind in kinds for note in self.tags(f"{kind}s", kind)}

    @cached_property
    def _chains(self) -> dict[str, list[Any]]:
        """Each style, and after it those that it is based on, by its id."""
        bases = {id_: _child_value(style, "basedOn") for id_, style in self._styles.items()}
        chains: dict[str, list[Any]] = {}
        for style_id in self._styles:
            ids = [style_id]
            while (base := bases[ids[-1]]) in self._styles and base not in ids:
                ids.append(base)
            chains[style_id] = [self._styles[id_] for id_ in ids]
        return chains

    def _chain(self, node: Any) -> list[Any]:
        """List a paragraph and its styles, from its own to that which the others are based on."""
        style = next(_properties(node, "pStyle"), None)
        return [node, *self._chains.get(attributes(style).get("val", ""), [])]

    def _level(self, node: Any) -> int | None:
        """Return 0 for the title, 1–9 for headings, None for text.

        In the file outline levels are 0–8, and 9 is the text.
        """
        for styled in self._chain(node):
            name = _child_value(styled, "name")
            if heading := _HEADING_STYLE.fullmatch(name):
                return int(heading[1])
            if _TITLE_STYLE.fullmatch(name):
                return 0
            level = attributes(next(_properties(styled, "outlineLvl"), None)).get("val", "9")
            if level.isdigit() and int(level) < 9:
                return int(level) + 1
        return None

    def _list_of(self, node: Any) -> tuple[str, int]:
        """Return the id of the list that a paragraph belongs to ("" if it is in none), and its depth in it."""
        for styled in self._chain(node):
            for properties in _properties(styled, "numPr"):
                values = {local_name(value): attributes(value).get("val", "0") for value in properties}
                return values.get("numId", ""), int(values.get("ilvl", 0))
        return "", 0


def _child_value(node: Any, name: str) -> str:
    """Return the value of a child of this name; "" without one."""
    return next((attributes(child).get("val", "") for child in node if local_name(child) == name), "")


def _properties(node: Any, name: str) -> Iterator[Any]:
    return (tag for group in node if local_name(group) == "pPr" for tag in group if local_name(tag) == name)


class Numbering:
    """Counts the paragraphs of numbered lists, as Word does when it shows a document."""

    def __init__(self, abstract_lists: list[Any], lists: list[Any]) -> None:
        levels = {
            attributes(abstract).get("abstractNumId"): [
                {local_name(value): attributes(value).get("val", "") for value in level}
                for level in descendants(abstract, "lvl")
            ]
            for abstract in abstract_lists
        }
        self._levels: dict[str | None, tuple[str | None, list[dict[str, str]]]] = {}
        self._counts: dict[str | None, dict[int, int]] = defaultdict(dict)
        self._restarts: dict[tuple[str | None, int], int] = {}
        for numbered in lists:
            list_id = attributes(numbered).get("numId")
            abstract_id = attributes(first_descendant(numbered, "abstractNumId")).get("val")
            self._levels[list_id] = abstract_id, levels.get(abstract_id, [])
            for override in descendants(numbered, "lvlOverride"):
                for start in descendants(override, "startOverride"):
                    depth = int(attributes(override).get("ilvl", 0))
                    self._restarts[list_id, depth] = int(attributes(start).get("val", 1))

    def label(self, list_id: str, depth: int) -> str:
        """Return the number of the next paragraph of a list at this depth, with a blank; "- " for a bullet."""
        abstract_id, formats = self._levels.get(list_id, (None, []))
        if depth >= len(formats):
            return ""
        counts = self._counts[abstract_id]
        start = int(formats[depth].get("start") or 1)
        counts[depth] = self._restarts.pop((list_id, depth), counts.get(depth, start - 1) + 1)
        for deeper in [level for level in counts if level > depth]:
            del counts[deeper]
        if (kind := formats[depth].get("numFmt")) in ("bullet", "none"):
            return "- " if kind == "bullet" else ""

        def number(match: re.Match[str]) -> str:
            level = int(match[1]) - 1
            return _numeral(counts.get(level, 1), formats[level].get("numFmt", "")) if level < len(formats) else ""

        return f"{re.sub('%([1-9])', number, formats[depth].get('lvlText', ''))} ".lstrip()


def _numeral(number: int, kind: str) -> str:
    """Write a number as a list does: 3 is 'c' among lower letters, 'iii' among lower Roman ones, '다' among Hangul.

    After 'z' comes 'aa', then 'bb', and 'a' again after 30 rounds (ECMA-376, part 1, 17.18.59); Hangul begins anew.
    """
    letters = next((letters for name, letters in _LETTERS.items() if name in kind), "")
    text = f"{number:02}" if kind == "decimalZero" else str(number)
    if letters and number > 0:
        times, at = divmod(number - 1, len(letters))
        text = letters[at] * (1 if "Letter" not in kind else times % 30 + 1)
    elif kind == "decimalEnclosedCircle" and 0 < number <= len(_CIRCLED):
        text = _CIRCLED[number - 1]
    elif kind.endswith("Roman") and number < 4000:
        text = ""
        for value, sign in _ROMAN.items():
            text, number = text + sign * (number // value), number % value
    return text.upper() if kind.startswith("upper") else text


def _slide(walker: Walker, number: int, footers: set[str]) -> Iterator[Block]:
    """Yield the blocks of a slide; of its footer, date and number only what no slide before had."""
    package, tree = walker.package, walker.package.part(walker.part)
    if tree is None:
        return
    offsets = _inherited_offsets(package, walker.part)
    for shape in _ordered(first_descendant(tree, "spTree"), offsets):
        kind, blocks = _placeholder(shape).get("type"), list(walker.blocks(shape))
        if kind in _FOOTERS:
            blocks = [block for block in blocks if block.text not in footers]
            footers.update(block.text for block in blocks)
        if kind in _TITLES and blocks:
            blocks = [Block("\n".join(block.text for block in blocks), 1 if number == 1 else 2)]
        yield from blocks
    for name in package.related(walker.part, "notesSlide"):
        for shape in descendants(package.part(name), "sp"):
            if _placeholder(shape).get("type") == "body":
                yield from walker.blocks(shape)


def _ordered(group: Any, offsets: dict[str, Any]) -> Iterator[Any]:
    """Yield the shapes of a slide in reading order; those of a group stay together."""
    shapes = [shape for shape in (() if group is None else group) if local_name(shape) in _SHAPES]
    for shape in sorted(shapes, key=lambda shape: _reading_order(shape, offsets)):
        yield from _ordered(shape, offsets) if local_name(shape) == "grpSp" else [shape]


def _reading_order(shape: Any, offsets: dict[str, Any]) -> tuple[bool, int, int]:
    """Return a key that sorts the title first, then row by row."""
    placeholder = _placeholder(shape)
    keys = (placeholder.get("idx", "0"), _role(placeholder)) if placeholder else ()
    inherited = next((offsets[key] for key in keys if key in offsets), None)
    offset = first_descendant(shape, "off")
    position = attributes(inherited if offset is None else offset)
    left, top = int(position.get("x", 0)), int(position.get("y", 0))
    return placeholder.get("type") not in _TITLES, top // ROW, left


def _inherited_offsets(package: Package, part: str) -> dict[str, Any]:
    """Find where placeholders stand unless a slide says: by index in the layout, by role in the master."""
    layouts = package.related(part, "slideLayout")
    masters = [master for name in layouts for master in package.related(name, "slideMaster")]
    offsets: dict[str, Any] = {}
    for names, in_layout in ((masters, False), (layouts, True)):
        for shape in (shape for name in names for shape in descendants(package.part(name), "sp")):
            placeholder, offset = _placeholder(shape), first_descendant(shape, "off")
            if placeholder and offset is not None:
                offsets[placeholder.get("idx", "0") if in_layout else _role(placeholder)] = offset
    return offsets


def _role(placeholder: dict[str, str]) -> str:
    """Name what a placeholder is to the master, which has one title, one body and each footer once."""
    role = placeholder.get("type", "body")
    return role if role in _FOOTERS | _TITLES else "body"


def _placeholder(shape: Any) -> dict[str, str]:
    """Return the attributes of the placeholder that a shape fills; none if it stands for itself."""
    placeholder = first_descendant(shape, "ph") if local_name(shape) == "sp" else None
    return {} if placeholder is None else attributes(placeholder) | {"is": "ph"}
