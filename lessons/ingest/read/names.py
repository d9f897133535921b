"""Which files are meant by the paths that a reader gives, and under which names they are stored."""

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

from lessons.errors import ReadError
from lessons.text import normalize


def stored_name(name: str) -> str:
    """A file's name as a label: composed, on one line, and never a path that leads out of a folder."""
    parts = [" ".join(part.split()) for part in normalize(name).replace("\\", "/").split("/")]
    return "/".join(part for part in parts if part.strip(" .")) or "unnamed"


def named_files(paths: Sequence[Path], suffixes: Collection[str]) -> list[tuple[Path, str]]:
    """Each file with the name it is stored under: its own, or its place in the folder that was given.

    Folders give their readable files in name order, hidden ones left out. A link in a folder is followed if it stays
    in the folder; else it comes as the link that it is, which `read` refuses. ReadError if a path does not exist or
    cannot be looked at.
    """
    try:
        named = [pair for path in paths for pair in (_in_folder(path, suffixes) if path.is_dir() else [_single(path)])]
    except OSError as error:
        raise ReadError(str(error.filename), f"cannot be opened: {error.strerror}.") from error
    names = Counter(name for _, name in named)
    return [(path, name if names[name] == 1 else stored_name(path.absolute().as_posix())) for path, name in named]


def left_out(paths: Sequence[Path], suffixes: Collection[str]) -> list[str]:
    """The names of the files in these folders that are of no readable kind, hidden ones not counted."""
    inside = [file.relative_to(path) for path in paths if path.is_dir() for file in path.rglob("*") if file.is_file()]
    unknown = [name for name in inside if name.suffix.lower() not in suffixes and not _hidden(name)]
    return sorted(stored_name(name.as_posix()) for name in unknown)


def _hidden(name: Path) -> bool:
    return any(part.startswith(".") for part in name.parts)


def _single(path: Path) -> tuple[Path, str]:
    if not path.exists():
        raise ReadError(str(path), "does not exist; check the spelling of the path.")
    return path.resolve(), stored_name(path.name)


def _in_folder(folder: Path, suffixes: Collection[str]) -> list[tuple[Path, str]]:
    files = sorted(file for file in folder.rglob("*") if file.suffix.lower() in suffixes and file.is_file())
    names = [file.relative_to(folder) for file in files]
    return [(_followed(folder / name, folder), stored_name(name.as_posix())) for name in names if not _hidden(name)]


def _followed(file: Path, folder: Path) -> Path:
    target = file.resolve()
    return target if file.is_symlink() and target.is_relative_to(folder.resolve()) else file
