"""Word files: paragraphs, lists with their numbers, tables, text boxes, notes, headers and footers."""

import re
from collections import defaultdict
from functools import cached_property
from pathlib import Path
from typing import Any

from lessons.ingest.read.package import Package, Walker, attributes, local, named
from lessons.ingest.read.page import Block, Content, page, unread_pictures

HEADING_STYLE = re.compile(r"(?:heading|제목|개요|outline)\s*([1-9])", re.IGNORECASE)
_TITLE = re.compile(r"title|제목|표제", re.IGNORECASE)
_ROMAN = {1000: "m", 900: "cm", 500: "d", 400: "cd", 100: "c", 90: "xc", 50: "l", 40: "xl"}
_ROMAN |= {10: "x", 9: "ix", 5: "v", 4: "iv", 1: "i"}
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_LETTERS = {
    "Letter": "abcdefghijklmnopqrstuvwxyz",
    "ganada": "가나다라마바사아자차카타파하",
    "chosung": "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ",
}


def read_docx(path: Path) -> Content:
    """One page: what stands above all pages first, then the text, then what stands below all pages."""
    package = Package(path, "word/", "Word")
    walker = WordWalker(package, package.main)
    blocks = list(walker.blocks(package.part(package.main)))
    blocks = [*_parts(package, "header"), *blocks, *_parts(package, "footer")]
    if any(block.level == 0 for block in blocks):
        blocks = [block._replace(level=None if block.level is None else block.level + 1) for block in blocks]
    comments = sum(len(named(package.part(name), "comment")) for name in package.related(package.main, "comments"))
    notes = (f"Comments that were left out: {comments}.",) if comments else ()
    title, created = package.declared()
    return Content(
        [page(None, map(heading_line, blocks), "\n\n")], title, created, notes + unread_pictures(walker.pictures)
    )


def heading_line(block: Block) -> Block:
    """A heading as Markdown writes it; any other block as it is."""
    if block.level is None:
        return block
    level, label = max(1, min(block.level, 6)), " ".join(block.text.split())
    return Block(f"{'#' * level} {label}", level, label)


def _parts(package: Package, kind: str) -> list[Block]:
    """The paragraphs of all headers or footers, each once."""
    walkers = [(WordWalker(package, name), package.part(name)) for name in package.related(package.main, kind)]
    blocks = [block for walker, tree in walkers if tree is not None for block in walker.blocks(tree)]
    return list(dict.fromkeys(Block(block.text) for block in blocks if any(map(str.isalpha, block.text))))


class WordWalker(Walker):
    """Tells headings by style or outline level, numbers lists, and puts notes where they are referred to."""

    def __init__(self, package: Package, part: str) -> None:
        super().__init__(package, part)
        self._styles = {attributes(style).get("styleId", ""): style for style in self._all("styles", "style")}
        self._numbering = Numbering(self._all("numbering", "abstractNum"), self._all("numbering", "num"))

    def _all(self, kind: str, name: str) -> list[Any]:
        return [
            each
            for part in self.package.related(self.package.main, kind)
            for each in named(self.package.part(part), name)
        ]

    def block(self, node: Any, text: str) -> Block:
        level = self._level(node)
        return Block(self._numbering.label(self._list_of(node)) + text, level)

    def insertion(self, node: Any) -> str:
        name = local(node)
        if name not in ("footnoteReference", "endnoteReference"):
            return super().insertion(node)
        note = self._notes.get((name.removesuffix("Reference"), attributes(node).get("id")))
        return f" ({text})" if note is not None and (text := self.text(note)) else ""

    @cached_property
    def _notes(self) -> dict[tuple[str, str | None], Any]:
        """Each footnote and endnote by its kind and id."""
        kinds = "footnote", "endnote"
        return {(kind, attributes(note).get("id")): note for kind in kinds for note in self._all(f"{kind}s", kind)}

    @cached_property
    def _chains(self) -> dict[str, list[Any]]:
        """Each style, and after it those that it is based on, by its id."""
        bases = {id_: _value(style, "basedOn") for id_, style in self._styles.items()}
        chains: dict[str, list[Any]] = {}
        for id_ in self._styles:
            ids = [id_]
            while (base := bases[ids[-1]]) in self._styles and base not in ids:
                ids.append(base)
            chains[id_] = [self._styles[each] for each in ids]
        return chains

    def _chain(self, node: Any) -> list[Any]:
        """A paragraph and its styles, from its own to that which the others are based on."""
        (style,) = _properties(node, "pStyle")[:1] or [None]
        return [node, *self._chains.get(attributes(style).get("val", ""), [])]

    def _level(self, node: Any) -> int | None:
        """0 for the title, 1–9 for headings, None for text; in the file outline levels are 0–8, and 9 is the text."""
        for each in self._chain(node):
            name = _value(each, "name")
            if heading := HEADING_STYLE.fullmatch(name):
                return int(heading[1])
            if _TITLE.fullmatch(name):
                return 0
            (level,) = _properties(each, "outlineLvl")[:1] or [None]
            value = attributes(level).get("val", "9")
            if value.isdigit() and int(value) < 9:
                return int(value) + 1
        return None

    def _list_of(self, node: Any) -> tuple[str, int]:
        """The id of the list that a paragraph belongs to ("" if it is in none), and its depth in it."""
        for each in self._chain(node):
            for properties in _properties(each, "numPr"):
                values = {local(value): attributes(value).get("val", "0") for value in properties}
                return values.get("numId", ""), int(values.get("ilvl", 0))
        return "", 0


def _value(node: Any, name: str) -> str:
    """The value of a child of this name; "" without one."""
    return next((attributes(child).get("val", "") for child in node if local(child) == name), "")


def _properties(node: Any, name: str) -> list[Any]:
    return [each for properties in node if local(properties) == "pPr" for each in properties if local(each) == name]


class Numbering:
    """Counts the paragraphs of numbered lists, as Word does when it shows a document."""

    def __init__(self, abstract: list[Any], lists: list[Any]) -> None:
        levels = {
            attributes(each).get("abstractNumId"): [
                {local(value): attributes(value).get("val", "") for value in level} for level in named(each, "lvl")
            ]
            for each in abstract
        }
        self._levels = {
            attributes(each).get("numId"): (id_, levels.get(id_, []))
            for each in lists
            for id_ in [
                attributes(named(each, "abstractNumId")[0]).get("val") if named(each, "abstractNumId") else None
            ]
        }
        self._counts: dict[str | None, dict[int, int]] = defaultdict(dict)
        self._anew: dict[tuple[str, int], int] = {}
        for level in [level for each in lists for level in named(each, "lvlOverride")]:
            for start in named(level, "startOverride"):
                place = attributes(level.getparent()).get("numId", ""), int(attributes(level).get("ilvl", 0))
                self._anew[place] = int(attributes(start).get("val", 1))

    def label(self, place: tuple[str, int]) -> str:
        """The number of the next paragraph of a list at this depth, with a blank; "- " where it has a bullet."""
        id_, depth = place
        shared, formats = self._levels.get(id_, (None, []))
        if depth >= len(formats):
            return ""
        counts = self._counts[shared]
        start = int(formats[depth].get("start") or 1)
        counts[depth] = self._anew.pop(place, counts.get(depth, start - 1) + 1)
        for deeper in [each for each in counts if each > depth]:
            del counts[deeper]
        if (kind := formats[depth].get("numFmt")) in ("bullet", "none"):
            return "- " if kind == "bullet" else ""

        def number(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            return _numeral(counts.get(at, 1), formats[at].get("numFmt", "")) if at < len(formats) else ""

        return f"{re.sub('%([1-9])', number, formats[depth].get('lvlText', ''))} ".lstrip()


def _numeral(number: int, kind: str) -> str:
    """A number as a list writes it: 3 is 'c' among lower letters, 'iii' among lower Roman ones, '다' among Hangul.

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
