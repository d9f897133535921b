"""Trimming a tool loop: never a call without its results, never the question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock, ToolCallBlock

from lessons.budget import Budget, message_tokens
from lessons.errors import LessonsError
from lessons.models.tokens import TokenEstimator

COUNTER = TokenEstimator()
SYSTEM = ChatMessage("You search.", role="system")
QUESTION = ChatMessage("What did Brennstad cost?", role="user")


def trim(messages: list[ChatMessage], tokens: int) -> list[ChatMessage]:
    return Budget(tokens, 0, COUNTER).trim(messages)


def tokens(messages: list[ChatMessage]) -> int:
    return message_tokens(messages, COUNTER)


def called(*ids: str) -> list[ChatMessage]:
    """A message that calls a tool under each id, and the results."""
    blocks = [ToolCallBlock(tool_call_id=i, tool_name="search", tool_kwargs={"query": "Brennstad"}) for i in ids]
    results = [ChatMessage(f"result {i}", role="tool", additional_kwargs={"tool_call_id": i}) for i in ids]
    return [ChatMessage([TextBlock(text=""), *blocks], role="assistant"), *results]


@st.composite
def conversations(draw: st.DrawFn) -> list[ChatMessage]:
    messages = [SYSTEM, QUESTION]
    for number, parallel in enumerate(draw(st.lists(st.integers(1, 3), max_size=5))):
        messages += called(*(f"{number}-{call}" for call in range(parallel)))
    return messages


@given(conversations(), st.integers(0, 300))
def test_what_is_left_fits_and_keeps_question_and_pairs(messages: list[ChatMessage], room: int) -> None:
    try:
        left = trim(messages, room)
    except LessonsError:
        assert room < tokens([SYSTEM, QUESTION])
        return
    assert tokens(left) <= room
    assert left[:2] == [SYSTEM, QUESTION]
    blocks = [block for message in left for block in message.blocks if isinstance(block, ToolCallBlock)]
    answered = [m.additional_kwargs["tool_call_id"] for m in left if m.role == MessageRole.TOOL]
    assert [block.tool_call_id for block in blocks] == answered


@given(conversations())
def test_what_fits_is_left_alone(messages: list[ChatMessage]) -> None:
    assert trim(messages, tokens(messages)) == messages


def test_the_oldest_round_goes_first_with_all_of_its_results() -> None:
    messages = [SYSTEM, QUESTION, *called("a", "b"), *called("c")]
    assert trim(messages, tokens(messages) - 1) == [SYSTEM, QUESTION, *called("c")]


def test_what_tool_calls_ask_for_is_counted() -> None:
    assert tokens(called("a")[:1]) > COUNTER.count("search Brennstad") + 4


def test_a_question_that_does_not_fit_is_said_in_a_sentence() -> None:
    with pytest.raises(LessonsError, match="does not fit: the model may be sent 5 tokens"):
        trim([SYSTEM, QUESTION], 5)
