"""`uv run python -m data.make` writes the corpus and the golden questions; `--check DIR` compares instead.

A world is a package beside this file with `documents() -> list[Document]` and, once the files exist,
`golden(corpus: Path) -> dict[str, list[dict]]`: golden file name (without suffix) to questions.
"""

import argparse
import importlib
import json
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from data.make.document import Document
from data.make.extract import pages, squeeze
from data.make.render import render

DATA = Path(__file__).parents[1]
WORLDS = ("companies", "product", "courses", "leaflets", "dialogues", "multihop")


def worlds() -> list[ModuleType]:
    """Their packages."""
    return [importlib.import_module(f"data.make.{world}") for world in WORLDS]


def write(target: Path) -> None:
    """Write every world's files below `target`: corpus/…, corpus/manifest.jsonl, golden/….jsonl."""
    documents: list[Document] = []
    for world in worlds():
        found = sorted(world.documents(), key=lambda document: document.path)
        for document in found:
            path = target / "corpus" / document.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(render(document))
        documents += found
    _lines(target / "corpus" / "manifest.jsonl", (document.manifest() for document in documents))
    for world in worlds():
        for name, questions in world.golden(target / "corpus").items():
            _lines(target / "golden" / f"{name}.jsonl", questions)


def _lines(path: Path, rows: Iterable[dict]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def differences(fresh: Path, committed: Path) -> list[str]:
    """One sentence per file that is missing, left over or reads differently."""
    found = []
    for folder in ("corpus", "golden"):
        names = {path.relative_to(root) for root in (fresh, committed) for path in (root / folder).rglob("*.*")}
        for name in sorted(names):
            if not (committed / name).is_file():
                found.append(f"{name} is not there.")
            elif not (fresh / name).is_file():
                found.append(f"{name} is not made by the generator.")
            elif _content(fresh / name) != _content(committed / name):
                found.append(f"{name} differs.")
    return found


def _content(path: Path) -> object:
    if path.suffix == ".jsonl":
        return path.read_text(encoding="utf-8")
    return [(number, squeeze(text)) for number, text in pages(path)]


def main() -> int:
    """Write or check; the exit code is 1 when something differs."""
    parser = argparse.ArgumentParser(prog="python -m data.make", description=__doc__.splitlines()[0])
    parser.add_argument("--check", type=Path, metavar="DIR", help="compare with this data folder, write nothing")
    folder = parser.parse_args().check
    if folder is None:
        write(DATA)
        return 0
    with tempfile.TemporaryDirectory() as fresh:
        write(Path(fresh))
        found = differences(Path(fresh), folder)
    for sentence in found:
        print(sentence, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
