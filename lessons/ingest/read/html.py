"""Web pages: what a browser shows of one, as Markdown."""

import re
from datetime import date
from pathlib import Path
from typing import Any

from html_to_markdown import ConversionOptions, PreprocessingOptions, convert
from lxml import etree, html

from lessons.ingest.read.markdown import markdown_page, text_of
from lessons.ingest.read.page import Content, FileError, first_date
from lessons.settings import settings

MOST_ATTRIBUTES = 1_000  # of one tag: building a tree takes a time that grows with the square of them
_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)|^<\?xml[^>]+encoding=[\"']([\w-]+)", re.IGNORECASE)
_DATES = {"date", "dc.date", "article:published_time", "datePublished"}
_INLINE = "a abbr b bdi bdo big cite code data dfn em font i ins kbd label mark nobr q s samp small span strong sub sup"
_INLINE += " time tt u var wbr"
_HIDDEN = (
    "//title|//script|//style|//template|//noscript|//nav|//svg|//*[@hidden]|//*[contains(@style, 'display:none')]"
)
_ESCAPED_NUMBER = re.compile(r"^(\s{0,20}\d{1,9})\\([.)])")
_BLANKS = re.compile(r"\s*\n\s*")  # a line end of the source is a blank to a browser
_OPTIONS = ConversionOptions(
    extract_metadata=False,
    preprocessing=PreprocessingOptions(enabled=False),
    compact_tables=True,
    skip_images=True,
    max_depth=100_000,
)


def read_html(path: Path) -> Content:
    """Read one page. Menus (`nav`) are left out and noted; FileError for a hostile page."""
    with path.open("rb") as file:
        declared = _CHARSET.search(file.read(2048))
    text, notes = text_of(path, (declared[1] or declared[2]).decode() if declared else None)
    root = _tree(text)
    if root is None:
        return Content([], notes=notes)
    title, day, menus = root.findtext(".//title"), _declared_date(root), len(root.findall(".//nav"))
    notes += (f"Navigation menus that were left out: {menus}.",) if menus else ()
    return Content([markdown_page(None, _markdown(root))], title, day, notes)


def _tree(text: str) -> Any:
    if text.count("<") > settings().max_html_tags:
        raise FileError(f"has more than {settings().max_html_tags:,} tags; split it into several files.")
    etree.fromstring(text.encode(), html.HTMLParser(encoding="utf-8", huge_tree=True, target=_Tags()))
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    root = etree.fromstring(text.encode(), parser)
    if any("depth" in error.message for error in parser.error_log):
        raise FileError("nests its tags too deeply; save it anew from a browser.")
    return root


class _Tags:
    """Sees each tag before a tree is built."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(attributes) > MOST_ATTRIBUTES:
            raise FileError(f"has a tag with more than {MOST_ATTRIBUTES:,} attributes; save it anew from a browser.")

    def close(self) -> None:
        pass


def _declared_date(root: Any) -> date | None:
    tags = [tag for tag in root.iter("meta") if {tag.get("name"), tag.get("property"), tag.get("itemprop")} & _DATES]
    dates = [tag.get("content") or "" for tag in tags] + [tag.get("datetime") or "" for tag in root.iter("time")]
    return first_date(" ".join(dates))


def _markdown(root: Any) -> str:
    """Convert the tree to Markdown. A table that holds other tables lays out the page: its cells become blocks."""
    for tag in root.xpath(_HIDDEN):
        tag.tag = "unread"  # kept in the tree, whose text around it stays where it is
    for layout in root.xpath("//table[.//table]"):
        for tag in layout.xpath("self::table|tr|*/tr|tr/td|tr/th|*/tr/td|*/tr/th|thead|tbody|tfoot"):
            tag.tag = "div"
    etree.strip_elements(root, "unread", with_tail=False)
    etree.strip_tags(root, *_INLINE.split())
    verbatim = {inner for outer in root.iter("pre", "textarea") for inner in outer.iter()}
    for tag in root.iter():
        if "\n" in (tag.text or "") and tag not in verbatim:
            tag.text = _BLANKS.sub(" ", tag.text)
        if "\n" in (tag.tail or "") and tag.getparent() not in verbatim:
            tag.tail = _BLANKS.sub(" ", tag.tail)
    result = convert(etree.tostring(root, encoding="unicode", method="html"), _OPTIONS)
    if result.warnings:
        raise FileError("nests its tags too deeply; save it anew from a browser.")
    lines = (line.rstrip() for line in (result.content or "").splitlines())
    return "\n".join(_ESCAPED_NUMBER.sub(r"\1\2", line) for line in lines)
