"""The conversation with the model that chooses the searches."""

import re

from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms import LLM
from llama_index.core.llms.llm import ToolSelection

from lessons.agent.prompts import AGENT, NO_CALL
from lessons.agent.tools import SearchTools
from lessons.budget import Budget, trim
from lessons.models.call import keyless_of
from lessons.models.call_tools import INSTEAD, chosen_tools
from lessons.trace import Step

_LONGEST_NAME = 64  # characters of a tool's name that servers take


class Driver:
    """Asks a model for the next searches and tells it what they found.

    A model that fails, or would answer without having searched, is replaced by the keyless one. While nothing has been
    searched, the last call is kept for that one.
    """

    def __init__(self, llm: LLM, tools: SearchTools, question: str, calls: int) -> None:
        self._llm, self._tools, self._made, self._replaced = llm, tools, 0, False
        self._messages = [
            ChatMessage(AGENT.format(calls=calls), role=MessageRole.SYSTEM),
            ChatMessage(question, role=MessageRole.USER),
        ]

    def next_calls(self, left: int, step: Step) -> list[ToolSelection]:
        """At most `left` calls; none when there is nothing more to search for."""
        if self._replaced:
            step.notes.append(INSTEAD)
        kept = 0 if self._tools.found or self._keyless else 1
        calls = self._asked(step) if left > kept else None
        if not self._keyless and (calls is None or not (calls or self._tools.found)):
            self._llm, self._replaced, kept = keyless_of(self._llm), True, 0
            if INSTEAD not in " ".join(step.notes):
                step.notes.append(f"model called no tool; {INSTEAD}")
            if not self._tools.found:
                del self._messages[2:]  # what could not be run is none of its business
            calls = self._chosen(step)
        chosen = [self._numbered(call) for call in (calls or [])[: left - kept]]
        step.output = [", ".join(map(str, call.tool_kwargs.values())) for call in chosen]
        if chosen:
            self._messages.append(ChatMessage(role=MessageRole.ASSISTANT, blocks=[_block(call) for call in chosen]))
        return chosen

    def _asked(self, step: Step) -> list[ToolSelection] | None:
        """The calls that the model wants; a first decision without one is asked for once more."""
        calls = self._chosen(step)
        if calls == [] and not self._keyless and len(self._messages) == 2:
            self._messages.append(ChatMessage(NO_CALL, role=MessageRole.USER))
            calls = self._chosen(step)
            self._messages.pop()
        return calls

    def hear(self, call: ToolSelection, told: str) -> None:
        """Tell the model what came of a call."""
        self._messages.append(
            ChatMessage(told, role=MessageRole.TOOL, additional_kwargs={"tool_call_id": call.tool_id})
        )

    @property
    def _keyless(self) -> bool:
        return self._llm is keyless_of(self._llm)

    def _chosen(self, step: Step) -> list[ToolSelection] | None:
        budget = Budget.of(self._llm)
        messages = trim(self._messages, budget.room(), budget.counter)
        return chosen_tools(self._llm, self._tools.tools, messages, step)

    def _numbered(self, call: ToolSelection) -> ToolSelection:
        """The call with an id of its own and a name that every server takes back."""
        self._made += 1
        name = re.sub(r"[^\w-]", "_", call.tool_name, flags=re.ASCII)[:_LONGEST_NAME] or "unnamed"
        return ToolSelection(tool_id=f"call-{self._made}", tool_name=name, tool_kwargs=call.tool_kwargs)


def _block(call: ToolSelection) -> ToolCallBlock:
    return ToolCallBlock(tool_call_id=call.tool_id, tool_name=call.tool_name, tool_kwargs=call.tool_kwargs)
