"""Real files, written by the tests that read them."""

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from fpdf import FPDF

from lessons.ingest.read import read

FONT = Path(__file__).parents[2] / "data" / "fonts" / "NanumGothic.ttf"


def write_pdf(path: Path, *pages: str) -> Path:
    """A PDF of one size of letters; a page is a text."""
    return write_sized_pdf(path, *([(12, page)] for page in pages))


def write_sized_pdf(path: Path, *pages: list[tuple[float, str]], bookmarks: bool = False) -> Path:
    """A PDF whose pages are paragraphs with their sizes in points. All that are larger than 12 may get a bookmark."""
    pdf = FPDF()
    pdf.add_font("Nanum", fname=str(FONT))
    for page in pages:
        pdf.add_page()
        for size, text in page:
            if bookmarks and size > 12:
                pdf.start_section(text)
            pdf.set_font("Nanum", size=size)
            pdf.multi_cell(0, size * 0.7, text, align="L", new_x="LMARGIN", new_y="NEXT")
    pdf.output(str(path))
    return path


def note(path: Path) -> str | None:
    """What is said of how a file was read."""
    return read(path)[0].metadata["structure"]["note"]


def with_parts(path: Path, change: Callable[[str, bytes], bytes]) -> Path:
    """Change the parts of an office file, each by its name and content."""
    with zipfile.ZipFile(path) as packed:
        parts = {name: change(name, packed.read(name)) for name in packed.namelist()}
    return write_parts(path, parts)


def write_parts(path: Path, parts: Mapping[str, str | bytes]) -> Path:
    """A ZIP archive of these files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return path
