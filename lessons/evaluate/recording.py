"""Recording a served model: golden questions or notebooks run once with `LESSONS_RECORDING`, and replies are kept.

Stopped at any moment, it goes on where it was: what is on record is not asked again.
"""

import os
import platform
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from lessons.context.wrapper import Answering
from lessons.database import erase
from lessons.errors import LessonsError, ModelError
from lessons.evaluate.run import Watcher, evaluate
from lessons.models.llm import language_model
from lessons.models.recorded import Served, record_path, recorded_so_far, recording_to, relevant_settings
from lessons.models.served import ServedLLM, probe
from lessons.rag.workspace import Workspace
from lessons.settings import ROOT, Settings, settings

NOTEBOOKS = ROOT / "notebooks"
NOT_IN_YOURS = "Notebooks write to their database and delete from it, and DATABASE_URL names yours; record without it."
NO_SERVER = "No model is served that could be recorded; set OPENAI_BASE_URL or OPENAI_API_KEY, and LESSONS_LLM_MODEL."


def record_questions(
    stages: Sequence[Answering], split: str, limit: int | None, seed: int, watch: Watcher, tell: Callable[[str], object]
) -> None:
    """Ask golden questions of the stages, and each with its evidence given, and keep the replies."""
    with recording(tell) as (chosen, _path):
        workspace = Workspace.open(chosen.model_copy(update={"recording": True}))
        evaluate(stages, split, limit=limit, sample_seed=seed, watch=watch, workspace=workspace, tell=tell)


def record_notebooks(watch: Watcher, tell: Callable[[str], object]) -> None:
    """Run the notebooks that call a model, on a database of their own; LessonsError names the one whose cell failed."""
    import nbformat

    if settings().database_url:
        raise LessonsError(NOT_IN_YOURS)
    with recording(tell) as (_, record), tempfile.TemporaryDirectory(prefix="lessons-record-") as folder:
        data = Path(folder) / "data"
        environment = os.environ | {"LESSONS_RECORDING": "true", "LESSONS_DATA_DIR": str(data)}
        try:
            for path in sorted(NOTEBOOKS.glob("*.ipynb")):
                notebook = nbformat.read(path, as_version=4)
                if any("model-output" in cell.metadata.get("tags", []) for cell in notebook.cells):
                    _run(path, notebook, environment, watch)
                    tell(f"{path.name}: {_on_record(record)}")
        finally:
            erase(Settings(data_dir=data))


@contextmanager
def recording(tell: Callable[[str], object]) -> Iterator[tuple[Settings, Path]]:
    """Give the settings and the file of the model, until the replies are in the file; ModelError without a model."""
    current = settings()
    if not current.is_served:
        raise ModelError(NO_SERVER)
    llm = cast(ServedLLM, language_model(current.model_copy(update={"recording": False})))
    probe(llm)
    path, served = record_path(llm.model, current.recorded_dir), _served(llm, current)
    with recording_to(path, served):
        tell(f"{served.model}: {len(recorded_so_far(path)):,} replies are on record and are not asked again.")
        try:
            yield current, path
        finally:
            tell(_on_record(path))


def _on_record(path: Path) -> str:
    return f"{len(recorded_so_far(path)):,} replies are on record in {path.name}."


def _served(llm: ServedLLM, current: Settings) -> Served:
    is_local = urlsplit(str(llm.api_base)).hostname in ("localhost", "127.0.0.1", "::1")
    processor = _processor() if is_local else ""
    return Served(llm.model, llm.metadata.context_window, processor=processor, settings=relevant_settings(current))


def _processor() -> str:
    """Name the processor and how many there are, as far as the system says."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    name = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), "")
    return f"{name or platform.processor() or platform.machine()}, {os.cpu_count()} processors"


def _run(path: Path, notebook: Any, environment: dict[str, str], watch: Watcher) -> None:
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    def executed(cell: Any, cell_index: int, **_: Any) -> None:
        watch(path.name, cell_index + 1, len(notebook.cells))

    client = NotebookClient(notebook, timeout=None, kernel_name="python3", on_cell_executed=executed)
    try:
        client.execute(cwd=str(path.parent), env=environment)
    except CellExecutionError as error:
        raise LessonsError(f"{path.name} stopped: {error.evalue or error.ename}") from error
