"""The exercises of notebooks 12 and 14: trying again, breaking off, falling back; bytes, replicas and shards."""

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from math import isclose
from typing import Any

from lessons.errors import DatabaseError
from lessons.exercises.cases import case, exercise, value
from lessons.exercises.comparing import Nearly, kind, misplaced

ASKED_TOO_OFTEN = 100

# fmt: off
value("12.1", "What comes instead of an answer?", "the name of a class, as a text", "DatabaseError", {
    "it is one, and its own class says more": "LessonsError",
    "this is what the driver raises, and a reader gets a class of this workbook": "OperationalError",
    "the name of the class is enough": "lessons.errors.DatabaseError",
    "this is the class, and its name is asked for": DatabaseError,
})
# fmt: on


def _retried(learner: Callable[..., Any], script: Sequence[str], attempts: int, most: float) -> dict[str, Any]:
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
        came: Any = learner(action, waits.append, attempts, 0.5, most)
    except (TimeoutError, PermissionError) as error:
        came = f"{type(error).__name__}: {error}"
    return {"came": came, "asked": len(asked), "waited": waits}


def _came(came: Any, *waited: float) -> dict[str, Any]:
    """What comes of retries with these waits between them."""
    return {"came": came, "asked": len(waited) + 1, "waited": list(waited)}


def _let_through(learner: Callable[..., Any], limit: int, pause: float, script: Sequence[tuple[float, str]]) -> list:
    """Which calls a breaker lets through, when each call at its second succeeds or fails as the script says."""
    breaker, allowed = learner(limit, pause), []
    for now, outcome in script:
        allowed.append(breaker.allows(now))
        if allowed[-1] is True:
            breaker.failed(now) if outcome == "fails" else breaker.succeeded()
    return allowed


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


# fmt: off
exercise("12.2", "Try again, not for ever", "a function of an action, wait, attempts, first, most", [
    case("the first attempt succeeds", _came("yes"), ["yes"], 4, 1_000),
    case("the third attempt succeeds", _came("yes", 0.5, 1), ["busy", "busy", "yes"], 4, 1_000),
    case("the last attempt succeeds", _came("yes", 0.5, 1, 2), [*["busy"] * 3, "yes"], 4, 1_000),
    case("no attempt succeeds", _came("TimeoutError: busy, attempt 4", 0.5, 1, 2), ["busy"], 4, 1_000),
    case("the waits reach the cap", _came("yes", 0.5, 1, 1.5, 1.5, 1.5), [*["busy"] * 5, "yes"], 7, 1.5),
    case("the error is not a passing one", _came("PermissionError: wrong key"), ["wrong key"], 4, 1_000),
    case("a lasting error follows a passing one", _came("PermissionError: wrong key", 0.5),
         ["busy", "wrong key"], 4, 1_000),
    case("one attempt is all there is", _came("TimeoutError: busy, attempt 1"), ["busy"], 1, 1_000),
], use=_retried)

FAILS, SUCCEEDS, SHUT = (50, "fails"), (50, "succeeds"), [True, True, True]
BROKEN, AGAIN = [FAILS] * 3, [*[FAILS] * 3, (71, "fails")]

exercise("12.3", "A circuit breaker", "a class with allows(now), failed(now) and succeeded()", [
    case(when, expected, 3, 20, script) for when, script, expected in [
        ("every call succeeds", [SUCCEEDS] * 5, [True] * 5),
        ("as many calls in a row fail as the limit says", [*BROKEN, SUCCEEDS], [*SHUT, False]),
        ("one failure fewer than the limit", [FAILS, FAILS, SUCCEEDS], SHUT),
        ("a success stands between failures", [FAILS, FAILS, SUCCEEDS] * 2, SHUT * 2),
        ("the pause is not over yet", [*BROKEN, (69, "succeeds")], [*SHUT, False]),
        ("the pause is over", [*BROKEN, (71, "succeeds"), (71, "succeeds")], [*SHUT, True, True]),
        ("the first call after the pause fails as well", [*AGAIN, (72, "succeeds")], [*SHUT, True, False]),
        ("the second pause is over", [*AGAIN, (92, "succeeds")], [*SHUT, True, True]),
        ("it was mended and fails anew", [*BROKEN, (71, "succeeds"), *[(72, "fails")] * 3], [*SHUT, True, *SHUT]),
    ]
], use=_let_through)

NAMED = {f"문서 {number}.md": f"content {number}".encode() for number in (4, 1, 3, 2)}
NAMES, HASHES = list(NAMED), {name: sha256(content).hexdigest() for name, content in NAMED.items()}

exercise("12.4", "Ingested exactly once", "a function of stored hashes and files, both by name", [
    case("nothing is stored yet", NAMES, {}, NAMED),
    case("everything is stored already", [], HASHES, NAMED),
    case("the last run was killed half-way", NAMES[2:], dict(list(HASHES.items())[:2]), NAMED),
    case("a file has changed, but not its length", NAMES[2:3], HASHES, {**NAMED, NAMES[2]: b"tnetnoc 3"}),
    case("a stored document comes under another name", [], HASHES, {**NAMED, "copy.md": NAMED[NAMES[0]]}),
    case("two new files hold the same", NAMES, {}, {**NAMED, "copy.md": NAMED[NAMES[0]]}),
    case("a file is empty and nothing is stored", ["empty.md"], {}, {"empty.md": b""}),
    case("no file comes", [], HASHES, {}),
])

WAYS = FIRST, SECOND, THIRD = "served model", "cache", "keyless model"

exercise("12.5", "A safe order to fall back", "a function of (name, function) pairs", [
    case(when, {"came": came, "asked": list(WAYS[:asked])}, dict(zip(WAYS, scripts, strict=True)))
    for when, scripts, came, asked in [
        ("the first way answers", ("yes", "never", "never"), [FIRST, "yes", []], 1),
        ("the first way fails", ("fails", "yes", "never"), [SECOND, "yes", [FIRST]], 2),
        ("a way says nothing", ("", "yes", "never"), [SECOND, "yes", [FIRST]], 2),
        ("a way says nothing but white space", (" \n", "yes", "never"), [SECOND, "yes", [FIRST]], 2),
        ("only the last way answers", ("fails", "", "yes"), [THIRD, "yes", [FIRST, SECOND]], 3),
        ("no way answers", ("fails", "fails", ""), ["", "", list(WAYS)], 3),
        ("the reader interrupts the first way", ("is interrupted", "never", "never"), "interrupted", 1),
    ]
], use=_fallen_back)
# fmt: on


def _gigabytes(given: float) -> bool | str:
    if isclose(given, 50e6 * 1_536 * 4 / 2**30, abs_tol=1.0):
        return Nearly(f"{given} is not it yet: this is in GiB, of 2³⁰ bytes")
    return isclose(given, 307.2, abs_tol=1.0)


def _balanced(owners: Sequence[tuple[str, int]], servers: int) -> Callable[[Any], bool | str]:
    """Whether every owner is placed once, and the fullest server within a third of what cannot be avoided."""
    size_of = dict(owners)
    at_most = max([sum(size_of.values()) / servers, *size_of.values()]) * 4 / 3

    def accept(placed: Any) -> bool | str:
        if kind(placed) != "a list" or any(kind(server) not in ("a list", "a set") for server in placed):
            return f"what comes is {kind(placed)}, not a list of lists"
        if len(placed) != servers:
            return Nearly(f"there are {len(placed)} lists for {servers} servers")
        names = [name for server in placed for name in server]
        if owners and set(names) <= set(owners):
            return Nearly("the lists hold whole owners, and their names are asked for")
        if wrong := misplaced(names, size_of, "owner", "on no server", "on two servers"):
            return wrong
        fullest = max(sum(size_of[name] for name in server) for server in placed)
        said = f"the fullest server holds {fullest:,} chunks, and {at_most:,.0f} are the most that is accepted"
        return fullest <= at_most or Nearly(said)

    return accept


# fmt: off
value("14.1", "Bytes of bare vectors", "a number of GB", 307.2, {
    "this is what the colleague reckons; how many dimensions had those 2,048 bytes?": 102.4,
    "the links of the graph are in it, and bare vectors have none": 409.6,
    "a number in float32 takes more than one byte": 76.8,
    "a number in float32 takes more than two bytes": 153.6,
    "this is the vector of one chunk, in bytes": 6_144,
}, _gigabytes)

MILLION = 1_000_000
OPTIONS = [("halfvec", 1_170, 0.94), ("bits", 349, 0.70), ("float32", 2_048, 0.95)]

exercise("14.2", "The precision that fits", "a function of options as (name, bytes, recall), chunks and memory", [
    case("only a small index fits", "bits", OPTIONS, MILLION, 350 * MILLION),
    case("a larger one fits as well", "halfvec", OPTIONS, MILLION, 1_171 * MILLION),
    case("everything fits", "float32", OPTIONS, MILLION, 10_000 * MILLION),
    case("an index fits to the byte", "halfvec", OPTIONS, MILLION, 1_170 * MILLION),
    case("none fits", "", OPTIONS, MILLION, 100 * MILLION),
    case("two find the same", "narrow",
         [("wide", 900, 0.9), ("narrow", 500, 0.9), ("poor", 100, 0.5)], MILLION, 900 * MILLION),
], {
    "the whole option comes, and its name is asked for": OPTIONS[1],
    "the bytes are those of one chunk": "float32",
})

EAST, WEST = ("east", 4_800), ("west", 5_200)

exercise("14.3", "Reading one's own write", "a function of a position (or None) and replicas as (name, position)", [
    case("one replica has the write", "west", 5_000, [EAST, WEST]),
    case("no replica has the write", "primary", 5_000, [EAST]),
    case("a replica is exactly at the write", "north", 5_000, [("north", 5_000), EAST]),
    case("the client wrote nothing", "east", None, [EAST]),
    case("the client wrote nothing and there are several", "west", None, [WEST, EAST]),
    case("there is no replica", "primary", 5_000, []),
    case("there is no replica and nothing was written", "primary", None, []),
], {
    "its position comes as well, and its name is asked for": WEST,
    "is there no replica that has the write?": "primary",
    "this replica does not have the write": "east",
})

exercise("14.4", "Owners by size", "a function of owners as (name, chunks) and a number of servers", [
    case(when, _balanced(owners, 4), owners, 4) for when, owners in {
        when: [(f"owner {number}", size) for number, size in enumerate(sizes)] for when, sizes in {
            "all owners are alike": [1_000] * 12,
            "one owner is as large as all others": [10_000, *[500] * 20],
            "sizes differ": [number**2 % 4_999 + 10 for number in range(100, 1_000, 30)],
            "one owner is as large as three others": [*[100] * 12, 400],
            "there are fewer owners than servers": [5, 6],
            "there are no owners": [],
        }.items()
    }.items()
])
