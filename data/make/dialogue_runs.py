"""Ask the golden dialogues of *test* under each memory, keyless, and write the run to `data/runs/dialogues`."""

from functools import partial

from lessons.cli.shared import bars
from lessons.evaluate.dialogues import dialogues, evaluate_dialogues
from lessons.evaluate.run import Watcher
from lessons.evaluate.runs import SHIPPED, ship
from lessons.library import load_corpus
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


def load(workspace: Workspace, watch: Watcher) -> Stage:
    """Load the shipped documents into a workspace and return the stage."""
    stage = short(workspace)
    load_corpus(workspace, partial(watch, "Loading the shipped documents"), [stage.index])
    return stage


def main() -> None:
    """Replace the shipped run."""
    with bars() as watch:
        stage = load(Workspace.open(settings().on_record(None)), watch)
        evaluation = evaluate_dialogues(stage, dialogues("test"), watch=partial(watch, "Asking"))
    ship(evaluation, SHIPPED / "dialogues" / "keyless.jsonl.gz")


if __name__ == "__main__":
    main()
