"""Who asks why wants the reason, not the figure that it explains."""

import pytest

from lessons.keyless.words import read_question


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("영업이익이 늘어난 원인이 뭐야?", True),
        ("무엇 때문에 늦어졌나요?", True),
        ("크레딧 때문인가요?", True),
        ("장비 대금 때문에 발행한 회사채는 얼마인가요?", False),
        ("What led to the delay?", True),
        ("When was the delay announced?", False),
    ],
)
def test_a_question_asks_for_a_reason_unless_it_names_one(question: str, asks: bool) -> None:
    assert ("why" in read_question(question).kinds) == asks
