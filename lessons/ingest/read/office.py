"""Word and PowerPoint files: ZIP archives of XML, which are looked through before they are unpacked."""

import re
import zipfile
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

from lessons.ingest.read.page import Allowance, Block, Content, FileError, Page, page
from lessons.settings import settings

_TEMPLATE_DATES = {date(2013, 12, 23), date(2013, 1, 27)}  # of python-docx's and python-pptx's, not of what is written
_HEADING_STYLE = re.compile(r"(?:heading|제목)\s*([1-9])", re.IGNORECASE)
_TITLE_STYLE = re.compile(r"title|제목|표제", re.IGNORECASE)


def read_docx(path: Path) -> Content:
    """One page: paragraphs and tables in their order. A heading is told by its style or its outline level."""
    import docx
    from docx.table import Table

    _inspect(path, "word/", "Word")
    document, allowed = docx.Document(str(path)), Allowance()
    styles = {style.style_id: style for style in document.styles}
    blocks = [
        Block(_table_text(_rows(each, allowed)))
        if isinstance(each, Table)
        else Block(allowed.spend(each.text), _level(each, styles))
        for each in document.iter_inner_content()
    ]
    if any(block.level == 0 for block in blocks):
        blocks = [block._replace(level=None if block.level is None else block.level + 1) for block in blocks]
    return _content([_page(None, blocks)], document.core_properties)


def _level(paragraph: Any, styles: dict[str, Any]) -> int | None:
    """0 for the title, 1–9 for headings, None for text: by its own outline level, its style or that one's base."""
    level, style, seen = _outline_level(paragraph._p.pPr), styles.get(paragraph._p.style), set()
    while level is None and style is not None and style.style_id not in seen:
        seen.add(style.style_id)
        if heading := _HEADING_STYLE.fullmatch(style.name or ""):
            return int(heading[1])
        if _TITLE_STYLE.fullmatch(style.name or ""):
            return 0
        level, style = _outline_level(style.element.pPr), getattr(style, "base_style", None)
    return level


def _outline_level(properties: Any) -> int | None:
    """1–9; in the file they are 0–8, and 9 is the text."""
    from docx.oxml.ns import qn

    found = properties.find(qn("w:outlineLvl")) if properties is not None else None
    value = found.get(qn("w:val")) if found is not None else None
    return int(value) + 1 if value and value.isdigit() and int(value) < 9 else None


def read_pptx(path: Path) -> Content:
    """A page for each slide with its notes. A slide's title is a heading, the first one the document's title."""
    from pptx import Presentation

    _inspect(path, "ppt/", "PowerPoint")
    presentation, allowed = Presentation(str(path)), Allowance()
    pages = [_page(number, _slide(number, slide, allowed)) for number, slide in enumerate(presentation.slides, start=1)]
    return _content(pages, presentation.core_properties)


def _slide(number: int, slide: Any, allowed: Allowance) -> Iterator[Block]:
    title = slide.shapes.title
    allowed.spend()
    for shape in _shapes(slide.shapes):
        if shape.has_text_frame:
            is_title = title is not None and shape.shape_id == title.shape_id
            yield Block(_framed(shape.text_frame, allowed), (1 if number == 1 else 2) if is_title else None)
        elif shape.has_table:
            yield Block(_table_text([allowed.spend(cell.text) for cell in row.cells] for row in shape.table.rows))
    if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame) is not None:
        yield Block(_framed(notes, allowed))


def _framed(frame: Any, allowed: Allowance) -> str:
    return "\n".join(allowed.spend(paragraph.text) for paragraph in frame.paragraphs)


def _shapes(shapes: Any) -> Iterator[Any]:
    for shape in shapes:
        yield from _shapes(shape.shapes) if hasattr(shape, "shapes") else [shape]


def _rows(table: Any, allowed: Allowance) -> Iterator[list[str]]:
    """The cells of each row of a Word table; a merged cell stands in each place that it spans, as python-docx has it.

    Its own way from a cell to the one above looks through all rows for each, and a span may say any number.
    """
    from docx.table import _Cell

    above: dict[int, str] = {}
    for row in table.rows:
        texts: list[str] = []
        for tc in row._tr.tc_lst:
            place = row.grid_cols_before + len(texts)
            text = above.get(place, "") if tc.vMerge == "continue" else _Cell(tc, table).text
            above[place] = text
            texts.extend(allowed.spend(text) for _ in range(tc.grid_span))
        yield texts


def _table_text(rows: Iterable[list[str]]) -> str:
    return "\n".join(
        " | ".join(" ".join(filter(None, map(str.strip, cell.splitlines()))) for cell in row) for row in rows
    )


def _page(number: int | None, blocks: Iterable[Block]) -> Page:
    return page(number, [block for block in blocks if block.text.strip()], "\n\n")


def _content(pages: list[Page], properties: Any) -> Content:
    """The pages with the title and the date of the core properties."""
    try:
        created = properties.created
    except ValueError:  # a date that is none
        created = None
    day = created.date() if isinstance(created, datetime) else None
    return Content(pages, properties.title, None if day in _TEMPLATE_DATES else day)


def _inspect(path: Path, folder: str, program: str) -> None:
    """Refuse what is another kind of file, and what would fill the memory when it is unpacked."""
    with zipfile.ZipFile(path) as archive:
        entries, chosen = archive.infolist(), settings()
        if len(entries) > chosen.max_archive_entries:
            raise FileError(f"packs {len(entries):,} files; it is refused as a decompression bomb.")
        texts = [entry for entry in entries if _is_xml(archive, entry)]
        unpacked = sum(entry.file_size for entry in entries)
        largest = max((entry.file_size for entry in texts), default=0)
        if unpacked > chosen.max_unpacked_bytes or largest > chosen.max_xml_bytes:
            raise FileError(f"unpacks to {unpacked // 1_000_000} MB; it is refused as a decompression bomb.")
        tags = sum(archive.read(entry).count(b"<") for entry in texts)
    if tags > chosen.max_xml_tags:
        raise FileError(f"holds {tags:,} tags; it is refused as a decompression bomb.")
    if not any(entry.filename.startswith(folder) for entry in entries):
        raise FileError(f"is not a {program} document, whatever its name says; save it as one, or correct its name.")


def _is_xml(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bool:
    """By its name or its first bytes: what is parsed is told by a content type, whatever the name of a part."""
    if entry.filename.endswith((".xml", ".rels")):
        return True
    with archive.open(entry) as packed:
        return packed.read(64).lstrip(b"\xef\xbb\xbf\xfe\xff\0 \t\r\n").startswith(b"<")
