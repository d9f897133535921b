"""The labelled support questions, and how what came of them is counted."""

from collections import Counter

import pytest

from lessons.copilot.copilot import CopilotAnswer
from lessons.evaluate.decisions import Handled, SupportQuestion, SupportRun, support_questions


def question(outcome: str = "answered", facts: tuple[str, ...] = ("26 months",)) -> SupportQuestion:
    return SupportQuestion("1", "fact", "en", "How long?", facts, outcome, (), "dev")


def answered(text: str, outcome: str = "answered") -> CopilotAnswer:
    return CopilotAnswer("How long?", "copilot", "m", text, outcome=outcome)  # type: ignore[arg-type]


def test_there_are_enough_questions_half_of_them_korean() -> None:
    both = [*support_questions("dev"), *support_questions("test")]
    assert len(both) >= 40
    assert Counter(each.language for each in both)["ko"] * 2 == len(both)
    assert {each.kind for each in support_questions("test")} == {"fact", "how-to", "follow-up", "near", "off"}


@pytest.mark.parametrize(
    ("asked", "answer", "right"),
    [
        (question(), answered("It lasts 26 months."), True),
        (question(), answered("It lasts 62 months."), False),
        (question(), answered("", "not_documented"), False),
        (question("nothing_relevant", ()), answered("", "nothing_relevant"), True),
        (question("nothing_relevant", ()), answered("", "not_documented"), False),
        (question("nothing_relevant", ()), answered("It lasts 26 months."), False),
    ],
)
def test_right_is_every_fact_or_the_right_fallback(asked: SupportQuestion, answer: CopilotAnswer, right: bool) -> None:
    assert Handled(asked, answer).right == right


def test_a_run_tells_its_share_with_an_interval() -> None:
    run = SupportRun((Handled(question(), answered("26 months")), Handled(question(), answered("no idea"))))
    assert repr(run) == "0.50 [–] of 2 questions handled correctly"
    assert repr(SupportRun(run.handled * 5)) == "0.50 [0.20, 0.80] of 10 questions handled correctly"
    assert len(run.wrong) == 1
