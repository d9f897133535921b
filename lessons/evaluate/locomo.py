"""Conversations in the format of LoCoMo, and how much of an old one a memory still hands over.

LoCoMo (Maharana et al., 2024, github.com/snap-research/locomo) is not part of this workbook; download `locomo10.json`
and name it. Each sample holds sessions of numbered utterances and questions with the ids of those that answer them.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from lessons.errors import LessonsError
from lessons.evaluate.dialogues import MEMORIES, TOKENS, Maker, forget, settle
from lessons.evaluate.evaluation import Evaluation, Record
from lessons.rag.types import Scope
from lessons.text import language, normalize
from lessons.workspace import Workspace

AGES = {0: "1–5 turns old", 5: "6–20 turns old", 20: "21–100 turns old", 100: "older than 100 turns"}
"""By how many turns an utterance is older than its last one: the groups of the report."""
SHARE = "still handed over"
"""The metric of a record that says which share of a question's evidence its memory handed over."""

_ID = re.compile(r"D(\d+):(\d+)")  # the published file names several in one text, or writes D1:03 for D1:3


@dataclass(frozen=True)
class LocomoConversation:
    """Utterances, such as `Ana: Hi.`, by their ids, such as D1:3, in order; questions with the ids that answer them."""

    id: str
    utterances: dict[str, str]
    questions: tuple[tuple[str, tuple[str, ...]], ...]


def read_locomo(path: Path) -> list[LocomoConversation]:
    """The conversations of a file; LessonsError if it does not have the format."""
    try:
        return [_conversation(sample) for sample in json.loads(path.read_text(encoding="utf-8"))]
    except OSError as error:
        raise LessonsError(f"{path} cannot be read: {error.strerror}; name the file locomo10.json.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LessonsError(f"{path} does not have LoCoMo's format; name the file locomo10.json.") from error


def _conversation(sample: dict[str, Any]) -> LocomoConversation:
    talk = sample["conversation"]
    numbers = sorted(int(key.removeprefix("session_")) for key in talk if re.fullmatch(r"session_\d+", key))
    turns = [turn for number in numbers for turn in talk[f"session_{number}"]]
    utterances = {turn["dia_id"]: f"{turn['speaker']}: {turn['text']}" for turn in turns}
    questions = []
    for item in sample["qa"]:
        ids = [f"D{a}:{int(b)}" for said in item.get("evidence") or [] for a, b in _ID.findall(said)]
        questions.append((item["question"], tuple(dict.fromkeys(ids))))
    return LocomoConversation(str(sample.get("sample_id", "")), utterances, tuple(questions))


def recall_old_facts(
    conversations: Sequence[LocomoConversation],
    place: Workspace,
    memories: Mapping[str, Maker] = MEMORIES,
    watch: Callable[[int, int], object] = lambda done, total: None,
) -> Evaluation:
    """Tell each memory each conversation, then ask: which of the utterances that answer does it still hand over?

    The "stages" of the result are the memories, its categories how old the oldest utterance of the evidence is. An
    utterance counts if its words stand in what is handed over, so a summary that says it in other words does not.
    """
    found: list[Record] = []
    work = [(name, conversation) for name in memories for conversation in conversations]
    for done, (name, conversation) in enumerate(work, start=1):
        found += _recalled(conversation, name, memories[name], place)
        watch(done, len(work))
    return Evaluation("LoCoMo", "old facts", tuple(found))


def _recalled(conversation: LocomoConversation, name: str, make: Maker, place: Workspace) -> Iterator[Record]:
    """A turn is an utterance with the reply to it. Questions without known evidence are left out."""
    memory = make(place, Scope(f"locomo-{uuid4()}"), conversation.id)
    ids, lines = list(conversation.utterances), list(conversation.utterances.values())
    for first in range(0, len(lines), 2):
        memory.remember(lines[first], "".join(lines[first + 1 : first + 2]))
        settle(memory)
    for number, (question, wanted) in enumerate(conversation.questions):
        if not (evidence := [ids.index(each) for each in wanted if each in conversation.utterances]):
            continue
        known = memory.recall(question)
        handed_over = _plain("\n".join([*(content for _, content in known.history), known.memory]))
        share = sum(_plain(lines[each].partition(": ")[2]) in handed_over for each in evidence) / len(evidence)
        age = (len(lines) + 1) // 2 - min(evidence) // 2
        metrics = {SHARE: share, TOKENS: float(known.tokens), "age": float(age)}
        group = next(group for least, group in reversed(AGES.items()) if age > least)
        yield Record(name, f"{conversation.id}-{number}", question, group, language(question), metrics)
    forget(memory)


def _plain(text: str) -> str:
    return " ".join(normalize(text).casefold().split())
