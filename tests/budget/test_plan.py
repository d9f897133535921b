"""One budget over everything that a model is sent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.budget import Budget
from lessons.errors import LessonsError
from lessons.models.tokens import ExactTokenCounter, TokenEstimator
from lessons.plan import Part, history_part, messages_of

SYSTEM, QUESTION = "You answer questions.", "매출은 얼마인가요?"
texts = st.text(max_size=60)
histories = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), texts), max_size=8)
parts = st.lists(
    st.builds(
        Part,
        name=st.just("documents"),
        items=st.lists(texts, max_size=8),
        limit=st.integers(0, 200),
        keep=st.sampled_from(["whole", "first", "last", "beginning"]),
        joint=st.sampled_from([None, "\n"]),
    ),
    max_size=4,
)
budgets = st.builds(
    Budget,
    window=st.integers(30, 400),
    reserved=st.integers(0, 30),
    counter=st.sampled_from([TokenEstimator(), ExactTokenCounter()]),
)


@given(budgets, st.text(max_size=80), st.text(min_size=1, max_size=80), parts, histories)
def test_a_plan_never_passes_the_window_and_never_drops_the_question(
    budget: Budget, system: str, question: str, others: list[Part], history: list[tuple[str, str]]
) -> None:
    fixed = [Part("system", [system], keep="all"), Part("question", [question], keep="all")]
    try:
        plan = budget.plan([*fixed, *others, history_part(history)])
    except LessonsError:
        assert budget.counter.count(system) + budget.counter.count(question) + (budget.reserved or 0) > budget.window
        return
    assert plan.tokens + (budget.reserved or 0) <= budget.window
    assert (plan["system"].text, plan["question"].text) == (system, question)
    assert all(piece.tokens <= part.limit for piece, part in zip(plan.pieces[2:], others, strict=False))
    kept = messages_of(plan["turns"])
    assert list(kept) == history[len(history) - len(kept) :]


def sizes(window: int) -> tuple[int, int]:
    """How many turns and documents a window leaves, each 10 tokens long."""
    turn = [("user", "a" * 10), ("assistant", "b" * 10)]
    counter = TokenEstimator()
    assert counter.count("user: " + "a" * 10 + "\nassistant: " + "b" * 10) == 10
    plan = Budget(window, 0, counter).plan([Part("documents", ["d" * 40] * 3), history_part(turn * 3)])
    return len(plan["turns"].items), len(plan["documents"].items)


@pytest.mark.parametrize(
    ("window", "left"), [(60, (3, 3)), (59, (2, 3)), (39, (0, 3)), (29, (0, 2)), (19, (0, 1)), (9, (0, 0))]
)
def test_turns_go_first_then_documents(window: int, left: tuple[int, int]) -> None:
    assert sizes(window) == left


def test_the_oldest_turn_and_the_last_document_go_first() -> None:
    history = [(role, f"{role} {number}") for number in range(3) for role in ("user", "assistant")]
    plan = Budget().plan([Part("documents", ["first", "second", "third"], 4), history_part(history, 20)])
    assert plan["documents"].items == ("first", "second")
    assert messages_of(plan["turns"])[0] == ("user", "user 1")


def test_a_question_that_does_not_fit_is_said_in_a_sentence() -> None:
    for part in (Part("question", ["why? " * 30], keep="all"), Part("system", [SYSTEM * 9], 5, keep="all")):
        with pytest.raises(LessonsError, match=r"does not fit: the model may be sent 50 tokens, of which 40 are kept"):
            Budget(50, 40).plan([part])


def test_a_plan_names_what_was_left_out() -> None:
    plan = Budget().plan([Part("question", [QUESTION], keep="all"), Part("context", ["a" * 24, "b" * 24], 10)])
    assert "context: 6 tokens, 6 left out" in repr(plan)
    assert "<td" in plan._repr_html_()
