"""What a wrong intent costs."""

import pytest

from lessons.context.intent import INTENTS
from lessons.evaluate.intent_cost import IntentCost
from tests.evaluate.records import evaluation


@pytest.fixture
def cost() -> IntentCost:
    scores = {"plain": (1, 1), "by intent": (1, 0.5)} | {f"always {each}": (0, each != "chat") for each in INTENTS}
    return IntentCost(evaluation(scores, "correctness"))


def test_each_way_to_decide_is_compared_with_the_stage_alone(cost: IntentCost) -> None:
    by_name = {name: (correctness, delta) for name, correctness, delta, *_ in cost.rows}
    assert list(by_name) == ["plain", "by intent", *(f"always {each}" for each in INTENTS)]
    assert by_name["always chat"][1].startswith("-1.00")
    assert by_name["by intent"][1].startswith("-0.25")
    assert by_name["plain"][1] == ""


def test_it_is_shown_as_a_table(cost: IntentCost) -> None:
    assert cost._repr_html_().count("<tr>") == 7
    assert "by intent | 0.75" in repr(cost)
