"""Folders import downwards only: each folder imports nothing of those that stand after it in the list."""

import ast
from pathlib import Path

import pytest

LESSONS = Path(__file__).parents[1] / "lessons"
ORDER = [
    "language",
    "errors",
    "settings",
    "tables",
    "trace",
    "text",
    "database",
    "keyless",
    "models",
    "plan",
    "budget",
    "rag",
    "ingest",
    "search",
    "agent",
    "stages",
    "own_stages",
    "memory",
    "context",
    "copilot",
    "library",
    "evaluate",
    "scale",
    "faults",
    "production",
    "doctor",
    "workbook",
    "exercises",
    "course",
    "pages",
    "cli",
]
DEPTH = {room: depth for depth, room in enumerate(ORDER)}
MODULES = sorted(path for path in LESSONS.rglob("*.py") if path.stat().st_size and path != LESSONS / "__init__.py")
# The arrows that still point back. The list may only become shorter.
UPWARDS = {("keyless", "models")}


def room_of(module: Path) -> str:
    """Return the folder of a module, or the module's own name at the top level."""
    return module.relative_to(LESSONS).with_suffix("").parts[0]


def imported_rooms(module: Path) -> set[str]:
    """Return the rooms that a module imports."""
    return {name.split(".")[1] for name in imported_names(module) if name.startswith("lessons.")} & DEPTH.keys()


def imported_names(module: Path) -> set[str]:
    """Return the dotted names that a module imports, inside functions, too, but not for type checkers only."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    for_types = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and ast.unparse(block.test).endswith("TYPE_CHECKING")
        for node in ast.walk(block)
    }
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and id(node) not in for_types:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import) and id(node) not in for_types:
            names |= {alias.name for alias in node.names}
    return names


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(LESSONS).as_posix())
def test_a_module_imports_nothing_of_a_later_folder(module: Path) -> None:
    room = room_of(module)
    later = {(room, other) for other in imported_rooms(module) if DEPTH[other] > DEPTH[room]}
    assert later <= UPWARDS


def test_every_folder_stands_in_the_order() -> None:
    assert {room_of(module) for module in MODULES} == set(ORDER)


def test_modules_import_in_no_circle() -> None:
    dotted = {module: _dotted(module) for module in MODULES}
    known = set(dotted.values())
    imports = {name: _modules(imported_names(module), known) - {name} for module, name in dotted.items()}
    walked: set[str] = set()

    def walk(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " → ".join([*path[path.index(name) :], name])
        if name not in walked:
            for other in imports[name]:
                walk(other, (*path, name))
            walked.add(name)

    for name in imports:
        walk(name, ())


def _dotted(module: Path) -> str:
    return ".".join(["lessons", *module.relative_to(LESSONS).with_suffix("").parts]).removesuffix(".__init__")


def _modules(names: set[str], known: set[str]) -> set[str]:
    """Return the modules to which imported names belong: a name is a module, or something in one."""
    return {module for name in names for module in (name, name.rpartition(".")[0]) if module in known}
