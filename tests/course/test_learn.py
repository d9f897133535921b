"""`lessons learn` as a process: it serves the first notebook, and ends when it is told to."""

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyterlab.labapp import LabApp

from lessons.course import learn
from lessons.errors import LessonsError
from tests.course.offline_process import LESSONS, ROOT, page, said, watched
from tests.support.ports import free_port


@pytest.fixture
def tries(tmp_path: Path) -> Path:
    """The file in which a try to call out is told."""
    return tmp_path / "tries"


@pytest.fixture
def process(tries: Path) -> Iterator[subprocess.Popen]:
    command = [*LESSONS, "learn", "--no-browser", f"--port={free_port()}", "--without-solutions"]
    with subprocess.Popen(command, cwd=ROOT, env=watched(tries), stderr=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def address(process: subprocess.Popen) -> str:
    """The address of the notebook with its token, as the process tells it."""
    return next(found[0] for line in process.stderr or () if (found := re.search(r"http://127\S+token=\S+", line)))


def test_the_first_notebook_is_served_until_the_process_is_told_to_end(process: subprocess.Popen, tries: Path) -> None:
    told = address(process)
    assert "/lab/tree/notebooks/without_solutions/00_start_here.ipynb" in told
    assert "JupyterLab" in page(told)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    assert said(tries) == ""


def test_nothing_is_asked_of_the_outside() -> None:
    chosen = LabApp()
    chosen.parse_command_line(learn.QUIET)
    assert json.loads((Path(chosen.app_settings_dir) / "overrides.json").read_text()) == {
        "@jupyterlab/apputils-extension:notification": {"fetchNews": "false"}
    }
    assert chosen.news_url is None
    assert chosen.check_for_updates_class.__name__ == "NeverCheckForUpdate"
    assert chosen.extension_manager == "readonly"


def test_without_the_notebooks_a_sentence_says_where_they_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(learn, "NOTEBOOKS", tmp_path)
    with pytest.raises(LessonsError, match=r"clone the workbook"):
        learn.first_notebook()


@pytest.mark.parametrize(
    ("solutions", "language", "there"),
    [(True, "en", "."), (True, "ko", "ko"), (False, "ko", "ko/without_solutions"), (False, "en", "without_solutions")],
)
def test_each_edition_has_its_first_notebook(solutions: bool, language: str, there: str) -> None:
    assert learn.first_notebook(solutions, language) == learn.NOTEBOOKS / there / learn.FIRST
