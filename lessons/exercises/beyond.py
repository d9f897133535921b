"""The exercises of notebook 14: bytes, precision, replicas, and shards."""

from collections.abc import Callable, Sequence
from math import isclose
from random import Random
from typing import Any

from lessons.exercises.cases import Case, Cases, exercise, value
from lessons.exercises.comparing import Nearly, kind

BYTES = {
    "this is what the colleague reckons; how many dimensions had those 2,048 bytes?": 102.4,
    "the links of the graph are in it, and bare vectors have none": 409.6,
    "a number in float32 takes more than one byte": 76.8,
    "a number in float32 takes more than two bytes": 153.6,
    "this is the vector of one chunk, in bytes": 6_144,
}


def _gigabytes(given: float) -> bool | str:
    if isclose(given, 50e6 * 1_536 * 4 / 2**30, abs_tol=1.0):
        return Nearly(f"{given} is not it yet: this is in GiB, of 2³⁰ bytes")
    return isclose(given, 307.2, abs_tol=1.0)


value("14.1", "Bytes of bare vectors. Expects a number of GB.", 307.2, BYTES, _gigabytes)


def _fitting(options: Sequence[tuple[str, int, float]], chunks: int, memory: int) -> tuple[str, int, float]:
    return max((each for each in options if each[1] * chunks <= memory), key=lambda each: each[2])


PRECISIONS = {
    "the whole option comes, and its name is asked for": _fitting,
    "the bytes are those of one chunk": lambda options, chunks, memory: _fitting(options, 1, memory)[0],
}


@exercise("14.2", slips=PRECISIONS)
def precision(random: Random) -> Cases:
    """The precision that fits. Expects a function of options as (name, bytes, recall), chunks and memory."""
    chunks = random.randint(1, 50) * 1_000_000
    options = [("float32", 2_048, 0.95), ("halfvec", 1_170, 0.94), ("bits", 349, 0.70)]
    random.shuffle(options)
    yield Case("only a small index fits", (options, chunks, 349 * chunks + random.randint(1, 1_000)), "bits")
    yield Case("a larger one fits as well", (options, chunks, 1_170 * chunks + random.randint(1, 1_000)), "halfvec")
    yield Case("everything fits", (options, chunks, 10_000 * chunks), "float32")
    yield Case("an index fits to the byte", (options, chunks, 1_170 * chunks), "halfvec")
    yield Case("none fits", (options, chunks, 100 * chunks), "")
    alike = [("wide", 900, 0.9), ("narrow", 500, 0.9), ("poor", 100, 0.5)]
    yield Case("two find the same", (random.sample(alike, 3), chunks, 900 * chunks), "narrow")


SERVERS = {
    "its position comes as well, and its name is asked for": lambda wrote, replicas: max(
        replicas, key=lambda each: each[1]
    ),
    "is there no replica that has the write?": lambda wrote, replicas: "primary",
    "this replica does not have the write": lambda wrote, replicas: min(replicas, key=lambda each: each[1])[0],
}


@exercise("14.3", slips=SERVERS)
def server(random: Random) -> Cases:
    """Reading one's own write. Expects a function of a position (or None) and replicas as (name, position)."""
    at = random.randint(1_000, 9_000)
    behind, ahead = ("east", at - random.randint(1, 500)), ("west", at + random.randint(1, 500))
    yield Case("one replica has the write", (at, random.sample([behind, ahead], 2)), "west")
    yield Case("no replica has the write", (at, [behind]), "primary")
    yield Case("a replica is exactly at the write", (at, [("north", at), behind]), "north")
    yield Case("the client wrote nothing", (None, [behind]), "east")
    yield Case("the client wrote nothing and there are several", (None, [behind, ahead]), "west")
    yield Case("there is no replica", (at, []), "primary")
    yield Case("there is no replica and nothing was written", (None, []), "primary")


@exercise("14.4")
def shares(random: Random) -> Cases:
    """Owners by size. Expects a function of owners as (name, chunks) and a number of servers."""
    for when, chunks in {
        "all owners are alike": [1_000] * 12,
        "one owner is as large as all others": [10_000, *([500] * 20)],
        "sizes differ": [random.randint(10, 5_000) for _ in range(30)],
        "one owner is as large as three others": [*([100] * 12), 400],
        "there are fewer owners than servers": [5, 6],
        "there are no owners": [],
    }.items():
        owners = [(f"owner {number}", size) for number, size in enumerate(chunks)]
        yield Case(when, (owners, 4), accept=_balanced(owners, 4))


def _balanced(owners: list[tuple[str, int]], servers: int) -> Callable[[Any], bool | str]:
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
        if sorted(names) != sorted(size_of):
            return _misplaced(names, size_of)
        fullest = max(sum(size_of[name] for name in server) for server in placed)
        said = f"the fullest server holds {fullest:,} chunks, and {at_most:,.0f} are the most that is accepted"
        return fullest <= at_most or Nearly(said)

    return accept


def _misplaced(names: list[Any], size_of: dict[str, int]) -> str:
    if unknown := [name for name in names if name not in size_of]:
        return f"{unknown[0]!r} is no owner"
    lost = len(size_of) - len(set(names))
    return Nearly(f"{lost} owners are on no server" if lost else "an owner is on two servers")
