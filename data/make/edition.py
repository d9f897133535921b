"""The Korean edition of notebooks and guides: `uv run python -m data.make.edition` builds it from its catalogues.

A catalogue is a PO file, as gettext and its editors know it. It has an entry for each cell of prose, or each block of a
Markdown file, with the English as its key. What has changed or is new gets an entry without Korean, with the nearest
old one as a comment. Nothing is built before all its entries are filled.

Code is that of the English edition, but for the examples. An entry whose context (`msgctxt`) is the name of a cell
exchanges an example there, such as a question: English for Korean, or the other way round. Until its code changes, a
cell keeps its Korean outputs, which `python -m tests.notebooks --write` writes.
"""

import os
import re
import sys
from collections import defaultdict
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from babel.messages import Catalog, Message
from babel.messages.pofile import read_po, write_po

from lessons.course.student import KOREAN, LINK, NOTEBOOKS, write_notebooks
from lessons.settings import ROOT

CATALOGUES = ROOT / "data" / "editions" / "ko"
GUIDES = {
    ROOT / "README.md": ROOT / "README.ko.md",
    NOTEBOOKS / "README.md": KOREAN / "README.md",
    NOTEBOOKS / "TEACHING.md": KOREAN / "TEACHING.md",
} | {
    ROOT / folder / f"{name}.md": ROOT / folder / f"{name}.ko.md"
    for folder, name in (
        ("data", "field"),
        ("data/recorded", "README"),
        ("data/runs", "README"),
        ("lessons", "README"),
        ("lessons/models", "README"),
        ("lessons/scale", "README"),
        (".github", "CONTRIBUTING"),
    )
}
OTHERS = {
    ROOT / "lessons" / "cli" / "README.md": ROOT / "lessons" / "cli" / "README.ko.md",
} | {
    ROOT / "data" / "pictures" / f"{name}-en.png": ROOT / "data" / "pictures" / f"{name}-ko.png"
    for name in ("compare", "scoreboard")
}
"""Files with a Korean counterpart that is not built from a catalogue; links lead there, too."""
FENCED = re.compile(r"(```.*?```)", re.DOTALL)


@cache
def editions() -> dict[Path, Path]:
    """Return the Korean file of each English one."""
    return {path: KOREAN / path.name for path in sorted(NOTEBOOKS.glob("*.ipynb"))} | GUIDES


def catalogue_path(path: Path) -> Path:
    """Return the catalogue of a file. That of a README below the first one is named after its folder."""
    parts = path.relative_to(ROOT).parent.parts if path.stem == "README" and path.is_relative_to(ROOT) else ()
    return CATALOGUES / f"{'-'.join((*parts, path.stem))}.po"


def blocks(text: str) -> list[str]:
    """Split a text at blank lines, but not at those in fenced code."""
    parts = (part.replace("\n\n", "\n\0\n") if part.startswith("```") else part for part in FENCED.split(text))
    pieces = re.split(r"\n{2,}", "".join(parts))
    return [piece.strip("\n").replace("\n\0\n", "\n\n") for piece in pieces if piece.strip()]


def prose(path: Path) -> list[str]:
    """Return the English texts of a file, in its order."""
    if path.suffix == ".md":
        return blocks(path.read_text(encoding="utf-8"))
    return [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown"]


def entries(path: Path) -> list[Message]:
    """Return the entries of a file's catalogue that have their Korean."""
    try:
        with catalogue_path(path).open("rb") as file:
            return [entry for entry in read_po(file) if entry.id and entry.string]
    except FileNotFoundError:
        return []


def read(path: Path) -> dict[str, str]:
    """Return the Korean of each English text that the catalogue of a file has."""
    return {str(entry.id): str(entry.string) for entry in entries(path) if not entry.context}


def examples(path: Path) -> dict[str, dict[str, str]]:
    """Return the Korean of the English examples by the name of their cell."""
    pairs_by_cell: dict[str, dict[str, str]] = defaultdict(dict)
    for entry in entries(path):
        if entry.context:
            pairs_by_cell[entry.context][str(entry.id)] = str(entry.string)
    return pairs_by_cell


def exchanged(source: str, korean: Mapping[str, str]) -> str:
    """Replace the examples of a cell by Korean ones; raise ValueError if an English one is not in it."""
    for english, example in korean.items():
        if english not in source:
            raise ValueError(f"The cell has no example {english!r}: {source}")
        source = source.replace(english, example)
    return source


def written(path: Path, korean: dict[str, str]) -> int:
    """Write the catalogue with an entry for each text there is now; returns how many lack their Korean."""
    catalogue, missing, texts = Catalog(locale="ko", fuzzy=False), 0, prose(path)
    gone = [english for english in korean if english not in texts]
    for text in texts:
        old = [] if text in korean else get_close_matches(text, gone, 1)
        catalogue.add(
            text, korean.get(text, ""), user_comments=[line for entry in old for line in korean[entry].split("\n")]
        )
        missing += text not in korean
    for cell, pairs in examples(path).items():
        for english, example in pairs.items():
            catalogue.add(english, example, context=cell)
    CATALOGUES.mkdir(parents=True, exist_ok=True)
    with catalogue_path(path).open("wb") as file:
        write_po(file, catalogue, omit_header=True, width=0)
    return missing


def relinked(text: str, path: Path) -> str:
    """Point links to the Korean edition where it has their target; the link to this Korean file leads back."""
    files = editions()
    korean = files[path]

    def link(match: re.Match[str]) -> str:
        destination = (path.parent / match[0]).resolve()
        if destination == korean:
            return path.name
        target = (files | OTHERS).get(destination, destination)
        return Path(os.path.relpath(target, korean.parent)).as_posix() if destination.exists() else match[0]

    return LINK.sub(link, text)


def built(path: Path, korean: dict[str, str]) -> str:
    """Return the text of the Korean file; raise KeyError if a text of the English one has no Korean."""
    if path.suffix == ".md":
        return relinked("\n\n".join(korean[text] for text in prose(path)), path) + "\n"
    notebook, executed, exchange = nbformat.read(path, as_version=4), outputs(editions()[path]), examples(path)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = relinked(korean[cell.source], path)
            continue
        cell.source = exchanged(cell.source, exchange[cell.id])
        cell.outputs = executed.get((cell.id, cell.source), cell.outputs)
    return nbformat.writes(notebook) + "\n"


def outputs(path: Path) -> dict[tuple[str, str], list[Any]]:
    """Return the outputs of a notebook by the name and the code of their cell; none if there is no notebook."""
    cells = nbformat.read(path, as_version=4).cells if path.exists() else []
    return {(cell.id, cell.source): cell.outputs for cell in cells if cell.cell_type == "code"}


def main() -> int:
    """Bring the catalogues up to date, and build what is complete; 1 if something is not."""
    code = 0
    for english, path in editions().items():
        korean = read(english)
        if missing := written(english, korean):
            print(f"{catalogue_path(english)}: {missing} entries without Korean", file=sys.stderr)
            code = 1
            continue
        path.parent.mkdir(exist_ok=True)
        path.write_text(built(english, korean), encoding="utf-8", newline="\n")
    write_notebooks(KOREAN)
    return code


if __name__ == "__main__":
    sys.exit(main())
