"""The exercises as they stand in a notebook: task, stub and solution, taken out of its cells and run."""

import ast
import json
from functools import cache
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


@cache
def path_of(number: str) -> Path:
    """The file of a notebook such as '04'."""
    return next(NOTEBOOKS.glob(f"{number}_*.ipynb"))


def cells(number: str, tag: str | None = None) -> list[dict[str, Any]]:
    """The code cells of a notebook, or those with a tag."""
    found = json.loads(path_of(number).read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in found if cell["cell_type"] == "code"]
    return [cell for cell in code if tag is None or tag in cell["metadata"].get("tags", [])]


def imports(number: str, code: str) -> str:
    """The import statements of the notebook whose names this code uses; others may need an extra's packages."""
    names = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    nodes = [node for cell in cells(number) for node in ast.walk(ast.parse(source(cell)))]
    statements = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
    used = [node for node in statements if names & {alias.asname or alias.name.split(".")[0] for alias in node.names}]
    return "\n".join(map(ast.unparse, used))


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def checked(number: str, tag: str) -> dict[str, Any]:
    """What the cells with a tag hand to `check`, by the exercise's id. They run in order and see the imports only."""
    handed: dict[str, Any] = {}
    names: dict[str, Any] = {}
    codes = {cell["id"]: _without_check(source(cell)) for cell in cells(number, tag)}
    exec(imports(number, "\n".join(codes.values())), names)
    names["check"] = handed.__setitem__
    for id_, code in codes.items():
        exec(compile(code, f"{number}, {id_}", "exec"), names)
    return handed


def _without_check(code: str) -> str:
    return "\n".join(line for line in code.splitlines() if not line.startswith("from lessons.exercises import"))
