"""Recording a served model: golden questions are asked once with `LESSONS_RECORDING`, and the replies are kept.

Stopped at any moment, it goes on where it was: what is on record is not asked again.
"""

import os
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from lessons.context.wrapper import Answering
from lessons.errors import ModelError
from lessons.evaluate.gates import estimate
from lessons.evaluate.run import Watcher, evaluate
from lessons.models.llm import language_model
from lessons.models.recorded import Served, record_path, recorded_so_far, recording_to, relevant_settings
from lessons.models.served import ServedLLM, probe
from lessons.rag.workspace import Workspace
from lessons.settings import Settings, settings
from lessons.stages import stages as shipped_stages

NO_SERVER = "No model is served that could be recorded; set OPENAI_BASE_URL or OPENAI_API_KEY, and LESSONS_LLM_MODEL."


def record_questions(
    stages: Sequence[Answering], split: str, limit: int | None, seed: int, watch: Watcher, tell: Callable[[str], object]
) -> None:
    """Ask golden questions of the stages, and each with its evidence given, and keep the replies."""
    with recording(tell) as chosen:
        tell(_price(stages, split, limit))
        workspace = Workspace.open(chosen.model_copy(update={"recording": True}))
        evaluate(stages, split, limit=limit, sample_seed=seed, watch=watch, workspace=workspace, tell=tell)


@contextmanager
def recording(tell: Callable[[str], object]) -> Iterator[Settings]:
    """Give the settings of the model, until the replies are in the file; ModelError without a model."""
    current = settings()
    if not current.is_served:
        raise ModelError(NO_SERVER)
    llm = cast(ServedLLM, language_model(current.model_copy(update={"recording": False})))
    probe(llm)
    path, served = record_path(llm.model, current.recorded_dir), _served(llm, current)
    with recording_to(path, served):
        tell(f"{served.model}: {len(recorded_so_far(path)):,} replies are on record and are not asked again.")
        try:
            yield current
        finally:
            tell(_on_record(path))


def _price(stages: Sequence[Answering], split: str, limit: int | None) -> str:
    """Estimate what the questions will take, before the first is asked; `evaluate` forecasts again from its answer."""
    names = [stage.name.partition(" + ")[0] for stage in stages]  # without a wrapper
    answers, tokens, cost = estimate([name for name in names if name in shipped_stages()], limit, {"golden": 1}, split)
    return (
        f"An estimate of what {answers:,} answers take: {tokens:,} tokens, US$ {cost:.2f} at the prices of the "
        "settings. What is on record already costs nothing; Ctrl-C stops it, and nothing is lost."
    )


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
