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
from lessons.evaluate.evaluation import OUTCOMES, Evaluation, Record, summarise
from lessons.evaluate.golden import GOLDEN, SPLITS, Golden, file_bytes, golden_from, holds, json_lines, sample
from lessons.evaluate.plots import canvas, stage_colours
from lessons.evaluate.run import measure
from lessons.language import _
from lessons.library import Progress
from lessons.memory.conversation import Conversation, Memory, NoMemory, Window
from lessons.memory.messages import SessionMessages
from lessons.memory.summaries import LongTerm, RecursiveSummary, Tiers
from lessons.models.replies import normalized
from lessons.rag.pipeline import Stage
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.rag.workspace import workspace as default_workspace
from lessons.tables import Table
from lessons.text import language

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
    dialogues = sample(dialogues)
    records = _with_each(memories, dialogues, partial(ask_dialogue, stage), watch)
    splits = dict.fromkeys(golden.split for dialogue in dialogues for golden in dialogue.judged)
    return Evaluation("dialogues", " and ".join(splits), records)


def _with_each(
    memories: Mapping[str, Maker],
    conversations: Sequence[Any],
    ask: Callable[[Any, str, Maker], Iterable[Record]],
    watch: Progress,
) -> tuple[Record, ...]:
    records: list[Record] = []
    pairs = product(memories.items(), conversations)
    for done, ((name, make), conversation) in enumerate(pairs, start=1):
        records += ask(conversation, name, make)
        watch(done, len(memories) * len(conversations))
    return tuple(records)


def ask_dialogue(stage: Stage, dialogue: Dialogue, name: str, make: Maker) -> Iterator[Record]:
    """Ask all turns under the memory of this name; yield the records of those that are judged."""
    memory = make(stage.workspace or default_workspace(), Scope(f"dialogue-{uuid4()}"), dialogue.id)
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


def group_of(bands: dict[int, str], number: int) -> str:
    """Return the last band whose least number this one reaches."""
    return next(name for least, name in reversed(bands.items()) if number >= least)


def wait_for_updates(memory: Memory) -> None:
    """Wait for what is worked out in the background, so that every run measures the same."""
    if isinstance(memory, LongTerm):
        memory.wait_for_updates()


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


def dialogue_report(evaluation: Evaluation, dialogues: Sequence[Dialogue]) -> Table:
    """Show correctness under each memory, by distance, kind and language, and the tokens that each handed over."""
    rows = [_means("all", evaluation, "correctness")]
    rows += [_means(outcome, evaluation, outcome) for outcome in OUTCOMES]
    for run, by in ((evaluation, "category"), (by_kind(evaluation, dialogues), "category"), (evaluation, "language")):
        rows += [_means(group, run, "correctness", **{by: group}) for group in sorted(run.groups(by))]
    return _report(f"golden dialogues, {evaluation.split}: correctness with 95 % intervals", evaluation, rows)


def _means(label: str, evaluation: Evaluation, metric: str, **group: str) -> list[str]:
    summaries = [summarise(evaluation.of(name, **group), [metric]) for name in evaluation.stages]
    return [f"{_(label)} ({summaries[0].n})", *(summary.with_interval(metric) for summary in summaries)]


def _report(title: str, evaluation: Evaluation, rows: list[list[str]]) -> Table:
    tokens = [f"{evaluation.mean(name, TOKENS):,.0f}" for name in evaluation.stages]
    return Table(["", *map(_, evaluation.stages)], [*rows, [_("tokens handed over"), *tokens]], _(title))


def growth(memory: Memory, dialogues: Sequence[Dialogue], turns: int) -> list[int]:
    """Count the tokens, by the estimate, that a memory hands over at each turn of the dialogues, said over and over."""
    tokens = []
    for golden in islice(cycle(golden for dialogue in dialogues for golden in dialogue.judged), turns):
        tokens.append(memory.recall(golden.question).tokens)
        memory.remember(golden.question, golden.answer)
        wait_for_updates(memory)
    forget(memory)
    return tokens


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
    """Read the conversations; LessonsError if the file has another format, or no question with evidence."""
    try:
        conversations = [_locomo(sample) for sample in normalized(json.loads(file_bytes(path)))]
    except OSError as error:
        raise LessonsError(f"{path} cannot be read: {error.strerror}; name the file locomo10.json.") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise LessonsError(f"{path} does not have LoCoMo's format; name the file locomo10.json.") from error
    if not any(talk.utterances.keys() & ids for talk in conversations for _question, ids in talk.questions):
        raise LessonsError(f"{path} has no question with evidence from its conversation; name the file locomo10.json.")
    return conversations


def _locomo(sample: dict[str, Any]) -> LocomoConversation:
    talk = sample["conversation"]
    numbers = sorted(int(key.removeprefix("session_")) for key in talk if re.fullmatch(r"session_\d+", key))
    turns = [turn for number in numbers for turn in talk[f"session_{number}"]]
    utterances = {turn["dia_id"]: f"{turn['speaker']}: {turn['text']}" for turn in turns}
    questions = []
    for item in sample["qa"]:
        ids = [f"D{a}:{int(b)}" for text in item.get("evidence") or [] for a, b in _ID.findall(text)]
        questions.append((str(item["question"]), tuple(dict.fromkeys(ids))))
    return LocomoConversation(str(sample.get("sample_id", "")), utterances, tuple(questions))


def recall_old_facts(
    conversations: Sequence[LocomoConversation],
    workspace: Workspace,
    memories: Mapping[str, Maker] = MEMORIES,
    watch: Progress = lambda done, total: None,
) -> Evaluation:
    """Measure which utterances that answer a question each memory still hands over word for word, by their age."""
    records = _with_each(memories, conversations, partial(_recall, workspace), watch)
    return Evaluation("LoCoMo", "old facts", records)


def _recall(workspace: Workspace, conversation: LocomoConversation, name: str, make: Maker) -> Iterator[Record]:
    """Replay a conversation, an utterance and the reply as a turn; leave out questions without known evidence."""
    memory = make(workspace, Scope(f"locomo-{uuid4()}"), conversation.id)
    ids, lines = list(conversation.utterances), list(conversation.utterances.values())
    for first in range(0, len(lines), 2):
        memory.remember(lines[first], "".join(lines[first + 1 : first + 2]))
        wait_for_updates(memory)
    for number, (question, needed_ids) in enumerate(conversation.questions):
        if not (evidence := [ids.index(id_) for id_ in needed_ids if id_ in conversation.utterances]):
            continue
        recalled = memory.recall(question)
        handed_over = "\n".join([*(content for _role, content in recalled.history), recalled.memory])
        share = sum(holds(handed_over, lines[at].partition(": ")[2]) for at in evidence) / len(evidence)
        age = (len(lines) + 1) // 2 - min(evidence) // 2
        metrics = {SHARE: share, TOKENS: float(recalled.tokens), "age": float(age)}
        yield Record(name, f"{conversation.id}-{number}", question, group_of(AGES, age), language(question), metrics)
    forget(memory)


def locomo_report(evaluation: Evaluation) -> Table:
    """Show the share of old facts that each memory still hands over, by their age, and the tokens that it takes."""
    ages = [age for age in AGES.values() if age in evaluation.groups("category")]
    rows = [_means("all", evaluation, SHARE), *(_means(age, evaluation, SHARE, category=age) for age in ages)]
    return _report("old facts still handed over, with 95 % intervals", evaluation, rows)
