"""The shipped corpus: loaded into the indexes of all stages the first time somebody asks."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Protocol

from lessons.errors import LessonsError
from lessons.ingest.index import Index
from lessons.ingest.pipeline import FileResult
from lessons.ingest.trash import Trash
from lessons.rag.stages import stages
from lessons.rag.types import Scope
from lessons.settings import ROOT
from lessons.workspace import Workspace

CORPUS = ROOT / "data" / "corpus"


class Progress(Protocol):
    """Told how many files are done, and how many there are in all."""

    def __call__(self, done: int, total: int, /) -> object: ...


def indexes() -> list[Index]:
    """The indexes that the stages use, each once."""
    return list({stage.index.name: stage.index for stage in stages().values()}.values())


def shipped_documents() -> list[dict]:
    """The lines of the manifest: `path`, `owner`, `title`, `language` … of each shipped document."""
    manifest = CORPUS / "manifest.jsonl"
    if not manifest.exists():
        raise LessonsError(f"The shipped documents are not at {CORPUS}; run the workbook from its cloned folder.")
    return [json.loads(line) for line in manifest.read_text(encoding="utf-8").splitlines()]


def load_corpus(
    place: Workspace, progress: Progress = lambda done, total: None, targets: Sequence[Index] | None = None
) -> list[FileResult]:
    """Ingest what is missing of the shipped corpus for its owners, telling `progress` files done and in all.

    It goes into the `targets`, or the indexes of all stages. Where nothing is missing, there is no progress to tell.
    """
    documents, targets = shipped_documents(), indexes() if targets is None else targets
    results: list[FileResult] = []
    missing = False
    for result in _ingest_shipped(place, documents, targets):
        results.append(result)
        missing = missing or result.status != "unchanged"
        if missing:
            progress(len(results), len(documents) * len(targets))
    return results


def trash(place: Workspace) -> Trash:
    """The deleted documents of all indexes."""
    return Trash(place.engine, [place.store(index) for index in indexes()])


def ensure_corpus(place: Workspace, user: str, progress: Progress = lambda done, total: None) -> None:
    """Load the shipped corpus if an owner of it asks and an index of theirs is empty, or a load broke off before.

    What the owner deleted stays deleted.
    """
    shipped = {document["path"] for document in shipped_documents() if document["owner"] == user}
    if not shipped:
        return
    deleted, stored = trash(place).known(Scope(user))
    shipped -= deleted
    begun = any(shipped & each for each in stored)
    if shipped and (not all(stored) or (begun and not all(shipped <= each for each in stored))):
        load_corpus(place, progress)


def _ingest_shipped(place: Workspace, documents: list[dict], targets: Sequence[Index]) -> Iterator[FileResult]:
    by_owner = sorted(documents, key=lambda document: document["owner"])
    for owner, group in groupby(by_owner, key=lambda document: document["owner"]):
        files = [(CORPUS / document["path"], document["path"]) for document in group]
        for _, result in place.ingest(files, targets, Scope(owner)):
            yield result
