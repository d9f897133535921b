"""What is asked: a stage hears its own words, and a golden question is known as one."""

from lessons.pages.asking import Asked, Line, all_golden, golden_for, lines_of


def test_a_stage_hears_its_own_answers_only() -> None:
    before = Line("user", "a"), Line("assistant", "b", "naive"), Line("assistant", "c", "smart"), Line("user", "d")
    assert Asked("e", ("smart",), before=before).history("smart") == [("user", "a"), ("assistant", "c"), ("user", "d")]


def test_a_question_is_golden_only_for_its_owner_and_after_its_conversation() -> None:
    golden = next(each for each in all_golden() if each.history)
    assert golden_for(golden.question, golden.owner, lines_of(golden)) == golden
    assert golden_for(golden.question, "somebody", lines_of(golden)) is None
    assert golden_for(golden.question, golden.owner, ()) is None
