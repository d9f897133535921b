"""`lessons learn` as a process: it serves the first notebook, and ends when it is told to."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

import pytest
from jupyterlab.labapp import LabApp
from tenacity import retry, retry_if_exception_type, stop_after_delay, wait_fixed

from lessons.course import learn
from lessons.errors import LessonsError

ROOT = Path(__file__).parents[2]
LEARN = [sys.executable, "-c", "from lessons.cli import main; main()", "learn", "--no-browser", "--port=18488"]


@pytest.fixture
def process() -> Iterator[subprocess.Popen]:
    with subprocess.Popen([*LEARN, "--without-solutions"], cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def address(process: subprocess.Popen) -> str:
    """The address of the notebook with its token, as the process tells it."""
    return next(found[0] for line in process.stderr or () if (found := re.search(r"http://127\S+token=\S+", line)))


@retry(retry=retry_if_exception_type(URLError), wait=wait_fixed(0.1), stop=stop_after_delay(30))
def page(told: str) -> str:
    """The page at an address, which is told shortly before it answers."""
    with build_opener(ProxyHandler({})).open(told, timeout=30) as reply:
        return reply.read().decode()


def test_the_first_notebook_is_served_until_the_process_is_told_to_end(process: subprocess.Popen) -> None:
    told = address(process)
    assert "/lab/tree/notebooks/without_solutions/00_start_here.ipynb" in told
    assert "JupyterLab" in page(told)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0


def test_nothing_is_asked_of_the_outside() -> None:
    chosen = LabApp()
    chosen.parse_command_line(learn.QUIET)
    assert chosen.news_url is None
    assert chosen.check_for_updates_class.__name__ == "NeverCheckForUpdate"
    assert chosen.extension_manager == "readonly"


def test_without_the_notebooks_a_sentence_says_where_they_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(learn, "NOTEBOOKS", tmp_path)
    with pytest.raises(LessonsError, match=r"clone the workbook"):
        learn.first_notebook()
