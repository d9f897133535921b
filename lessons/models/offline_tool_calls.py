"""How the keyless model chooses searches: what the documents found so far leave open of the question.

It searches for the question itself, then for each part that no found passage holds, then for names that the found
passages give to what the question only describes.
"""

import re
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock

from lessons.models.offline_coverage import WORTH, is_covered
from lessons.models.offline_hops import bridges
from lessons.models.offline_parts import Part, parts
from lessons.models.offline_passages import Passage, passages
from lessons.models.offline_question import Question, read_question
from lessons.models.offline_tasks import task

AT_ONCE = 2
MOST_PARTS = 3  # that are searched one by one
HOPS = 4  # searches for names, if the question describes what it does not name
_DESCRIBES = re.compile(
    r"\b(?:of|in|by|from|for|at|with|to|under|where|behind) (?:the|an?|this|that)\b[^,?]*?"
    r"\b(?:of|that|who|whom|whose|which|where|when)\b"
    r"|\b(?:the|an?) [\w-]+(?: [\w-]+)? (?:that|who|whom|whose|which|where|in which)\b"
    r"|['’]s [\w-]+(?: [\w-]+)?(?:['’]s| of)\b"
    r"|[가-힣]의 [^,?]*[가-힣](?:의|한|된|하는|했던|인|던) [^,?]*[가-힣](?:은|는|이|가|의|을|를)\b",
    re.IGNORECASE,
)


@task("tool_calls")
def tool_calls(llm: Any, messages: Sequence[ChatMessage], **_: Any) -> list[ToolCallBlock]:
    """The next searches, at most two at once; none when nothing is left open."""
    text = next(message.content or "" for message in reversed(messages) if message.role == MessageRole.USER)
    made = [query for message in messages for query in _queries(message)]
    if not made:
        return [_call(text)]
    results = [passages(message.content or "") for message in messages if message.role == MessageRole.TOOL]
    known = {_same(query) for query in made}
    wanted = [query for query in _wanted(read_question(text), results) if _same(query) not in known]
    return [_call(query) for query in dict.fromkeys(wanted)]


def _wanted(question: Question, results: list[list[Passage]]) -> list[str]:
    found = [passage for result in results for passage in result if passage.number]
    asked = parts(question)
    searched = len(results)
    if len(asked) > 1:
        if searched > 1:
            return []
        return [query(part) for part in asked if not is_covered(part, found)][:MOST_PARTS]
    if is_covered(asked[0], found):
        return []
    latest = results[0] if searched == 1 else [p for r in results[1:] for p in r]
    latest = [p for p in latest if p.number]
    hops = HOPS if _DESCRIBES.search(question.text) else 1
    return bridges(question, latest)[: min(AT_ONCE, hops + 1 - searched)] if hops + 1 > searched else []


def query(part: Part) -> str:
    """A part as a search query: its words, and the names and periods that it shares with the others."""
    units = [unit for unit in part.question.units if unit.weight >= WORTH or unit in part.own]
    periods = [unit.text.upper() for unit in units if unit.kind in ("quarter", "year")]
    words = [unit.text for unit in units if unit.kind not in ("quarter", "year")]
    return " ".join([*words, *periods])


def _queries(message: ChatMessage) -> list[str]:
    calls = [block.tool_kwargs for block in message.blocks if isinstance(block, ToolCallBlock)]
    return [str(given.get("query")) for given in calls if isinstance(given, dict)]


def _call(text: str) -> ToolCallBlock:
    return ToolCallBlock(tool_name="search_documents", tool_kwargs={"query": text})


def _same(text: str) -> str:
    return " ".join(text.casefold().split())
