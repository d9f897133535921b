"""The first screen: it is short, its lines work when pasted, and what other files repeat of it agrees."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import nbformat
import pytest
import yaml

from data.make import commands
from data.make.edition import GUIDES
from lessons.settings import Settings
from lessons.stages import stages

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
COLAB = nbformat.read(ROOT / ".github" / "colab.ipynb", as_version=4)
SETTING = re.compile(r"^# ([A-Z_]+)=(\S*)", re.MULTILINE)


@pytest.mark.parametrize("name", ["README.md", "README.ko.md"])
def test_the_readme_takes_three_minutes_to_read(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert len(text) <= 10_000
    assert len(text.splitlines()) <= 130


def test_the_clone_line_works_when_pasted(tmp_path: Path) -> None:
    (line,) = re.findall(r"^git clone .*", README, re.MULTILINE)
    if not (ROOT / ".git").exists():
        pytest.skip("needs a checkout to clone")
    local = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{ROOT}.insteadOf",
        "GIT_CONFIG_VALUE_0": PROJECT["urls"]["Repository"],
    }
    done = subprocess.run(
        ["sh", "-c", f"{line} && ls"], cwd=tmp_path, env=os.environ | local, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert {"Makefile", "README.md", "app.py"} <= set(done.stdout.split())


def test_every_address_is_that_of_the_project() -> None:
    owner = PROJECT["urls"]["Repository"].removeprefix("https://github.com/")
    pages = [*GUIDES, *GUIDES.values(), ROOT / ".github" / "colab.ipynb"]
    found = {name for page in pages for name in re.findall(r"[\w.-]+/rag-workbook\b", page.read_text("utf-8"))}
    assert {name for name in found if name.split("/")[0] not in {"lib"}} == {owner}


def test_the_version_has_its_notes() -> None:
    notes = (ROOT / ".github" / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)", notes, re.MULTILINE)[0] == PROJECT["version"]


def test_the_lock_file_is_of_this_version_and_of_these_dependencies() -> None:
    packages = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    (locked,) = [package for package in packages if package["name"] == PROJECT["name"]]
    assert locked["version"] == PROJECT["version"]
    wanted = {re.match(r"[\w-]+", each)[0] for each in PROJECT["dependencies"]}  # type: ignore[index]
    assert {each["name"] for each in locked["dependencies"]} == wanted


@pytest.mark.parametrize("language", list(commands.PAGES))
def test_every_command_has_its_help_on_the_page(language: str) -> None:
    there = commands.PAGES[language][0].read_text(encoding="utf-8")
    assert there == commands.page(language), commands.COMMAND


def test_a_commit_is_checked_as_make_check_does() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    check = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\ncheck: ")[2].partition("\n\n")[0]
    assert [hook["entry"] for hook in hooks] == re.findall(
        r"uv run --locked .*", check.replace("$(UV)", "uv").replace("$(EXTRAS) ", "")
    )


def test_every_setting_of_the_example_exists_and_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    example = SETTING.findall((ROOT / ".env.example").read_text(encoding="utf-8"))
    aliases = {"OPENAI_API_KEY", "OPENAI_BASE_URL", "DATABASE_URL"}
    names = {f"LESSONS_{name.upper()}" for name in Settings.model_fields} | aliases
    assert [name for name, _ in example if name not in names] == []
    for name, value in example:
        monkeypatch.setenv(name, value)
    Settings(_env_file=None)  # type: ignore[call-arg]


def test_every_setting_that_a_guide_names_is_in_the_example() -> None:
    example = {name for name, _ in SETTING.findall((ROOT / ".env.example").read_text(encoding="utf-8"))}
    named = {
        name
        for page in GUIDES
        if page.suffix == ".md"
        for name in re.findall(r"\bLESSONS_[A-Z_]+", page.read_text("utf-8"))
    }
    settings = {f"LESSONS_{name.upper()}" for name in Settings.model_fields}
    assert sorted(named & settings - example) == []


def test_the_notebook_for_a_hosted_service_installs_the_project_first() -> None:
    first, second = (cell.source for cell in COLAB.cells if cell.cell_type == "code")
    assert first == f"%pip install --quiet git+{PROJECT['urls']['Repository']}"
    compile(second, "cell", "exec")
    assert any(f"book.{stage}.ask" in second for stage in stages())


def test_the_page_of_the_package_shows_the_same_installation() -> None:
    assert COLAB.cells[1].source in (ROOT / "lessons" / "README.md").read_text(encoding="utf-8")
