"""Golden dialogues, whose turns depend on what was said before, asked under several memories.

What is still understood, how far back, and at what price in tokens.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from uuid import uuid4

from matplotlib.figure import Figure

from lessons.errors import LessonsError
from lessons.evaluate.canvas import canvas, stage_colours
from lessons.evaluate.evaluation import Evaluation, Record
from lessons.evaluate.golden import GOLDEN, SPLITS, Golden, golden_from, json_lines
from lessons.evaluate.run import measure
from lessons.memory.manager import Conversation
from lessons.memory.messages import SessionMessages
from lessons.memory.summaries import LongTerm, RecursiveSummary, Tiers
from lessons.memory.types import Memory, NoMemory, Window
from lessons.rag.stages import Stage
from lessons.rag.types import Scope
from lessons.workspace import Workspace, workspace

DIALOGUES = GOLDEN / "dialogues"

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


@dataclass(frozen=True)
class Turn:
    """What the user says. `golden` is what is known about the answer; a turn without it is not judged.

    `distance` counts the turns back to the farthest one that the question needs; 0 if it stands alone.
    """

    question: str
    golden: Golden | None = None
    distance: int = 0


@dataclass(frozen=True)
class Dialogue:
    """A conversation of one owner, to be asked turn by turn."""

    id: str
    owner: str
    turns: tuple[Turn, ...]


def dialogues(split: str, folder: Path = DIALOGUES) -> list[Dialogue]:
    """The dialogues of a split, by file and line; LessonsError for a split that there is none of."""
    found = [item for item in json_lines(*sorted(folder.glob("*.jsonl"))) if item["split"] == split]
    if not found:
        raise LessonsError(f"There are no dialogues of the split {split!r}; the splits are {' and '.join(SPLITS)}.")
    turns = [tuple(_turn(each, number, turn) for number, turn in enumerate(each["turns"], start=1)) for each in found]
    return [Dialogue(each["id"], each["owner"], its) for each, its in zip(found, turns, strict=True)]


def _turn(item: dict[str, Any], number: int, turn: dict[str, Any]) -> Turn:
    if "answer" not in turn:
        return Turn(turn["question"])
    known = {name: item[name] for name in ("language", "split", "owner")}
    golden = golden_from(turn | known | {"id": f"{item['id']}-{number:02}", "category": turn["kind"]})
    return Turn(turn["question"], golden, number - min(turn["needs"], default=number))


def band(distance: int) -> str:
    """The distance of a reference as a word: 0, 1, 2–5, 6–11 or 12 and more turns back."""
    bands = {0: "stands alone", 1: "1 turn back", 2: "2–5 turns back", 6: "6–11 turns back", 12: "12+ turns back"}
    return next(name for least, name in reversed(bands.items()) if distance >= least)


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
        records += _asked(stage, dialogue, name, memories[name])
        watch(done, len(work))
    splits = dict.fromkeys(turn.golden.split for each in dialogues for turn in each.turns if turn.golden)
    return Evaluation("dialogues", " and ".join(splits), tuple(records))


def _asked(stage: Stage, dialogue: Dialogue, name: str, make: Maker) -> Iterator[Record]:
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
    """Wait for what is worked out in the background, so that every run finds the same."""
    if isinstance(memory, LongTerm):
        memory.settle()


def forget(memory: Memory) -> None:
    """Delete the session, and the profile of the user whom nobody is."""
    if isinstance(memory, LongTerm):
        memory.forget()
        memory.profile.forget()


def plot_growth(tokens: Mapping[str, Sequence[int]]) -> Figure:
    """The tokens that each memory hands over, turn by turn."""
    figure, axes = canvas(6.5, 3.5)
    colours = stage_colours(tokens)
    for name, column in tokens.items():
        axes.plot(range(1, len(column) + 1), column, label=name, color=colours[name])
    axes.set(xlabel="turn of the conversation", ylabel="tokens handed over (estimate)")
    axes.set_title("What a memory adds to each prompt")
    axes.legend(frameon=False)
    return figure
