"""What the keyless model searches for next, and whether the documents found so far hold a question."""

import re
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock

from lessons.keyless import task
from lessons.keyless.answer import together
from lessons.keyless.lines import Passage, passages
from lessons.keyless.parts import parts, query, sides
from lessons.keyless.scores import BEFORE, ranked, weighed
from lessons.keyless.words import WORTH, Question, Unit, names, read_question
from lessons.text import terms

COVERED = 0.9  # share of a question's words, by weight, that one line must hold
MOSTLY = 0.5  # of a word's terms
READ = 3  # passages whose names are followed, best first
LINES = 2  # of each
AT_ONCE = 2  # directions or names that are searched for together
PARTS, SHORTEST = 3, 2  # parts that are searched for one by one, and the words that one must have
HOPS, FEW_HOPS = 4, 1  # searches for names: if the question describes something by something else, and if not
_DESCRIBES = re.compile(
    r"(?i)\b(?:of|in|by|from|for|at|with|to|under|where|behind) (?:the|an?|this|that)\b[^,?]*?"
    r"\b(?:of|that|who|whom|whose|which|where|when)\b"
    r"|\b(?:the|an?) [\w-]+(?: [\w-]+)? (?:that|who|whom|whose|which|where|in which)\b"
    r"|['’]s [\w-]+(?: [\w-]+)?(?:['’]s| of)\b"
    r"|[가-힣]의 [^,?]*[가-힣](?:의|한|된|하는|했던|인|던) [^,?]*[가-힣](?:은|는|이|가|의|을|를)\b"
)
_FILE = re.compile(r"(?<![\w./-])[\w./-]+\.(?:pdf|docx|pptx|html?|md|txt)\b", re.IGNORECASE)
_EXPLORES = re.compile(
    r"(?i)\b(?:tell me (?:more )?about|(?:is|do we) know[n]? about|everything about|main (?:points|aspects))\b"
    r"|전반|두루|개관|살펴|(?:에 대해|에 관해) (?:알려|설명)"
)


def is_covered(question: Question, documents: Sequence[Passage]) -> bool:
    """Tell whether one line has its names, its periods and most of its words; across languages, trust the search."""
    units = [unit for unit in question.units if unit.weight >= WORTH]
    lines = ((passage, line) for passage in documents for line in passage.lines if line.kind != "heading")
    return is_foreign(question, documents) or any(_holds(line.own | line.above | p.title, units) for p, line in lines)


def is_foreign(question: Question, documents: Sequence[Passage]) -> bool:
    """Tell whether the best document is in another language than the question."""
    return bool(documents) and documents[0].language != question.language


def _holds(words: frozenset[str], units: list[Unit]) -> bool:
    held_units = [unit for unit in units if unit.covered(words) >= MOSTLY]
    is_complete = all(unit in held_units for unit in units if unit.required)
    return is_complete and sum(unit.weight for unit in held_units) >= COVERED * sum(unit.weight for unit in units)


def directions(question: Question, documents: Sequence[Passage]) -> list[str]:
    """Return what the question is about with a heading that it does not name, from each document in turn."""
    about = (unit.text for unit in question.units if unit.weight >= WORTH)
    topic = " ".join(text for text in about if not read_question(text).kinds)
    headings: dict[str, str] = {}
    for passage in documents:
        for line in passage.lines:
            is_new = line.heading not in ("", passage.name, *headings.values())
            if is_new and line.kind != "heading" and not line.above <= question.terms | passage.title:
                headings.setdefault(passage.name, line.heading)
    return [f"{topic}: {heading}" for heading in headings.values()]


def bridges(question: Question, documents: list[Passage]) -> list[str]:
    """Return queries with a name from the best lines, and the words of the question that its document leaves open."""
    weighted, known_terms = weighed(question, documents), set(terms(question.text))
    worths: dict[str, float] = {}
    for rank, passage in enumerate(documents[:READ]):
        best = ranked(weighted, [passage])[:LINES]
        covered = zip(question.units, together(best), strict=False)  # of no line, no unit
        open_words = [unit.text for unit, value in covered if value < BEFORE and unit.weight >= WORTH]
        for line in best if open_words else []:
            for index, name in enumerate(names(line.line.text)):
                if not set(terms(name)) <= known_terms:
                    worth = 0.7 if name.isascii() and " " not in name else 1.0
                    query = f"{name} {' '.join(open_words)}"
                    worths[query] = max(worths.get(query, 0), (line.score - 0.1 * rank) * worth - 0.01 * index)
    return sorted(worths, key=lambda query: -worths[query])


@task("tool_calls")
def tool_calls(llm: Any, messages: Sequence[ChatMessage], **_: Any) -> list[ToolCallBlock]:
    """Return the next searches; none when nothing is left open."""
    text = next(message.content or "" for message in reversed(messages) if message.role == MessageRole.USER)
    blocks = [block for message in messages for block in message.blocks if isinstance(block, ToolCallBlock)]
    calls = [block.tool_kwargs for block in blocks if isinstance(block.tool_kwargs, dict)]
    contents = [message.content or "" for message in messages if message.role == MessageRole.TOOL]
    results = [[passage for passage in passages(content) if passage.number] for content in contents]
    searched = {_same(str(arguments.get("query"))) for arguments in calls}
    queries = dict.fromkeys(next_queries(read_question(text), results) if calls else [text])
    new = [("search_documents", {"query": query}) for query in queries if _same(query) not in searched]
    is_narrowed = not calls or any("source_file" in arguments for arguments in calls)
    if not is_narrowed and (file := _FILE.search(text)):  # by its whole name if a document shows it
        files = (passage.file for result in results for passage in result)
        name = next((name for name in files if name.endswith(file[0])), file[0])
        new.insert(0, ("search_by_metadata", {"query": text, "source_file": name}))
    return [ToolCallBlock(tool_name=name, tool_kwargs=arguments) for name, arguments in new]


def next_queries(question: Question, results: Sequence[list[Passage]]) -> list[str]:
    """Return what to search for next, given what each search has found: rules, where another model would judge.

    Parts of a question are searched one by one, headings are followed for an overview, names for what is still open.
    """
    first, *later = results
    asked = parts(question)
    queries = sides(question.text) or [text for p in asked if len((text := query(p, asked)).split()) >= SHORTEST]
    describes = _DESCRIBES.search(question.text) is not None
    if len(queries) > 1 and not describes:
        return [] if later or is_foreign(question, first) else queries[:PARTS]
    if "summary" in question.kinds or _EXPLORES.search(question.text):
        return [] if later else directions(question, first)[:AT_ONCE]
    hops = HOPS if describes else FEW_HOPS
    if hops <= len(later) or is_covered(question, [passage for result in results for passage in result]):
        return []
    newest = [passage for result in later for passage in result] if later else first
    return bridges(question, newest)[: min(AT_ONCE, hops - len(later))]


def _same(text: str) -> str:
    return " ".join(text.casefold().split())
