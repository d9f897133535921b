"""What the notebooks are like, beside what they aim at. Print the table with `uv run python -m tests.course.measures`.

Lines are the lines of a code cell that are not empty. Words are the words of prose: no code blocks, tables, tags or
addresses of links. A code cell is introduced if the cell before it is text; a solution is folded away and has been
introduced by its task.
"""

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from itertools import pairwise, takewhile
from math import ceil
from pathlib import Path
from statistics import mean, median
from typing import Any

from rich.console import Console
from rich.table import Table

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
Aim = tuple[str, Callable[[Any], bool]]

WORDS_A_MINUTE, LINES_A_MINUTE, MINUTES_A_FIGURE = 180, 12, 0.5

_EXERCISES = re.compile(r"^## (?:Exercises|연습 문제)", re.MULTILINE)
_NO_PROSE = re.compile(r"```[\s\S]*?```|^\s*\|.*$|<[^>]*>|\]\([^)]*\)", re.MULTILINE)
_LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)[^)]*\)")
_NEIGHBOUR = re.compile(r"(Previous|Next): \[[^\]]+\]\(([^)]+)\)")
_MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|home|root|Users|tmp|var/folders)/[\w.-]+|\b[A-Z]:\\\\?Users\b")
_TIMES = {"execution", "ExecuteTime", "collapsed", "scrolled"}


@dataclass(frozen=True)
class Measures:
    """One notebook. The last three count what should not be there, or name it."""

    notebook: str
    cells: int
    lines_median: float
    lines_p90: int
    lines_most: int
    words: float  # of a text cell, on average
    texts: float  # for each code cell
    introduced: float  # share of the code cells that are no solutions
    minutes: int | None  # as the first cell states them
    late: float  # how many minutes longer than that it takes to read, without the exercises
    dead_links: list[str]
    machine_paths: list[str]
    run_metadata: list[str]


AIMS: dict[str, Aim] = {
    "lines_median": ("≤ 6", lambda lines: lines <= 6),
    "lines_p90": ("≤ 20", lambda lines: lines <= 20),
    "lines_most": ("≤ 30", lambda lines: lines <= 30),
    "words": ("20–40", lambda words: 20 <= words <= 40),
    "texts": ("1–1.9", lambda texts: 1 <= texts <= 1.9),
    "introduced": ("≥ 0.8", lambda share: share >= 0.8),
    "minutes": ("≤ 30", lambda minutes: minutes is not None and 0 < minutes <= 30),
    "late": ("≤ 3", lambda late: late <= 3),
    "dead_links": ("none", lambda found: not found),
    "machine_paths": ("none", lambda found: not found),
    "run_metadata": ("none", lambda found: not found),
}


def notebooks(edition: Path = NOTEBOOKS) -> list[Path]:
    """The notebooks of an edition, in its order; those without solutions are copies and not among them."""
    return sorted(edition.glob("*.ipynb"))


def measure(path: Path) -> Measures:
    """Measure one notebook file."""
    document = json.loads(path.read_text(encoding="utf-8"))
    cells = document["cells"]
    prose = texts(path)
    code = [source(cell) for cell in cells if cell["cell_type"] == "code"]
    lines = sorted(sum(bool(line.strip()) for line in cell.splitlines()) for cell in code)
    open_code = [
        (before, cell) for before, cell in pairwise(cells) if cell["cell_type"] == "code" and not solution(cell)
    ]
    stated = re.search(r"(\d+) minutes", prose[0])
    return Measures(
        notebook=path.stem,
        cells=len(cells),
        lines_median=median(lines),
        lines_p90=lines[ceil(0.9 * len(lines)) - 1],
        lines_most=lines[-1],
        words=mean(map(words, prose)),
        texts=len(prose) / len(code),
        introduced=mean(before["cell_type"] == "markdown" for before, _ in open_code),
        minutes=int(stated[1]) if stated else None,
        late=reading_minutes(path) - int(stated[1] if stated else 0),
        dead_links=[link for text in prose for link in _LINK.findall(text) if not (path.parent / link).exists()],
        machine_paths=_MACHINE_PATH.findall(json.dumps(cells, ensure_ascii=False)),
        run_metadata=sorted({key for cell in cells for key in cell["metadata"]} & _TIMES),
    )


def reading_minutes(path: Path) -> float:
    """How long a notebook takes to read up to its exercises: its prose with tables, its code and its figures."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    read = [*takewhile(lambda cell: not _EXERCISES.search(source(cell)), cells)]
    prose = [source(cell) for cell in read if cell["cell_type"] == "markdown"]
    code = [source(cell) for cell in read if cell["cell_type"] == "code"]
    lines = sum(bool(line.strip()) for cell in code for line in cell.splitlines())
    outputs = [output for cell in read for output in cell.get("outputs", ())]
    figures = sum("image/png" in output.get("data", ()) for output in outputs) + "".join(prose).count("```mermaid")
    told = sum(map(words, (text.replace("|", " ") for text in prose)))
    return told / WORDS_A_MINUTE + lines / LINES_A_MINUTE + figures * MINUTES_A_FIGURE


def texts(path: Path) -> list[str]:
    """The Markdown cells of a notebook."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [source(cell) for cell in cells if cell["cell_type"] == "markdown"]


def neighbours(path: Path) -> dict[str, str]:
    """The links of the last cell, `Previous` and `Next`."""
    return dict(_NEIGHBOUR.findall(source(json.loads(path.read_text(encoding="utf-8"))["cells"][-1])))


def source(cell: dict[str, Any]) -> str:
    """The text of a cell."""
    return "".join(cell["source"])


def solution(cell: dict[str, Any]) -> bool:
    """Whether a cell is folded away as a solution."""
    return "solution" in cell["metadata"].get("tags", [])


def words(text: str) -> int:
    """How many words of prose a text in Markdown has."""
    return sum(any(map(str.isalnum, word)) for word in _NO_PROSE.sub(" ", text).split())


def missed(measures: Measures) -> list[str]:
    """The aims that a notebook does not meet."""
    return [name for name, (_, holds) in AIMS.items() if not holds(getattr(measures, name))]


def table(measured: list[Measures]) -> Table:
    """A line for each notebook, what misses its aim in red, and the aims below."""
    shown = Table(show_footer=True)
    for field in fields(Measures):
        shown.add_column(field.name.replace("_", " "), AIMS.get(field.name, ("",))[0], overflow="fold")
    for each in measured:
        red = missed(each)
        shown.add_row(*(_cell(getattr(each, field.name), field.name in red) for field in fields(Measures)))
    return shown


def _cell(value: Any, red: bool) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else f"{value or '–'}"
    return f"[red]{text}[/red]" if red else text


def main() -> int:
    """Print the table; 1 if an aim is missed."""
    measured = [measure(path) for path in notebooks()]
    Console(width=None if sys.stdout.isatty() else 160).print(table(measured))
    return int(any(map(missed, measured)))


if __name__ == "__main__":
    sys.exit(main())
