"""Golden questions are read with their evidence, and a chunk covers a passage only when it holds all of it."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.errors import LessonsError
from lessons.evaluate.golden import GAP, SPLITS, Evidence, Golden, golden_questions, holds, sample
from lessons.settings import settings

LINE = {
    "id": "q1",
    "question": "그럼 2분기는요?",
    "language": "ko",
    "category": "follow-up",
    "answer": "42억 원입니다.",
    "key_facts": ["42억|4.2 billion"],
    "evidence": [{"source_file": "a.pdf", "page": 2, "quote": "매출은 42억 원"}],
    "history": [{"role": "user", "content": "1분기 매출은?"}],
    "split": "dev",
}
PASSAGE = Evidence("a.pdf", "Revenue rose by 15 % to 4.2 billion won")


def write(folder: Path, *lines: dict, name: str = "set.jsonl") -> Path:
    (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


def test_a_question_is_read_with_evidence_history_and_owner(tmp_path: Path) -> None:
    (question,) = golden_questions("dev", write(tmp_path, LINE))
    assert question.evidence == (Evidence("a.pdf", "매출은 42억 원", 2),)
    assert question.history == (("user", "1분기 매출은?"),)
    assert question.owner == "reader"
    assert question.key_facts == ("42억|4.2 billion",)


def test_the_other_places_of_a_piece_of_evidence_are_read(tmp_path: Path) -> None:
    other = {"source_file": "b.md", "page": None, "quote": "42억 원의 매출"}
    line = LINE | {"evidence": [LINE["evidence"][0] | {"any_of": [other]}]}
    (question,) = golden_questions("dev", write(tmp_path, line))
    (evidence,) = question.evidence
    assert evidence.passages == (evidence, Evidence("b.md", "42억 원의 매출"))
    assert evidence.quote == "매출은 42억 원"


def test_only_the_questions_of_the_split_are_read(tmp_path: Path) -> None:
    folder = write(tmp_path, LINE, LINE | {"id": "q2", "split": "test"})
    assert [question.id for question in golden_questions("test", folder)] == ["q2"]
    with pytest.raises(LessonsError, match="no questions of the split 'other'"):
        golden_questions("other", folder)


def test_the_shipped_questions_of_both_splits_can_be_read() -> None:
    for split in SPLITS:
        assert {question.split for question in golden_questions(split)} == {split}


EITHER = Evidence("a.pdf", "rose by 15 %", any_of=(Evidence("b.md", "grew by 15 %"),))


@pytest.mark.parametrize(
    ("evidence", "file", "content", "covered"),
    [
        (PASSAGE, "a.pdf", "In Q2 REVENUE ROSE  by | 15 %\nto 4.2 billion won, a record.", True),
        (PASSAGE, "b.pdf", PASSAGE.quote, False),
        (PASSAGE, "a.pdf", "Revenue rose by 15 % to 4.2", False),
        (PASSAGE, "a.pdf", "15 % to 4.2 billion won", False),
        (PASSAGE, "a.pdf", "to 4.2 billion won: revenue rose by 15 %", False),
        (Evidence("a.pdf"), "a.pdf", "anything", True),
        (Evidence("a.pdf"), "b.pdf", "anything", False),
        (EITHER, "a.pdf", "Revenue rose by 15 %.", True),
        (EITHER, "b.md", "Revenue grew by 15 %.", True),
        (EITHER, "b.md", "Revenue rose by 15 %.", False),
    ],
)
def test_a_passage_is_covered_by_all_of_its_words_in_order_in_one_of_its_places(
    evidence: Evidence, file: str, content: str, covered: bool
) -> None:
    """One that the border of two chunks cuts is covered by neither; without a quote the whole document is meant."""
    assert evidence.covered_by(file, content) is covered


def test_the_documents_of_the_places_are_the_same_in_any_order() -> None:
    one, other = Evidence("a.pdf", "x", 1), Evidence("b.md", "y")
    there = Evidence("a.pdf", "x", 1, any_of=(other, other)).files
    assert there == Evidence("b.md", "y", any_of=(one,)).files == Evidence("a.pdf", any_of=(Evidence("b.md"),))


def test_a_sample_is_the_same_for_the_same_seed_and_keeps_the_order() -> None:
    questions = [Golden(str(number), "?", "en", "fact") for number in range(100)]
    drawn = sample(questions, 10, seed=1)
    assert drawn == sample(questions, 10, seed=1)
    assert drawn != sample(questions, 10, seed=2)
    assert [int(question.id) for question in drawn] == sorted(int(question.id) for question in drawn)
    assert sample(questions) == sample(questions, 500, seed=1) == questions


def test_no_sample_is_larger_than_the_setting_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "evaluation_questions", 3)
    questions = [*range(100)]
    assert len(sample(questions)) == len(sample(questions, 10, seed=1)) == 3
    assert len(sample(questions, 2)) == 2


WORDS = st.lists(st.text("abc가", min_size=1, max_size=3), min_size=1, max_size=6)
TABLE = "| Division | Q1 2024 | Q2 2024 |\n| --- | --- | --- |\n| Ports | 32.9 | 41.2 |"


@pytest.mark.parametrize(
    ("quote", "held"),
    [
        ("Ports 32.9 41.2", True),
        ("division q1 2024 q2 2024 … ports 32.9 41.2", True),
        ("Division Q1 2024 Q2 2024 Ports 32.9 41.2", False),
        ("Ports 32.9 41.2 … Division", False),
        ("Division … Ports 33", False),
        ("", True),
    ],
)
def test_words_may_be_left_out_only_where_the_quote_says_so(quote: str, held: bool) -> None:
    assert holds(TABLE, quote) is held


@given(WORDS, st.data())
def test_words_left_out_never_hide_a_quote(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    kept = data.draw(st.lists(st.integers(0, len(words) - 1), unique=True, min_size=1).map(sorted))
    assert holds(text, f" {GAP} ".join(words[number] for number in kept))


@given(WORDS, WORDS)
def test_the_parts_of_a_quote_do_not_overlap(first: list[str], second: list[str]) -> None:
    one, other = "".join(first), "".join(second)
    assert holds(one + other, f"{one}{GAP}{other}")
    assert not holds((one + other)[:-1], f"{one}{GAP}{other}")
