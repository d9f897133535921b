"""One budget over everything that a model is sent."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.base.llms.types import ChatMessage

from lessons.budget import Budget
from lessons.errors import LessonsError
from lessons.models.tokens import ExactTokenCounter, TokenEstimator

SYSTEM, QUESTION = "You answer questions.", "매출은 얼마인가요?"
texts = st.text(max_size=60)
histories = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), texts), max_size=8)
loops = st.lists(st.sampled_from(["assistant", "tool", "user"]).flatmap(
    lambda role: texts.map(lambda text: ChatMessage(text, role=role))), max_size=8)  # fmt: skip
budgets = st.builds(
    Budget,
    window=st.integers(30, 400),
    context=st.integers(0, 200),
    output=st.integers(0, 30),
    counter=st.sampled_from([TokenEstimator(), ExactTokenCounter()]),
)
everything = st.fixed_dictionaries(
    {"documents": st.lists(texts, max_size=8), "memory": texts, "history": histories, "traffic": loops}
)


@settings(deadline=None)
@given(budgets, st.text(max_size=80), st.text(min_size=1, max_size=80), everything)
def test_a_plan_never_passes_the_window_and_never_drops_the_question(
    budget: Budget, system: str, question: str, rest: dict[str, Any]
) -> None:
    try:
        plan = budget.plan(system, question, **rest)
    except LessonsError:
        assert budget.counter.count(system) + budget.counter.count(question) + 8 + budget.output > budget.window
        return
    assert plan.tokens <= budget.window
    assert (plan.system, plan.question) == (system, question)
    assert next(piece.tokens for piece in plan.pieces if piece.name == "context") <= budget.context
    assert next(piece.tokens for piece in plan.pieces if piece.name == "answer") == budget.output


def test_everything_fits_at_ordinary_sizes() -> None:
    history = [("user", "Hello"), ("assistant", "Hello. What would you like to know?")]
    plan = Budget().plan(SYSTEM, QUESTION, documents=["one", "two"], memory="Mina has one cat.", history=history)
    assert (plan.documents, plan.memory, plan.history) == (("one", "two"), "Mina has one cat.", tuple(history))
    assert plan.window == 128_000
    assert not any(piece.dropped for piece in plan.pieces)


def sizes(window: int) -> tuple[int, int, int]:
    """How many turns, documents and rounds of a tool loop a window leaves, each 14 tokens long."""
    turn = [("user", "a" * 12), ("assistant", "b" * 12)]
    loop = [ChatMessage("c" * 40, role="assistant")] * 3
    counter = TokenEstimator()
    room = window + 4 + counter.count("q")
    plan = Budget(window=room, output=0, counter=counter).plan(
        "", "q", documents=["d" * 40] * 3, history=turn * 3, traffic=loop
    )
    return len(plan.history) // 2, len(plan.documents), len(plan.traffic)


@pytest.mark.parametrize(
    ("window", "left"),
    [
        (200, (3, 3, 3)),
        (126, (3, 3, 3)),
        (125, (2, 3, 3)),
        (97, (0, 3, 3)),
        (83, (0, 2, 3)),
        (42, (0, 0, 3)),
        (41, (0, 0, 2)),
    ],
)
def test_turns_go_first_then_documents_then_rounds_of_tools(window: int, left: tuple[int, int, int]) -> None:
    assert sizes(window) == left


def test_the_oldest_turn_and_the_last_document_go_first() -> None:
    history = [(role, f"{role} {number}") for number in range(3) for role in ("user", "assistant")]
    assert Budget().turns(history, room=2 * 8)[0] == ("user", "user 2")
    plan = Budget(context=2 * 8).plan(SYSTEM, QUESTION, documents=["first", "second", "third", "fourth"])
    assert plan.documents == ("first", "second")


def test_a_question_that_does_not_fit_is_said_in_a_sentence() -> None:
    with pytest.raises(LessonsError, match=r"does not fit: the model may be sent 50 tokens, of which 40 are kept"):
        Budget(window=50, output=40).plan(SYSTEM, "why? " * 30)


def test_a_plan_names_what_was_left_out() -> None:
    plan = Budget(context=10).plan(SYSTEM, QUESTION, documents=["a" * 24, "b" * 24])
    assert "context: 10 tokens, 10 left out" in repr(plan)
    assert "<td" in plan._repr_html_()
