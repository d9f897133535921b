"""Memories, measured on dialogues: what is still understood, how far back, and at what price in tokens."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle, islice, product
from pathlib import Path
from typing import Any
from uuid import uuid4

from matplotlib.figure import Figure

from lessons.errors import LessonsError
from lessons.evaluate.evaluation import Evaluation, Record
from lessons.evaluate.golden import GOLDEN, SPLITS, Golden, file_bytes, golden_from, holds, json_lines, sample
from lessons.evaluate.plots import canvas, stage_colours
from lessons.evaluate.run import measure
from lessons.library import Progress
from lessons.memory.conversation import Conversation, Memory, NoMemory, Window
from lessons.memory.messages import SessionMessages
from lessons.memory.summaries import LongTerm, RecursiveSummary, Tiers
from lessons.models.replies import normalized
from lessons.rag.pipeline import Stage
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace, workspace
from lessons.text import language

DIALOGUES = GOLDEN / "dialogues"
TOKENS = "memory tokens"  # the metric that says how many tokens a memory handed over, by the estimate

Maker = Callable[[Workspace, Scope, str], Memory]  # of one session; the scope is of a user whom nobody else is

MEMORIES: dict[str, Maker] = {
    "none": lambda place, scope, session: NoMemory(),
    "window": lambda place, scope, session: Window(SessionMessages()),
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
    """The dialogues of a split, by file and line; LessonsError for a split that there is none of."""
    found = [
        Dialogue(item["id"], item["owner"], tuple(_turn(item, *turn) for turn in enumerate(item["turns"], start=1)))
        for item in json_lines(*sorted(DIALOGUES.glob("*.jsonl")))
        if item["split"] == split
    ]
    if not found:
        raise LessonsError(f"There are no dialogues of the split {split!r}; the splits are {' and '.join(SPLITS)}.")
    return found


def _turn(item: dict[str, Any], number: int, turn: dict[str, Any]) -> Turn:
    if "answer" not in turn:
        return Turn(turn["question"])
    known = {name: item[name] for name in ("language", "split", "owner")}
    golden = golden_from(turn | known | {"id": f"{item['id']}-{number:02}", "category": turn["kind"]})
    return Turn(turn["question"], golden, number - min(turn["needs"], default=number))


def group_of(bands: dict[int, str], number: int) -> str:
    """The last band whose least number this one reaches."""
    return next(name for least, name in reversed(bands.items()) if number >= least)


def evaluate_dialogues(
    stage: Stage,
    dialogues: Sequence[Dialogue],
    memories: Mapping[str, Maker] = MEMORIES,
    watch: Progress = lambda done, total: None,
) -> Evaluation:
    """Ask every dialogue under each memory, a "stage" of the result; categories say how far back a question reaches."""
    dialogues = sample(dialogues)
    records = _of_each(memories, dialogues, partial(asked, stage), watch)
    splits = dict.fromkeys(golden.split for each in dialogues for golden in each.judged)
    return Evaluation("dialogues", " and ".join(splits), records)


def _of_each(
    memories: Mapping[str, Maker],
    told: Sequence[Any],
    records: Callable[[Any, str, Maker], Iterable[Record]],
    watch: Progress,
) -> tuple[Record, ...]:
    found: list[Record] = []
    for done, ((name, make), each) in enumerate(product(memories.items(), told), start=1):
        found += records(each, name, make)
        watch(done, len(memories) * len(told))
    return tuple(found)


def asked(stage: Stage, dialogue: Dialogue, name: str, make: Maker) -> Iterator[Record]:
    """The records of the turns that are judged; the others are said all the same."""
    memory = make(stage.workspace or workspace(), Scope(f"dialogue-{uuid4()}"), dialogue.id)
    conversation = Conversation(memory)
    for turn in dialogue.turns:
        recalled = conversation.recall(turn.question)
        answer = conversation.ask(stage, turn.question, user=dialogue.owner)
        if turn.golden:
            record, band = measure(turn.golden, answer), group_of(BANDS, turn.distance)
            metrics = record.metrics | {TOKENS: float(recalled.tokens)}
            yield replace(record, stage=name, category=band, metrics=metrics)
        wait_for_updates(memory)
    forget(memory)


def growth(memory: Memory, dialogues: Sequence[Dialogue], turns: int) -> list[int]:
    """The tokens, by the estimate, that a memory hands over at each turn of the dialogues, said over and over."""
    handed_over = []
    for golden in islice(cycle(golden for each in dialogues for golden in each.judged), turns):
        handed_over.append(memory.recall(golden.question).tokens)
        memory.remember(golden.question, golden.answer)
        wait_for_updates(memory)
    forget(memory)
    return handed_over


def by_kind(evaluation: Evaluation, dialogues: Sequence[Dialogue]) -> Evaluation:
    """The same records with the kind of each question as their category."""
    kinds = {golden.id: golden.category for each in dialogues for golden in each.judged}
    records = tuple(replace(each, category=kinds[each.question_id]) for each in evaluation.records)
    return replace(evaluation, records=records)


def wait_for_updates(memory: Memory) -> None:
    """Wait for what is worked out in the background, so that every run finds the same."""
    if isinstance(memory, LongTerm):
        memory.wait_for_updates()


def forget(memory: Memory) -> None:
    """Delete the session, and the profile of the user whom nobody is."""
    if isinstance(memory, LongTerm):
        memory.forget()
        memory.profile.forget()


def plot_growth(tokens: Mapping[str, Sequence[int]]) -> Figure:
    figure, axes = canvas(6.5, 3.5)
    colours = stage_colours(tokens)
    for name, column in tokens.items():
        axes.plot(range(1, len(column) + 1), column, label=name, color=colours[name])
    axes.set(xlabel="turn of the conversation", ylabel="tokens handed over (estimate)")
    axes.set_title("What a memory adds to each prompt")
    axes.legend(frameon=False)
    return figure


# Conversations in the format of LoCoMo (Maharana et al., 2024, github.com/snap-research/locomo)

AGES = {1: "1–5 turns old", 6: "6–20 turns old", 21: "21–100 turns old", 101: "older than 100 turns"}
SHARE = "still handed over"  # the metric that says which share of a question's evidence a memory handed over
_ID = re.compile(r"D(\d+):(\d+)")  # the published file names several in one text, or writes D1:03 for D1:3


@dataclass(frozen=True)
class LocomoConversation:
    """Utterances, such as `Ana: Hi.`, by their ids, such as D1:3, in order; questions with the ids that answer them."""

    id: str
    utterances: dict[str, str]
    questions: tuple[tuple[str, tuple[str, ...]], ...]


def read_locomo(path: Path) -> list[LocomoConversation]:
    """The conversations of a file; LessonsError if it does not have the format, or no question with evidence."""
    try:
        found = [_locomo(sample) for sample in normalized(json.loads(file_bytes(path)))]
    except OSError as error:
        raise LessonsError(f"{path} cannot be read: {error.strerror}; name the file locomo10.json.") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise LessonsError(f"{path} does not have LoCoMo's format; name the file locomo10.json.") from error
    if not any(each.utterances.keys() & ids for each in found for _, ids in each.questions):
        raise LessonsError(f"{path} has no question with evidence from its conversation; name the file locomo10.json.")
    return found


def _locomo(sample: dict[str, Any]) -> LocomoConversation:
    talk = sample["conversation"]
    numbers = sorted(int(key.removeprefix("session_")) for key in talk if re.fullmatch(r"session_\d+", key))
    turns = [turn for number in numbers for turn in talk[f"session_{number}"]]
    utterances = {turn["dia_id"]: f"{turn['speaker']}: {turn['text']}" for turn in turns}
    questions = []
    for item in sample["qa"]:
        ids = [f"D{a}:{int(b)}" for said in item.get("evidence") or [] for a, b in _ID.findall(said)]
        questions.append((str(item["question"]), tuple(dict.fromkeys(ids))))
    return LocomoConversation(str(sample.get("sample_id", "")), utterances, tuple(questions))


def recall_old_facts(
    conversations: Sequence[LocomoConversation],
    place: Workspace,
    memories: Mapping[str, Maker] = MEMORIES,
    watch: Progress = lambda done, total: None,
) -> Evaluation:
    """Which of the utterances that answer a question each memory still hands over word for word, by their age."""
    return Evaluation("LoCoMo", "old facts", _of_each(memories, conversations, partial(_recalled, place), watch))


def _recalled(place: Workspace, conversation: LocomoConversation, name: str, make: Maker) -> Iterator[Record]:
    """A turn is an utterance with the reply to it. Questions without known evidence are left out."""
    memory = make(place, Scope(f"locomo-{uuid4()}"), conversation.id)
    ids, lines = list(conversation.utterances), list(conversation.utterances.values())
    for first in range(0, len(lines), 2):
        memory.remember(lines[first], "".join(lines[first + 1 : first + 2]))
        wait_for_updates(memory)
    for number, (question, wanted) in enumerate(conversation.questions):
        if not (evidence := [ids.index(each) for each in wanted if each in conversation.utterances]):
            continue
        known = memory.recall(question)
        handed_over = "\n".join([*(content for _, content in known.history), known.memory])
        share = sum(holds(handed_over, lines[each].partition(": ")[2]) for each in evidence) / len(evidence)
        age = (len(lines) + 1) // 2 - min(evidence) // 2
        metrics = {SHARE: share, TOKENS: float(known.tokens), "age": float(age)}
        yield Record(name, f"{conversation.id}-{number}", question, group_of(AGES, age), language(question), metrics)
    forget(memory)
