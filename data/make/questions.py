"""Golden questions written as `golden.txt` beside a world's texts, completed with the pages of their evidence.

A question is a block of lines `field: value`, blocks are separated by a blank line. Fields: `q` question,
`as` language, category and, if it is not the reader, owner, `a` answer, `k` key facts separated by `;`
(alternatives by `|`), `e` evidence as `file :: exact words`, `o` another place that states what the `e` above it
states, `user` and `assistant` the turns before. All but the first three may be repeated.
"""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from data.make.extract import find

CATEGORIES = {
    "fact",
    "identifier",
    "comparison",
    "summary",
    "inference",
    "follow-up",
    "multi-part",
    "unanswerable",
}
APART = {"two-subjects", "two-periods", "bridge", "english-document", "korean-document", "both"}
"""Categories of the sets that are reported apart (`data.make.multihop`)."""


def questions(world: str, folder: str, corpus: Path) -> dict[str, list[dict]]:
    """`{world: questions}`; raises ValueError for an unknown field or category and for words not in the file."""
    quoted = partial(evidence, world=world, corpus=corpus)
    return {world: completed(world, blocks(Path(folder) / "golden.txt"), quoted)}


def blocks(source: Path) -> list[list[tuple[str, str]]]:
    """The (field, value) pairs of each block of a file."""
    texts = source.read_text(encoding="utf-8").strip().split("\n\n")
    lines = [[line.partition(": ") for line in text.splitlines()] for text in texts]
    return [[(field, value) for field, _, value in block] for block in lines]


def completed(
    world: str, written: Iterable[Iterable[tuple[str, str]]], quoted: Callable[[str, str], dict]
) -> list[dict]:
    """The questions of blocks, dealt to dev and test in turn, category by category and language by language.

    `quoted(id, value)` is what an `e` or `o` line of the question stands for.
    """
    found = [as_question(f"{world}-{number:03}", fields, quoted) for number, fields in enumerate(written, start=1)]
    dealt = sorted(found, key=lambda question: (question["category"], question["language"], question["id"]))
    for position, question in enumerate(dealt):
        question["split"] = "test" if position % 2 else "dev"
    return found


def as_question(name: str, written: Iterable[tuple[str, str]], quoted: Callable[[str, str], dict]) -> dict:
    """One question of the fields of a block; raises ValueError for an unknown field or category."""
    fields: dict[str, list[str]] = {key: [] for key in ("q", "as", "a", "k")}
    history, items = [], []
    for key, value in written:
        if key in ("user", "assistant"):
            history.append({"role": key, "content": value})
        elif key in ("e", "o"):
            items.append((key, quoted(name, value)))
        elif key in fields:
            fields[key].append(value)
        else:
            raise ValueError(f"{name} has an unknown field {key!r}.")
    language, category, owner = [*fields["as"][0].split(), "reader"][:3]
    if category not in CATEGORIES | APART:
        raise ValueError(f"{name} has the unknown category {category!r}.")
    return {
        "id": name,
        "question": fields["q"][0],
        "language": language,
        "category": category,
        "answer": fields["a"][0],
        "key_facts": [fact.strip() for line in fields["k"] for fact in line.split(";")],
        "evidence": gathered(items),
        "history": history,
        "split": "",
        "owner": owner,
    }


def gathered(items: Iterable[tuple[str, dict]]) -> list[dict]:
    """The evidence (`e`) in order, each with the other places (`o`) that follow it as `any_of`, if there are any."""
    found: list[dict] = []
    for field, place in items:
        if field == "e":
            found.append(place)
        else:
            found[-1].setdefault("any_of", []).append(place)
    return found


def evidence(name: str, line: str, world: str, corpus: Path) -> dict:
    """File, page and words of `file :: exact words`; raises ValueError where the file does not hold the words."""
    file, _, quote = line.partition(" :: ")
    source = f"{world}/{file}"
    pages = find(corpus / source, quote)
    if not pages or len(quote) > 200:
        raise ValueError(f"{name}: {source} does not hold these words on one page, or they are too many: {quote!r}.")
    return {"source_file": source, "page": pages[0], "quote": quote}
