"""`uv run python -m data.make` writes the corpus and the golden questions; `--check DIR` compares instead."""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from data.make import companies, questions, sources
from data.make.companies.questions import company_questions
from data.make.document import Document
from data.make.extract import pages, squeeze
from data.make.render import render

DATA = Path(__file__).parents[1]
WRITTEN = ("product", "courses", "leaflets")
"""The worlds that are written by hand; the figures of the companies are computed."""


def documents() -> list[Document]:
    """Return every document of the corpus in the order of its manifest."""
    worlds = [companies.documents(), *map(sources.documents, WRITTEN)]
    return [document for world in worlds for document in sorted(world, key=lambda document: document.path)]


def golden(corpus: Path) -> dict[str, list[dict]]:
    """Return the questions and dialogues by file name, with the pages of their evidence in the corpus."""
    written = {world: questions.world_questions(world, corpus) for world in WRITTEN}
    several = questions.dialogues(corpus) | questions.multihop_questions(corpus)
    return {"reports": company_questions(corpus)} | written | several


def write(target: Path) -> None:
    """Write corpus/…, corpus/manifest.jsonl and golden/….jsonl below `target`."""
    corpus = target / "corpus"
    corpus_documents = documents()
    for document in corpus_documents:
        path = corpus / document.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(render(document))
    _lines(corpus / "manifest.jsonl", (document.manifest() for document in corpus_documents))
    for name, rows in golden(corpus).items():
        _lines(target / "golden" / f"{name}.jsonl", rows)


def _lines(path: Path, rows: Iterable[dict]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def differences(fresh: Path, committed: Path) -> list[str]:
    """Return a sentence for each file that is missing, left over or reads differently."""
    sentences = []
    for folder in ("corpus", "golden"):
        names = {path.relative_to(root) for root in (fresh, committed) for path in (root / folder).rglob("*.*")}
        for name in sorted(names):
            if not (committed / name).is_file():
                sentences.append(f"{name} is not there.")
            elif not (fresh / name).is_file():
                sentences.append(f"{name} is not made by the generator.")
            elif _content(fresh / name) != _content(committed / name):
                sentences.append(f"{name} differs.")
    return sentences


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
        sentences = differences(Path(fresh), folder)
    for sentence in sentences:
        print(sentence, file=sys.stderr)
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
