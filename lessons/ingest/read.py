"""Files become LlamaIndex documents: one for each PDF page or slide, one for any other file.

Each document carries `source_file`, `page_number` (1-based; None where the format has no pages) and `file_type`.
"""

import hashlib
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from llama_index.core.schema import Document

from lessons.errors import ReadError
from lessons.settings import settings
from lessons.text import normalize

Page = tuple[int | None, str]


def read(path: Path, source_file: str | None = None) -> list[Document]:
    """Read one file, pages in order; ReadError says in a sentence why a file cannot be used."""
    name = normalize(source_file or path.name)
    pages = [(number, normalize(text).strip()) for number, text in _pages(path, name)]
    if not any(text for _, text in pages):
        raise ReadError(f"{name} has no text to read; a scanned document needs text recognition (OCR) first.")
    return [_document(text, name, number, path.suffix) for number, text in pages if text]


def content_hash(path: Path) -> str:
    """SHA-256 of a file's bytes, read in pieces; ReadError if it cannot be opened."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ReadError(f"{path.name} cannot be opened: {error.strerror or error}.") from error


def named_files(paths: Sequence[Path]) -> list[tuple[Path, str]]:
    """Each file with the name it is stored under: its own, or its place in the folder that was given.

    Folders give their readable files in name order, hidden ones left out. ReadError if a path does not exist.
    """
    named = [pair for path in paths for pair in (_in_folder(path) if path.is_dir() else [_single(path)])]
    names = Counter(name for _, name in named)
    return [(path, name if names[name] == 1 else path.as_posix()) for path, name in named]


def _single(path: Path) -> tuple[Path, str]:
    if not path.exists():
        raise ReadError(f"{path} does not exist; check the spelling of the path.")
    return path, path.name


def _in_folder(folder: Path) -> list[tuple[Path, str]]:
    files = sorted(file for file in folder.rglob("*") if file.suffix.lower() in READERS and file.is_file())
    names = [file.relative_to(folder) for file in files]
    return [(folder / name, name.as_posix()) for name in names if not any(part.startswith(".") for part in name.parts)]


def _document(text: str, name: str, number: int | None, suffix: str) -> Document:
    metadata = {"source_file": name, "page_number": number, "file_type": suffix.lower().lstrip(".")}
    hidden = list(metadata)
    return Document(
        text=text, metadata=metadata, excluded_embed_metadata_keys=hidden, excluded_llm_metadata_keys=hidden
    )


class _FileError(Exception):
    """Why a file cannot be used, as the end of a sentence that begins with its name."""


def _pages(path: Path, name: str) -> list[Page]:
    try:
        return _reader(path)(path)
    except _FileError as reason:
        raise ReadError(f"{name} {reason}") from reason
    except OSError as error:
        raise ReadError(f"{name} cannot be opened: {error.strerror or error}.") from error
    except Exception as error:  # a parser may raise anything on a broken file
        raise ReadError(f"{name} is damaged or is not really a {path.suffix} file; open and save it anew.") from error


def _reader(path: Path) -> Callable[[Path], list[Page]]:
    """The reader for the file's format, after a look at its size."""
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise _FileError(f"is not one of the formats that can be read: {', '.join(READERS)}.")
    size, limit = path.stat().st_size, settings().max_file_bytes
    if size > limit:
        raise _FileError(f"is larger than {limit // 1_000_000} MB; split it, or raise LESSONS_MAX_FILE_BYTES.")
    if size == 0:
        raise _FileError("is empty.")
    return reader


def _read_pdf(path: Path) -> list[Page]:
    from pypdf import PdfReader
    from pypdf.errors import FileNotDecryptedError

    try:
        return [(number, page.extract_text()) for number, page in enumerate(PdfReader(path).pages, start=1)]
    except FileNotDecryptedError as error:
        raise _FileError("is protected by a password; save a copy without one.") from error


def _read_docx(path: Path) -> list[Page]:
    import docx
    from docx.table import Table

    _refuse_zip_bomb(path)
    blocks = docx.Document(str(path)).iter_inner_content()
    lines = [_table([[c.text for c in r.cells] for r in b.rows]) if isinstance(b, Table) else b.text for b in blocks]
    return [(None, "\n\n".join(line for line in lines if line.strip()))]


def _read_pptx(path: Path) -> list[Page]:
    from pptx import Presentation

    _refuse_zip_bomb(path)
    return [(number, _slide_text(slide)) for number, slide in enumerate(Presentation(str(path)).slides, start=1)]


def _slide_text(slide) -> str:
    parts = []
    for shape in slide.shapes:
        if shape.has_text_frame:
            parts.append(shape.text_frame.text)
        elif shape.has_table:
            parts.append(_table([[cell.text for cell in row.cells] for row in shape.table.rows]))
    if slide.has_notes_slide:
        parts.append(slide.notes_slide.notes_text_frame.text)
    return "\n\n".join(part for part in parts if part.strip())


def _read_html(path: Path) -> list[Page]:
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(path.read_bytes(), "html.parser")
    for noise in soup(["script", "style", "nav", "header", "footer", "template", "noscript"]):
        noise.decompose()
    for row in soup("tr"):
        row.replace_with(" | ".join(cell.get_text(" ", strip=True) for cell in row(["td", "th"])) + "\n")
    body = soup.find("main") or soup.body or soup
    lines = (line.strip() for line in body.get_text("\n").splitlines())
    return [(None, "\n".join(line for line in lines if line))]


def _read_text(path: Path) -> list[Page]:
    data = path.read_bytes()
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    if encoding == "utf-8-sig" and b"\0" in data:
        raise _FileError(f"is not text; its name ends in {path.suffix} but it holds binary data.")
    try:
        return [(None, data.decode(encoding))]
    except UnicodeDecodeError as error:
        raise _FileError("is not written in UTF-8; save it as UTF-8 text.") from error


def _table(rows: list[list[str]]) -> str:
    return "\n".join(" | ".join(cell.strip() for cell in row) for row in rows)


def _refuse_zip_bomb(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        unpacked = sum(entry.file_size for entry in archive.infolist())
    if unpacked > 10 * settings().max_file_bytes:
        raise _FileError(f"unpacks to {unpacked // 1_000_000} MB; it is refused as a decompression bomb.")


READERS: dict[str, Callable[[Path], list[Page]]] = {
    ".pdf": _read_pdf,
    ".docx": _read_docx,
    ".pptx": _read_pptx,
    ".html": _read_html,
    ".htm": _read_html,
    ".md": _read_text,
    ".txt": _read_text,
}
