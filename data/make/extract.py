"""The text of a rendered file, page by page: what evidence is quoted from and what `--check` compares."""

import re
from pathlib import Path

import docx
import pptx
import pypdf
from bs4 import BeautifulSoup
from docx.table import Table as WordTable

GAP = " … "


def pages(path: Path) -> list[tuple[int | None, str]]:
    """Return (page number, text) pairs; the number is None in DOCX, HTML and Markdown. A slide is a page."""
    readers = {".pdf": _pdf, ".pptx": _pptx, ".docx": _docx, ".html": _html, ".md": _text}
    return readers[path.suffix](path)


def squeeze(text: str) -> str:
    """Replace every run of white space by one blank, the form in which quotes are compared."""
    return re.sub(r"\s+", " ", text).strip()


def holds(text: str, quote: str) -> bool:
    """Return whether a text holds a quote, white space aside; ` … ` stands for words that are left out."""
    remaining = squeeze(text)
    for part in squeeze(quote).split(GAP):
        _, match, remaining = remaining.partition(part)
        if not match:
            return False
    return True


def find(path: Path, quote: str) -> list[int | None]:
    """Return the pages whose text holds the quote."""
    return [number for number, text in pages(path) if holds(text, quote)]


def _pdf(path: Path) -> list[tuple[int | None, str]]:
    return [(number, page.extract_text()) for number, page in enumerate(pypdf.PdfReader(path).pages, start=1)]


def _pptx(path: Path) -> list[tuple[int | None, str]]:
    return [(number, _slide_text(slide)) for number, slide in enumerate(pptx.Presentation(str(path)).slides, start=1)]


def _slide_text(slide) -> str:  # type: ignore[no-untyped-def]
    lines: list[str] = []
    for shape in slide.shapes:
        if shape.has_text_frame:
            lines.append(shape.text_frame.text)
        elif shape.has_table:
            lines += [" ".join(cell.text for cell in row.cells) for row in shape.table.rows]
    if slide.has_notes_slide:
        lines.append(slide.notes_slide.notes_text_frame.text)
    return "\n".join(lines)


def _docx(path: Path) -> list[tuple[int | None, str]]:
    lines: list[str] = []
    for item in docx.Document(str(path)).iter_inner_content():
        if isinstance(item, WordTable):
            lines += [" ".join(cell.text for cell in row.cells) for row in item.rows]
        else:
            lines.append(item.text)
    return [(None, "\n".join(lines))]


def _html(path: Path) -> list[tuple[int | None, str]]:
    soup = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    return [(None, soup.get_text(" "))]


def _text(path: Path) -> list[tuple[int | None, str]]:
    return [(None, path.read_text(encoding="utf-8"))]
