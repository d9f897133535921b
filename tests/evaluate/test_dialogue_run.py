"""Dialogues are asked turn by turn under each memory, and what each hands over is counted."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest

from lessons.errors import LessonsError
from lessons.evaluate.dialogue_run import MEMORIES, TOKENS, by_kind, evaluate_dialogues, growth
from lessons.evaluate.dialogues import Dialogue, Turn, band, dialogues
from lessons.evaluate.golden import Golden
from lessons.memory.in_memory import SessionMessages
from lessons.memory.window import Window
from lessons.rag.answer import Answer
from lessons.rag.stages import AnswerStream
from lessons.settings import Settings
from lessons.workspace import Workspace


def golden(number: int, question: str, fact: str, kind: str) -> Golden:
    return Golden(f"d-{number}", question, "en", kind, fact, (fact,))


DIALOGUE = Dialogue(
    "d",
    "en",
    "reader",
    (
        Turn("My plan is Team.", None),
        Turn("What costs 49 dollars?", golden(2, "What costs 49 dollars?", "Team", "plain")),
        Turn("And which plan did I say?", golden(3, "And which plan did I say?", "Team", "stated"), distance=2),
    ),
)


@dataclass
class Echo:
    """A stage that answers with what it was handed."""

    workspace: Workspace
    name: str = "echo"
    owners: list[str] = field(default_factory=list)

    def stream(self, question: str, *, user: str, history: tuple = (), memory: str = "") -> AnswerStream:
        self.owners.append(user)
        answer = Answer(question, self.name, "nobody", searched=True, found=True)
        return AnswerStream(answer, self._say(answer, " ".join([*(said for _, said in history), memory, question])))

    def _say(self, answer: Answer, words: str) -> Iterator[str]:
        answer.text = words
        yield words


@pytest.fixture(scope="module")
def place(database: Settings) -> Workspace:
    return Workspace.open(database)


@pytest.fixture(scope="module")
def echoed(place: Workspace) -> Any:
    return evaluate_dialogues(Echo(place), [DIALOGUE], {name: MEMORIES[name] for name in ("none", "window")})  # type: ignore[arg-type]


def test_only_a_memory_knows_what_was_said_before(echoed: Any) -> None:
    right = {name: [each.metrics["correctness"] for each in echoed.of(name)] for name in echoed.stages}
    assert right == {"none": [0.0, 0.0], "window": [1.0, 1.0]}


def test_the_tokens_that_a_memory_hands_over_are_counted(echoed: Any) -> None:
    tokens = {name: [each.metrics[TOKENS] for each in echoed.of(name)] for name in echoed.stages}
    assert tokens["none"] == [0, 0]
    assert 0 < tokens["window"][0] < tokens["window"][1]


def test_questions_are_grouped_by_distance_or_by_kind(echoed: Any) -> None:
    assert echoed.groups("category") == ["stands alone", "2–5 turns back"]
    assert by_kind(echoed, [DIALOGUE]).groups("category") == ["plain", "stated"]


def test_documents_are_those_of_the_owner_of_the_dialogue(place: Workspace) -> None:
    stage = Echo(place)
    evaluate_dialogues(stage, [DIALOGUE], {"none": MEMORIES["none"]})  # type: ignore[arg-type]
    assert stage.owners == ["reader"] * 3


def test_every_memory_takes_part(place: Workspace) -> None:
    evaluation = evaluate_dialogues(Echo(place), [DIALOGUE])  # type: ignore[arg-type]
    assert evaluation.stages == ["none", "window", "tiers", "recursive summary"]


@pytest.mark.parametrize(
    ("distance", "name"),
    [
        (0, "stands alone"),
        (1, "1 turn back"),
        (5, "2–5 turns back"),
        (6, "6–11 turns back"),
        (12, "12+ turns back"),
        (99, "12+ turns back"),
    ],
)
def test_distances_have_names(distance: int, name: str) -> None:
    assert band(distance) == name


def test_the_shipped_dialogues_are_read() -> None:
    found = dialogues("dev")
    assert len(found) == 12
    turns = [turn for each in found for turn in each.turns if turn.golden and turn.golden.category == "corrected"]
    assert turns[0].distance == 4
    with pytest.raises(LessonsError, match="no dialogues"):
        dialogues("other")


def test_a_window_stops_growing_and_a_whole_history_does_not() -> None:
    window = growth(Window(SessionMessages()), [DIALOGUE], 40)
    whole = growth(Window(SessionMessages(limit=1_000), turns=500), [DIALOGUE], 40)
    assert window[0] == 0
    assert window[10] == window[12] == window[38]
    assert all(later > earlier for earlier, later in pairwise(whole))
