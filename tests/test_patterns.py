"""No regular expression takes more than linear time, whatever a user, a document or a model sends."""

import ast
import pkgutil
import re
import re._constants as op
import re._parser as parser
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from time import thread_time
from types import ModuleType
from typing import Any

import pytest

import lessons
from lessons.context.guard import read_constraints
from lessons.evaluate.plots import shortened

LONG = 30_000  # characters
MOST = 0.9  # seconds of the processor; a linear pattern takes a quarter of it, a quadratic one more than a second
ALONE = {"match": re.Pattern.match, "fullmatch": re.Pattern.fullmatch}
COMMON = ["a", "1", " ", "가", "\n", ".", "a ", "1,", "a-", "["]
KINDS = {op.CATEGORY_DIGIT: "1", op.CATEGORY_SPACE: " ", op.CATEGORY_NOT_WORD: "-"}
INLINE = {f"re.{name}" for name in ("sub", "search", "findall", "finditer", "split")}
Reader = Callable[[re.Pattern, str], Any]


def everywhere(pattern: re.Pattern, text: str) -> None:
    """As `sub`, `findall` and a `search` in vain do."""
    for _ in pattern.finditer(text):
        pass


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(lessons.__path__, "lessons."):
        yield import_module(found.name)


def patterns(value: Any) -> Iterator[re.Pattern]:
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for each in value.values() if isinstance(value, dict) else value:
            yield from patterns(each)


def used() -> dict[tuple[str, int, Reader], str]:
    """Every pattern with the way in which its module reads it, and where it stands."""
    found: dict[tuple[str, int, Reader], str] = {}
    for module in modules():
        source = Path(str(module.__file__)).read_text(encoding="utf-8")
        for name, value in vars(module).items():
            ways = set(re.findall(rf"\b{name}\.(\w+)\b", source)) - {"pattern"} or {"search"}
            for pattern in patterns(value):
                for way in ways:
                    found[pattern.pattern, pattern.flags, ALONE.get(way, everywhere)] = f"{module.__name__}.{name}"
        for node in ast.walk(ast.parse(source)):
            if (
                isinstance(node, ast.Call)
                and ast.unparse(node.func) in INLINE
                and isinstance(node.args[0], ast.Constant)
            ):
                found[node.args[0].value, 0, everywhere] = f"{module.__name__}:{node.lineno}"
    return found


def sample(tree: Any, random: Random, repeated: set[str]) -> str:
    """A text much like one that matches; what the pattern lets repeat is gathered in `repeated`."""
    text = ""
    for kind, what in tree:
        if kind is op.LITERAL:
            text += chr(what)
        elif kind is op.IN:
            text += member(random.choice(what))
        elif kind is op.BRANCH:
            text += sample(random.choice(what[1]), random, repeated)
        elif kind in (op.SUBPATTERN, op.ATOMIC_GROUP):
            text += sample(what[3] if kind is op.SUBPATTERN else what, random, repeated)
        elif kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
            part = sample(what[2], random, repeated)
            text += part * max(1, what[0])
            repeated.add(part)
        elif kind not in (op.ASSERT, op.ASSERT_NOT, op.AT):
            text += "a"
    return text


def member(kind_and_what: tuple[Any, Any]) -> str:
    kind, what = kind_and_what
    if kind is op.LITERAL:
        return chr(what)
    return chr(what[1]) if kind is op.RANGE else KINDS.get(what, "a")


def hostile(pattern: re.Pattern) -> Iterator[tuple[str, str]]:
    """How a text begins and what it then repeats: parts of the pattern, and texts much like a match."""
    random, repeated = Random(0), set[str]()
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)
    whole = sorted({sample(tree, random, repeated) for _ in range(3)})
    repeats = sorted(repeated)
    for unit in dict.fromkeys([*COMMON, *repeats, *whole, *(each[:-1] for each in whole)]):
        yield "", unit
    for begun in whole:
        yield from ((begun[: len(begun) // 2], unit) for unit in repeats[:3])


def made(beginning: str, unit: str) -> str:
    return f"{beginning}{unit * (LONG // max(1, len(unit)))}\x01"


def seconds(read: Reader, pattern: re.Pattern, text: str) -> float:
    began = thread_time()
    read(pattern, text)
    return thread_time() - began


def test_every_pattern_takes_linear_time() -> None:
    slow = set()
    for (text, flags, read), name in used().items():
        pattern = re.compile(text, flags)
        for parts in hostile(pattern):
            if seconds(read, pattern, made(*parts)) > MOST:
                slow.add((name, parts))
    assert not slow


@pytest.mark.parametrize("question", ["었" * 60 + "갸", "었" * 60 + "갸요 언제"])
def test_endings_that_can_be_read_in_many_ways_are_read_at_once(question: str) -> None:
    began = thread_time()
    read_constraints(question)
    assert thread_time() - began < 1


def test_a_long_text_is_shortened_at_once() -> None:
    began = thread_time()
    assert shortened("-" * 100_000, 5) == "--…--"
    assert thread_time() - began < 1
