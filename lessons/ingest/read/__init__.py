"""Files become LlamaIndex documents: one for each PDF page or slide, one for any other file.

Each document carries `source_file`, `page_number` (1-based; None where the format has no pages), `file_type` and
`structure`, which the splitter needs and which is not stored with chunks: of the file its `title`, its `date`
(YYYY-MM-DD) and a `note` on how it was read and on what could not be; of the page its `headings`, each as
[start, end, level, text] with the place of its line in the text, level 1 for the title of the document.
"""

import hashlib
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

from llama_index.core.schema import Document

from lessons.errors import ReadError
from lessons.ingest.read.office import read_docx, read_pptx
from lessons.ingest.read.page import Content, FileError, Page, date_of, title_of
from lessons.ingest.read.pdf import read_pdf
from lessons.ingest.read.text import is_noise, read_html, read_markdown, read_text
from lessons.settings import settings
from lessons.text import normalize

READERS: dict[str, Callable[[Path], Content]] = {
    ".pdf": read_pdf,
    ".docx": read_docx,
    ".pptx": read_pptx,
    ".html": read_html,
    ".htm": read_html,
    ".md": read_markdown,
    ".txt": read_text,
}


def read(path: Path, source_file: str | None = None) -> list[Document]:
    """Read one file, pages in order; ReadError says in a sentence why a file cannot be used."""
    name = stored_name(source_file or path.name)
    with read_errors(name):
        content = _content(path)
    pages = [page for page in content.pages if page.text]
    if not pages:
        raise ReadError(name, "has no text to read; scanned pages and pictures need text recognition (OCR) first.")
    if is_noise("".join(page.text for page in pages)):
        raise ReadError(name, "gives no readable letters; print it to a new PDF, or recognise its text (OCR) first.")
    title, day = title_of(content), date_of(content)
    notes = [*content.notes, *_unread(content)]
    structure = {"title": title, "date": day.isoformat() if day else None, "note": "\n".join(notes) or None}
    return [_document(page, name, path.suffix.lower().lstrip("."), structure) for page in pages]


def _unread(content: Content) -> list[str]:
    """Note the pages without text, as numbers and ranges."""
    numbers = [page.number for page in content.pages if page.number and not page.text]
    runs = [list(run) for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])]
    ranges = [f"{run[0][1]}–{run[-1][1]}" if len(run) > 1 else str(run[0][1]) for run in runs]
    return [f"Without text, and so not searched: page {', '.join(ranges)}."] if ranges else []


def content_hash(path: Path, source_file: str | None = None) -> str:
    """SHA-256 of a file's bytes, read in pieces; ReadError if it is no file that may be read, or cannot be opened."""
    with read_errors(stored_name(source_file or path.name)):
        _inspect(path)
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def read_errors(name: str) -> Iterator[None]:
    """Turn why a file cannot be used into a ReadError that begins with its name."""
    try:
        yield
    except FileError as reason:
        raise ReadError(name, str(reason)) from reason
    except OSError as error:
        raise ReadError(name, f"cannot be opened: {error.strerror or error}.") from error


def _document(page: Page, name: str, file_type: str, structure: dict[str, Any]) -> Document:
    metadata: dict[str, Any] = {"source_file": name, "page_number": page.number, "file_type": file_type}
    metadata["structure"] = {**structure, "headings": [[*heading] for heading in page.headings]}
    hidden = {"excluded_embed_metadata_keys": [*metadata], "excluded_llm_metadata_keys": [*metadata]}
    return Document(text=page.text, metadata=metadata, **hidden)


def _content(path: Path) -> Content:
    """Read a file by its suffix after checking its size; any name may hide a web page."""
    if (suffix := path.suffix.lower()) not in READERS:
        formats = ", ".join(READERS)
        raise FileError(f"is not one of the formats that can be read ({formats}); save it as PDF or DOCX.")
    _inspect(path)
    with path.open("rb") as file:
        begins = file.read(1024).removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    try:
        return (read_html if begins.startswith((b"<!doctype html", b"<html")) else READERS[suffix])(path)
    except FileError:
        raise
    except Exception as error:  # a parser may raise anything on a broken file, an OSError too
        raise FileError(f"is damaged, protected or no real {path.suffix} file; open and save it anew.") from error


def _inspect(path: Path) -> None:
    """Refuse what is no file of its own, what is empty and what is too large, before anything of it is read."""
    status, limit = path.lstat(), settings().max_file_bytes
    if stat.S_ISLNK(status.st_mode):
        raise FileError("is a link that leads out of its folder; ingest the file itself.")
    if not stat.S_ISREG(status.st_mode):
        raise FileError("is not a file.")
    if status.st_size > limit:
        raise FileError(too_large_message(limit))
    if status.st_size == 0:
        raise FileError("is empty.")


def too_large_message(limit: int) -> str:
    """Say, to follow a file's name, that it has more than `limit` bytes."""
    return f"is larger than {limit // 1_000_000} MB; split it, or raise LESSONS_MAX_FILE_BYTES."


def stored_name(name: str) -> str:
    """Turn a file's name into a label: composed, on one line, and never a path that leads out of a folder."""
    parts = [" ".join(part.split()) for part in normalize(name).replace("\\", "/").split("/")]
    return "/".join(part for part in parts if part.strip(" .")) or "unnamed"


def list_files(paths: Sequence[Path]) -> list[tuple[Path, str]]:
    """List each file with the name it is stored under: its own, or its path in the folder that was given.

    Folders give their readable files in name order, hidden ones left out. A link in a folder is followed if it stays
    in the folder; else it comes as the link that it is, which `read` refuses. ReadError if a path does not exist or
    cannot be looked at.
    """
    try:
        files = [pair for path in paths for pair in _list_path(path)]
    except OSError as error:
        raise ReadError(str(error.filename), f"cannot be opened: {error.strerror}.") from error
    names = Counter(name for _, name in {(path.resolve(), name) for path, name in files})
    return [(path, name if names[name] == 1 else stored_name(path.absolute().as_posix())) for path, name in files]


def unreadable_files(paths: Sequence[Path]) -> list[str]:
    """List the names of the files in these folders that are of no readable kind, hidden ones not counted."""
    inside = [name for path in paths if path.is_dir() for name in _inside(path, readable=False)]
    return sorted(stored_name(name.as_posix()) for name in inside)


def _inside(folder: Path, readable: bool) -> list[Path]:
    """List the paths of the files in a folder that have a reader, or have none, in order.

    Hidden ones are not looked at, nor are the lock files (`~$…`) of open Office documents.
    """
    names = [file.relative_to(folder) for file in folder.rglob("*")]
    visible = [name for name in names if not any(part.startswith((".", "~$")) for part in name.parts)]
    files = [name for name in visible if (folder / name).is_file()]
    return sorted(name for name in files if (name.suffix.lower() in READERS) is readable)


def _list_path(path: Path) -> list[tuple[Path, str]]:
    if not path.exists():
        raise ReadError(str(path), "does not exist; check the spelling of the path.")
    if not path.is_dir():
        return [(path.resolve(), stored_name(path.name))]
    names = _inside(path, readable=True)
    return [(_resolve_link(path / name, path), stored_name(name.as_posix())) for name in names]


def _resolve_link(file: Path, folder: Path) -> Path:
    target = file.resolve()
    return target if file.is_symlink() and target.is_relative_to(folder.resolve()) else file
