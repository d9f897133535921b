"""How the keyless model scores documents for a question: a linear model over features that a person can check.

The search compared whole documents. Here they are compared with each other, where a common word tells nothing, and line
by line: one that holds the rare words of the question tells more than a page that scatters them.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lessons.keyless import task
from lessons.keyless.answer import LEAST_COVERED, NOT_SAID, choose
from lessons.keyless.enrich import summary
from lessons.keyless.lines import Passage, kept_text, read_documents, search_terms
from lessons.keyless.parts import Part, parts, query
from lessons.keyless.queries import expand
from lessons.keyless.scores import best_lines, contradictions, coverage, ranked, reason, share, weighed
from lessons.keyless.words import Question, read_question
from lessons.models.tokens import TokenEstimator
from lessons.text import language, terms

WEIGHTS = {
    "search": 2.7,  # the score of the search
    "line": 3.0,  # how much of the question, or of another phrasing or a part of it, the best line covers
    "text": 2.7,  # how much of the question the document holds anywhere, rare words counting more
    "meaning": 0.8,  # the similarity of the vectors, between the least and the most similar candidate
    "contradiction": -1.0,  # its title names other years or quarters than the question
    "reason": 10.0,  # how well it says why, where that is asked for: it need not name what it explains
}
"""Fitted to the dev questions by `uv run python -m data.make.relevance`, which also cross-validates them.

All but the last: four of those questions ask why, too few to fit it. It is set by hand, so that a document that gives a
reason goes in front of one that repeats the figure.
"""

EVEN = 7.4  # the weighted sum at which a document is as likely to be evidence as not; fitted with the weights
BY_MEANING = 0.5  # words cannot be found across languages; a similar document counts as if its best line covered half
LEAST = 0.2  # of the question that a passage's best line covers; below it the passage is about something else
ENOUGH = 0.5  # the same for the best passage, to be about the question at all
SHARED = 0.25  # of a word that a heading has to hold: Korean particles hide the rest
_PATH = " > "
MORE_STEPS = {"en": "the rest of the steps", "ko": "나머지 단계"}
_HOW = re.compile(r"steps?|procedures?|set|(?:방법|절차|순서)[가-힣]*", re.IGNORECASE)  # says how, not of what
_STEPS = re.compile(r"\b(?:walk|guide|talk) me through\b|\bstep by step\b|단계|차례", re.IGNORECASE)
_ADMITTED = re.compile("|".join(re.escape(text).replace(r"\{\}", "[^”]*") for text in NOT_SAID.values()))


@task("relevance")
def relevance(llm: Any, question: str, documents: Sequence[Any], **_: Any) -> dict[str, list[dict[str, float]]]:
    """Score each document from 0 to 10, numbered from 1. They are retrieved documents with their `legs`."""
    scores = 10 / (1 + np.exp(EVEN - features(question, documents, llm) @ np.array(list(WEIGHTS.values()))))
    return {"scores": [{"number": at, "score": round(float(score), 4)} for at, score in enumerate(scores, start=1)]}


def features(question: str, documents: Sequence[Any], llm: Any = None) -> np.ndarray:
    """Return a row for each document, a column for each key of `WEIGHTS`."""
    passages = read_documents(documents)
    parsed = read_question(question)
    phrasings = [parsed, *map(read_question, expand(llm, question)["queries"])]
    weighted = weighed(parsed, passages)
    meaning = _meaning(documents)
    is_foreign = [passage.language != parsed.language for passage in passages]
    lines = [best_lines(phrasing, passages) for phrasing in phrasings]
    columns = {
        "search": [document.score for document in documents],
        "line": np.maximum(np.max(lines, axis=0), np.where(is_foreign, BY_MEANING * np.array(meaning), 0.0)),
        "text": [coverage(weighted, passage.all) for passage in passages],
        "meaning": meaning,
        "contradiction": [contradictions(weighted, passage.title) for passage in passages],
        "reason": [reason(weighted, passage)[0] if "why" in parsed.kinds else 0.0 for passage in passages],
    }
    return np.array([columns[name] for name in WEIGHTS], dtype=float).T


def _meaning(documents: Sequence[Any]) -> list[float]:
    """Scale similarities to 0 to 1; a document that the vector search did not return is as far as the last it did."""
    similarities = [document.legs["meaning"] for document in documents if "meaning" in document.legs]
    low, high = min(similarities, default=0.0), max(similarities, default=0.0)
    return [(document.legs.get("meaning", low) - low) / (high - low or 1.0) for document in documents]


@task("sufficiency")
def sufficiency(llm: Any, question: str, documents: Sequence[Any], made: Sequence[str] = (), **_: Any) -> dict:
    """Decide on passages: retrieved documents with an `outline`. `made` are the calls so far, in words."""
    parsed, passages = read_question(question), read_documents(documents)
    covered = best_lines(parsed, passages)
    scores = {row["number"]: row["score"] for row in relevance(llm, question, documents)["scores"]}
    helping = [number for number, covers in enumerate(covered, start=1) if covers >= LEAST]
    order = sorted(helping, key=lambda number: ("replaced_by" in documents[number - 1].metadata, -scores[number]))
    confidence = min(1.0, max([0.0, *covered]))  # what a rank takes off may leave less than nothing
    choice = choose(parsed, [passages[number - 1] for number in order], llm.embedding)
    missing = " ".join(choice.missing) if choice.lines else question
    decision: dict[str, Any] = {"ranked_indices": order, "confidence": confidence, "is_sufficient": False}
    is_answered = confidence >= ENOUGH and choice.lines
    if is_answered and asks_for_steps(question) and (section := _section(parsed, documents, order)):
        decision["section"], is_complete = section
        if not is_complete:
            return decision | {"missing": MORE_STEPS[parsed.language], "next_action": "get_section"}
    if is_answered and not choice.missing:
        return decision | {"is_sufficient": True, "next_action": "none"}
    searched, queries = " ".join(made), [missing, *expand(llm, question)["queries"]]
    refined = next((text for text in queries if terms(text) and f"'{text}'" not in searched), "")
    action = "search_again" if refined else "none"
    return decision | {"missing": missing, "next_action": action, "refined_query": refined}


def asks_for_steps(question: str) -> bool:
    """Tell whether a question asks how something is done, not only what it is."""
    return "steps" in read_question(question).kinds or _STEPS.search(question) is not None


def _section(parsed: Question, documents: Sequence[Any], order: Sequence[int]) -> tuple[str, bool] | None:
    """Return the section of steps that is asked about, else the first passage's own, and whether all of it is there."""
    first = documents[order[0] - 1]
    outline: Mapping[str, Sequence[int]] = first.metadata.get("outline", {})
    section = _asked_about(parsed, str(first.metadata.get("title") or ""), outline)
    if section is None and first.metadata.get("has_steps"):
        section = str(first.metadata.get("section") or "").partition(_PATH)[0]
    if section is None or section not in outline:
        return None
    chunks = [document.metadata for document in documents if document.source == first.source]
    chunks = [metadata for metadata in chunks if metadata["chunk_index"] in outline[section]]
    has_steps = any(metadata.get("has_steps") for metadata in chunks)
    return (section, len(chunks) == len(outline[section])) if has_steps else None


def _asked_about(parsed: Question, title: str, outline: Mapping[str, Sequence[int]]) -> str | None:
    """Return the outermost section whose headings alone share words with the question; "", the file, for several."""
    of_title, sections = _shared(parsed, title), dict[str, set[str]]()
    for path in filter(None, outline):
        sections.setdefault(path.partition(_PATH)[0], set()).update(_shared(parsed, path) - of_title)
    best = [path for path, words in sections.items() if words and not any(words < more for more in sections.values())]
    if len(best) == 1:
        return best[0]
    return "" if best or len(of_title) > len(_shared(parsed, parsed.text)) / 2 else None


def _shared(parsed: Question, heading: str) -> set[str]:
    words = search_terms(heading)
    subject = (unit for unit in parsed.units if unit.weight >= 0.5 and not _HOW.fullmatch(unit.text))
    return {unit.text for unit in subject if unit.covered(words) >= SHARED}


@task("shorten")
def condense(
    llm: Any, question: str, documents: Sequence[Any], tokens: int, header: int = 0, **_: Any
) -> dict[str, list[Any]]:
    """Keep the best lines of each document; where none shares a word with the question, a sentence or two of each."""
    texts = _best_texts(question, read_documents(documents), tokens, header) or {
        number: summary(llm, document.content) for number, document in enumerate(documents, start=1)
    }
    return {"summaries": [{"number": number, "text": text} for number, text in texts.items() if text]}


def _best_texts(question: str, passages: list[Passage], tokens: int, header: int) -> dict[int, str]:
    """Map the number of each document to those of its lines that fit."""
    counter = TokenEstimator()
    best = ranked(weighed(read_question(question), passages), passages)

    def first(k: int) -> dict[int, str]:
        positions: dict[int, set[int]] = {}
        for candidate in best[:k]:
            positions.setdefault(candidate.passage.number, set()).add(candidate.position)
        return {p.number: kept_text(p.lines, positions[p.number]) for p in passages if p.number in positions}

    def size(k: int) -> int:
        return sum(header + counter.count(text) for text in first(k).values())

    return first(bisect_right(range(1, len(best) + 1), tokens, key=size))


@task("judge_answer")
def judge_answer(llm: Any, question: str, answer: str, quotes: str = "", **_: Any) -> dict[str, Any]:
    """Judge how much is answered, with a query for each part that is not; without quotes to rest on, nothing is."""
    parsed = read_question(question)
    text = _ADMITTED.sub(" ", answer).strip() if quotes else ""
    words = search_terms(f"{text} {quotes}") if text else frozenset[str]()
    is_foreign = bool(text) and language(text) != parsed.language
    siblings = parts(parsed)
    asking = [part for part in siblings if part.is_question] or siblings
    admitted = " ".join(_ADMITTED.findall(answer))
    covered = [0.0 if part.words in admitted else _share_covered(part, is_foreign, words) for part in asking]
    missing = [part for part, value in zip(asking, covered, strict=True) if value < LEAST_COVERED]
    return {
        "sufficient": not missing,
        "quality": round(sum(covered) / len(covered), 2),
        "missing": [part.words for part in missing],
        "queries": [query(part, siblings) for part in missing],
    }


def _share_covered(part: Part, is_foreign: bool, words: frozenset[str]) -> float:
    """Return the share of a part that the words cover, 0 without a name; across languages, of what both write alike."""
    units = [unit for unit in part.question.units if unit.kind in ("year", "quarter", "code") or not is_foreign]
    covered = [unit.covered(words) for unit in units]
    if not words or any(unit.required and not value for unit, value in zip(units, covered, strict=True)):
        return 0.0
    return share(units, covered) if units else 1.0
