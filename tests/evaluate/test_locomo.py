"""Conversations in LoCoMo's format are read as they are published, and what a memory forgot of them is seen."""

import json
from pathlib import Path

import pytest

from lessons.errors import LessonsError
from lessons.evaluate.dialogues import MEMORIES, SHARE, TOKENS, read_locomo, recall_old_facts
from lessons.memory.conversation import Window
from lessons.memory.messages import SessionMessages
from lessons.rag.workspace import Workspace
from lessons.settings import Settings


def talk(number: int, *texts: str) -> list[dict]:
    return [
        {"speaker": "Ana" if place % 2 else "Bo", "dia_id": f"D{number}:{place}", "text": text}
        for place, text in enumerate(texts, start=1)
    ]


SAMPLE = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Bo",
        "session_2_date_time": "4:10 pm on 9 May, 2023",
        "session_2": talk(2, "I painted the fence.", "Which colour?", "Green, as always.", "Nice."),
        "session_10_date_time": "9:00 am on 1 July, 2023",
        "session_10": talk(10, "I sold the boat.", "Already?"),
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": talk(1, "I adopted a dog called Miso.", "How sweet!"),
        "session_11_date_time": "9:00 am on 2 July, 2023",
    },
    "qa": [
        {"question": "What is Ana's dog called?", "answer": "Miso", "evidence": ["D1:1"], "category": 4},
        {"question": "When was the fence painted?", "answer": 2023, "evidence": ["D2:1; D2:03"], "category": 2},
        {"question": "Did Bo sell a car?", "adversarial_answer": "yes", "evidence": [], "category": 5},
    ],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "locomo10.json"
    path.write_text(json.dumps([SAMPLE]), encoding="utf-8")
    return path


def test_sessions_come_in_the_order_of_their_numbers(file: Path) -> None:
    (conversation,) = read_locomo(file)
    assert list(conversation.utterances) == ["D1:1", "D1:2", "D2:1", "D2:2", "D2:3", "D2:4", "D10:1", "D10:2"]
    assert conversation.utterances["D1:1"] == "Ana: I adopted a dog called Miso."


def test_ids_are_read_in_all_their_forms(file: Path) -> None:
    (conversation,) = read_locomo(file)
    assert conversation.questions == (
        ("What is Ana's dog called?", ("D1:1",)),
        ("When was the fence painted?", ("D2:1", "D2:3")),
        ("Did Bo sell a car?", ()),
    )


@pytest.mark.parametrize("content", ["", "[1]", '[{"conversation": {}}]', "[" * 100_000])
def test_a_file_without_the_format_is_a_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(LessonsError, match="does not have LoCoMo's format"):
        read_locomo(path)


def test_a_file_in_which_nothing_can_be_measured_is_a_sentence(file: Path) -> None:
    file.write_text(json.dumps([SAMPLE | {"qa": SAMPLE["qa"][2:]}]), encoding="utf-8")
    with pytest.raises(LessonsError, match="no question with evidence"):
        read_locomo(file)


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(LessonsError, match="cannot be read"):
        read_locomo(tmp_path / "no.json")


def test_a_window_forgets_what_is_older_than_itself(file: Path, database: Settings) -> None:
    memories = {
        "none": MEMORIES["none"],
        "three": lambda place, scope, session: Window(SessionMessages(), turns=3),
        "all": lambda place, scope, session: Window(SessionMessages(), turns=100),
    }
    found = recall_old_facts(read_locomo(file), Workspace.open(database), memories)
    assert [(each.stage, each.metrics["age"], each.metrics[SHARE]) for each in found.records] == [
        ("none", 4, 0.0),
        ("none", 3, 0.0),
        ("three", 4, 0.0),
        ("three", 3, 1.0),
        ("all", 4, 1.0),
        ("all", 3, 1.0),
    ]
    assert [each.metrics[TOKENS] for each in found.of("none")] == [0, 0]


def test_every_memory_can_be_measured_and_leaves_nothing_behind(file: Path, database: Settings) -> None:
    found = recall_old_facts(read_locomo(file), Workspace.open(database))
    assert set(found.stages) == set(MEMORIES)
    assert [each.metrics[SHARE] for name in ("tiers", "recursive summary") for each in found.of(name)] == [1.0] * 4
