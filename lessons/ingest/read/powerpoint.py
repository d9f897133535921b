"""PowerPoint files: each slide with its shapes in reading order, then its notes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lessons.ingest.read.package import Package, Walker, attributes, local, named, relation
from lessons.ingest.read.page import Block, Content, page, unread_pictures
from lessons.ingest.read.word import heading_line

_SHAPES = {"sp", "graphicFrame", "grpSp", "pic", "cxnSp", "AlternateContent"}
_TITLES, _FOOTERS = {"title", "ctrTitle"}, {"ftr", "dt", "sldNum", "hdr"}
ROW = 300_000  # English Metric Units, a third of an inch: shapes whose tops differ by less stand in one row


def read_pptx(path: Path) -> Content:
    """A page for each slide. Its title is a heading, the first one the document's title."""
    package = Package(path, "ppt/", "PowerPoint")
    relations = package.relations(package.main)
    ids = [relation(each) for each in named(package.part(package.main), "sldId")]
    names = [relations[id_][1] for id_ in ids if id_ in relations]
    walkers = [Walker(package, name) for name in names]
    footers: set[str] = set()
    pages = [
        page(number, map(heading_line, _slide(walker, number, footers)), "\n\n")
        for number, walker in enumerate(walkers, start=1)
    ]
    pictures = sum(walker.pictures for walker in walkers)
    title, created = package.declared()
    return Content(pages, title, created, unread_pictures(pictures))


def _slide(walker: Walker, number: int, footers: set[str]) -> Iterator[Block]:
    """The blocks of a slide; of its footer, date and number only what no slide before had."""
    package, tree = walker.package, walker.package.part(walker.part)
    if tree is None:
        return
    above = _inherited(package, walker.part)
    for shape in (shape for group in named(tree, "spTree")[:1] for shape in _ordered(group, above)):
        kind, blocks = _placeholder(shape).get("type"), list(walker.blocks(shape))
        if kind in _FOOTERS:
            blocks = [block for block in blocks if block.text not in footers]
            footers.update(block.text for block in blocks)
        if kind in _TITLES and blocks:
            blocks = [Block("\n".join(block.text for block in blocks), 1 if number == 1 else 2)]
        yield from blocks
    for name in package.related(walker.part, "notesSlide"):
        notes = [shape for shape in named(package.part(name), "sp") if _placeholder(shape).get("type") == "body"]
        yield from (block for shape in notes for block in walker.blocks(shape))


def _ordered(group: Any, above: dict[str, Any]) -> Iterator[Any]:
    """The shapes of a slide in reading order; those of a group stay together."""
    for shape in sorted((each for each in group if local(each) in _SHAPES), key=lambda each: _place(each, above)):
        yield from _ordered(shape, above) if local(shape) == "grpSp" else [shape]


def _place(shape: Any, above: dict[str, Any]) -> tuple[bool, int, int]:
    """Where a shape stands in reading order: the title, then row by row."""
    kind = _placeholder(shape)
    offsets = named(shape, "off")[:1] + [
        above[key] for key in (kind.get("idx", "0"), _role(kind)) if kind and key in above
    ]
    left, top = (int(attributes(offsets[0]).get(name, 0)) for name in ("x", "y")) if offsets else (0, 0)
    return kind.get("type") not in _TITLES, top // ROW, left


def _inherited(package: Package, part: str) -> dict[str, Any]:
    """Where a placeholder stands unless its slide says: by its index in the layout, by its role in the master."""
    layouts = package.related(part, "slideLayout")
    masters = [master for name in layouts for master in package.related(name, "slideMaster")]
    offsets: dict[str, Any] = {}
    for names, in_layout in ((masters, False), (layouts, True)):
        for shape in (shape for name in names for shape in named(package.part(name), "sp")):
            if kind := _placeholder(shape):
                key = kind.get("idx", "0") if in_layout else _role(kind)
                offsets.update((key, offset) for offset in named(shape, "off")[:1])
    return offsets


def _role(kind: dict[str, str]) -> str:
    """What a placeholder is to the master, which has one title, one body and each footer once."""
    role = kind.get("type", "body")
    return role if role in _FOOTERS | _TITLES else "body"


def _placeholder(shape: Any) -> dict[str, str]:
    """The attributes of the placeholder that a shape fills; none if it stands for itself."""
    return next((attributes(each) | {"is": "ph"} for each in named(shape, "ph")[:1] if local(shape) == "sp"), {})
