"""Trimming a tool loop: never a call without its results, never the question."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock, ToolCallBlock

from lessons.budget import round_tokens, trim
from lessons.errors import LessonsError
from lessons.models.tokens import TokenEstimator

COUNTER = TokenEstimator()
SYSTEM = ChatMessage("You search.", role="system")
QUESTION = ChatMessage("What did Brennstad cost?", role="user")


def called(*ids: str, old_style: bool = False) -> list[ChatMessage]:
    """A message that calls a tool under each id, and the results."""
    if old_style:
        calls = [{"id": i, "function": {"name": "search", "arguments": '{"query": "Brennstad"}'}} for i in ids]
        asking = ChatMessage("", role="assistant", additional_kwargs={"tool_calls": calls})
    else:
        blocks = [ToolCallBlock(tool_call_id=i, tool_name="search", tool_kwargs={"query": "Brennstad"}) for i in ids]
        asking = ChatMessage([TextBlock(text=""), *blocks], role="assistant")
    results = [ChatMessage(f"result {i}", role="tool", additional_kwargs={"tool_call_id": i}) for i in ids]
    return [asking, *results]


@st.composite
def conversations(draw: st.DrawFn) -> list[ChatMessage]:
    earlier = draw(st.lists(st.sampled_from(["user", "assistant"]), max_size=4))
    messages = [SYSTEM, *(ChatMessage(f"earlier {n}", role=role) for n, role in enumerate(earlier)), QUESTION]
    for number, parallel in enumerate(draw(st.lists(st.integers(1, 3), max_size=5))):
        ids = [f"{number}-{call}" for call in range(parallel)]
        messages += called(*ids, old_style=draw(st.booleans()))
    return [*messages, *([ChatMessage("No call is left.", role="user")] if draw(st.booleans()) else [])]


def call_ids(message: ChatMessage) -> list[str]:
    blocks = [block.tool_call_id for block in message.blocks if isinstance(block, ToolCallBlock)]
    return [*map(str, blocks), *(call["id"] for call in message.additional_kwargs.get("tool_calls", []))]


@settings(deadline=None)
@given(conversations(), st.integers(0, 300))
def test_what_is_left_fits_and_keeps_question_and_pairs(messages: list[ChatMessage], tokens: int) -> None:
    try:
        left = trim(messages, tokens, COUNTER)
    except LessonsError:
        assert tokens < round_tokens([SYSTEM, QUESTION, ChatMessage("No call is left.", role="user")], COUNTER)
        return
    assert round_tokens(left, COUNTER) <= tokens
    assert SYSTEM in left
    assert QUESTION in left
    asked = [i for message in left for i in call_ids(message)]
    answered = [m.additional_kwargs["tool_call_id"] for m in left if m.role == MessageRole.TOOL]
    assert asked == answered


@settings(deadline=None)
@given(conversations())
def test_what_fits_is_left_alone(messages: list[ChatMessage]) -> None:
    assert trim(messages, round_tokens(messages, COUNTER), COUNTER) == messages


def test_the_oldest_round_goes_first_with_all_of_its_results() -> None:
    messages = [SYSTEM, QUESTION, *called("a", "b"), *called("c")]
    left = trim(messages, round_tokens(messages, COUNTER) - 1, COUNTER)
    assert left == [SYSTEM, QUESTION, *called("c")]


def test_what_tool_calls_ask_for_is_counted() -> None:
    for old_style in (False, True):
        asking = called("a", old_style=old_style)[0]
        assert round_tokens([asking], COUNTER) > COUNTER.count("search Brennstad") + 4


def test_a_question_that_does_not_fit_is_said_in_a_sentence() -> None:
    with pytest.raises(LessonsError, match="does not fit: the model may be sent 5 tokens"):
        trim([SYSTEM, QUESTION], 5, COUNTER)
