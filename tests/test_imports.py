"""Rooms import upwards only, in the order in which data flows down."""

import ast
from pathlib import Path

import pytest

LESSONS = Path(__file__).parents[1] / "lessons"
ROOMS = [
    ["errors"], ["settings"], ["trace"], ["text"], ["tables"], ["database"], ["models"], ["budget"], ["ingest"],
    ["retrieve"], ["answer"], ["workspace"], ["agent"], ["stages"], ["memory"], ["context"], ["copilot"], ["library"],
    ["evaluate"], ["bench"], ["faults"], ["doctor"], ["doctor_report"], ["workbook"], ["exercises"], ["course"],
    ["pages"], ["cli"],
]  # fmt: skip
DEPTH = {name: depth for depth, names in enumerate(ROOMS) for name in names}
MODULES = sorted(path for path in LESSONS.rglob("*.py") if path != LESSONS / "__init__.py")


def room_of(module: Path) -> str:
    return module.relative_to(LESSONS).parts[0].removesuffix(".py")


def imported_rooms(module: Path) -> set[str]:
    names = []
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.append(node.module)
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    return {name.split(".")[1] for name in names if name.startswith("lessons.")}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(LESSONS).as_posix())
def test_a_module_imports_only_rooms_above_its_own(module: Path) -> None:
    below = [room for room in imported_rooms(module) if DEPTH[room] > DEPTH[room_of(module)]]
    assert not below


def test_every_room_has_its_place_in_the_order() -> None:
    assert {room_of(module) for module in MODULES} == set(DEPTH)
