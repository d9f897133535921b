"""Word and PowerPoint files: how each of them marks headings, lists, notes and the order of what it shows."""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from lessons.ingest.read.package import Package, Walker
from lessons.ingest.read.page import Block, Content, page, unread_pictures

_HEADING_STYLE = re.compile(r"(?:heading|제목|개요|outline)\s*([1-9])", re.IGNORECASE)
_TITLE_STYLE = re.compile(r"title|제목|표제", re.IGNORECASE)
_ROMAN = {1000: "m", 900: "cm", 500: "d", 400: "cd", 100: "c", 90: "xc", 50: "l", 40: "xl"}
_ROMAN |= {10: "x", 9: "ix", 5: "v", 4: "iv", 1: "i"}
_LETTERS = {
    "Letter": "abcdefghijklmnopqrstuvwxyz",
    "ganada": "가나다라마바사아자차카타파하",
    "chosung": "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ",
}
MOST_STYLES = 20  # that are based on each other
MOST_NESTED = 8  # levels of a list, as Word has them below the first
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
    notes = [f"Comments that were left out: {comments}."] if comments else []
    hidden = walker.hidden_words
    notes += [f"Hidden words that were left out: {hidden}."] if hidden else []
    lines = map(_heading_line, blocks)
    notes += [*unread_pictures(walker.pictures), *package.notes]
    return Content([page(None, lines, "\n\n")], *package.declared(), tuple(notes))


def read_pptx(path: Path) -> Content:
    """Read a page for each slide. Its title is a heading, the first one the document's title."""
    package = Package(path, "ppt/", "PowerPoint")
    relations = package.relations(package.main)
    ids = [slide.get("r-id") for slide in package.part(package.main).iter("sldId")]
    walkers = [Walker(package, relations[id_][1]) for id_ in ids if id_ in relations]
    footers: set[str] = set()
    pages = [
        page(number, map(_heading_line, _slide(walker, number, footers)), "\n\n")
        for number, walker in enumerate(walkers, start=1)
    ]
    pictures = unread_pictures(sum(walker.pictures for walker in walkers))
    return Content(pages, *package.declared(), (*pictures, *package.notes))


def _heading_line(block: Block) -> Block:
    """Write a heading as Markdown does; leave any other block as it is."""
    if block.level is None:
        return block
    level, label = max(1, min(block.level, 6)), " ".join(block.text.split())
    return Block(f"{'#' * level} {label}", level, label)


def _headers(package: Package, kind: str) -> list[Block]:
    """Read the paragraphs of all headers or footers, each once."""
    parts = package.related(package.main, kind)
    blocks = [block for part in parts for block in WordWalker(package, part).blocks(package.part(part))]
    return list(dict.fromkeys(Block(block.text) for block in blocks if any(map(str.isalpha, block.text))))


class WordWalker(Walker):
    """Tells headings by style or outline level, numbers lists, and puts notes where they are referred to."""

    def __init__(self, package: Package, part: str) -> None:
        super().__init__(package, part)
        self._styles = {style.get("styleId", ""): style for style in self.tags("styles", "style")}
        self._numbering = Numbering(self.tags("numbering", "abstractNum"), self.tags("numbering", "num"))

    def tags(self, kind: str, name: str) -> list[Any]:
        """List the tags of this name in the parts of a kind, such as styles or comments."""
        parts = map(self.package.part, self.package.related(self.package.main, kind))
        return [tag for part in parts for tag in part.iter(name)]

    def block(self, node: Any, text: str) -> Block:
        level, (list_id, depth) = self._level(node), self._list_of(node)
        label = self._numbering.label(list_id, depth)
        indent = "   " * min(depth, MOST_NESTED) if label and level is None else ""  # as Markdown nests items
        return Block(indent + label + text, level)

    def insertion(self, node: Any) -> str:
        if node.tag not in ("footnoteReference", "endnoteReference"):
            return super().insertion(node)
        note = self._notes.get((node.tag.removesuffix("Reference"), node.get("id")))
        words = [] if note is None else [word for block in self.blocks(note) for word in block.text.split()]
        return f" ({' '.join(words)})" if words else ""

    @cached_property
    def _notes(self) -> dict[tuple[str, str | None], Any]:
        """Each footnote and endnote by its kind and id."""
        kinds = "footnote", "endnote"
        return {(kind, note.get("id")): note for kind in kinds for note in self.tags(f"{kind}s", kind)}

    def _chain(self, node: Any) -> Iterator[Any]:
        """Yield a paragraph and its styles, from its own to that which the others are based on."""
        path = "pPr/pStyle"
        for _ in range(MOST_STYLES):
            yield node
            node, path = self._styles.get(_value(node, path)), "basedOn"
            if node is None:
                return

    def _level(self, node: Any) -> int | None:
        """Return 0 for the title, 1–9 for headings, None for text.

        In the file outline levels are 0–8, and 9 is the text.
        """
        for styled in self._chain(node):
            name, level = _value(styled, "name"), _value(styled, "pPr/outlineLvl")
            if heading := _HEADING_STYLE.fullmatch(name):
                return int(heading[1])
            if _TITLE_STYLE.fullmatch(name):
                return 0
            if level.isdigit() and int(level) < 9:
                return int(level) + 1
        return None

    def _list_of(self, node: Any) -> tuple[str, int]:
        """Return the id of the list that a paragraph belongs to ("" if it is in none), and its depth in it."""
        lists = (styled.find("pPr/numPr") for styled in self._chain(node))
        of_list = next((properties for properties in lists if properties is not None), None)
        return ("", 0) if of_list is None else (_value(of_list, "numId"), int(_value(of_list, "ilvl") or 0))


def _value(node: Any, path: str) -> str:
    """Return the value of the tag at a path below a node; "" without one."""
    tag = node.find(path)
    return "" if tag is None else tag.get("val", "")


class Numbering:
    """Counts the paragraphs of numbered lists, as Word does when it shows a document."""

    def __init__(self, abstract_lists: list[Any], lists: list[Any]) -> None:
        levels = {abstract.get("abstractNumId"): abstract.findall(".//lvl") for abstract in abstract_lists}
        self._levels: dict[str, tuple[str, list[Any]]] = {}
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)
        self._restarts: dict[tuple[str, int], int] = {}
        for numbered in lists:
            list_id, abstract_id = numbered.get("numId"), _value(numbered, "abstractNumId")
            self._levels[list_id] = abstract_id, levels.get(abstract_id, [])
            for start in numbered.iterfind(".//startOverride"):
                self._restarts[list_id, int(start.getparent().get("ilvl", 0))] = int(start.get("val", 1))

    def label(self, list_id: str, depth: int) -> str:
        """Return the number of the next paragraph of a list at this depth, with a blank; "- " for a bullet."""
        abstract_id, levels = self._levels.get(list_id, ("", []))
        if depth >= len(levels):
            return ""
        counts, kinds = self._counts[abstract_id], [_value(level, "numFmt") for level in levels]
        start = int(_value(levels[depth], "start") or 1)
        counts[depth] = self._restarts.pop((list_id, depth), counts.get(depth, start - 1) + 1)
        for deeper in [level for level in counts if level > depth]:
            del counts[deeper]
        if kinds[depth] in ("bullet", "none"):
            return "- " if kinds[depth] == "bullet" else ""

        def number(match: re.Match[str]) -> str:
            level = int(match[1]) - 1
            return _numeral(counts.get(level, 1), kinds[level]) if level < len(kinds) else ""

        return f"{re.sub('%([1-9])', number, _value(levels[depth], 'lvlText'))} ".lstrip()


def _numeral(number: int, kind: str) -> str:
    """Write a number as a list does: 3 is 'c' among lower letters, 'iii' among lower Roman ones, '다' among Hangul.

    After 'z' comes 'aa', then 'bb' (ECMA-376, part 1, 17.18.59); Hangul begins anew.
    """
    letters = next((letters for name, letters in _LETTERS.items() if name in kind), "")
    text = f"{number:02}" if kind == "decimalZero" else str(number)
    if letters and number > 0:
        times, at = divmod(number - 1, len(letters))
        text = letters[at] * (1 if "Letter" not in kind else times % 30 + 1)
    elif kind == "decimalEnclosedCircle" and 0 < number <= 20:
        text = chr(ord("①") + number - 1)
    elif kind.endswith("Roman") and number < 4000:
        text = ""
        for value, sign in _ROMAN.items():
            text, number = text + sign * (number // value), number % value
    return text.upper() if kind.startswith("upper") else text


def _slide(walker: Walker, number: int, footers: set[str]) -> Iterator[Block]:
    """Yield the blocks of a slide; of its footer, date and number only what no slide before had."""
    package, offsets = walker.package, _inherited_offsets(walker.package, walker.part)
    for shape in _ordered(package.part(walker.part).find(".//spTree"), offsets):
        kind, blocks = _placeholder(shape).get("type"), list(walker.blocks(shape))
        if kind in _FOOTERS:
            blocks = [block for block in blocks if block.text not in footers]
            footers.update(block.text for block in blocks)
        if kind in _TITLES and blocks:
            blocks = [Block("\n".join(block.text for block in blocks), 1 if number == 1 else 2)]
        yield from blocks
    for name in package.related(walker.part, "notesSlide"):
        for shape in package.part(name).iter("sp"):
            if _placeholder(shape).get("type") == "body":
                yield from walker.blocks(shape)


def _ordered(group: Any, offsets: dict[str, Any]) -> Iterator[Any]:
    """Yield the shapes of a slide in reading order; those of a group stay together."""
    shapes = [shape for shape in (() if group is None else group) if shape.tag in _SHAPES]
    for shape in sorted(shapes, key=lambda shape: _reading_order(shape, offsets)):
        yield from _ordered(shape, offsets) if shape.tag == "grpSp" else [shape]


def _reading_order(shape: Any, offsets: dict[str, Any]) -> tuple[bool, int, int]:
    """Return a key that sorts the title first, then row by row."""
    placeholder = _placeholder(shape)
    keys = (placeholder.get("idx", "0"), _role(placeholder)) if placeholder else ()
    inherited = next((offsets[key] for key in keys if key in offsets), None)
    offset = shape.find(".//off")
    position = inherited if offset is None else offset
    left, top = (0, 0) if position is None else (int(position.get("x", 0)), int(position.get("y", 0)))
    return placeholder.get("type") not in _TITLES, top // ROW, left


def _inherited_offsets(package: Package, part: str) -> dict[str, Any]:
    """Find where placeholders stand unless a slide says: by index in the layout, by role in the master."""
    layouts = package.related(part, "slideLayout")
    masters = [master for name in layouts for master in package.related(name, "slideMaster")]
    offsets: dict[str, Any] = {}
    for names, in_layout in ((masters, False), (layouts, True)):
        for shape in (shape for name in names for shape in package.part(name).iter("sp")):
            placeholder, offset = _placeholder(shape), shape.find(".//off")
            if placeholder and offset is not None:
                offsets[placeholder.get("idx", "0") if in_layout else _role(placeholder)] = offset
    return offsets


def _role(placeholder: dict[str, str]) -> str:
    """Name what a placeholder is to the master, which has one title, one body and each footer once."""
    role = placeholder.get("type", "body")
    return role if role in _FOOTERS | _TITLES else "body"


def _placeholder(shape: Any) -> dict[str, str]:
    """Return the attributes of the placeholder that a shape fills; none if it stands for itself."""
    placeholder = shape.find(".//ph") if shape.tag == "sp" else None
    return {} if placeholder is None else {**placeholder.attrib, "is": "ph"}
