"""What the keyless model searches for next, and whether the documents found so far hold a question."""

import re
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock

from lessons.keyless import task
from lessons.keyless.answer import parts, query, together
from lessons.keyless.comparisons import sides
from lessons.keyless.lines import Passage, passages
from lessons.keyless.scores import BEFORE, WORTH, ranked, weighed
from lessons.keyless.words import Question, Unit, names, read_question
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
_FILE = re.compile(r"(?<![\w./-])[\w./-]+\.(?:pdf|docx|pptx|xlsx|hwpx|csv|html?|md|txt)\b", re.IGNORECASE)
_EXPLORES = re.compile(
    r"(?i)\b(?:tell me (?:more )?about|(?:is|do we) know[n]? about|everything about|main (?:points|aspects))\b"
    r"|전반|두루|개관|살펴|(?:에 대해|에 관해) (?:알려|설명)"
)


def is_covered(question: Question, found: Sequence[Passage]) -> bool:
    """Whether one line has its names, its periods and most of its words; across languages the search is trusted."""
    units = [unit for unit in question.units if unit.weight >= WORTH]
    lines = ((one, line) for one in found for line in one.lines if line.kind != "heading")
    return is_foreign(question, found) or any(_holds(line.own | line.above | one.title, units) for one, line in lines)


def is_foreign(question: Question, found: Sequence[Passage]) -> bool:
    """Whether the best document is in another language than the question."""
    return bool(found) and found[0].language != question.language


def _holds(words: frozenset[str], units: list[Unit]) -> bool:
    held = [unit for unit in units if unit.covered(words) >= MOSTLY]
    complete = all(unit in held for unit in units if unit.required)
    return complete and sum(unit.weight for unit in held) >= COVERED * sum(unit.weight for unit in units)


def directions(question: Question, found: Sequence[Passage]) -> list[str]:
    """What the question is about with a heading that it does not name, from each document in turn, best first."""
    about = (unit.text for unit in question.units if unit.weight >= WORTH)
    topic = " ".join(text for text in about if not read_question(text).kinds)
    chosen: dict[str, str] = {}
    for passage in found:
        for line in passage.lines:
            new = line.heading and line.heading != passage.name and not line.above <= question.terms | passage.title
            if new and line.kind != "heading" and line.heading not in chosen.values():
                chosen.setdefault(passage.name, line.heading)
    return [f"{topic}: {heading}" for heading in chosen.values()]


def bridges(question: Question, found: list[Passage]) -> list[str]:
    """Queries with a name from the best lines, and the words of the question that its document leaves open."""
    asked, known = weighed(question, found), set(terms(question.text))
    valued: dict[str, float] = {}
    for rank, passage in enumerate(found[:READ]):
        best = ranked(asked, [passage])[:LINES]
        covered = zip(question.units, together(best), strict=False)  # of no line, no unit
        open_words = [unit.text for unit, value in covered if value < BEFORE and unit.weight >= WORTH]
        for one in best if open_words else []:
            for place, name in enumerate(names(one.line.text)):
                if not set(terms(name)) <= known:
                    worth = 0.7 if name.isascii() and " " not in name else 1.0
                    made = f"{name} {' '.join(open_words)}"
                    valued[made] = max(valued.get(made, 0), (one.score - 0.1 * rank) * worth - 0.01 * place)
    return sorted(valued, key=lambda made: -valued[made])


@task("tool_calls")
def tool_calls(llm: Any, messages: Sequence[ChatMessage], **_: Any) -> list[ToolCallBlock]:
    """The next searches; none when nothing is left open."""
    text = next(message.content or "" for message in reversed(messages) if message.role == MessageRole.USER)
    calls = [block.tool_kwargs for each in messages for block in each.blocks if isinstance(block, ToolCallBlock)]
    made = [given for given in calls if isinstance(given, dict)]
    told = [passages(message.content or "") for message in messages if message.role == MessageRole.TOOL]
    results = [[passage for passage in each if passage.number] for each in told]
    known = {_same(str(given.get("query"))) for given in made}
    wanted = dict.fromkeys(next_queries(read_question(text), results) if made else [text])
    found = [("search_documents", {"query": each}) for each in wanted if _same(each) not in known]
    narrowed = not made or any("source_file" in given for given in made)
    if not narrowed and (named := _FILE.search(text)):  # with its whole name if a document found so far shows it
        files = (passage.file for each in results for passage in each)
        file = next((name for name in files if name.endswith(named[0])), named[0])
        found.insert(0, ("search_by_metadata", {"query": text, "source_file": file}))
    return [ToolCallBlock(tool_name=name, tool_kwargs=given) for name, given in found]


def next_queries(question: Question, results: Sequence[list[Passage]]) -> list[str]:
    """What to search for next, from what each search so far has found: rules, where another model would judge.

    Parts of a question are searched one by one, headings are followed for an overview, names for what is still open.
    """
    first, *later = results
    every = parts(question)
    asked = sides(question.text) or [made for part in every if len((made := query(part, every)).split()) >= SHORTEST]
    describes = _DESCRIBES.search(question.text) is not None
    if len(asked) > 1 and not describes:
        return [] if later or is_foreign(question, first) else asked[:PARTS]
    if "summary" in question.kinds or _EXPLORES.search(question.text):
        return [] if later else directions(question, first)[:AT_ONCE]
    hops = HOPS if describes else FEW_HOPS
    if hops <= len(later) or is_covered(question, [passage for each in results for passage in each]):
        return []
    newest = [passage for each in later for passage in each] if later else first
    return bridges(question, newest)[: min(AT_ONCE, hops - len(later))]


def _same(text: str) -> str:
    return " ".join(text.casefold().split())
