"""Record a served model in the golden dialogues of *test*, under each memory.

`uv run python -m data.make.dialogue_runs` goes on with what is on record already. Each turn is asked under all memories
before the next one, since a server that keeps the beginnings of prompts (`llama-server --parallel 4`) then reads the
documents of a question once.
"""

from uuid import uuid4

from lessons.cli.shared import bars
from lessons.evaluate.dialogues import MEMORIES, Dialogue, dialogues, forget, settle
from lessons.evaluate.recording import recording
from lessons.library import load_corpus
from lessons.memory.manager import Conversation
from lessons.rag.stages import Stage, stages
from lessons.rag.types import Scope
from lessons.search.hybrid import HybridRetriever
from lessons.search.transforms import Condense
from lessons.settings import settings
from lessons.workspace import Workspace

CHUNKS = 2  # for an answer, so that two cores read its prompt in some ten seconds


def short() -> Stage:
    """Smart's search for the completed question alone, and the best chunks of it."""
    retriever = HybridRetriever(top_k=CHUNKS, threshold=settings().smart_threshold)
    return stages()["smart"].but("short", query=(Condense(),), retriever=retriever)


def ask_under_each_memory(stage: Stage, dialogue: Dialogue, place: Workspace) -> None:
    """What `evaluate_dialogues` asks, each turn under every memory before the next turn."""
    memories = [make(place, Scope(f"dialogue-{uuid4()}"), dialogue.id) for make in MEMORIES.values()]
    conversations = [Conversation(memory) for memory in memories]
    for turn in dialogue.turns:
        for memory, conversation in zip(memories, conversations, strict=True):
            conversation.ask(stage, turn.question, user=dialogue.owner)
            settle(memory)
    for memory in memories:
        forget(memory)


def main() -> None:
    """LessonsError if no model is served."""
    told = dialogues("test")
    with bars() as watch, recording(print) as (chosen, _, _):
        place = Workspace.open(chosen.model_copy(update={"recording": True}))
        stage = short().but("short", workspace=place)
        load_corpus(place, lambda done, total: None, [stage.index])
        for done, dialogue in enumerate(told):
            watch("Dialogues", done, len(told))
            ask_under_each_memory(stage, dialogue, place)


if __name__ == "__main__":
    main()
