"""How the keyless model judges an answer: which parts of the question its words do not cover, and what to search then.

Words cannot be compared across languages, so for an answer in the other language only years, quarters and identifiers
are looked for.
"""

import re
from typing import Any

from lessons.models.offline.answer import NOT_SAID
from lessons.models.offline.choose import ENOUGH
from lessons.models.offline.crossing import neutral
from lessons.models.offline.parts import Part, parts
from lessons.models.offline.passages import search_terms
from lessons.models.offline.question import read_question
from lessons.models.offline.tasks import task
from lessons.models.offline.unit import Unit
from lessons.text import language

TELLING = 0.5  # weight from which a word goes into a query
_NAMES = ("name", "code")

_ADMITTED = re.compile("|".join(re.escape(said).replace(r"\{\}", "[^”]*") for said in NOT_SAID.values()))


@task("judge_answer")
def judge_answer(llm: Any, question: str, answer: str, quotes: str = "", **_: Any) -> dict[str, Any]:
    """The parts that are not answered, how much is, and a query for each part that is missing.

    An answer without quotes rests on nothing, so it answers nothing.
    """
    asked = read_question(question)
    said = _ADMITTED.sub(" ", answer) if quotes else ""
    known = search_terms(f"{said} {quotes}") if said.strip() else frozenset[str]()
    crossing = bool(said.strip()) and language(said) != asked.language
    each = [part for part in parts(asked) if part.asks] or parts(asked)
    admitted = " ".join(_ADMITTED.findall(answer))
    covered = [0.0 if part.words in admitted else _covered(_binding(part, crossing), known) for part in each]
    missing = [part for part, share in zip(each, covered, strict=True) if share < ENOUGH]
    return {
        "sufficient": not missing,
        "quality": round(sum(covered) / len(covered), 2),
        "missing": [part.words for part in missing],
        "queries": [_query(part) for part in missing],
    }


def _binding(part: Part, crossing: bool) -> tuple[Unit, ...]:
    return tuple(unit for unit in part.question.units if neutral(unit)) if crossing else part.question.units


def _covered(units: tuple[Unit, ...], known: frozenset[str]) -> float:
    """The share of the units' weight that the words cover; 0 if a name, a period or an identifier is left out."""
    if not known:
        return 0.0
    if any(unit.required and unit.covered(known) == 0 for unit in units):
        return 0.0
    whole = sum(unit.weight for unit in units)
    return sum(unit.weight * unit.covered(known) for unit in units) / whole if whole else 1.0


def _query(part: Part) -> str:
    """What the part is about, in its order, with the periods of the question, and with its names if it has none."""
    named = any(unit.kind in _NAMES for unit in part.own)
    telling = [
        unit
        for unit in part.question.units
        if (unit in part.own and (unit.required or unit.weight >= TELLING))
        or (unit not in part.own and unit.required and not (named and unit.kind in _NAMES))
    ]
    return " ".join(dict.fromkeys(unit.text for unit in telling)) or part.words
