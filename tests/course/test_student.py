"""The notebooks without solutions are the full ones, less what a class should find out."""

from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from lessons.course.student import KOREAN, NOTEBOOKS, class_folder, student_notebooks, without_solutions

TASK = new_markdown_cell(
    "**1.** See [the next](01_naive_rag.ipynb), [notes](../README.md#tests), `f[0](x)`, [more](https://a.b/c)."
)
STUB = new_code_cell("1", execution_count=3, outputs=[new_output("stream", text="1")], metadata={"tags": ["exercise"]})
SOLVED = new_code_cell("2", metadata={"tags": ["solution"], "jupyter": {"source_hidden": True}})
EXPLAINED = new_markdown_cell("<details>because</details>", metadata={"tags": ["solution"]})


def student() -> Any:
    return without_solutions(new_notebook(cells=[TASK, STUB, SOLVED, EXPLAINED]))


@pytest.mark.parametrize(
    ("edition", "module"), [(NOTEBOOKS, "lessons.course.student"), (KOREAN, "data.make.edition")], ids=["en", "ko"]
)
def test_those_in_the_repository_are_in_step(edition: Path, module: str) -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in class_folder(edition).glob("*.ipynb")}
    wanted = student_notebooks(edition)
    assert wanted
    assert sorted(written) == sorted(wanted)
    assert [name for name in wanted if written[name] != wanted[name]] == [], f"uv run python -m {module}"


def test_what_is_tagged_as_a_solution_is_gone() -> None:
    assert [cell.id for cell in student().cells] == [TASK.id, STUB.id]


def test_nothing_has_been_run() -> None:
    stub = student().cells[1]
    assert (stub.source, stub.outputs, stub.execution_count) == ("1", [], None)


def test_links_lead_to_where_they_did() -> None:
    assert student().cells[0].source == TASK.source.replace("../README.md", "../../README.md")


def test_the_full_notebook_is_left_as_it_is() -> None:
    student()
    assert STUB.outputs
