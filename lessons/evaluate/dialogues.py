"""Golden dialogues: turns whose meaning or answer depends on what was said before (row E4)."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lessons.errors import LessonsError
from lessons.evaluate.golden import GOLDEN, SPLITS, Evidence, Golden

DIALOGUES = GOLDEN / "dialogues"


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
    language: str
    owner: str
    turns: tuple[Turn, ...]


def dialogues(split: str, folder: Path = DIALOGUES) -> list[Dialogue]:
    """The dialogues of a split, by file and line; LessonsError for a split that there is none of."""
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text(encoding="utf-8").splitlines()]
    found = [_dialogue(item) for item in map(json.loads, lines) if item["split"] == split]
    if not found:
        raise LessonsError(f"There are no dialogues of the split {split!r}; the splits are {' and '.join(SPLITS)}.")
    return found


def band(distance: int) -> str:
    """The distance of a reference as a word: 0, 1, 2–5, 6–11 or 12 and more turns back."""
    bands = {0: "stands alone", 1: "1 turn back", 2: "2–5 turns back", 6: "6–11 turns back", 12: "12+ turns back"}
    return next(name for least, name in reversed(bands.items()) if distance >= least)


def _dialogue(item: dict[str, Any]) -> Dialogue:
    turns = tuple(_turn(item, number, turn) for number, turn in enumerate(item["turns"], start=1))
    return Dialogue(item["id"], item["language"], item["owner"], turns)


def _turn(item: dict[str, Any], number: int, turn: dict[str, Any]) -> Turn:
    if "answer" not in turn:
        return Turn(turn["question"])
    golden = Golden(
        f"{item['id']}-{number:02}",
        turn["question"],
        item["language"],
        turn["kind"],
        turn["answer"],
        tuple(turn["key_facts"]),
        tuple(Evidence(each["source_file"], each["quote"], each["page"]) for each in turn["evidence"]),
        split=item["split"],
        owner=item["owner"],
    )
    return Turn(turn["question"], golden, number - min(turn["needs"], default=number))
