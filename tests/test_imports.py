"""Rooms import upwards only, in the order in which data flows down."""

import ast
from pathlib import Path

import pytest

LESSONS = Path(__file__).parents[1] / "lessons"
ROOMS = [
    ["language"], ["errors"], ["settings"], ["trace"], ["text"], ["tables"], ["database", "scale.replicas"],
    ["keyless", "models"],
    ["plan"], ["budget"], ["search.filters"], ["rag.types"], ["rag.versions"], ["rag.tables"], ["scale.hnsw"],
    ["rag.keyword_search"], ["rag.writing"], ["rag.store"], ["ingest"], ["rag.retrievers", "rag.context"], ["search"],
    ["rag.prompts"], ["rag.served_words"], ["rag.answer"], ["rag.adapters"], ["workspace"], ["agent"],
    ["rag.stages"], ["own_stages"], ["memory"], ["context"], ["copilot"], ["library"], ["evaluate"], ["scale"],
    ["faults"], ["production"],
    ["doctor"], ["workbook"], ["exercises"], ["course"], ["pages"], ["cli"],
]  # fmt: skip
DEPTH = {name: depth for depth, names in enumerate(ROOMS) for name in names}
MODULES = sorted(path for path in LESSONS.rglob("*.py") if path.stat().st_size and path != LESSONS / "__init__.py")


def room_of(dotted: str) -> str:
    """The room of a module by its name without `lessons.`; the chapters of the path have places of their own."""
    room, *rest = dotted.split(".")
    chapter = ".".join([room, *rest[:1]])
    return chapter if chapter in DEPTH else room


def room_of_file(module: Path) -> str:
    return room_of(".".join(module.relative_to(LESSONS).with_suffix("").parts).removesuffix(".__init__"))


def imported_rooms(module: Path) -> set[str]:
    names = []
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and not _for_types_only(node, module):
            names.append(node.module)
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    return {room_of(name.removeprefix("lessons.")) for name in names if name.startswith("lessons.")}


def _for_types_only(node: ast.ImportFrom, module: Path) -> bool:
    """Whether an import only names the type of something, or makes it, as the store its face for LlamaIndex."""
    return node.col_offset > 0 and module in (
        LESSONS / "agent.py",
        LESSONS / "ingest" / "jobs.py",
        LESSONS / "rag" / "types.py",
        LESSONS / "rag" / "store.py",
    )


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(LESSONS).as_posix())
def test_a_module_imports_only_rooms_above_its_own(module: Path) -> None:
    below = [room for room in imported_rooms(module) if DEPTH[room] > DEPTH[room_of_file(module)]]
    assert not below


def test_every_room_has_its_place_in_the_order() -> None:
    assert {room_of_file(module) for module in MODULES} == set(DEPTH)
