"""Record a served model in the golden dialogues of *test*, under each memory.

`uv run python -m data.make.dialogue_runs` goes on with what is on record already. Each judged turn is asked under all
memories before the next one, since a server that keeps the beginnings of prompts (`llama-server --parallel 4`) then
reads the documents of a question once.
"""

from functools import partial

from lessons.cli.shared import bars
from lessons.evaluate.dialogues import MEMORIES, Dialogue, asked, dialogues
from lessons.evaluate.recording import recording
from lessons.library import load_corpus
from lessons.rag.stages import Stage, stages
from lessons.search.hybrid import HybridRetriever
from lessons.search.transforms import Condense
from lessons.settings import settings
from lessons.workspace import Workspace

CHUNKS = 2  # for an answer, so that two cores read its prompt in some ten seconds


def short(place: Workspace) -> Stage:
    """Smart's search for the completed question alone, and the best chunks of it."""
    retriever = HybridRetriever(top_k=CHUNKS, threshold=settings().smart_threshold)
    return stages()["smart"].but("short", query=(Condense(),), retriever=retriever, workspace=place)


def ask_under_each_memory(stage: Stage, dialogue: Dialogue) -> None:
    """What `evaluate_dialogues` asks, up to each judged turn under every memory before the next one."""
    for _ in zip(*(asked(stage, dialogue, *memory) for memory in MEMORIES.items()), strict=True):
        pass


def main() -> None:
    """LessonsError if no model is served."""
    told = dialogues("test")
    with bars() as watch, recording(print) as (chosen, _, _):
        stage = short(Workspace.open(chosen.model_copy(update={"recording": True})))
        load_corpus(stage.workspace, partial(watch, "Loading the shipped documents"), [stage.index])
        for done, dialogue in enumerate(told, start=1):
            ask_under_each_memory(stage, dialogue)
            watch("Dialogues", done, len(told))


if __name__ == "__main__":
    main()
