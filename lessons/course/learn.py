"""JupyterLab at the first notebook, on this machine only and without a call to anywhere else."""

from pathlib import Path

from lessons.course.student import KOREAN, NOTEBOOKS, class_folder
from lessons.database.programs import am_root
from lessons.errors import LessonsError
from lessons.settings import ROOT

FIRST = "00_start_here.ipynb"
QUIET = [  # neither news nor updates are asked for, nor the list of extensions
    f"--LabApp.app_settings_dir={Path(__file__).with_name('jupyter')}",  # nor is the reader asked about news
    "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LabApp.extension_manager=readonly",
]


def first_notebook(solutions: bool = True, language: str = "en") -> Path:
    """Return where the course begins; LessonsError if the notebooks are not here, as in an installed package."""
    edition = KOREAN if language == "ko" else NOTEBOOKS
    first = (edition if solutions else class_folder(edition)) / FIRST
    if not first.exists():
        raise LessonsError(
            f"There is no notebook at {first}: clone the workbook, and run `uv run lessons learn` in its folder."
        )
    return first


def learn(solutions: bool, port: int, browser: bool, language: str = "en") -> None:
    """Run JupyterLab in this process; as root, in a container, it has to be told that this is meant."""
    from jupyterlab.labapp import main

    url = f"/lab/tree/{first_notebook(solutions, language).relative_to(ROOT).as_posix()}"
    address = ["--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", f"--ServerApp.allow_root={am_root()}"]
    start = [f"--ServerApp.root_dir={ROOT}", f"--LabApp.default_url={url}", f"--ServerApp.open_browser={browser}"]
    main([*address, *start, *QUIET])
