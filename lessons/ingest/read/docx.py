"""Word documents: their paragraphs and tables, with the headings that their styles tell."""

import re
from functools import cache
from pathlib import Path

from lessons.ingest.read.office import content, filled, inspect, table_text
from lessons.ingest.read.page import Block, Content, page

_HEADING_STYLE = re.compile(r"(?:heading|제목)\s*([1-9])", re.IGNORECASE)
_TITLE_STYLE = re.compile(r"title|제목|표제", re.IGNORECASE)


def read_docx(path: Path) -> Content:
    """One page: paragraphs and tables in their order. A heading is told by its style or its outline level."""
    import docx
    from docx.table import Table

    inspect(path, "word/", "Word")
    document = docx.Document(str(path))
    levels = _StyleLevels(document)
    blocks = [
        Block(table_text(block.rows)) if isinstance(block, Table) else Block(block.text, levels.of(block))
        for block in document.iter_inner_content()
    ]
    down = 1 if any(block.level == 0 for block in blocks) else 0
    blocks = [block._replace(level=None if block.level is None else block.level + down) for block in blocks]
    return content([page(None, filled(blocks), "\n\n")], document.core_properties)


class _StyleLevels:
    """Outline levels of a document's paragraphs: 0 for its title, 1–9 for headings, None for the text."""

    def __init__(self, document) -> None:
        self._styles = {style.style_id: style for style in document.styles}
        self._level = cache(self._of_style)

    def of(self, paragraph) -> int | None:
        own = _outline_level(paragraph._p.pPr)
        return own if own is not None else self._level(paragraph._p.style)

    def _of_style(self, style_id: str | None) -> int | None:
        """From the style's name or outline level, or from those of the style that it is based on."""
        seen = set()
        style = self._styles.get(style_id)
        while style is not None and style.style_id not in seen:
            seen.add(style.style_id)
            name = style.name or ""
            if heading := _HEADING_STYLE.fullmatch(name):
                return int(heading[1])
            if _TITLE_STYLE.fullmatch(name):
                return 0
            level = _outline_level(style.element.pPr)
            if level is not None:
                return level
            style = getattr(style, "base_style", None)
        return None


def _outline_level(properties) -> int | None:
    """1–9; in the file they are 0–8, and 9 is the text."""
    from docx.oxml.ns import qn

    found = properties.find(qn("w:outlineLvl")) if properties is not None else None
    value = found.get(qn("w:val")) if found is not None else None
    return int(value) + 1 if value and value.isdigit() and int(value) < 9 else None
