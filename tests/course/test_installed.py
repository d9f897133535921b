"""The package without a checkout around it, as a hosted notebook service has it."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = """
import json
from lessons import library, settings
from lessons.copilot import tools
from lessons.evaluate import decisions, golden, judge, pictures, plots, savings
from lessons.exercises import catalog, guesses
from lessons.models import embedding_cache as vectors

paths = [
    library.CORPUS, vectors.QUESTIONS, tools.MENUS, decisions.PAIRS, decisions.FROZEN, plots.FONT,
    golden.GOLDEN, decisions.TEST, decisions.EXAMPLES, judge.JUDGED, decisions.QUESTIONS, savings.REWORDED,
    catalog.FOLDER, guesses.FILE, pictures.TEXTS,
]
print(json.dumps({
    "folder": str(settings.ROOT), "missing": [str(path) for path in paths if not path.exists()],
    "documents": len(library.shipped_documents()), "top_k": settings.settings().top_k,
}))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict:
    """What the package says of itself where it is installed in the layout of the wheel, seen from another folder."""
    site, elsewhere = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("elsewhere")
    left_out = shutil.ignore_patterns("__pycache__", *(Path(path).name for path in wheel()["exclude"]))
    shutil.copytree(ROOT / "lessons", site / "lessons", ignore=left_out)
    for source, target in wheel()["sources"].items():
        shutil.copytree(ROOT / source, site / target, ignore=left_out)
    (site / "lessons/files/.env").write_text("LESSONS_TOP_K=8\n")
    environment = os.environ | {"PYTHONPATH": str(site)}
    done = subprocess.run(
        [sys.executable, "-c", FILES], capture_output=True, text=True, check=True, cwd=elsewhere, env=environment
    )
    return json.loads(done.stdout) | {"site": str(site)}


def wheel() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]


def test_it_brings_its_data(told: dict) -> None:
    assert told["folder"] == f"{told['site']}/lessons/files".replace("/", os.sep)
    assert (told["missing"], told["documents"] > 100) == ([], True)


def test_the_settings_of_the_workbooks_folder_hold_in_every_other(told: dict) -> None:
    assert told["top_k"] == 8
