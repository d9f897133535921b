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
from lessons.evaluate.dialogues import MEMORIES, Maker, forget, settle
from lessons.rag.types import Scope
from lessons.text import normalize
from lessons.workspace import Workspace

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_ID = re.compile(r"D(\d+):(\d+)")  # the published file names several in one text, or writes D1:03 for D1:3


@dataclass(frozen=True)
class Utterance:
    """What a speaker said, under its id, such as D1:3 for the third one of the first session."""

    id: str
    speaker: str
    text: str


@dataclass(frozen=True)
class OldFact:
    """A question, and the ids of the utterances that answer it."""

    question: str
    answer: str
    category: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class LocomoConversation:
    """A conversation of several sessions, in order."""

    id: str
    utterances: tuple[Utterance, ...]
    questions: tuple[OldFact, ...]


@dataclass(frozen=True)
class Recalled:
    """What a memory handed over for one question: the share of the evidence, and the tokens that it took.

    `age` counts the turns since the oldest utterance of the evidence.
    """

    memory: str
    question: str
    category: str
    age: int
    share: float
    tokens: int


def read_locomo(path: Path) -> list[LocomoConversation]:
    """The conversations of a file; LessonsError if it does not have the format."""
    try:
        return [_conversation(sample) for sample in json.loads(path.read_text(encoding="utf-8"))]
    except OSError as error:
        raise LessonsError(f"{path} cannot be read: {error.strerror}; name the file locomo10.json.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LessonsError(f"{path} does not have LoCoMo's format; name the file locomo10.json.") from error


def recall_old_facts(
    conversations: Sequence[LocomoConversation],
    place: Workspace,
    memories: Mapping[str, Maker] = MEMORIES,
    watch: Callable[[int, int], object] = lambda done, total: None,
) -> list[Recalled]:
    """Tell each memory each conversation, then ask: which of the utterances that answer does it still hand over?

    A turn is an utterance with the reply to it. An utterance counts if its words stand in what is handed over, so a
    summary that says it in other words does not. Questions without known evidence are left out.
    """
    found: list[Recalled] = []
    work = [(name, conversation) for name in memories for conversation in conversations]
    for done, (name, conversation) in enumerate(work, start=1):
        found += _recalled(conversation, name, memories[name], place)
        watch(done, len(work))
    return found


def _recalled(conversation: LocomoConversation, name: str, make: Maker, place: Workspace) -> Iterator[Recalled]:
    memory = make(place, Scope(f"locomo-{uuid4()}"), conversation.id)
    said = {utterance.id: (number // 2, utterance) for number, utterance in enumerate(conversation.utterances)}
    lines = [f"{utterance.speaker}: {utterance.text}" for utterance in conversation.utterances]
    for first in range(0, len(lines), 2):
        memory.remember(lines[first], "".join(lines[first + 1 : first + 2]))
        settle(memory)
    turns = (len(lines) + 1) // 2
    for fact in conversation.questions:
        evidence = [said[each] for each in fact.evidence if each in said]
        if evidence:
            known = memory.recall(fact.question)
            handed_over = _plain("\n".join([*(content for _, content in known.history), known.memory]))
            share = sum(_plain(utterance.text) in handed_over for _, utterance in evidence) / len(evidence)
            age = turns - min(turn for turn, _ in evidence)
            yield Recalled(name, fact.question, fact.category, age, share, known.tokens)
    forget(memory)


def _plain(text: str) -> str:
    return " ".join(normalize(text).casefold().split())


def _conversation(sample: dict[str, Any]) -> LocomoConversation:
    talk = sample["conversation"]
    numbers = sorted(int(key.removeprefix("session_")) for key in talk if re.fullmatch(r"session_\d+", key))
    turns = [turn for number in numbers for turn in talk[f"session_{number}"]]
    utterances = tuple(Utterance(turn["dia_id"], turn["speaker"], turn["text"]) for turn in turns)
    questions = tuple(
        OldFact(
            item["question"],
            str(item.get("answer", "")),
            CATEGORIES.get(item["category"], str(item["category"])),
            tuple(dict.fromkeys(f"D{a}:{int(b)}" for said in item.get("evidence") or [] for a, b in _ID.findall(said))),
        )
        for item in sample["qa"]
    )
    return LocomoConversation(str(sample.get("sample_id", "")), utterances, questions)
