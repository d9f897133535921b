"""The exercises of notebook 02."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random

from lessons.exercises.choice import chosen
from lessons.exercises.registry import Case, exercise

PARTS = [
    "Budgets start anew",
    "예산은 매월 새로 시작합니다",
    "Ask an owner",
    "알림은 한 번만 옵니다",
    "Nothing is billed",
    "Yes",
]
WORDS = ["budget", "alert", "invoice", "region", "예산", "알림", "분기", "매출"]


@exercise("02.1", "Half the chunk", "one of the letters 'a', 'b' and 'c'", rounds=1)
def half_the_chunk(random: Random) -> Iterator[Case]:
    yield from chosen(
        "b",
        {"a": "whether it finds more, only a measurement tells", "c": "every word is embedded, wherever a chunk ends"},
    )


PACKED = {
    "what follows a sentence is lost": lambda sentences, size: [
        "".join(each.strip() for each in chunk) for chunk in _groups(sentences, size)
    ],
    "the sentences of a chunk are not joined": lambda sentences, size: _groups(sentences, size),
}


@exercise(
    "02.2", "Whole sentences in a chunk", "a function of sentences (each with what follows it) and a size", slips=PACKED
)
def pack(random: Random) -> Iterator[Case]:
    sentences = [f"{random.choice(PARTS)}.{random.choice([' ', '  ', chr(10)])}" for _ in range(12)]
    yield _packed("chunks hold several sentences", sentences, 60)
    exact = len(sentences[0]) + len(sentences[1])
    yield _packed("a chunk is exactly full", sentences[:2], exact)
    long = "a very long sentence " * 4
    yield _packed("a sentence is longer than a chunk", [*sentences[:2], long, *sentences[2:]], 60)
    yield _packed("the first sentence is longer than a chunk", [long, *sentences], 60)
    yield _packed("there are no sentences", [], 60)


OVERLAPS = {
    "one sentence is repeated, however many fit": lambda chunks, room: [
        *chunks[:1],
        *([*before[-1:], *chunk] for before, chunk in pairwise(chunks)),
    ],
}


@exercise(
    "02.3",
    "Overlap",
    "a function of chunks, lists of sentences, and how many characters may be repeated",
    slips=OVERLAPS,
)
def with_overlap(random: Random) -> Iterator[Case]:
    chunks = [[f"{random.choice(PARTS)}. " for _ in range(4)] for _ in range(3)]
    yield _overlapping("there is room for a sentence or two", chunks, 50)
    exact = len(chunks[0][-1]) + len(chunks[0][-2])
    yield _overlapping("the repeated sentences fill the room exactly", chunks[:2], exact)
    yield _overlapping("nothing may be repeated", chunks, 0)
    yield _overlapping("there is room for more than the chunk before", chunks, 1_000)
    late = [["Yes. ", "No. ", "a long sentence " * 5], ["Ask. "]]
    yield _overlapping("the last sentence is too long to be repeated", late, 30)
    yield _overlapping("there are no chunks", [], 30)


PLACES = {
    "the path is only the last heading": lambda lines: [(path.split(" > ")[-1], line) for path, line in _placed(lines)],
    "the headings of a path are not joined": lambda lines: [(path.split(" > "), line) for path, line in _placed(lines)],
    "a pair is the path first, then the line": lambda lines: [(line, path) for path, line in _placed(lines)],
}


@exercise("02.4", "Where a line belongs", "a function of the lines of a Markdown file", slips=PLACES)
def paths(random: Random) -> Iterator[Case]:
    a, b, c, d = random.sample(WORDS, 4)
    text = "It is text."
    yield _paths("headings have two levels", [f"# {a}", f"## {b}", text, f"## {c}", text])
    yield _paths("a chapter follows a section", [f"# {a}", f"## {b}", text, f"# {c}", text, f"## {d}", text])
    yield _paths("a level is left out", [f"# {a}", f"#### {b}", text, f"### {c}", text, f"## {d}", text])
    yield _paths("text stands before the first heading", [text, f"# {a}", text])
    yield _paths("a line begins with # and is no heading", [f"# {a}", f"#{random.randint(1, 9)} is late", text])
    yield Case("there are no lines", ([],), [])


@exercise("02.5", "Keywords worth keeping", "a function of keywords, the chunk's text, and the texts of all chunks")
def kept_keywords(random: Random) -> Iterator[Case]:
    words = random.sample(WORDS, 6)
    text = " ".join(words[:5])
    others = [" ".join(random.sample(["cost", "비용", "team"], 2)) for _ in range(5)]
    chunks = [text, *others]
    yield _keywords("all are in the text and rare", words[:3], text, chunks)
    yield _keywords("a model has invented one", [words[5], *words[:2]], text, chunks)
    yield _keywords("one is given twice, once in capitals", [words[0], words[0].upper(), words[1]] * 2, text, chunks)
    yield _keywords("one stands in more than half of all chunks", words[:3], text, [text, *[words[1]] * 3, *others[:1]])
    yield _keywords("one stands in exactly half of all chunks", words[:3], text, [text, words[2], *others[:2]])
    yield _keywords("there are no keywords", [], text, chunks)


def _packed(when: str, sentences: Sequence[str], size: int) -> Case:
    return Case(when, (sentences, size), ["".join(chunk) for chunk in _groups(sentences, size)])


def _groups(sentences: Sequence[str], size: int) -> list[list[str]]:
    chunks: list[list[str]] = []
    for sentence in sentences:
        if chunks and sum(map(len, [*chunks[-1], sentence])) <= size:
            chunks[-1].append(sentence)
        else:
            chunks.append([sentence])
    return chunks


def _overlapping(when: str, chunks: Sequence[list[str]], room: int) -> Case:
    return Case(when, (chunks, room), _overlapped(chunks, room))


def _overlapped(chunks: Sequence[list[str]], room: int) -> list[list[str]]:
    made = [list(chunk) for chunk in chunks[:1]]
    for before, chunk in pairwise(chunks):
        tails = (before[start:] for start in range(len(before) + 1))
        made.append([*next(tail for tail in tails if sum(map(len, tail)) <= room), *chunk])
    return made


def _paths(when: str, lines: Sequence[str]) -> Case:
    return Case(when, (lines,), _placed(lines))


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


def _keywords(when: str, keywords: Sequence[str], text: str, chunks: Sequence[str]) -> Case:
    kept: dict[str, str] = {}
    for keyword in keywords:
        small = keyword.lower()
        times = sum(small in chunk.lower() for chunk in chunks)
        if small in text.lower() and times <= len(chunks) / 2:
            kept.setdefault(small, keyword)
    return Case(when, (keywords, text, chunks), list(kept.values()))
