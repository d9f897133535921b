"""Dialogues are asked turn by turn under each memory, and what each hands over is counted and shown."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from data.make.dialogue_runs import load
from lessons.errors import LessonsError
from lessons.evaluate.dialogues import (
    MEMORIES,
    TOKENS,
    Dialogue,
    Turn,
    by_kind,
    dialogues,
    evaluate_dialogues,
    plot_growth,
)
from lessons.evaluate.golden import Golden
from lessons.evaluate.runs import SHIPPED, read_run
from lessons.rag.answer import Answer
from lessons.rag.pipeline import AnswerStream
from lessons.rag.workspace import Workspace
from lessons.settings import Settings, settings


def golden(number: int, question: str, fact: str, kind: str) -> Golden:
    return Golden(f"d-{number}", question, "en", kind, fact, (fact,))


DIALOGUE = Dialogue(
    "d",
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
    said: list[str] = field(default_factory=list)

    def stream(self, question: str, *, user: str, history: tuple = (), memory: str = "") -> AnswerStream:
        self.owners.append(user)
        answer = Answer(question, self.name, "nobody", searched=True, found=True)
        return AnswerStream(answer, self._say(answer, " ".join([*(said for _, said in history), memory, question])))

    def _say(self, answer: Answer, words: str) -> Iterator[str]:
        answer.text = words
        self.said.append(words)
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


def test_the_shipped_run_is_what_the_keyless_model_answers_here(place: Workspace) -> None:
    """A changed prompt, search or memory makes it stale: `uv run python -m data.make.dialogue_runs` writes it anew."""
    kept, [first, *_] = read_run(SHIPPED / "dialogues" / "keyless.jsonl.gz"), dialogues("test")
    stage = load(place, lambda *_: None)
    again = evaluate_dialogues(stage, [first], {memory: MEMORIES[memory] for memory in ("tiers", "recursive summary")})
    shipped, fresh = ({(each.stage, each.question_id): each.answer for each in run.records} for run in (kept, again))
    assert len(fresh) == 2 * len(first.judged)
    assert fresh.items() <= shipped.items()
    assert {each.question_id for each in kept.records} == {each.id for of in dialogues("test") for each in of.judged}


def test_no_more_dialogues_are_asked_than_the_setting_says(place: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "evaluation_questions", 1)
    stage = Echo(place)
    evaluate_dialogues(stage, [DIALOGUE, DIALOGUE], {"none": MEMORIES["none"]})  # type: ignore[arg-type]
    assert len(stage.owners) == 3


def test_every_memory_takes_part(place: Workspace) -> None:
    evaluation = evaluate_dialogues(Echo(place), [DIALOGUE])  # type: ignore[arg-type]
    assert evaluation.stages == ["none", "window", "tiers", "recursive summary"]


def test_the_shipped_dialogues_are_read() -> None:
    found = dialogues("dev")
    assert len(found) == 12
    turns = [turn for each in found for turn in each.turns if turn.golden and turn.golden.category == "corrected"]
    assert turns[0].distance == 4
    with pytest.raises(LessonsError, match="no dialogues"):
        dialogues("other")


def test_each_memory_is_a_line_over_the_turns() -> None:
    axes = plot_growth({"none": [0, 0], "window": [0, 7]}).axes[0]
    lines = {line.get_label(): list(map(tuple, line.get_xydata())) for line in axes.lines}  # type: ignore[arg-type]
    assert lines == {"none": [(1, 0), (2, 0)], "window": [(1, 0), (2, 7)]}
