"""How the keyless model chooses searches: by what the documents found so far leave open of the question.

It searches for the question itself; then for each of its parts, for a few directions of an overview, or, as long as no
line of a document holds the question, for names that the documents give to what it only describes.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock

from lessons.models.offline.coverage import WORTH, is_covered, is_foreign
from lessons.models.offline.explore import directions, explores
from lessons.models.offline.hops import bridges
from lessons.models.offline.parts import Part, parts
from lessons.models.offline.passages import Passage, passages
from lessons.models.offline.question import Question, read_question
from lessons.models.offline.tasks import task

AT_ONCE = 2  # directions or names that are searched for together
PARTS, SHORTEST = 3, 2  # parts that are searched for one by one, and the words that one must have
HOPS, FEW_HOPS = 4, 1  # searches for names: if the question describes something by something else, and if not
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
    """The next searches; none when nothing is left open."""
    text = next(message.content or "" for message in reversed(messages) if message.role == MessageRole.USER)
    made = [query for message in messages for query in _queries(message)]
    if not made:
        return [_call(text)]
    told = [passages(message.content or "") for message in messages if message.role == MessageRole.TOOL]
    results = [[passage for passage in each if passage.number] for each in told]
    known = {_same(query) for query in made}
    wanted = [query for query in _wanted(read_question(text), results) if _same(query) not in known]
    return [_call(query) for query in dict.fromkeys(wanted)]


def _wanted(question: Question, results: Sequence[list[Passage]]) -> list[str]:
    """What to search for next, from what each search so far has found."""
    first, *later = results
    every = parts(question)
    asked = [made for part in every if len((made := query(part, every)).split()) >= SHORTEST]
    describes = _DESCRIBES.search(question.text) is not None
    if len(asked) > 1 and not describes:
        return [] if later or is_foreign(question, first) else asked[:PARTS]
    if explores(question):
        return [] if later else directions(question, first)[:AT_ONCE]
    hops = HOPS if describes else FEW_HOPS
    if hops <= len(later) or is_covered(question, [passage for each in results for passage in each]):
        return []
    newest = [passage for each in later for passage in each] if later else first
    return bridges(question, newest)[: min(AT_ONCE, hops - len(later))]


def query(part: Part, every: Sequence[Part]) -> str:
    """A part as a search query: its words, and the names and periods that it shares with the others.

    One that brings no words of its own, as '… or in 2024?', takes those of all.
    """
    said = Counter(unit for each in every for unit in each.own)
    bare = not any(unit.kind == "word" and unit.weight >= WORTH and said[unit] == 1 for unit in part.own)
    units = [
        unit
        for unit in part.question.units
        if unit.weight >= WORTH or unit in part.own or (bare and unit.kind == "word")
    ]
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
