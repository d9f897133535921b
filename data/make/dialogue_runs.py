"""Record a served model in the golden dialogues of *test* under each memory, and measure what is on record.

`uv run python -m data.make.dialogue_runs` goes on with what is on record already. Each judged turn is asked under all
memories before the next one, since a server that keeps the beginnings of prompts (`llama-server --parallel 4`) then
reads the documents of a question once.

Where no model is served, `LESSONS_RECORDED` names the record that is asked instead, and without it the keyless model
answers; the run is written to `data/runs/dialogues`.
"""

from collections.abc import Sequence
from functools import partial

from lessons.cli.shared import bars
from lessons.evaluate.dialogues import MEMORIES, Dialogue, ask_dialogue, dialogues, evaluate_dialogues
from lessons.evaluate.recording import recording
from lessons.evaluate.run import Watcher
from lessons.evaluate.runs import SHIPPED, ship
from lessons.library import load_corpus
from lessons.models.keyless import OfflineLLM
from lessons.rag.pipeline import Stage
from lessons.rag.workspace import Workspace
from lessons.search.hybrid import HybridRetriever
from lessons.search.transforms import Condense
from lessons.settings import settings
from lessons.stages import stages

CHUNKS = 2  # for an answer, so that two cores read its prompt in some ten seconds


def short(workspace: Workspace) -> Stage:
    """Smart's search for the completed question alone, and the best chunks of it."""
    retriever = HybridRetriever(top_k=CHUNKS, threshold=settings().smart_threshold)
    return stages()["smart"].but("short", query=(Condense(),), retriever=retriever, workspace=workspace)


def ask_under_each_memory(stage: Stage, dialogue: Dialogue) -> None:
    """Ask what `evaluate_dialogues` asks, each judged turn under every memory before the next one."""
    for _ in zip(*(ask_dialogue(stage, dialogue, *memory) for memory in MEMORIES.items()), strict=True):
        pass


def load(workspace: Workspace, watch: Watcher) -> Stage:
    """Load the shipped documents into a workspace and return the stage."""
    stage = short(workspace)
    load_corpus(workspace, partial(watch, "Loading the shipped documents"), [stage.index])
    return stage


def record(selected: Sequence[Dialogue], watch: Watcher) -> None:
    with recording(print) as (config, _):
        stage = load(Workspace.open(config.model_copy(update={"recording": True})), watch)
        for count, dialogue in enumerate(selected, start=1):
            ask_under_each_memory(stage, dialogue)
            watch("Dialogues", count, len(selected))


def run(selected: Sequence[Dialogue], watch: Watcher) -> None:
    workspace = Workspace.open(settings())
    evaluation = evaluate_dialogues(load(workspace, watch), selected, watch=partial(watch, "Asking"))
    name = "keyless" if isinstance(workspace.llm, OfflineLLM) else settings().recorded
    ship(evaluation, SHIPPED / "dialogues" / f"{name}.jsonl.gz")


def main() -> None:
    """LessonsError if a server cannot be used. For a record that is not there, the keyless model answers."""
    served = settings().openai_api_key or settings().openai_base_url
    with bars() as watch:
        (record if served else run)(dialogues("test"), watch)


if __name__ == "__main__":
    main()
