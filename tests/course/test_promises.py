"""What README, workflow and issue form name is there: a workflow that watches a deleted file never fails."""

import json
import re
import shlex
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

import pytest
import yaml
from typer.main import get_command

from data.make.edition import GUIDES
from lessons.cli import app
from tests.course.measures import NOTEBOOKS, measure, notebooks, texts

ROOT = Path(__file__).parents[2]
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in ROOT.glob(".github/workflows/*.yml")}
CONTAINER = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text(encoding="utf-8"))
FORM = yaml.safe_load((ROOT / ".github/ISSUE_TEMPLATE/problem.yml").read_text(encoding="utf-8"))
TEACHING = NOTEBOOKS / "TEACHING.md"
PAGES = [
    *chain.from_iterable(GUIDES.items()),
    *(ROOT / name for name in ("data/README.md", ".github/CHANGELOG.md", ".github/SECURITY.md")),
]
PROGRAMS = {"ruff", "mypy", "pytest", "ray"}
COMMANDS = get_command(app).commands


def workflow_lines() -> list[str]:
    """The commands of the workflows, and of the container when it is made."""
    jobs = [job for workflow in WORKFLOWS.values() for job in workflow["jobs"].values()]
    made = CONTAINER["postCreateCommand"].replace(".venv/bin/", "uv run ").split(" && ")
    return made + [step["run"] for job in jobs for step in job["steps"] if "run" in step]


def page_lines() -> list[str]:
    """The shell commands of the pages, without their comments."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in PAGES)
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    inline = re.findall(r"`((?:uv run|make) [^`]+)`", text)
    return [line for block in blocks for line in block.splitlines() if line.strip()] + inline


def unknown(line: str) -> list[str]:
    """What a shell command runs or names and is not there."""
    words = shlex.split(line, comments=True)
    if words[:1] == ["make"]:
        return [word for word in words[1:] if f"\n{word}:" not in (ROOT / "Makefile").read_text()]
    if words[:2] != ["uv", "run"]:
        return []
    at = next(i for i, word in enumerate(words) if word in {"lessons", "python", "jupyter", *PROGRAMS})
    program, rest = words[at], words[at + 1 :]
    if program == "lessons" and not rest[0].startswith("-"):
        options = {option for each in COMMANDS[rest[0]].params for option in each.opts + each.secondary_opts}
        return [word for word in rest if word.startswith("--") and word not in options] if rest[0] in COMMANDS else rest
    if program == "python":
        return [rest[1]] if rest[0] == "-m" and find_spec(rest[1]) is None else []
    return []


@pytest.mark.parametrize("line", [*workflow_lines(), *page_lines()])
def test_a_command_that_is_named_exists(line: str) -> None:
    assert unknown(line) == []


@pytest.mark.parametrize("line", ["uv run python -m tests.gone", "uv run lessons ask x --gone", "make gone"])
def test_one_that_does_not_is_noticed(line: str) -> None:
    assert unknown(line)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_teachers_are_told_the_minutes_of_the_notebooks() -> None:
    told = dict(re.findall(r"^## (\d\d) · .* – (\d+) minutes$", TEACHING.read_text(encoding="utf-8"), re.MULTILINE))
    measured = {path.stem[:2]: measure(path).minutes for path in notebooks()}
    assert {number: int(told.get(number, 0)) for number in measured} == measured


def test_the_exercises_they_are_told_to_set_exist() -> None:
    named = set(re.findall(r"\b\d\d\.\d\b", TEACHING.read_text(encoding="utf-8")))
    cells = "".join(path.read_text(encoding="utf-8") for path in notebooks())
    assert [each for each in named if f'check(\\"{each}\\"' not in cells] == []


def test_every_system_runs_the_locked_and_the_newest_versions() -> None:
    matrix = WORKFLOWS["tests"]["jobs"]["tests"]["strategy"]["matrix"]
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    assert matrix["dependencies"] == ["locked", "newest"]
    assert WORKFLOWS["tests"][True]["schedule"]  # YAML reads the key `on` as a truth value


def test_the_workflow_runs_what_make_test_runs() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    wanted = re.findall(r"\$\(UV\) run --locked \$\(EXTRAS\) (ruff.*|mypy|pytest|python -m tests.*)", makefile)
    assert wanted
    assert [each for each in wanted if f"uv run --locked {each}" not in workflow_lines()] == []


def test_the_issue_form_offers_every_notebook() -> None:
    options = FORM["body"][0]["attributes"]["options"]
    assert [path.stem for path in notebooks() if path.stem not in options] == []


@pytest.mark.parametrize("notebook", notebooks()[1:13], ids=lambda path: path.stem)
def test_a_notebook_says_what_was_decided_and_when_to_decide_otherwise(notebook: Path) -> None:
    cells = [text for text in texts(notebook) if text.startswith("## Design decisions")]
    assert len(cells) == 1
    heads, _, *rows = [line for line in cells[0].splitlines() if line.startswith("|")]
    assert re.search("decision.*alternative.*why.*otherwise", heads)
    assert len(rows) >= 3
