"""What is asked and its address: one leads to the other."""

from hypothesis import given, settings
from hypothesis import strategies as st

from lessons.pages.asking import Asked, Line, all_golden, from_link, golden_for, lines_of
from lessons.rag.stages import stages

NAMES = tuple(stages())

words = st.text(min_size=1, max_size=30)
chosen = st.lists(st.sampled_from(NAMES), unique=True).map(lambda names: tuple(n for n in NAMES if n in names))
lines = st.lists(words.map(lambda said: Line("user", said)), max_size=3).map(tuple)


def reopened(asked: Asked) -> Asked:
    link = asked.link
    after = link.pop("after")
    assert isinstance(after, list)
    return from_link({name: str(value) for name, value in link.items()}, after, NAMES)


@settings(max_examples=50)
@given(words, chosen, st.none() | words, st.just("") | words, lines)
def test_a_link_brings_back_what_was_asked(
    question: str, stages: tuple[str, ...], file: str | None, filter_text: str, before: tuple[Line, ...]
) -> None:
    asked = Asked(question, stages, file, filter_text, before=before)
    assert reopened(asked) == asked


@given(st.sampled_from(all_golden()), chosen)
def test_a_golden_question_comes_back_with_its_conversation(golden, stages: tuple[str, ...]) -> None:
    asked = Asked(golden.question, stages, golden=golden.id, before=lines_of(golden))
    assert asked.link["after"] == []
    assert reopened(asked) == asked


def test_a_stage_hears_its_own_answers_only() -> None:
    before = Line("user", "a"), Line("assistant", "b", "naive"), Line("assistant", "c", "smart"), Line("user", "d")
    assert Asked("e", ("smart",), before=before).history("smart") == [("user", "a"), ("assistant", "c"), ("user", "d")]


def test_a_question_is_golden_only_for_its_owner_and_after_its_conversation() -> None:
    golden = next(each for each in all_golden() if each.history)
    assert golden_for(golden.question, golden.owner, lines_of(golden)) == golden
    assert golden_for(golden.question, "somebody", lines_of(golden)) is None
    assert golden_for(golden.question, golden.owner, ()) is None
