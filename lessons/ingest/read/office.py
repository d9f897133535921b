"""What Word and PowerPoint files share: ZIP archives of XML, which are looked through before they are unpacked."""

import zipfile
from collections.abc import Iterable
from datetime import date, datetime
from pathlib import Path

from lessons.ingest.read.page import Block, Content, FileError, Page
from lessons.settings import settings

_TEMPLATE_DATES = {date(2013, 12, 23), date(2013, 1, 27)}
"""When the templates of python-docx and python-pptx were made: not the date of what is written with them."""


def table_text(rows: Iterable) -> str:
    """A line for each row."""
    return "\n".join(" | ".join(cell.text.strip() for cell in row.cells) for row in rows)


def filled(blocks: Iterable[Block]) -> list[Block]:
    """The blocks that hold words."""
    return [block for block in blocks if block.text.strip()]


def content(pages: list[Page], properties) -> Content:
    """The pages with the title and the date of the core properties."""
    try:
        created = properties.created
    except ValueError:  # a date that is none
        created = None
    day = created.date() if isinstance(created, datetime) else None
    return Content(pages, properties.title, None if day in _TEMPLATE_DATES else day)


def inspect(path: Path, folder: str, program: str) -> None:
    """Refuse what is another kind of file, and what would fill the memory when it is unpacked."""
    chosen = settings()
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
    unpacked = sum(entry.file_size for entry in entries)
    largest = max((entry.file_size for entry in entries if entry.filename.endswith((".xml", ".rels"))), default=0)
    if unpacked > chosen.max_unpacked_bytes or largest > chosen.max_xml_bytes:
        raise FileError(f"unpacks to {unpacked // 1_000_000} MB; it is refused as a decompression bomb.")
    if len(entries) > chosen.max_archive_entries:
        raise FileError(f"packs {len(entries):,} files; it is refused as a decompression bomb.")
    if not any(entry.filename.startswith(folder) for entry in entries):
        raise FileError(f"is not a {program} document, whatever its name says; save it as one, or correct its name.")
