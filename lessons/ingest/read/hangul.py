"""Hangul files in the open format, HWPX (KS X 6101): sections of paragraphs in the order of the document."""

from pathlib import Path
from typing import Any

from lessons.ingest.read.package import Package, Walker, attributes, named
from lessons.ingest.read.page import Block, Content, page, unread_pictures
from lessons.ingest.read.word import HEADING_STYLE, heading_line


def read_hwpx(path: Path) -> Content:
    """One page. Headings are the paragraphs of the outline's styles."""
    package = Package(path, "Contents/", "Hangul (HWPX)")
    styles = {
        attributes(each).get("id"): attributes(each) for each in named(package.part("Contents/header.xml"), "style")
    }
    walkers = [HangulWalker(package, name, styles) for name in package.parts("Contents/section")]
    blocks = [block for walker in walkers for block in walker.blocks(package.part(walker.part))]
    pictures = sum(len(named(package.part(walker.part), "pic")) for walker in walkers)
    (title,) = [each.text for each in named(package.part("Contents/content.hpf"), "title")[:1]] or [None]
    return Content([page(None, map(heading_line, blocks), "\n\n")], title, None, unread_pictures(pictures))


class HangulWalker(Walker):
    """Tells headings by the name of their style: 개요 1 to 개요 9, or what they are called in English."""

    def __init__(self, package: Package, part: str, styles: dict[str | None, dict[str, str]]) -> None:
        super().__init__(package, part)
        self._styles = styles

    def block(self, node: Any, text: str) -> Block:
        style = self._styles.get(attributes(node).get("styleIDRef"), {})
        names = [style.get("name", ""), style.get("engName", "")]
        return Block(text, next((int(match[1]) for name in names if (match := HEADING_STYLE.fullmatch(name))), None))
