"""The exercises by their ids. Their cases are data, where no notebook shows them, but for those of `measured`."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from hashlib import sha256
from typing import Any

from llama_index.core.vector_stores.types import FilterCondition, MetadataFilters
from llama_index.core.vector_stores.utils import build_metadata_filter_fn

from lessons.copilot.decision import Decision
from lessons.errors import LessonsError
from lessons.exercises.cases import ACCEPTS, Accept, Case, Exercise, call, right_letters
from lessons.exercises.comparing import REFUSED, kind
from lessons.exercises.measured import MEASURED
from lessons.search.filter_text import parse_filter
from lessons.settings import ROOT

FOLDER = ROOT / "data" / "exercises"
NOTEBOOKS = tuple(sorted(path.stem for path in FOLDER.glob("*.json")))
MADE: dict[str, Callable[[Any], Any]] = {
    "set": set,
    "bytes": str.encode,
    "sha256": lambda text: sha256(text.encode()).hexdigest(),
    "decision": Decision.model_validate,
    "raises": {"ValueError": REFUSED}.get,
}


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
    measured = {each.id: replace(each, hints=written[each.id]["hints"]) for each in MEASURED if each.id in written}
    return [measured.get(id_) or _exercise(id_, written[id_]) for id_ in sorted(written)]


def _made(item: dict[str, Any]) -> Any:
    """What JSON has no form for is an object with one key, that of `MADE`."""
    key = next(iter(item), "")
    return MADE[key](item[key]) if len(item) == 1 and key in MADE else item


def _exercise(id_: str, item: dict[str, Any]) -> Exercise:
    if "right" in item:
        case = Case("", accept=right_letters(item["right"], item["why_not"]))
        letter = item.get("expects", "one of the letters 'a', 'b' and 'c'")
        return Exercise(id_, item["title"], letter, [case], hints=item["hints"])
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


# How a learner's object is used where it is not just called with what a case gives

Learner = Callable[..., Any]


def staged(learner: Learner, script: list[list[str]], failing: list[str], limit: int) -> Any:
    """A learner's loop with a model that follows a script and a search that may fail: what it gives, what was run."""
    steps, run, left = iter(script), list[str](), limit

    def choose(found: Any) -> list[str]:
        nonlocal left
        if left <= 0:
            raise RuntimeError("the model is asked again after it has stopped or used up the calls")
        if odd := [each for each in found if kind(each) != "a list" or len(each) != 2]:
            raise TypeError(f"`found` holds {odd[0]!r}, and pairs of a query and its result are due")
        queries = next(steps, [])
        left -= len(queries) or left
        return list(queries)

    def search(query: str) -> str:
        run.append(query)
        if query in failing:
            raise RuntimeError(f"{query} cannot be searched")
        return f"documents on {query}"

    made = learner(choose, search, limit)
    return ([tuple(each) if kind(each) == "a list" else each for each in made], run) if kind(made) == "a list" else made


def filtered(filter_: str, *chunks: dict[str, Any]) -> list[bool]:
    """Which of the chunks a filter lets through."""

    def matches(filters: MetadataFilters, chunk: dict[str, Any]) -> bool:
        parts = [
            matches(part, chunk)
            if isinstance(part, MetadataFilters)
            else build_metadata_filter_fn(lambda _: chunk, MetadataFilters(filters=[part]))("")
            for part in filters.filters
        ]
        return any(parts) if filters.condition == FilterCondition.OR else all(parts)

    return [matches(parse_filter(filter_), chunk) for chunk in chunks]


def or_refused(learner: Learner, *given: Any) -> Any:
    """What a function gives, or `REFUSED` if it raises ValueError."""
    try:
        return learner(*given)
    except ValueError:
        return REFUSED


def heard(learner: Learner, sessions: int, messages: int, script: Sequence[Sequence[str]]) -> list[list[str] | None]:
    """What a store gives while a script is carried out: [session, message] is said, [session] is asked for."""
    store, given = learner(sessions, messages), list[list[str] | None]()
    for session, *said in script:
        if said:
            store.add(session, said[0])
        else:
            found = store.get(session)
            given.append(None if found is None else list(found))
    return given


def shared_key(learner: Learner, one: str, other: str) -> str | None:
    """Whether two questions have the same key, in words; None if there is no key at all."""
    key = learner(one)
    hash(key)  # unhashable keys are of no use
    return None if key is None else "the same key" if key == learner(other) else "another key"


def retried(learner: Learner, script: Sequence[str], attempts: int, most: float) -> dict[str, Any]:
    """What came of a call that behaves as the script says, and how long was waited in between."""
    waits, asked = list[float](), list[str]()

    def action() -> str:
        if len(asked) >= 100:
            raise SystemExit(f"it has asked {len(asked)} times")
        asked.append(script[min(len(asked), len(script) - 1)])
        if asked[-1] == "busy":
            raise TimeoutError(f"busy, attempt {len(asked)}")
        if asked[-1] == "wrong key":
            raise PermissionError("wrong key")
        return asked[-1]

    try:
        came: Any = learner(action, waits.append, attempts, 0.5, most)
    except (TimeoutError, PermissionError) as error:
        came = f"{type(error).__name__}: {error}"
    return {"came": came, "asked": len(asked), "waited": waits}


def let_through(learner: Learner, limit: int, pause: float, script: Sequence[tuple[float, str]]) -> list[Any]:
    """Which calls a breaker lets through, when each call at its second succeeds or fails as the script says."""
    breaker, allowed = learner(limit, pause), []
    for now, outcome in script:
        allowed.append(breaker.allows(now))
        if allowed[-1] is True:
            breaker.failed(now) if outcome == "fails" else breaker.succeeded()
    return allowed


def fallen_back(learner: Learner, scripts: dict[str, str]) -> dict[str, Any]:
    """What a function makes of ways that behave as the scripts say, and which of them it asked."""
    asked = list[str]()

    def way(name: str, script: str) -> str:
        asked.append(name)
        if script == "fails":
            raise ConnectionError(f"{name} is out of reach")
        if script == "is interrupted":
            raise KeyboardInterrupt
        return script

    try:
        came: Any = learner([(name, partial(way, name, script)) for name, script in scripts.items()])
    except KeyboardInterrupt:
        came = "interrupted"
    return {"came": came, "asked": asked}


USES: dict[str, Callable[..., Any]] = {
    "05.3": staged,
    "07.1": filtered,
    "07.2": or_refused,
    "08.2": lambda learner, messages, tokens: learner(messages, tokens, len),  # every character is a token
    "08.4": heard,
    "10.2": shared_key,
    "10.3": or_refused,
    "12.2": retried,
    "12.3": let_through,
    "12.5": fallen_back,
}
"""By the exercise's id; every other object is called with what is given."""
