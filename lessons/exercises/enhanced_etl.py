"""The exercises of notebook 02: sentences in chunks, overlap, headings, and keywords."""

from collections.abc import Sequence
from itertools import pairwise
from random import Random

from lessons.exercises.cases import Case, Cases, choice, exercise

PARTS = [
    "Budgets start anew",
    "예산은 매월 새로 시작합니다",
    "Ask an owner",
    "알림은 한 번만 옵니다",
    "Nothing is billed",
    "Yes",
]
WORDS = ["budget", "alert", "invoice", "region", "예산", "알림", "분기", "매출"]

choice("02.1", "Half the chunk.", "b", {
    "a": "whether it finds more, only a measurement tells",
    "c": "every word is embedded, wherever a chunk ends",
})  # fmt: skip


def _groups(sentences: Sequence[str], size: int) -> list[list[str]]:
    chunks: list[list[str]] = []
    for sentence in sentences:
        if chunks and sum(map(len, [*chunks[-1], sentence])) <= size:
            chunks[-1].append(sentence)
        else:
            chunks.append([sentence])
    return chunks


def _packed(sentences: Sequence[str], size: int) -> list[str]:
    return list(map("".join, _groups(sentences, size)))


PACKED = {
    "what follows a sentence is lost": lambda sentences, size: [
        "".join(map(str.strip, chunk)) for chunk in _groups(sentences, size)
    ],
    "the sentences of a chunk are not joined": _groups,
}


@exercise("02.2", _packed, PACKED)
def pack(random: Random) -> Cases:
    """Whole sentences in a chunk. Expects a function of sentences (each with what follows it) and a size."""
    sentences = [f"{random.choice(PARTS)}.{random.choice([' ', '  ', chr(10)])}" for _ in range(12)]
    yield "chunks hold several sentences", sentences, 60
    yield "a chunk is exactly full", sentences[:2], len(sentences[0]) + len(sentences[1])
    long = "a very long sentence " * 4
    yield "a sentence is longer than a chunk", [*sentences[:2], long, *sentences[2:]], 60
    yield "the first sentence is longer than a chunk", [long, *sentences], 60
    yield "there are no sentences", [], 60


def _overlapped(chunks: Sequence[list[str]], room: int) -> list[list[str]]:
    made = [list(chunk) for chunk in chunks[:1]]
    for before, chunk in pairwise(chunks):
        tails = (before[start:] for start in range(len(before) + 1))
        made.append([*next(tail for tail in tails if sum(map(len, tail)) <= room), *chunk])
    return made


OVERLAPS = {
    "one sentence is repeated, however many fit": lambda chunks, room: [
        *chunks[:1],
        *([*before[-1:], *chunk] for before, chunk in pairwise(chunks)),
    ],
}


@exercise("02.3", _overlapped, OVERLAPS)
def with_overlap(random: Random) -> Cases:
    """Overlap. Expects a function of chunks, lists of sentences, and how many characters may be repeated."""
    chunks = [[f"{random.choice(PARTS)}. " for _ in range(4)] for _ in range(3)]
    yield "there is room for a sentence or two", chunks, 50
    yield "the repeated sentences fill the room exactly", chunks[:2], len(chunks[0][-1]) + len(chunks[0][-2])
    yield "nothing may be repeated", chunks, 0
    yield "there is room for more than the chunk before", chunks, 1_000
    late = [["Yes. ", "No. ", "a long sentence " * 5], ["Ask. "]]
    yield "the last sentence is too long to be repeated", late, 30
    yield "there are no chunks", [], 30


def _placed(lines: Sequence[str]) -> list[tuple[str, str]]:
    path: dict[int, str] = {}
    found = []
    for line in lines:
        marks, _, title = line.partition(" ")
        if set(marks) == {"#"}:
            path = {level: each for level, each in path.items() if level < len(marks)} | {len(marks): title}
        else:
            found.append((" > ".join(path.values()), line))
    return found


PLACES = {
    "the path is only the last heading": lambda lines: [(path.split(" > ")[-1], line) for path, line in _placed(lines)],
    "the headings of a path are not joined": lambda lines: [(path.split(" > "), line) for path, line in _placed(lines)],
    "a pair is the path first, then the line": lambda lines: [(line, path) for path, line in _placed(lines)],
}


@exercise("02.4", _placed, PLACES)
def paths(random: Random) -> Cases:
    """Where a line belongs. Expects a function of the lines of a Markdown file."""
    a, b, c, d = random.sample(WORDS, 4)
    text = "It is text."
    yield "headings have two levels", [f"# {a}", f"## {b}", text, f"## {c}", text]
    yield "a chapter follows a section", [f"# {a}", f"## {b}", text, f"# {c}", text, f"## {d}", text]
    yield "a level is left out", [f"# {a}", f"#### {b}", text, f"### {c}", text, f"## {d}", text]
    yield "text stands before the first heading", [text, f"# {a}", text]
    yield "a line begins with # and is no heading", [f"# {a}", f"#{random.randint(1, 9)} is late", text]
    yield "there are no lines", []


@exercise("02.5")
def kept_keywords(random: Random) -> Cases:
    """Keywords worth keeping. Expects a function of keywords, the chunk's text, and the texts of all chunks."""
    words = random.sample(WORDS, 6)
    text = " ".join(words[:5])
    others = [" ".join(random.sample(["cost", "비용", "team"], 2)) for _ in range(5)]
    chunks = [text, *others]
    one, two, three = words[:3]
    yield Case("all are in the text and rare", (words[:3], text, chunks), words[:3])
    yield Case("a model has invented one", ([words[5], one, two], text, chunks), [one, two])
    yield Case("one is given twice, once in capitals", ([one, one.upper(), two] * 2, text, chunks), [one, two])
    often, half = [text, *[two] * 3, *others[:1]], [text, three, *others[:2]]
    yield Case("one stands in more than half of all chunks", (words[:3], text, often), [one, three])
    yield Case("one stands in exactly half of all chunks", (words[:3], text, half), words[:3])
    yield Case("there are no keywords", ([], text, chunks), [])
