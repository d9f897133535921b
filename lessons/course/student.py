"""The notebooks as a class gets them, without solutions and outputs: `uv run python -m lessons.course.student`."""

import re
from pathlib import Path
from typing import Any

import nbformat

from lessons.settings import ROOT

NOTEBOOKS = ROOT / "notebooks"
KOREAN = NOTEBOOKS / "ko"
SOLUTION = "solution"  # the tag of a cell that is left out
LINK = re.compile(r"(?<=\]\()[^)#\s]+")


def class_folder(edition: Path) -> Path:
    """Return the folder with the notebooks of an edition without solutions."""
    return edition / "without_solutions"


def without_solutions(notebook: Any, edition: Path = NOTEBOOKS) -> Any:
    """Return the notebook without solutions and outputs, for the folder below those of its edition."""

    def from_below(link: re.Match[str]) -> str:
        stays = link[0].endswith(".ipynb") or not (edition / link[0]).exists()  # between notebooks, or not a file's
        return link[0] if stays else f"../{link[0]}"

    unsolved = [cell for cell in notebook.cells if SOLUTION not in cell.metadata.get("tags", [])]
    cells = [
        {**cell, "outputs": [], "execution_count": None}
        if cell.cell_type == "code"
        else {**cell, "source": LINK.sub(from_below, cell.source)}
        for cell in unsolved
    ]
    return nbformat.from_dict({**notebook, "cells": cells})


def student_notebooks(edition: Path = NOTEBOOKS) -> dict[str, str]:
    """Return the text of each notebook without solutions, by file name."""
    read = {path.name: nbformat.read(path, as_version=4) for path in sorted(edition.glob("*.ipynb"))}
    return {name: nbformat.writes(without_solutions(notebook, edition)) + "\n" for name, notebook in read.items()}


def write_notebooks(edition: Path) -> None:
    """Write those of an edition, and remove those whose full notebook is gone."""
    folder = class_folder(edition)
    folder.mkdir(parents=True, exist_ok=True)
    notebooks = student_notebooks(edition)
    for path in folder.glob("*.ipynb"):
        if path.name not in notebooks:
            path.unlink()
    for name, text in notebooks.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write_notebooks(NOTEBOOKS)
