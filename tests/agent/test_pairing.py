"""Whatever is called, every call has a name that servers take and stands before its result; the limit holds."""

import re
from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata, MessageRole, ToolCallBlock
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.llms.mock import MockLLM
from pydantic import PrivateAttr

from lessons.agent import Agent
from tests.agent.conftest import gather

NAMES = st.sampled_from(["search_documents", "search_documents", "search_by_metadata", "fly", "", "a b/c", "x" * 200])
VALUES = st.one_of(st.none(), st.integers(), st.text(max_size=20), st.sampled_from(["refunds", "seats", "환불"]))
ARGUMENTS = st.dictionaries(st.sampled_from(["query", "source_file", "user_id"]), VALUES)
TURNS = st.lists(st.lists(st.tuples(NAMES, ARGUMENTS), max_size=7), max_size=7)


class Scripted(MockLLM, FunctionCallingLLM):
    """Calls what it was given, turn by turn, and keeps what it was sent."""

    _turns: list[Any] = PrivateAttr(default_factory=list)
    _sent: list[list[ChatMessage]] = PrivateAttr(default_factory=list)

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_function_calling_model=True, is_chat_model=True)

    def _prepare_chat_with_tools(self, tools: Any, chat_history: Any = None, **_: Any) -> dict[str, Any]:
        return {"messages": chat_history}

    def chat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        self._sent.append(list(messages))
        return ChatResponse(message=ChatMessage("", role=MessageRole.ASSISTANT))

    def get_tool_calls_from_response(self, response: ChatResponse, **_: Any) -> list[ToolSelection]:
        named = self._turns.pop(0) if self._turns else []
        return [ToolSelection(tool_id="same", tool_name=name, tool_kwargs=kwargs) for name, kwargs in named]


@settings(max_examples=60)
@given(TURNS, st.integers(1, 6))
def test_every_call_is_followed_by_its_result_and_the_limit_holds(turns: list[Any], limit: int) -> None:
    model = Scripted()
    model._turns = list(turns)
    found = gather(model, "When are refunds paid?", agent=Agent(limit))
    assert 1 <= len(found.searches) <= limit
    for messages in model._sent:
        called: list[str] = []
        for message in messages[2:]:
            if message.role == MessageRole.ASSISTANT:
                assert called == []
                blocks = [block for block in message.blocks if isinstance(block, ToolCallBlock)]
                assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", block.tool_name) for block in blocks)
                called = [str(block.tool_call_id) for block in blocks]
                assert len(set(called)) == len(called) > 0
            else:
                assert message.additional_kwargs["tool_call_id"] == called.pop(0)
        assert called == []
