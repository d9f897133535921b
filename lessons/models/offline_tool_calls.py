"""How the keyless model chooses searches: the parts of the question that the documents found so far leave open."""

from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock

from lessons.models.offline_parts import Part, parts
from lessons.models.offline_question import read_question
from lessons.models.offline_tasks import task
from lessons.text import terms


@task("tool_calls")
def tool_calls(llm: Any, messages: Sequence[ChatMessage], **_: Any) -> list[ToolCallBlock]:
    """The next searches."""
    question = next(message.content or "" for message in reversed(messages) if message.role == MessageRole.USER)
    made = {
        str(block.tool_kwargs.get("query"))
        for message in messages
        for block in message.blocks
        if isinstance(block, ToolCallBlock) and isinstance(block.tool_kwargs, dict)
    }
    if made:
        return []
    return [ToolCallBlock(tool_name="search_documents", tool_kwargs={"query": query}) for query in planned(question)]


def planned(question: str) -> list[str]:
    asked = parts(read_question(question))
    queries = [question]
    if len(asked) > 1:
        queries += [query for part in asked if len(set(terms(query := rendered(part)))) > 2]
    return list(dict.fromkeys(queries))[:4]


def rendered(part: Part) -> str:
    units = [unit for unit in part.question.units if unit.weight >= 0.4 or unit in part.own]
    periods = " ".join(unit.text.upper() for unit in units if unit.kind in ("quarter", "year"))
    words = [unit.text for unit in units if unit.kind not in ("quarter", "year")]
    return " ".join([*words, periods]).strip()
