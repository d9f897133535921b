"""Whether the documents found so far hold a question: one line has its names, its periods and most of its words."""

import calendar
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock

from lessons.keyless import task
from lessons.keyless.answer import Part, parts, together
from lessons.keyless.lines import Passage, passages
from lessons.keyless.scores import BEFORE, Candidate, candidates, rarity
from lessons.keyless.words import Question, Unit, read_question
from lessons.text import ENGLISH_STOP_WORDS, terms

COVERED = 0.9  # share of a question's words, by weight, that one line must hold
MOSTLY = 0.5  # of a word's terms
WORTH = 0.4  # weight from which a word must be found


def is_covered(question: Question, found: Sequence[Passage]) -> bool:
    """Whether one line, read with its headings and its document's title, holds the question.

    Words cannot be compared across languages: there, the search is trusted.
    """
    units = [unit for unit in question.units if unit.weight >= WORTH]
    return is_foreign(question, found) or any(
        _holds(line.own | line.above | passage.title, units)
        for passage in found
        for line in passage.lines
        if line.kind != "heading"
    )


def is_foreign(question: Question, found: Sequence[Passage]) -> bool:
    """Whether the best document is in another language than the question."""
    return bool(found) and found[0].language != question.language


def _holds(words: frozenset[str], units: list[Unit]) -> bool:
    held = [unit for unit in units if unit.covered(words) >= MOSTLY]
    if any(unit.required and unit not in held for unit in units):
        return False
    return sum(unit.weight for unit in held) >= COVERED * sum(unit.weight for unit in units)


_EXPLORES = re.compile(
    r"\b(?:tell me (?:more )?about|(?:is|do we) know[n]? about|everything about|main (?:points|aspects))\b"
    r"|전반|두루|개관|살펴|(?:에 대해|에 관해) (?:알려|설명)",
    re.IGNORECASE,
)


def explores(question: Question) -> bool:
    """Whether a question asks for an overview rather than for a fact."""
    return "summary" in question.kinds or _EXPLORES.search(question.text) is not None


def directions(question: Question, found: Sequence[Passage]) -> list[str]:
    """What the question is about with a heading that it does not name, from each document in turn, best first."""
    topic = [unit for unit in question.units if unit.weight >= WORTH and not read_question(unit.text).kinds]
    words = " ".join(unit.text for unit in topic)
    chosen: dict[str, str] = {}
    for passage in found:
        for line in passage.lines:
            new = line.heading and line.heading != passage.name and not line.above <= question.terms | passage.title
            if new and line.kind != "heading" and line.heading not in chosen.values():
                chosen.setdefault(passage.name, line.heading)
    return [f"{words}: {heading}" for heading in chosen.values()]


_RUN = re.compile(
    r"(?P<start>(?:^|[.!?:]\s+|[“\"‘'(]))?(?P<name>[A-Z][\w’'&-]*\w\.?(?:\s(?:(?:of|the|de|da|di|van|von|del|la|le|du|and|&|for)\s){0,2}[A-Z][\w’'&-]*\w)*)"
)
_KOREAN = re.compile(
    r"[‘'“\"《〈「]([^’'”\"》〉」]{2,30})[’'”\"》〉」]"
    r"|([가-힣]{2,}(?:전자|바이오|물산|은행|건설|제약|에너지|소프트|그룹|병원|대학교|테크|홀딩스|증권|보험|통신|모터스|중공업|식품|상사|해운|소재))"
)
_NO_NAMES = {*(name.lower() for name in [*calendar.month_name, *calendar.day_name] if name)} | ENGLISH_STOP_WORDS
READ = 3  # passages, best first
LINES = 2  # of each


def bridges(question: Question, found: list[Passage]) -> list[str]:
    """Queries with a name from the best lines, and the words of the question that its document leaves open."""
    known = set(terms(question.text))
    weights = rarity(question, found)
    valued: dict[str, float] = {}
    for rank, passage in enumerate(found[:READ]):
        best = sorted(candidates(question, [passage], weights), key=lambda one: -one.score)[:LINES]
        open_words = _open(question, best)
        if not open_words:
            continue
        for candidate in best:
            for place, (name, worth) in enumerate(names(candidate.line.text)):
                if not set(terms(name)) <= known:
                    query = f"{name} {' '.join(open_words)}"
                    value = (candidate.score - 0.1 * rank) * worth - 0.01 * place
                    valued[query] = max(valued.get(query, 0), value)
    return sorted(valued, key=lambda query: -valued[query])


def _open(question: Question, best: list[Candidate]) -> list[str]:
    """The words of the question that none of the lines holds."""
    covered = together(best)
    return [
        unit.text
        for unit, value in zip(question.units, covered or [0.0] * len(question.units), strict=True)
        if value < BEFORE and unit.weight >= WORTH
    ]


def names(text: str) -> Iterator[tuple[str, float]]:
    """The names in a line, in its order, and how surely each is one."""
    for match in _RUN.finditer(text):
        words = match["name"].rstrip(".").split()
        initial = match["start"] is not None and match["start"][:1] not in "“\"‘'("
        while words and words[0].lower() in _NO_NAMES:
            words, initial = words[1:], False
        name = " ".join(words)
        if not words or not terms(name) or len(name) < 3:
            continue
        if len(words) == 1 and initial:
            continue
        yield name, 1.0 if len(words) > 1 else 0.7
    for match in _KOREAN.finditer(text):
        yield match[1] or match[2], 1.0


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
