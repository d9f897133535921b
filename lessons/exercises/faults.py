"""The exercises of notebook 12: try again, stop trying, ingest once, and fall back."""

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from random import Random
from typing import Any

from lessons.errors import DatabaseError
from lessons.exercises.cases import Case, Cases, exercise, value

ASKED_TOO_OFTEN = 100

CLASSES = {
    "it is one, and its own class says more": "LessonsError",
    "this is what the driver raises, and a reader gets a class of this workbook": "OperationalError",
    "the name of the class is enough": "lessons.errors.DatabaseError",
    "this is the class, and its name is asked for": DatabaseError,
}
value("12.1", "What comes instead of an answer? Expects the name of a class, as a text.", "DatabaseError", CLASSES)


def _retried(
    learner: Callable[..., Any], script: Sequence[str], attempts: int, first: float, most: float
) -> dict[str, Any]:
    """What came of a call that behaves as the script says, and how long was waited in between."""
    waits, asked = list[float](), list[str]()

    def action() -> str:
        if len(asked) >= ASKED_TOO_OFTEN:
            raise SystemExit(f"it has asked {ASKED_TOO_OFTEN} times")
        asked.append(script[min(len(asked), len(script) - 1)])
        if asked[-1] == "busy":
            raise TimeoutError(f"busy, attempt {len(asked)}")
        if asked[-1] == "wrong key":
            raise PermissionError("wrong key")
        return asked[-1]

    try:
        came: Any = learner(action, waits.append, attempts, first, most)
    except (TimeoutError, PermissionError) as error:
        came = f"{type(error).__name__}: {error}"
    return {"came": came, "asked": len(asked), "waited": waits}


@exercise("12.2", use=_retried)
def retry(random: Random) -> Cases:
    """Try again, not for ever. Expects a function of an action, wait, attempts, first, most."""
    first, words, cap = random.choice([0.5, 1, 2]), f"answer {random.random():.3f}", 1_000.0
    doubled = [first * 2**number for number in range(6)]

    def case(when: str, script: list[str], attempts: int, came: str, waited: list[float], most: float = cap) -> Case:
        expected = {"came": came, "asked": len(waited) + 1, "waited": waited}
        return Case(when, (script, attempts, first, most), expected)

    wrong_key = "PermissionError: wrong key"
    yield case("the first attempt succeeds", [words], 4, words, [])
    yield case("the third attempt succeeds", ["busy", "busy", words], 4, words, doubled[:2])
    yield case("the last attempt succeeds", [*["busy"] * 3, words], 4, words, doubled[:3])
    yield case("no attempt succeeds", ["busy"], 4, "TimeoutError: busy, attempt 4", doubled[:3])
    capped = [min(each, 3 * first) for each in doubled[:5]]
    yield case("the waits reach the cap", [*["busy"] * 5, words], 7, words, capped, 3 * first)
    yield case("the error is not a passing one", ["wrong key"], 4, wrong_key, [])
    yield case("a lasting error follows a passing one", ["busy", "wrong key"], 4, wrong_key, doubled[:1])
    yield case("one attempt is all there is", ["busy"], 1, "TimeoutError: busy, attempt 1", [])


def _let_through(learner: Callable[..., Any], limit: int, pause: float, script: Sequence[tuple[float, str]]) -> list:
    """Which calls a breaker lets through, when each call at its second succeeds or fails as the script says."""
    breaker, allowed = learner(limit, pause), []
    for now, outcome in script:
        allowed.append(breaker.allows(now))
        if allowed[-1] is True:
            breaker.failed(now) if outcome == "fails" else breaker.succeeded()
    return allowed


@exercise("12.3", use=_let_through)
def circuit_breaker(random: Random) -> Cases:
    """A circuit breaker. Expects a class with allows(now), failed(now) and succeeded()."""
    limit, pause, now = random.randint(2, 4), random.randint(10, 60), random.randint(0, 1_000)
    broken, shut = [(now, "fails")] * limit, [True] * limit
    mended = [*broken[1:], (now, "succeeds")] * 2
    soon, later = now + pause - 1, now + pause + 1
    again = [*broken, (later, "fails")]
    healed = [*broken, (later, "succeeds"), *[(later + 1, "fails")] * limit]
    for when, (script, expected) in {
        "every call succeeds": ([(now, "succeeds")] * 5, [True] * 5),
        "as many calls in a row fail as the limit says": ([*broken, (now, "succeeds")], [*shut, False]),
        "one failure fewer than the limit": ([*broken[1:], (now, "succeeds")], shut),
        "a success stands between failures": (mended, [True] * len(mended)),
        "the pause is not over yet": ([*broken, (soon, "succeeds")], [*shut, False]),
        "the pause is over": ([*broken, (later, "succeeds"), (later, "succeeds")], [*shut, True, True]),
        "the first call after the pause fails as well": ([*again, (later + 1, "succeeds")], [*shut, True, False]),
        "the second pause is over": ([*again, (later + pause + 1, "succeeds")], [*shut, True, True]),
        "it was mended and fails anew": (healed, [*shut, True, *shut]),
    }.items():
        yield Case(when, (limit, pause, script), expected)


@exercise("12.4")
def ingested_once(random: Random) -> Cases:
    """Ingested exactly once. Expects a function of stored hashes and files, both by name."""
    names = [f"문서 {number}.md" for number in random.sample(range(100), 5)]
    contents = [f"content {number} {random.random():.6f}".encode() for number in range(5)]
    files = dict(zip(names, contents, strict=True))
    hashes = {name: sha256(content).hexdigest() for name, content in files.items()}
    some = dict(list(hashes.items())[: random.randint(1, 4)])
    changed = files | {names[2]: contents[2][::-1]}
    copied = files | {"copy.md": contents[0]}
    yield Case("nothing is stored yet", ({}, files), names)
    yield Case("everything is stored already", (hashes, files), [])
    yield Case("the last run was killed half-way", (some, files), names[len(some) :])
    yield Case("a file has changed, but not its length", (hashes, changed), [names[2]])
    yield Case("a stored document comes under another name", (hashes, copied), [])
    yield Case("two new files hold the same", ({}, copied), names)
    yield Case("a file is empty and nothing is stored", ({}, {names[0]: b""}), names[:1])
    yield Case("no file comes", (hashes, {}), [])


def _way(script: str, name: str, asked: list[str]) -> str:
    asked.append(name)
    if script == "fails":
        raise ConnectionError(f"{name} is out of reach")
    if script == "is interrupted":
        raise KeyboardInterrupt
    return script


def _fallen_back(learner: Callable[..., Any], scripts: dict[str, str]) -> dict[str, Any]:
    """What a function makes of ways that behave as the scripts say, and which of them it asked."""
    asked = list[str]()
    ways = [(name, partial(_way, script, name, asked)) for name, script in scripts.items()]
    try:
        came: Any = learner(ways)
    except KeyboardInterrupt:
        came = "interrupted"
    return {"came": came, "asked": asked}


@exercise("12.5", use=_fallen_back)
def fallback(random: Random) -> Cases:
    """A safe order to fall back. Expects a function of (name, function) pairs."""
    first, second, third = random.sample(["cache", "served model", "second model", "keyless model"], 3)
    words = f"answer {random.random():.3f}"

    def case(when: str, scripts: list[str], came: Any, asked: int) -> Case:
        ways = dict(zip((first, second, third), scripts, strict=True))
        return Case(when, (ways,), {"came": came, "asked": list(ways)[:asked]})

    yield case("the first way answers", [words, "never", "never"], [first, words, []], 1)
    yield case("the first way fails", ["fails", words, "never"], [second, words, [first]], 2)
    yield case("a way says nothing", ["", words, "never"], [second, words, [first]], 2)
    yield case("a way says nothing but white space", [" \n", words, "never"], [second, words, [first]], 2)
    yield case("only the last way answers", ["fails", "", words], [third, words, [first, second]], 3)
    yield case("no way answers", ["fails", "fails", ""], ["", "", [first, second, third]], 3)
    yield case("the reader interrupts the first way", ["is interrupted", "never", "never"], "interrupted", 1)
