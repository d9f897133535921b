"""Golden dialogues: conversations of six to fourteen turns in which much is left out, said early or corrected later.

`english.txt` and `korean.txt` hold them as blocks, one a turn. `== name: language owner` begins a dialogue. Fields of
a turn: `q` what the user says, `a` answer, `k` key facts separated by `;` (alternatives by `|`), `e` evidence in a
document as `file :: exact words`, `s` evidence in the conversation as `turn :: exact words of the user`, `n` the turns
that hold what the question leaves out, `t` the kind of question if it is not a plain one or a reference. A turn without
an answer is not judged.
"""

from pathlib import Path

from data.make.document import Document
from data.make.questions import evidence

FOLDER = Path(__file__).parent
KINDS = ("plain", "reference", "return", "stated", "corrected")
"""Stands alone · leaves something out · returns to an earlier topic · asks what the user said · and corrected since."""


def documents() -> list[Document]:
    """The dialogues are about documents of the other worlds."""
    return []


def golden(corpus: Path) -> dict[str, list[dict]]:
    """The dialogues of either language; raises ValueError for a field, kind or quote that is not right."""
    return {f"dialogues/{path.stem}": _dialogues(path, corpus) for path in sorted(FOLDER.glob("*.txt"))}


def _dialogues(path: Path, corpus: Path) -> list[dict]:
    found = []
    for number, text in enumerate(path.read_text(encoding="utf-8").removeprefix("== ").split("\n\n== ")):
        head, _, rest = text.partition("\n")
        name, _, kind = head.partition(": ")
        language, owner = kind.split()
        turns: list[dict] = []
        for block in rest.strip().split("\n\n"):
            turns.append(_turn(f"{name}, turn {len(turns) + 1}", block, turns, corpus))
        split = "test" if number % 2 else "dev"
        found.append({"id": name, "language": language, "owner": owner, "split": split, "turns": turns})
    return found


def _turn(place: str, block: str, before: list[dict], corpus: Path) -> dict:
    fields: dict[str, list[str]] = {key: [] for key in "qaktens"}
    for line in block.splitlines():
        key, _, value = line.partition(": ")
        if key not in fields:
            raise ValueError(f"{place} has an unknown field in {line!r}.")
        fields[key].append(value)
    turn: dict = {"question": fields["q"][0]}
    if not fields["a"]:
        return turn
    needs = [int(number) for line in fields["n"] for number in line.split()]
    kind = next(iter(fields["t"]), "reference" if needs else "plain")
    if kind not in KINDS or not all(0 < number <= len(before) for number in needs):
        raise ValueError(f"{place} is of an unknown kind or needs a turn that is not before it.")
    return turn | {
        "kind": kind,
        "needs": needs,
        "answer": fields["a"][0],
        "key_facts": [fact.strip() for line in fields["k"] for fact in line.split(";")],
        "evidence": [_in_document(place, line, corpus) for line in fields["e"]],
        "said": [_in_conversation(place, line, before) for line in fields["s"]],
    }


def _in_document(place: str, line: str, corpus: Path) -> dict:
    world, _, rest = line.partition("/")
    return evidence(place, rest, world, corpus)


def _in_conversation(place: str, line: str, before: list[dict]) -> dict:
    number, _, quote = line.partition(" :: ")
    if quote not in before[int(number) - 1]["question"]:
        raise ValueError(f"{place}: turn {number} does not say {quote!r}.")
    return {"turn": int(number), "quote": quote}
