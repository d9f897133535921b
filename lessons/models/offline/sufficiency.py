"""How the keyless model judges whether passages suffice: what their best lines cover of the question, and whether a
section whose steps are asked for has been read to its end."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from lessons.models.offline.choose import choose
from lessons.models.offline.passages import Passage, passage, search_terms
from lessons.models.offline.query.expand import expand
from lessons.models.offline.question import Question, read_question
from lessons.models.offline.relevance import relevance
from lessons.models.offline.score import candidates, rarity, with_topics
from lessons.models.offline.tasks import task
from lessons.text import terms

LEAST = 0.2  # of the question that a passage's best line covers; below it the passage is about something else
ENOUGH = 0.5  # the same for the best passage, to be about the question at all
SHARED = 0.25  # of a word that a heading has to hold: Korean particles hide the rest
_PATH = " > "
_STEPS = re.compile(r"\b(?:walk|guide|talk) me through\b|\bstep by step\b|단계|차례", re.IGNORECASE)


@task("sufficiency")
def sufficiency(llm: Any, question: str, documents: Sequence[Any], made: Sequence[str] = (), **_: Any) -> dict:
    """A decision on passages: retrieved documents with an `outline`. `made` are the calls so far, in words."""
    asked = read_question(question)
    found = [passage(number, f"{each.source} | {_title(each)}", each.content) for number, each in enumerate(documents)]
    covered = _covered(asked, found)
    scores = {each["number"]: each["score"] for each in relevance(llm, question, documents)["scores"]}
    helping = [number for number, share in enumerate(covered, start=1) if share >= LEAST]
    ranked = sorted(helping, key=lambda number: -scores[number])
    confidence = min(1.0, max(covered, default=0.0))
    choice = choose(asked, [found[number - 1] for number in ranked], llm.embedding)
    missing = " ".join(choice.missing) if choice.lines else question
    decision: dict[str, Any] = {"ranked_indices": ranked, "confidence": confidence, "is_sufficient": False}
    if asks_for_steps(question) and confidence >= ENOUGH and (section := _section(asked, documents, ranked)):
        decision["section"], whole = section
        if not whole:
            return decision | {"missing": "the rest of the steps", "next_action": "get_section"}
    if confidence >= ENOUGH and choice.lines and not choice.missing:
        return decision | {"is_sufficient": True, "next_action": "none"}
    query = _another(llm, question, missing, made)
    action = "search_again" if query else "none"
    return decision | {"missing": missing, "next_action": action, "refined_query": query}


def asks_for_steps(question: str) -> bool:
    """Whether a question asks how something is done, not only what it is."""
    return "steps" in read_question(question).kinds or _STEPS.search(question) is not None


def _title(document: Any) -> str:
    return str(document.metadata.get("title") or "")


def _covered(asked: Question, found: Sequence[Passage]) -> list[float]:
    """How much of the question the best line of each passage covers."""
    asked = with_topics(asked, list(found))
    weights = rarity(asked, list(found))
    return [max((line.score for line in candidates(asked, [one], weights)), default=0.0) for one in found]


def _section(asked: Question, documents: Sequence[Any], ranked: Sequence[int]) -> tuple[str, bool] | None:
    """The section of the first passage's file that the question is about, and whether all of its passages were found.

    None if no heading is about it, or if it tells no steps.
    """
    first = documents[ranked[0] - 1]
    outline: Mapping[str, Sequence[int]] = first.metadata.get("outline", {})
    section = _asked_about(asked, _title(first), outline)
    if section is None:
        return None
    found = [one.metadata for one in documents if one.source == first.source]
    own = [known for known in found if known["chunk_index"] in outline[section]]
    steps = any(known.get("has_steps") for known in own)
    return (section, len(own) == len(outline[section])) if steps else None


def _asked_about(asked: Question, title: str, outline: Mapping[str, Sequence[int]]) -> str | None:
    """The outermost section whose headings share with the question what no other's do; the whole file for several."""
    titled, said = _shared(asked, title), dict[str, set[str]]()
    for path in filter(None, outline):
        said.setdefault(path.partition(_PATH)[0], set()).update(_shared(asked, path) - titled)
    best = [path for path, words in said.items() if words and not any(words < other for other in said.values())]
    if len(best) == 1:
        return best[0]
    return "" if best or titled else None


def _shared(asked: Question, heading: str) -> set[str]:
    words = search_terms(heading)
    return {unit.text for unit in asked.units if unit.weight >= 0.5 and unit.covered(words) >= SHARED}


def _another(llm: Any, question: str, missing: str, made: Sequence[str]) -> str:
    """A query that has not been searched for: what is missing, or the question in other words; empty if none is."""
    searched = " ".join(made)
    queries = [missing, *expand(llm, question)["queries"]]
    return next((query for query in queries if terms(query) and f"'{query}'" not in searched), "")
