"""Questions that need several passages, and facts that are asked in both languages, over the documents of all worlds.

`dev.txt` and `test.txt` hold blocks as `golden.txt` of a world does, with the whole path of each document. Each split
was written by authors who knew the documents only; *test* was committed before it was run. `pairs_dev.txt` and
`pairs_test.txt` ask one fact in English and once more in Korean: `pair` names the two.
"""

from functools import partial
from pathlib import Path

from data.make.document import Document
from data.make.questions import as_question, blocks, evidence

FOLDER = Path(__file__).parent
SPLITS = ("dev", "test")


def documents() -> list[Document]:
    """The questions are about documents of the other worlds."""
    return []


def golden(corpus: Path) -> dict[str, list[dict]]:
    """The questions of both kinds; raises ValueError for a field, kind or quote that is not right."""
    quoted = partial(_evidence, corpus=corpus)
    several, pairs = [], []
    for split in SPLITS:
        for number, fields in enumerate(blocks(FOLDER / f"{split}.txt"), start=1):
            several.append(as_question(f"multihop-{split}-{number:03}", fields, quoted) | {"split": split})
        for fields in blocks(FOLDER / f"pairs_{split}.txt"):
            said = dict(fields)
            name = f"{said['pair']}-{said['as'].split()[0]}"
            rest = [(field, value) for field, value in fields if field != "pair"]
            pairs.append(as_question(name, rest, quoted) | {"split": split})
    return {"multihop/questions": several, "bilingual/questions": pairs}


def _evidence(name: str, line: str, corpus: Path) -> dict:
    world, _, rest = line.partition("/")
    return evidence(name, rest, world, corpus)
