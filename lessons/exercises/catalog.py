"""The exercises by their ids. Their cases are data, in `data/exercises`, where no notebook shows them.

A few are measured on questions of dev instead (`measured.py`); only their hints are there.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from hashlib import sha256
from typing import Any

from lessons.copilot.decision import Decision
from lessons.errors import LessonsError
from lessons.exercises.calling import USES
from lessons.exercises.cases import ACCEPTS, Accept, Case, Exercise, call, one_letter, some_letters
from lessons.exercises.measured import MEASURED
from lessons.settings import ROOT

FOLDER = ROOT / "data" / "exercises"
NOTEBOOKS = tuple(sorted(path.stem for path in FOLDER.glob("*.json")))
MADE: dict[str, Callable[[Any], Any]] = {
    "set": set,
    "bytes": str.encode,
    "sha256": lambda text: sha256(text.encode()).hexdigest(),
    "decision": Decision.model_validate,
}
ONE_LETTER = "one of the letters 'a', 'b' and 'c'"


def exercises(notebook: str | None = None) -> list[Exercise]:
    """The exercises of a notebook such as '04', or of all, in their order."""
    if notebook is None:
        return [each for number in NOTEBOOKS for each in exercises(number)]
    if notebook not in NOTEBOOKS:
        raise LessonsError(f"There are no exercises for {notebook!r}; the notebooks are {', '.join(NOTEBOOKS)}.")
    return _read(notebook)


def exercise_named(id_: str) -> Exercise:
    """The exercise of an id such as '04.2'; LessonsError names those that there are."""
    found = {each.id: each for each in exercises(str(id_).split(".")[0])}
    if id_ not in found:
        raise LessonsError(f"There is no exercise {id_!r}; this notebook has {', '.join(found)}.")
    return found[id_]


@cache
def _read(notebook: str) -> list[Exercise]:
    written = json.loads((FOLDER / f"{notebook}.json").read_text(encoding="utf-8"), object_hook=_made)
    measured = {each.id: each for each in MEASURED}
    return [
        replace(measured[id_], hints=item["hints"]) if id_ in measured else _exercise(id_, item)
        for id_, item in sorted(written.items())
    ]


def _made(item: dict[str, Any]) -> Any:
    """What JSON has no form for is an object with one key, that of `MADE`."""
    key = next(iter(item), "")
    return MADE[key](item[key]) if len(item) == 1 and key in MADE else item


def _exercise(id_: str, item: dict[str, Any]) -> Exercise:
    if "right" in item:
        accept = (some_letters if "expects" in item else one_letter)(item["right"], item["why_not"])
        letter = item.get("expects", ONE_LETTER)
        return Exercise(id_, item["title"], letter, [Case("", accept=accept)], hints=item["hints"])
    cases = [_case(each, ACCEPTS.get(id_), "rows" in item) for each in item["cases"]]
    more = {key: item[key] for key in ("slips", "seconds", "of", "hints") if key in item}
    return Exercise(id_, item["title"], item["expects"], cases, use=USES.get(id_, call), **more)


def _case(item: dict[str, Any], accept: Accept | None, rows: bool) -> Case:
    """With `rows`, the lists within a given list are tuples, as they come out of a database."""
    if "given" not in item:
        return Case("", None, item["expected"], accept)
    given = [[*map(tuple, each)] if rows and isinstance(each, list) else each for each in item["given"]]
    judged = (lambda came: accept(came, *given)) if accept else None
    return Case(item["when"], tuple(given), item.get("expected"), judged)
