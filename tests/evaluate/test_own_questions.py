"""A reader's own question set: the forms of it, and a sentence for what cannot be used."""

import json
import os
from contextlib import suppress
from math import isnan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.errors import LessonsError
from lessons.evaluate.golden import Evidence, Golden
from lessons.evaluate.judge import is_unanswerable, judge_text
from lessons.evaluate.question_sets import EXAMPLE, UNPLACED, read_question_file, read_questions
from lessons.settings import Settings


def test_a_table_gives_questions_with_answers_and_evidence() -> None:
    first, second = read_questions(EXAMPLE, "mina", "set.csv")
    assert (first.question, first.answer) == ("When does the kiosk open?", "At 7:30")
    assert first.evidence == (Evidence("kiosk.md", "The kiosk opens at 7:30."),)
    assert (first.owner, first.language, second.language, second.evidence) == ("mina", "en", "ko", ())


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949", "utf-16"])
def test_a_korean_table_of_any_spreadsheet_is_read(separator: str, encoding: str) -> None:
    table = f"질문{separator}정답\n고양이 이름이 뭐예요?{separator}나비\n밥은 몇 시에 먹어요?{separator}아침 7시\n"
    found = read_questions(table.encode(encoding), "mina", "질문.csv")
    assert [(each.question, each.answer) for each in found] == [
        ("고양이 이름이 뭐예요?", "나비"),
        ("밥은 몇 시에 먹어요?", "아침 7시"),
    ]


def test_a_cell_may_hold_commas_and_lines() -> None:
    (found,) = read_questions('answer,question\n"one,\ntwo","What, and\nwhy?"\n', "mina")
    assert (found.question, found.answer) == ("What, and\nwhy?", "one,\ntwo")


def test_lines_of_json_may_carry_what_was_said_before() -> None:
    lines = [{"question": "그럼 1월은?", "history": ["예산은?", "200개."]}, {"question": "Why?"}]
    first, second = read_questions("\n\n".join(json.dumps(line) for line in lines), "mina")
    assert (first.history, first.category) == ((("user", "예산은?"), ("assistant", "200개.")), "follow-up")
    assert (second.history, second.category) == ((), "own")


def test_plain_lines_are_a_question_each() -> None:
    found = read_questions("When, and where?\n\n  <script>alert(1)</script>?  \n", "mina")
    assert [each.question for each in found] == ["When, and where?", "<script>alert(1)</script>?"]
    assert len({each.id for each in found}) == 2


@pytest.mark.parametrize(
    ("content", "name", "told"),
    [
        (b"", "", "no question in it"),
        (b" \n \n", "set.csv", "no question in it"),
        (b"question,answer\n", "set.csv", "no question in it"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)), "set.csv", "no text that can be read"),
        (b"answer,source\n7:30,kiosk.md\n", "set.csv", "no column named question; its first line is: answer,source"),
        (b"question,answer\n,7:30\n", "set.csv", "Line 2: the question is empty"),
        (b'{"question": "a"}\n{"question": \n', "", "begins like JSON and is none"),
        (b'{"answer": "a"}\n', "", "Entry 1 has no question"),
        (b'{"question": true, "answer": {"a": 1}}\n', "", "Entry 1: answer is no text"),
        (b'{"question": "a", "history": [{"role": "user"}]}\n', "", "Entry 1: history is no text"),
        (b"question,evidence,source_file\na?,it says so,\n", "", "Line 2 has evidence; name the source_file"),
        (b"x" * 4_001, "", "Line 1: the question is longer than 4,000 characters"),
        (b"x" * 200_000, "", "Line 1: the question is longer than 4,000 characters"),
        (b"question,answer\nWhen, and where?,7:30\n", "set.csv", "it has more cells than the first"),
        (b'[{"question": "a"},\n{"question": ', "set.json", "begins like JSON and is none: .* line 2 column"),
        (b'[{"answer": "a"}]', "set.json", "Entry 1 has no question"),
        (b'[{"question": "a", "evidence": "b", "source_file": ["c.md", "d.md"]}]', "", "Entry 1 has evidence; name"),
        (b"why?\n" * 10_000, "", "10,000 questions, and one run asks 500"),
    ],
)
def test_what_cannot_be_used_is_told_in_a_sentence(content: bytes, name: str, told: str) -> None:
    with pytest.raises(LessonsError, match=told):
        read_questions(content, "mina", name)


@given(st.one_of(st.binary(max_size=200), st.text(max_size=200)), st.sampled_from(["", "a.csv", "a.json"]))
def test_whatever_is_given_becomes_questions_or_a_sentence(content: bytes | str, name: str) -> None:
    with suppress(LessonsError):
        assert all(each.question for each in read_questions(content, "mina", name))


@pytest.mark.parametrize("key", ["question", "answer"])
def test_what_cannot_be_shown_is_left_out(key: str) -> None:
    (found,) = read_questions(json.dumps({"question": "When?", key: "A\ud83d", "history": ["B\ud83d"]}), "mina")
    assert (getattr(found, key), found.history) == ("A", (("user", "B"),))


def test_json_that_is_nested_without_end_is_a_sentence() -> None:
    with pytest.raises(LessonsError, match="begins like JSON and is none"):
        read_questions('{"question": "a", "answer": ' + "[" * 100_000, "mina")


def test_a_pipe_and_a_file_without_end_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "large.txt").open("wb") as file:
        file.truncate(Settings().max_file_bytes + 1)
    for name, told in {"pipe": "it is not a file", "large.txt": "larger than LESSONS_MAX_FILE_BYTES"}.items():
        with pytest.raises(LessonsError, match=told):
            read_question_file(tmp_path / name, "mina")


def test_an_empty_answer_says_that_there_is_none_and_a_list_says_nothing_of_answers() -> None:
    listed = read_questions("When does the kiosk open?\nWho runs it?", "mina")
    table = read_questions("question,answer,source_file\nWho runs it?,,\nWhere?,,kiosk.md\nWhen?,At 7:30,", "mina")
    assert [is_unanswerable(each) for each in [*listed, *table]] == [False, False, True, False, False]
    assert isnan(judge_text(listed[0], "It opens at 7:30.")[0])
    assert judge_text(table[0], "Somebody.")[0] == 0.0


def heard(content: object, name: str = "") -> tuple[list[Golden], list[str]]:
    """The questions of a text or of a JSON document, and what is told of them."""
    notes: list[str] = []
    text = content if isinstance(content, str) else json.dumps(content, indent=2, ensure_ascii=False)
    return read_questions(text, "mina", name, notes.append), notes


def test_a_test_set_of_ragas_is_read_and_its_other_columns_are_named() -> None:
    table = (
        "user_input,reference_contexts,reference,synthesizer_name\n"
        "When does it open?,\"['The bakery opens at 9.', 'Not on Sunday.']\",At 9,single_hop\n"
    )
    (found,), notes = heard(table, "testset.csv")
    assert (found.question, found.answer, found.evidence) == ("When does it open?", "At 9", ())
    assert notes == [UNPLACED, "Ignored: reference_contexts, synthesizer_name."]


def test_the_right_answer_is_taken_and_not_the_one_that_a_system_gave() -> None:
    rows = [{"question": "Who bakes?", "answer": "I think Tom", "ground_truths": ["Juno"], "score": 0.5}]
    (found,), notes = heard(rows)
    assert found.answer == "Juno"
    assert notes == ["Ignored: answer, score."]


def test_files_and_passages_are_paired() -> None:
    (found,), _ = heard([{"question": "When?", "evidence": ["At 9.", "At 6."], "source_file": ["a.md", "b.md"]}])
    assert found.evidence == (Evidence("a.md", "At 9."), Evidence("b.md", "At 6."))


def test_a_question_that_begins_with_a_bracket_is_no_json() -> None:
    assert [each.question for each in heard("[urgent] Who bakes?\nWhy?")[0]] == ["[urgent] Who bakes?", "Why?"]
