"""Memories, measured on dialogues: what is still understood, how far back, and at what price in tokens."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any
from uuid import uuid4

from matplotlib.figure import Figure

from lessons.errors import LessonsError
from lessons.evaluate.evaluation import Evaluation, Record
from lessons.evaluate.golden import GOLDEN, SPLITS, Golden, golden_from, json_lines, sample
from lessons.evaluate.plots import canvas, stage_colours
from lessons.evaluate.run import measure
from lessons.library import Progress
from lessons.memory.conversation import Conversation, Memory, NoMemory, Window
from lessons.memory.messages import SessionMessages
from lessons.memory.summaries import LongTerm, RecursiveSummary, Tiers
from lessons.rag.pipeline import Stage
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.rag.workspace import workspace as default_workspace

DIALOGUES = GOLDEN / "dialogues"
TOKENS = "memory tokens"  # the metric that says how many tokens a memory handed over, by the estimate

Maker = Callable[[Workspace, Scope, str], Memory]  # of one session; the scope is of a user of its own

MEMORIES: dict[str, Maker] = {
    "none": lambda workspace, scope, session: NoMemory(),
    "window": lambda workspace, scope, session: Window(SessionMessages()),
    "tiers": Tiers.of,
    "recursive summary": RecursiveSummary.of,
}
# How far back a question reaches, by the least number of turns.
BANDS = {0: "stands alone", 1: "1 turn back", 2: "2–5 turns back", 6: "6–11 turns back", 12: "12+ turns back"}


@dataclass(frozen=True)
class Turn:
    """What the user says, and what is known about the answer; a turn without that is not judged."""

    question: str
    golden: Golden | None = None
    distance: int = 0  # turns back to the farthest one that the question needs; 0 if it stands alone


@dataclass(frozen=True)
class Dialogue:
    """A conversation of one owner, to be asked turn by turn."""

    id: str
    owner: str
    turns: tuple[Turn, ...]

    @property
    def judged(self) -> list[Golden]:
        return [turn.golden for turn in self.turns if turn.golden]


def dialogues(split: str) -> list[Dialogue]:
    """Read the dialogues of a split, by file and line; LessonsError for a split that there is none of."""
    items = [item for item in json_lines(*sorted(DIALOGUES.glob("*.jsonl"))) if item["split"] == split]
    if not items:
        raise LessonsError(f"There are no dialogues of the split {split!r}; the splits are {' and '.join(SPLITS)}.")
    return [
        Dialogue(item["id"], item["owner"], tuple(_turn(item, *turn) for turn in enumerate(item["turns"], start=1)))
        for item in items
    ]


def _turn(item: dict[str, Any], number: int, turn: dict[str, Any]) -> Turn:
    if "answer" not in turn:
        return Turn(turn["question"])
    shared = {name: item[name] for name in ("language", "split", "owner")}
    golden = golden_from(turn | shared | {"id": f"{item['id']}-{number:02}", "category": turn["kind"]})
    return Turn(turn["question"], golden, number - min(turn["needs"], default=number))


def evaluate_dialogues(
    stage: Stage,
    dialogues: Sequence[Dialogue],
    memories: Mapping[str, Maker] = MEMORIES,
    watch: Progress = lambda done, total: None,
) -> Evaluation:
    """Ask every dialogue under each memory, a "stage" of the result; categories say how far back a question reaches."""
    dialogues, records = sample(dialogues), list[Record]()
    pairs = product(memories.items(), dialogues)
    for done, ((name, make), dialogue) in enumerate(pairs, start=1):
        records += ask_dialogue(stage, dialogue, name, make)
        watch(done, len(memories) * len(dialogues))
    splits = dict.fromkeys(golden.split for dialogue in dialogues for golden in dialogue.judged)
    return Evaluation("dialogues", " and ".join(splits), tuple(records))


def ask_dialogue(stage: Stage, dialogue: Dialogue, name: str, make: Maker) -> Iterator[Record]:
    """Ask all turns under the memory of this name; yield the records of those that are judged."""
    memory = make(stage.workspace or default_workspace(), Scope(f"dialogue-{uuid4()}"), dialogue.id)
    conversation = Conversation(memory)
    for turn in dialogue.turns:
        recalled = conversation.recall(turn.question)
        answer = conversation.ask(stage, turn.question, user=dialogue.owner)
        if turn.golden:
            record = measure(turn.golden, answer)
            band = next(name for least, name in reversed(BANDS.items()) if turn.distance >= least)
            metrics = record.metrics | {TOKENS: float(recalled.tokens)}
            yield replace(record, stage=name, category=band, metrics=metrics)
        if isinstance(memory, LongTerm):
            memory.wait_for_updates()  # so that every run measures the same
    forget(memory)


def forget(memory: Memory) -> None:
    """Delete the session, and the profile of its made-up user."""
    if isinstance(memory, LongTerm):
        memory.forget()
        memory.profile.forget()


def by_kind(evaluation: Evaluation, dialogues: Sequence[Dialogue]) -> Evaluation:
    """Return the same records with the kind of each question as their category."""
    kinds = {golden.id: golden.category for dialogue in dialogues for golden in dialogue.judged}
    records = tuple(replace(record, category=kinds[record.question_id]) for record in evaluation.records)
    return replace(evaluation, records=records)


def plot_growth(tokens: Mapping[str, Sequence[int]]) -> Figure:
    figure, axes = canvas(6.5, 3.5)
    colours = stage_colours(tokens)
    for name, column in tokens.items():
        axes.plot(range(1, len(column) + 1), column, label=name, color=colours[name])
    axes.set(xlabel="turn of the conversation", ylabel="tokens handed over (estimate)")
    axes.set_title("What a memory adds to each prompt")
    axes.legend(frameon=False)
    return figure
