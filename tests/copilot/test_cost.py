"""The cost model: what was measured, carried over to a month."""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from lessons.copilot.copilot import Copilot
from lessons.copilot.cost import CostModel, Rate, measure_cost
from lessons.evaluate.pictures import plot_layout, plot_monthly
from lessons.memory.conversation import Conversation
from lessons.memory.summaries import RecursiveSummary
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.trace import Step
from tests.copilot.conftest import OWNER

MODEL = CostModel(Rate(2, 6_000, 100), Rate(1, 2_000, 200), Rate(2, 1_500, 300))


@pytest.fixture
def memory(place: Workspace) -> Iterator[RecursiveSummary]:
    memory = RecursiveSummary.of(place, Scope(OWNER), uuid4().hex, with_profile=False)
    yield memory
    memory.forget()


def test_a_month_is_the_sum_of_its_uses() -> None:
    costs = MODEL.monthly(100, 12, 1.0, 2.0)
    assert costs == pytest.approx(
        {"retrieval": 3_000 * 12 * 0.0062, "answer": 3_000 * 12 * 0.0024, "update": 3_000 * 2 * 0.0021}
    )


@pytest.mark.parametrize(("turns", "updates"), [(0, 0), (1, 0), (5, 0), (6, 1), (10, 1), (11, 2)])
def test_the_memory_is_updated_when_a_full_window_has_a_turn_behind_it(turns: int, updates: int) -> None:
    assert MODEL.updates(turns) == updates


def test_a_rate_is_the_mean_of_what_was_used() -> None:
    steps = [Step("a", llm_calls=1, tokens_in=10, tokens_out=2), Step("b", llm_calls=2, tokens_in=20, tokens_out=4)]
    assert Rate.of(steps, 3) == Rate(1.0, 10.0, 2.0)
    assert Rate.of([], 0) == Rate(0, 0, 0)


def test_a_run_measures_questions_and_the_updates_they_cause(place: Workspace, memory: RecursiveSummary) -> None:
    questions = ["How loud is the pump?", "Which oil does it take?", "Can it stand outside?"] * 2
    model = measure_cost(Copilot(workspace=place), questions, memory, OWNER)
    assert memory.state.upto == 5
    assert model.updates(len(questions)) == 1
    assert model.answer.calls == 1
    assert model.retrieval.calls >= 1
    assert model.update.calls >= 2
    assert model.update.tokens_in > 0


def test_an_implicit_reference_is_understood_after_the_window(place: Workspace, memory: RecursiveSummary) -> None:
    conversation, copilot = Conversation(memory), Copilot(workspace=place)
    for question in ("How long is the warranty of the pump?", *["Can it stand outside?"] * 6):
        list(conversation.stream(copilot, question, user=OWNER))
    memory.wait_for_updates()
    stream = conversation.stream(copilot, "And how loud is it?", user=OWNER)
    list(stream)
    assert "41 decibels" in stream.answer.text
    assert "pump" in stream.answer.layout.question


def test_both_pictures_are_drawn(place: Workspace) -> None:
    answer = Copilot(workspace=place).ask("How loud is the pump?", user=OWNER)
    assert answer.layout is not None
    assert len(plot_layout(answer.layout).axes[0].patches) == 12
    assert len(plot_monthly(MODEL, 500, range(1, 20)).axes[0].collections) == 3
