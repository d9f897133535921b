"""Recording a served model: golden questions or notebooks run once with `LESSONS_RECORDING`, and replies are kept."""

import os
import platform
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, cast
from urllib.parse import urlsplit

from llama_index.core.llms import ChatMessage

from lessons.context.wrapper import Answering
from lessons.database import erase
from lessons.errors import LessonsError, ModelError
from lessons.evaluate.golden import golden_questions, sample
from lessons.evaluate.run import Watcher, evaluate
from lessons.models.llm import language_model, price
from lessons.models.recorded import Journal, Served, record_path, recorded_so_far, recording_to, relevant_settings
from lessons.models.served import ServedLLM, probe
from lessons.models.server import explain
from lessons.rag.workspace import Workspace
from lessons.settings import ROOT, Settings, settings

NOTEBOOKS = ROOT / "notebooks"
SENT = {"naive": 2_500, "enhanced": 1_800, "smart": 3_800, "reranked": 7_800, "agentic": 14_700}
"""Tokens that a stage sends for one question of the shipped documents, counted on *dev*."""
ANSWER_TOKENS = 100
PROMPT_TOKENS = 2_000  # of the prompt by which a model's speed is measured
NOT_IN_YOURS = "Notebooks write to their database and delete from it, and DATABASE_URL names yours; record without it."
NO_SERVER = "No model is served that could be recorded; set OPENAI_BASE_URL or OPENAI_API_KEY, and LESSONS_LLM_MODEL."


@dataclass
class Forecast:
    """The most that the rest will take: what is on record already takes no time."""

    journal: Journal
    units: Sequence[int]  # tokens that each unit of the work is expected to send
    speed: float  # tokens a second, until replies were recorded; then theirs holds
    done: int = 0
    _worked: int = field(default=0, repr=False)
    _replies: int = field(default=0, repr=False)

    def after(self, done: int) -> str:
        """What is left when so many units are done."""
        replies = self.journal.replies().values()
        if len(replies) > self._replies:
            self._worked += sum(self.units[self.done : done])
        self.done, self._replies = done, len(replies)
        seconds = sum(reply.seconds for reply in replies)
        spent = price(sum(each.tokens_in or 0 for each in replies), sum(each.tokens_out or 0 for each in replies))
        left = sum(self.units[done:])
        pace = self._worked / seconds if self._worked and seconds else self.speed
        cost = spent * left / self._worked if self._worked else price(left, ANSWER_TOKENS * len(self.units[done:]))
        return (
            f"{done:,} of {len(self.units):,} done, {len(replies):,} replies recorded; at most "
            f"{left / pace / 3_600:.1f} hours and US$ {cost:.2f} are left."
        )


def record_questions(
    stages: Sequence[Answering], split: str, limit: int | None, seed: int, watch: Watcher, tell: Callable[[str], object]
) -> None:
    """Ask golden questions of the stages, and each with its evidence given, and keep the replies."""
    with recording(tell) as (chosen, path, speed):
        asked = len(sample(golden_questions(split), limit, seed))
        sent = [*(SENT.get(stage.name, SENT["smart"]) for stage in stages), SENT["naive"]]
        units = [tokens for tokens in sent for _ in range(asked)]
        forecast = Forecast(Journal(path), units, speed)
        tell(forecast.after(0))

        def progress(label: str, done: int, total: int) -> None:
            watch(label, done, total)
            if label.startswith("Asking"):
                tell(forecast.after(done if label == "Asking" else len(units) - asked + done))

        place = Workspace.open(chosen.model_copy(update={"recording": True}))
        evaluate(stages, split, limit=limit, sample_seed=seed, watch=progress, place=place)


def record_notebooks(watch: Watcher, tell: Callable[[str], object]) -> None:
    """Run the notebooks that call a model, on a database of their own; LessonsError names the one whose cell failed."""
    import nbformat

    if settings().database_url:
        raise LessonsError(NOT_IN_YOURS)
    with recording(tell) as (_, path, speed), tempfile.TemporaryDirectory(prefix="lessons-record-") as folder:
        read = {each: nbformat.read(each, as_version=4) for each in sorted(NOTEBOOKS.glob("*.ipynb"))}
        tags = {path: [cell.metadata.get("tags", []) for cell in notebook.cells] for path, notebook in read.items()}
        calling = {path: count for path in read if (count := sum("model-output" in each for each in tags[path]))}
        forecast = Forecast(Journal(path), [SENT["smart"]] * sum(calling.values()), speed)
        tell(f"{len(calling)} notebooks; a cell is taken for a question to Smart until some have run.")
        tell(forecast.after(0))
        data = Path(folder) / "data"
        environment = os.environ | {"LESSONS_RECORDING": "true", "LESSONS_DATA_DIR": str(data)}
        try:
            for notebook, count in calling.items():
                _run(notebook, read[notebook], environment, watch)
                tell(f"{notebook.name}: {forecast.after(forecast.done + count)}")
        finally:
            erase(Settings(data_dir=data))


@contextmanager
def recording(tell: Callable[[str], object]) -> Iterator[tuple[Settings, Path, float]]:
    """The settings, the file of the model, and the tokens that it reads a second, until the replies are in the file."""
    chosen = settings()
    if not chosen.is_served:
        raise ModelError(NO_SERVER)
    llm = cast(ServedLLM, language_model(chosen.model_copy(update={"recording": False})))
    probe(llm)
    path, served = record_path(llm.model, chosen.recorded_dir), _served(llm, chosen)
    with recording_to(path, served):
        tell(f"{served.model}: {len(recorded_so_far(path)):,} replies are on record and are not asked again.")
        try:
            yield chosen, path, _speed(llm)
        finally:
            tell(f"{len(recorded_so_far(path)):,} replies are on record in {path.name}.")


def _speed(llm: ServedLLM) -> float:
    """Measure tokens a second on a prompt as long as a stage's; ModelError if the model does not answer it."""
    filler, began = "Nothing is said here about any opening hours. " * (PROMPT_TOKENS // 10), perf_counter()
    try:
        reply = llm.limited(ANSWER_TOKENS).chat([ChatMessage(f"{filler}\n\nWhen does the warehouse in Daegu open?")])
    except Exception as error:
        raise explain(error, llm.model, llm.api_base) from error
    return (reply.additional_kwargs.get("prompt_tokens") or PROMPT_TOKENS) / (perf_counter() - began)


def _served(llm: ServedLLM, chosen: Settings) -> Served:
    url = str(llm.api_base)
    here = urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")
    processor = _processor() if here else ""
    return Served(llm.model, llm.metadata.context_window, processor=processor, settings=relevant_settings(chosen))


def _processor() -> str:
    """The name of the processor and how many there are, as far as the system says."""
    known = Path("/proc/cpuinfo")
    lines = known.read_text(encoding="utf-8").splitlines() if known.exists() else []
    name = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), "")
    return f"{name or platform.processor() or platform.machine()}, {os.cpu_count()} processors"


def _run(notebook: Path, read: Any, environment: dict[str, str], watch: Watcher) -> None:
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    def executed(cell: Any, cell_index: int, **_: Any) -> None:
        watch(notebook.name, cell_index + 1, len(read.cells))

    client = NotebookClient(read, timeout=None, kernel_name="python3", on_cell_executed=executed)
    try:
        client.execute(cwd=str(notebook.parent), env=environment)
    except CellExecutionError as error:
        raise LessonsError(f"{notebook.name} stopped: {error.evalue or error.ename}") from error
