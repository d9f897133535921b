"""Who asks why wants the reason, not the figure that it explains."""

import pytest

from lessons.keyless.lines import passages
from lessons.keyless.scores import gives_reason
from lessons.keyless.words import read_question


@pytest.mark.parametrize(
    ("question", "line", "given"),
    [
        ("Why did sales rise?", "Sales rose because the port reopened.", True),
        ("Why did sales rise?", "Sales rose by four percent.", False),
        ("Why did the port close?", "Sales fell because the port closed.", False),
        ("왜 매출이 늘었나요?", "항구가 다시 열렸기 때문에 매출이 늘었다.", True),
        ("왜 매출이 늘었나요?", "매출이 4% 늘었다.", False),
    ],
)
def test_a_line_gives_the_reason_of_what_is_asked_about(question: str, line: str, given: bool) -> None:
    assert gives_reason(read_question(question), passages(line)[0].lines[0]) == given


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
