"""Real files, written by the tests that read them."""

import re
import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path

from fpdf import FPDF
from PIL import Image

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


def raw_pdf(path: Path, *objects: str) -> Path:
    """A PDF of these objects, numbered from 1; the first one is its catalog."""
    body, places = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Root 1 0 R /Size {size} >>\n"
    path.write_bytes(body + f"{end}startxref\n{len(body)}\n%%EOF\n".encode())
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


SPACES = {
    "w": "wordprocessingml/2006/main",
    "a": "drawingml/2006/main",
    "c": "drawingml/2006/chart",
    "dgm": "drawingml/2006/diagram",
    "m": "officeDocument/2006/math",
    "r": "officeDocument/2006/relationships",
}
OFFICE = "http://schemas.openxmlformats.org"
DECLARED = " ".join(f'xmlns:{prefix}="{OFFICE}/{name}"' for prefix, name in SPACES.items())
DECLARED += ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
DECLARED += ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'


def xml(text: str) -> str:
    """A part of an office file, with the namespaces of all prefixes declared at its root."""
    return re.sub(r"<([\w:]+)", lambda root: f"{root[0]} {DECLARED}", text, count=1)


def relationships(targets: Mapping[str, str]) -> str:
    """The part that holds the relationships to these targets, each of the kind that its id names (header1: header)."""
    links = "".join(
        f'<Relationship Id="{id_}" Type="{OFFICE}/officeDocument/2006/relationships/{id_.rstrip("0123456789")}"'
        f' Target="{target}"/>'
        for id_, target in targets.items()
    )
    return f'<Relationships xmlns="{OFFICE}/package/2006/relationships">{links}</Relationships>'


def write_word(path: Path, body: str, **parts: str) -> Path:
    """A Word file with this body; each other part is related to it by the id and the kind that its name is."""
    return write_parts(
        path,
        {
            "_rels/.rels": relationships({"officeDocument": "word/document.xml"}),
            "word/document.xml": xml(f"<w:document><w:body>{body}</w:body></w:document>"),
            "word/_rels/document.xml.rels": relationships({name: f"{name}.xml" for name in parts}),
            **{f"word/{name}.xml": xml(part) for name, part in parts.items()},
        },
    )


def png() -> BytesIO:
    """A picture of one dot."""
    file = BytesIO()
    Image.new("RGB", (1, 1)).save(file, "PNG")
    return file
