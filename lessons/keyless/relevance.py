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
from lessons.keyless.answer import LEAST_COVERED, NOT_SAID, Part, choose, parts, query
from lessons.keyless.lines import Passage, kept_text, read_documents, search_terms
from lessons.keyless.queries import expand
from lessons.keyless.scores import best_lines, contradictions, held, ranked, reason, share, weighed
from lessons.keyless.summary import summary
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
reason goes before one that repeats the figure.
"""

EVEN = 7.4  # the weighted sum at which a document is as likely to be evidence as not; fitted with the weights
BY_MEANING = 0.5  # words cannot be found across languages; a similar document counts as if its best line covered half
LEAST = 0.2  # of the question that a passage's best line covers; below it the passage is about something else
ENOUGH = 0.5  # the same for the best passage, to be about the question at all
SHARED = 0.25  # of a word that a heading has to hold: Korean particles hide the rest
_PATH = " > "
REST = {"en": "the rest of the steps", "ko": "나머지 단계"}
_HOW = re.compile(r"steps?|procedures?|set|(?:방법|절차|순서)[가-힣]*", re.IGNORECASE)  # says how, not of what
_STEPS = re.compile(r"\b(?:walk|guide|talk) me through\b|\bstep by step\b|단계|차례", re.IGNORECASE)
_ADMITTED = re.compile("|".join(re.escape(said).replace(r"\{\}", "[^”]*") for said in NOT_SAID.values()))


@task("relevance")
def relevance(llm: Any, question: str, documents: Sequence[Any], **_: Any) -> dict[str, list[dict[str, float]]]:
    """A score from 0 to 10 for each document, numbered from 1. They are retrieved documents with their `legs`."""
    scores = 10 / (1 + np.exp(EVEN - features(question, documents, llm) @ np.array(list(WEIGHTS.values()))))
    return {"scores": [{"number": at, "score": round(float(score), 4)} for at, score in enumerate(scores, start=1)]}


def features(question: str, documents: Sequence[Any], llm: Any = None) -> np.ndarray:
    """A row for each document, a column for each key of `WEIGHTS`."""
    found = read_documents(documents)
    asked = weighed(read_question(question), found)
    phrasings = [read_question(question), *map(read_question, expand(llm, question)["queries"])]
    meaning = _meaning(documents)
    foreign = [one.language != asked.language for one in found]
    lines = [best_lines(each, found) for each in phrasings]
    columns = {
        "search": [each.score for each in documents],
        "line": np.maximum(np.max(lines, axis=0), np.where(foreign, BY_MEANING * np.array(meaning), 0.0)),
        "text": [held(asked, one.all) for one in found],
        "meaning": meaning,
        "contradiction": [contradictions(asked, one.title) for one in found],
        "reason": [reason(asked, one)[0] if "why" in asked.kinds else 0.0 for one in found],
    }
    return np.array([columns[name] for name in WEIGHTS], dtype=float).T


def _meaning(documents: Sequence[Any]) -> list[float]:
    """From 0 to 1; a document that the search by meaning did not find is as far as the last that it found."""
    known = [each.legs["meaning"] for each in documents if "meaning" in each.legs]
    low, high = min(known, default=0.0), max(known, default=0.0)
    return [(each.legs.get("meaning", low) - low) / (high - low or 1.0) for each in documents]


@task("sufficiency")
def sufficiency(llm: Any, question: str, documents: Sequence[Any], made: Sequence[str] = (), **_: Any) -> dict:
    """A decision on passages: retrieved documents with an `outline`. `made` are the calls so far, in words."""
    asked, found = read_question(question), read_documents(documents)
    covered = best_lines(asked, found)
    scores = {each["number"]: each["score"] for each in relevance(llm, question, documents)["scores"]}
    helping = [number for number, covers in enumerate(covered, start=1) if covers >= LEAST]
    order = sorted(helping, key=lambda number: ("replaced_by" in documents[number - 1].metadata, -scores[number]))
    confidence = min(1.0, max(covered, default=0.0))
    choice = choose(asked, [found[number - 1] for number in order])
    missing = " ".join(choice.missing) if choice.lines else question
    decision: dict[str, Any] = {"ranked_indices": order, "confidence": confidence, "is_sufficient": False}
    if (
        asks_for_steps(question)
        and confidence >= ENOUGH
        and choice.lines
        and (section := _section(asked, documents, order))
    ):
        decision["section"], whole = section
        if not whole:
            return decision | {"missing": REST[asked.language], "next_action": "get_section"}
    if confidence >= ENOUGH and choice.lines and not choice.missing:
        return decision | {"is_sufficient": True, "next_action": "none"}
    searched, queries = " ".join(made), [missing, *expand(llm, question)["queries"]]
    query = next((each for each in queries if terms(each) and f"'{each}'" not in searched), "")
    action = "search_again" if query else "none"
    return decision | {"missing": missing, "next_action": action, "refined_query": query}


def asks_for_steps(question: str) -> bool:
    """Whether a question asks how something is done, not only what it is."""
    return "steps" in read_question(question).kinds or _STEPS.search(question) is not None


def _section(asked: Question, documents: Sequence[Any], ranked: Sequence[int]) -> tuple[str, bool] | None:
    """The steps' section of the first passage's file that is asked about, else its own, and whether all was found."""
    first = documents[ranked[0] - 1]
    outline: Mapping[str, Sequence[int]] = first.metadata.get("outline", {})
    section = _asked_about(asked, str(first.metadata.get("title") or ""), outline)
    if section is None and first.metadata.get("has_steps"):
        section = str(first.metadata.get("section") or "").partition(_PATH)[0]
    if section is None or section not in outline:
        return None
    found = [one.metadata for one in documents if one.source == first.source]
    own = [known for known in found if known["chunk_index"] in outline[section]]
    steps = any(known.get("has_steps") for known in own)
    return (section, len(own) == len(outline[section])) if steps else None


def _asked_about(asked: Question, title: str, outline: Mapping[str, Sequence[int]]) -> str | None:
    """The outermost section whose headings alone share words with the question; the whole file for several."""
    titled, said = _shared(asked, title), dict[str, set[str]]()
    for path in filter(None, outline):
        said.setdefault(path.partition(_PATH)[0], set()).update(_shared(asked, path) - titled)
    best = [path for path, words in said.items() if words and not any(words < other for other in said.values())]
    if len(best) == 1:
        return best[0]
    return "" if best or len(titled) > len(_shared(asked, asked.text)) / 2 else None


def _shared(asked: Question, heading: str) -> set[str]:
    words = search_terms(heading)
    subject = (unit for unit in asked.units if unit.weight >= 0.5 and not _HOW.fullmatch(unit.text))
    return {unit.text for unit in subject if unit.covered(words) >= SHARED}


@task("shorten")
def condense(
    llm: Any, question: str, documents: Sequence[Any], tokens: int, header: int = 0, **_: Any
) -> dict[str, list[Any]]:
    """Of each document its best lines; where the question shares no word with any, a sentence or two of each."""
    texts = _lines_for(question, read_documents(documents), tokens, header) or {
        number: summary(llm, document.content) for number, document in enumerate(documents, start=1)
    }
    return {"summaries": [{"number": number, "text": text} for number, text in texts.items() if text]}


def _lines_for(question: str, found: list[Passage], tokens: int, header: int) -> dict[int, str]:
    """What is left of each document, by its number."""
    asked, counter = read_question(question), TokenEstimator()
    best = ranked(weighed(asked, found), found)

    def first(k: int) -> dict[int, str]:
        kept: dict[int, set[int]] = {}
        for one in best[:k]:
            kept.setdefault(one.passage.number, set()).add(one.position)
        return {one.number: kept_text(one.lines, kept[one.number]) for one in found if one.number in kept}

    def size(k: int) -> int:
        return sum(header + counter.count(text) for text in first(k).values())

    return first(bisect_right(range(1, len(best) + 1), tokens, key=size))


@task("judge_answer")
def judge_answer(llm: Any, question: str, answer: str, quotes: str = "", **_: Any) -> dict[str, Any]:
    """How much is answered, and the parts that are not, each with a query; without quotes to rest on, nothing is."""
    asked = read_question(question)
    said = _ADMITTED.sub(" ", answer).strip() if quotes else ""
    known = search_terms(f"{said} {quotes}") if said else frozenset[str]()
    crossing = bool(said) and language(said) != asked.language
    each = [part for part in parts(asked) if part.asks] or parts(asked)
    admitted = " ".join(_ADMITTED.findall(answer))
    covered = [0.0 if part.words in admitted else _share_covered(part, crossing, known) for part in each]
    missing = [part for part, held in zip(each, covered, strict=True) if held < LEAST_COVERED]
    return {
        "sufficient": not missing,
        "quality": round(sum(covered) / len(covered), 2),
        "missing": [part.words for part in missing],
        "queries": [query(part, parts(asked)) for part in missing],
    }


def _share_covered(part: Part, crossing: bool, known: frozenset[str]) -> float:
    """The share of a part that the words cover, 0 without a name; across languages, of what both write alike."""
    units = [unit for unit in part.question.units if unit.kind in ("year", "quarter", "code") or not crossing]
    held = [unit.covered(known) for unit in units]
    if not known or any(unit.required and not value for unit, value in zip(units, held, strict=True)):
        return 0.0
    return share(units, held) if units else 1.0
