"""After installation, the course needs no network, and nothing in it calls out."""

import ast
import json
import re
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.course.measures import notebooks, source
from tests.course.offline_process import LESSONS, ROOT, page, run, said, watched
from tests.support.ports import free_port
from tests.test_cli import owner

__all__ = ["owner"]

EXTRA = re.compile(r"(mcp|opentelemetry|openinference)\b")
"""Packages that notebook 18 imports, and says so where they are not installed."""


@pytest.fixture
def tries(tmp_path: Path) -> Path:
    return tmp_path / "tries"


def test_every_stage_answers(owner: str, tries: Path) -> None:
    answers = json.loads(
        run([*LESSONS, "ask", "When does the kiosk open?", "--stage", "all", "--user", owner, "--json"], tries)
    )
    assert ["7:30" in answer["answer"] for answer in answers] == [True] * len(answers)
    assert said(tries) == ""


def test_everything_that_notebooks_and_app_use_is_imported(tries: Path) -> None:
    imports = sorted(
        each for each in {*imported_by_notebooks(), *modules()} if not EXTRA.match(each) or find_spec("mcp")
    )
    program = f"from importlib import import_module\nfor name in {imports}: import_module(name)\nprint('all')"
    assert run([LESSONS[0], "-c", program], tries).strip() == "all"
    assert said(tries) == ""


def test_the_app_starts_and_is_served(tries: Path) -> None:
    port = free_port()
    command = [*LESSONS, "app", "--headless", f"--port={port}"]
    with subprocess.Popen(command, cwd=ROOT, env=watched(tries), stdout=subprocess.DEVNULL) as process:
        assert page(f"http://127.0.0.1:{port}/_stcore/health") == "ok"
        process.terminate()
    assert said(tries) == ""


def test_a_try_to_call_out_is_told(tries: Path) -> None:
    program = (
        "import socket, contextlib\nwith contextlib.suppress(OSError): socket.create_connection(('pypi.org', 443))"
    )
    run([LESSONS[0], "-c", program], tries)
    assert "pypi.org" in said(tries)


def imported_by_notebooks() -> set[str]:
    """The modules that code cells import."""
    cells = [cell for path in notebooks() for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
    trees = [ast.parse(source(cell)) for cell in cells if cell["cell_type"] == "code"]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    named = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    return named | {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}


def modules() -> list[str]:
    """Every module of the package that is not a program."""
    paths = [path.relative_to(ROOT).with_suffix("") for path in (ROOT / "lessons").rglob("*.py")]
    return [".".join(path.parts) for path in paths if path.stem not in ("__init__", "__main__")]
