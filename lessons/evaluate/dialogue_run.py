"""Ask the golden dialogues under several memories: what is still understood, how far back, and at what price."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle, islice
from uuid import uuid4

from lessons.evaluate.dialogues import Dialogue, band
from lessons.evaluate.evaluate import measure
from lessons.evaluate.evaluation import Evaluation, Record
from lessons.memory.in_memory import SessionMessages
from lessons.memory.long_term import LongTerm
from lessons.memory.manager import Conversation
from lessons.memory.recursive_summary import RecursiveSummary
from lessons.memory.tiers import Tiers
from lessons.memory.types import Memory
from lessons.memory.window import NoMemory, Window
from lessons.rag.stages import Stage
from lessons.rag.types import Scope
from lessons.workspace import Workspace, workspace

TOKENS = "memory tokens"
"""The metric of a record that says how many tokens its memory handed over, by the estimate."""

Maker = Callable[[Workspace, Scope, str], Memory]
"""Makes the memory of one session; the scope is that of a user whom nobody else is."""

MEMORIES: dict[str, Maker] = {
    "none": lambda place, scope, session: NoMemory(),
    "window": lambda place, scope, session: Window(SessionMessages()),
    "tiers": Tiers.of,
    "recursive summary": RecursiveSummary.of,
}
"""The memories by name, from nothing to the most."""


def evaluate_dialogues(
    stage: Stage,
    dialogues: Sequence[Dialogue],
    memories: Mapping[str, Maker] = MEMORIES,
    watch: Callable[[int, int], object] = lambda done, total: None,
) -> Evaluation:
    """Ask every dialogue of the stage under each memory, turn by turn; the stage's own answers are remembered.

    The "stages" of the result are the memories, its categories say how far back a question reaches.
    """
    records: list[Record] = []
    work = [(name, dialogue) for name in memories for dialogue in dialogues]
    for done, (name, dialogue) in enumerate(work, start=1):
        records += asked(stage, dialogue, name, memories[name])
        watch(done, len(work))
    splits = dict.fromkeys(turn.golden.split for each in dialogues for turn in each.turns if turn.golden)
    return Evaluation("dialogues", " and ".join(splits), tuple(records))


def asked(stage: Stage, dialogue: Dialogue, name: str, make: Maker) -> Iterator[Record]:
    """The records of the turns that are judged; the others are said all the same."""
    memory = make(stage.workspace or workspace(), Scope(f"dialogue-{uuid4()}"), dialogue.id)
    conversation = Conversation(memory)
    for turn in dialogue.turns:
        recalled = conversation.recall(turn.question)
        answer = conversation.ask(stage, turn.question, user=dialogue.owner)
        if turn.golden:
            record = measure(turn.golden, answer)
            metrics = record.metrics | {TOKENS: float(recalled.tokens)}
            yield replace(record, stage=name, category=band(turn.distance), metrics=metrics)
        settle(memory)
    forget(memory)


def growth(memory: Memory, dialogues: Sequence[Dialogue], turns: int) -> list[int]:
    """The tokens that a memory hands over at each turn of a long conversation, by the estimate.

    The conversation is made of the dialogues with their reference answers, said over and over.
    """
    said = cycle(turn.golden for each in dialogues for turn in each.turns if turn.golden)
    handed_over = []
    for golden in islice(said, turns):
        handed_over.append(memory.recall(golden.question).tokens)
        memory.remember(golden.question, golden.answer)
        settle(memory)
    forget(memory)
    return handed_over


def by_kind(evaluation: Evaluation, dialogues: Sequence[Dialogue]) -> Evaluation:
    """The same records with the kind of each question as their category."""
    kinds = {turn.golden.id: turn.golden.category for each in dialogues for turn in each.turns if turn.golden}
    return replace(
        evaluation, records=tuple(replace(each, category=kinds[each.question_id]) for each in evaluation.records)
    )


def settle(memory: Memory) -> None:
    """What is worked out in the background is there at the next turn, so that every run finds the same."""
    if isinstance(memory, LongTerm):
        memory.settle()


def forget(memory: Memory) -> None:
    """Delete the session, and the profile of the user whom nobody is."""
    if isinstance(memory, LongTerm):
        memory.forget()
        memory.profile.forget()
