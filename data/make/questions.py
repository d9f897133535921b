"""Read the golden questions and dialogues in `data/sources`, and look up the pages of their evidence.

A question is a block of lines `field: value`; blank lines separate blocks. Fields: `q` question, `as` language,
category and, if it is not the reader, owner, `a` answer, `k` key facts separated by `;` (alternatives by `|`), `e`
evidence as `file :: exact words`, `o` another place that states what the `e` above it states, `user` and `assistant`
the turns before. All but the first three may be repeated. `…` stands for words that a quote leaves out.

`multihop` asks for several passages (`dev.txt`, `test.txt`), and for one fact in both languages (`pairs_*.txt`, where
`pair` names the two).

In `dialogues`, a block is a turn and `d: name language owner` begins a dialogue. A turn has also `s`, evidence in the
conversation as `turn :: exact words of the user`, `n`, the turns that hold what the question leaves out, and `t`, the
kind of turn if it is not plain or a reference. A turn without an answer is not judged.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from data.make.extract import find
from data.make.sources import SOURCES

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
MULTIHOP = {"two-subjects", "two-periods", "bridge", "english-document", "korean-document", "both"}
"""Categories of the sets over several worlds, which are reported separately."""

TURNS = {"plain", "reference", "return", "stated", "corrected"}
"""Stands alone · leaves something out · returns to an earlier topic · asks what the user said · and corrected since."""

LONGEST = 200  # characters of a quote
Block = list[tuple[str, str]]
Cite = Callable[[str, str], dict]


def read_blocks(path: str) -> list[Block]:
    """Return the (field, value) pairs of each block of a file below `data/sources`."""
    texts = (SOURCES / path).read_text(encoding="utf-8").strip().split("\n\n")
    lines = [[line.partition(": ") for line in text.splitlines()] for text in texts]
    return [[(field, value) for field, _, value in block] for block in lines]


def world_questions(world: str, corpus: Path) -> list[dict]:
    """Return the questions of a world; raise ValueError for an unknown field or category, or a quote not found."""
    return split_questions(world, read_blocks(f"{world}/questions.txt"), partial(cite, corpus=corpus))


def split_questions(world: str, blocks: Iterable[Block], cite: Cite) -> list[dict]:
    """Return the questions of blocks, dealt to dev and test in turn, category by category and language by language."""
    questions = [question(f"{world}-{number:03}", block, cite) for number, block in enumerate(blocks, start=1)]
    dealt = sorted(questions, key=lambda item: (item["category"], item["language"], item["id"]))
    for position, item in enumerate(dealt):
        item["split"] = "test" if position % 2 else "dev"
    return questions


def multihop_questions(corpus: Path) -> dict[str, list[dict]]:
    """Return the questions over several passages, and those that are asked in both languages, by file name."""
    several, pairs = [], []
    for split in ("dev", "test"):
        for number, block in enumerate(read_blocks(f"multihop/{split}.txt"), start=1):
            several.append(question(f"multihop-{split}-{number:03}", block, partial(cite, corpus=corpus)))
            several[-1]["split"] = split
        for block in read_blocks(f"multihop/pairs_{split}.txt"):
            fields = dict(block)
            name = f"{fields['pair']}-{fields['as'].split()[0]}"
            unpaired = [(field, value) for field, value in block if field != "pair"]
            pairs.append(question(name, unpaired, partial(cite, corpus=corpus)) | {"split": split})
    return {"multihop/questions": several, "bilingual/questions": pairs}


def question(name: str, block: Block, cite: Cite) -> dict:
    """Return the golden question of a block; raise ValueError for an unknown field or category."""
    fields, history, evidence = _fields(name, block, {"q", "as", "a", "k", "e", "o", "user", "assistant"}), [], []
    for field, value in block:
        if field in ("user", "assistant"):
            history.append({"role": field, "content": value})
        elif field == "e":
            evidence.append(cite(name, value))
        elif field == "o":
            evidence[-1].setdefault("any_of", []).append(cite(name, value))
    language, category, owner = [*fields["as"][0].split(), "reader"][:3]
    if category not in CATEGORIES | MULTIHOP:
        raise ValueError(f"{name} has the unknown category {category!r}.")
    return {
        "id": name,
        "question": fields["q"][0],
        "language": language,
        "category": category,
        "answer": fields["a"][0],
        "key_facts": _key_facts(fields),
        "evidence": evidence,
        "history": history,
        "split": "",
        "owner": owner,
    }


def _fields(name: str, block: Block, allowed: set[str]) -> dict[str, list[str]]:
    fields = defaultdict[str, list[str]](list)
    for field, value in block:
        if field not in allowed:
            raise ValueError(f"{name} has an unknown field {field!r}.")
        fields[field].append(value)
    return fields


def _key_facts(fields: dict[str, list[str]]) -> list[str]:
    return [fact.strip() for line in fields["k"] for fact in line.split(";")]


def cite(name: str, line: str, corpus: Path) -> dict:
    """Return file, page and words of `file :: exact words`; raise ValueError if no page of the file holds the words."""
    source, _, quote = line.partition(" :: ")
    pages = find(corpus / source, quote)
    if not pages or len(quote) > LONGEST:
        raise ValueError(f"{name}: {source} does not hold these words on one page, or they are too many: {quote!r}.")
    return {"source_file": source, "page": pages[0], "quote": quote}


def dialogues(corpus: Path) -> dict[str, list[dict]]:
    """Return the dialogues of each language by file name; raise ValueError for a wrong field, kind or quote."""
    return {f"dialogues/{name}": _dialogues(f"dialogues/{name}.txt", corpus) for name in ("english", "korean")}


def _dialogues(path: str, corpus: Path) -> list[dict]:
    conversations: list[dict] = []
    for block in read_blocks(path):
        if block[0][0] == "d":
            name, language, owner = block.pop(0)[1].split()
            split = "test" if len(conversations) % 2 else "dev"
            conversations.append({"id": name, "language": language, "owner": owner, "split": split, "turns": []})
        turns = conversations[-1]["turns"]
        turns.append(_turn(f"{conversations[-1]['id']}, turn {len(turns) + 1}", block, turns, corpus))
    return conversations


def _turn(name: str, block: Block, previous: list[dict], corpus: Path) -> dict:
    fields = _fields(name, block, set("qaktens"))
    turn: dict = {"question": fields["q"][0]}
    if not fields["a"]:
        return turn
    needs = [int(number) for line in fields["n"] for number in line.split()]
    kind = next(iter(fields["t"]), "reference" if needs else "plain")
    if kind not in TURNS or not all(0 < number <= len(previous) for number in needs):
        raise ValueError(f"{name} is of an unknown kind or needs a turn that does not precede it.")
    return turn | {
        "kind": kind,
        "needs": needs,
        "answer": fields["a"][0],
        "key_facts": _key_facts(fields),
        "evidence": [cite(name, line, corpus) for line in fields["e"]],
        "said": [_cite_turn(name, line, previous) for line in fields["s"]],
    }


def _cite_turn(name: str, line: str, previous: list[dict]) -> dict:
    number, _, quote = line.partition(" :: ")
    if quote not in previous[int(number) - 1]["question"]:
        raise ValueError(f"{name}: turn {number} does not contain {quote!r}.")
    return {"turn": int(number), "quote": quote}
