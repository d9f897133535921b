"""The notebooks as a class gets them, without solutions and outputs: `uv run python -m lessons.course.student`."""

import re
from pathlib import Path
from typing import Any

import nbformat

from lessons.settings import ROOT

NOTEBOOKS = ROOT / "notebooks"
WITHOUT_SOLUTIONS = NOTEBOOKS / "without_solutions"
SOLUTION = "solution"
"""The tag of a cell that is left out."""

_LINK = re.compile(r"(?<=\]\()[^)#\s]+")


def without_solutions(notebook: Any) -> Any:
    """The notebook as it is before anybody has worked on it, for the folder below the full ones.

    Links between notebooks stay; other relative links lead one folder up.
    """
    kept = [cell for cell in notebook.cells if SOLUTION not in cell.metadata.get("tags", [])]
    cells = [
        {**cell, "outputs": [], "execution_count": None}
        if cell.cell_type == "code"
        else {**cell, "source": _LINK.sub(_from_below, cell.source)}
        for cell in kept
    ]
    return nbformat.from_dict({**notebook, "cells": cells})


def _from_below(link: re.Match[str]) -> str:
    stays = link[0].endswith(".ipynb") or not (NOTEBOOKS / link[0]).exists()
    return link[0] if stays else f"../{link[0]}"


def student_notebooks(source: Path = NOTEBOOKS) -> dict[str, str]:
    """The files as they should be: for each name of a notebook, the text of the one without solutions."""
    read = {path.name: nbformat.read(path, as_version=4) for path in sorted(source.glob("*.ipynb"))}
    return {name: nbformat.writes(without_solutions(notebook)) + "\n" for name, notebook in read.items()}


def main() -> None:
    """Write those that differ, and remove those whose full notebook is gone."""
    WITHOUT_SOLUTIONS.mkdir(exist_ok=True)
    wanted = student_notebooks()
    for path in WITHOUT_SOLUTIONS.glob("*.ipynb"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (WITHOUT_SOLUTIONS / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
