"""The indexes of all stages, the shipped corpus in them, and the fields that a filter may name."""

import json
from collections.abc import Callable, Collection, Sequence
from difflib import get_close_matches
from itertools import groupby
from operator import itemgetter
from pathlib import PurePath
from typing import Any

from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters
from sqlalchemy import func, select

from lessons.errors import LessonsError
from lessons.ingest.index import Index
from lessons.ingest.pipeline import FileResult, ingest_each
from lessons.ingest.trash import Trash
from lessons.rag.catalog import catalog
from lessons.rag.store import ChunkStore
from lessons.rag.types import Scope
from lessons.rag.workspace import Workspace
from lessons.search.filter_text import parse_filter
from lessons.settings import ROOT
from lessons.stages import stages
from lessons.text import normalize

CORPUS = ROOT / "data" / "corpus"
FIELDS = "source_file", "page_number", "title", "date", "doc_type", "section", "language", "keywords", "has_steps"
"""What a filter may ask of every chunk; readers of a kind of file add further fields."""
NUMBERS = frozenset(["page_number"])  # those of them that hold numbers

Progress = Callable[[int, int], object]  # told how many files are done, and how many there are in all


def indexes() -> list[Index]:
    """List the indexes that the stages use, each once."""
    return list({stage.index.name: stage.index for stage in stages().values()}.values())


def shipped_documents() -> list[dict]:
    """Read the manifest: `path`, `owner`, `title`, `language` … of each shipped document."""
    manifest = CORPUS / "manifest.jsonl"
    if not manifest.exists():
        raise LessonsError(f"The shipped documents are not at {CORPUS}; run the workbook from its cloned folder.")
    return [json.loads(line) for line in manifest.read_text(encoding="utf-8").splitlines()]


def load_corpus(
    workspace: Workspace,
    progress: Progress = lambda files_done, total: None,
    targets: Sequence[Index] | None = None,
    left_out: Collection[str] = (),
) -> list[FileResult]:
    """Ingest what is missing of the shipped corpus, but for the paths `left_out`, into the `targets` or all indexes.

    Where something is missing, `progress` is told files done and in all.
    """
    documents = [document for document in shipped_documents() if document["path"] not in left_out]
    targets = indexes() if targets is None else targets
    results: list[FileResult] = []
    for owner, group in groupby(sorted(documents, key=itemgetter("owner")), itemgetter("owner")):
        files = [(CORPUS / document["path"], document["path"]) for document in group]
        for _, result in ingest_each(workspace, files, targets, Scope(owner)):
            results.append(result)
            if any(outcome.status != "unchanged" for outcome in results):
                progress(len(results), len(documents) * len(targets))
    return results


def trash(workspace: Workspace) -> Trash:
    """Open the trash, which holds the deleted documents of all indexes."""
    return Trash(workspace.engine, [workspace.store(index) for index in indexes()])


def ensure_corpus(workspace: Workspace, user: str, progress: Progress = lambda files_done, total: None) -> None:
    """Load the shipped corpus, but for what an owner deleted, if they ask and an index is empty or a load broke off."""
    shipped = {document["path"] for document in shipped_documents() if document["owner"] == user}
    if not shipped:
        return
    deleted = trash(workspace).deleted_names(Scope(user))
    shipped -= deleted
    stored = [{row.source_file for row in workspace.store(index).documents(Scope(user))} for index in indexes()]
    begun = any(shipped & names for names in stored)
    if shipped and (not all(stored) or (begun and not all(shipped <= names for names in stored))):
        load_corpus(workspace, progress, left_out=deleted)


def checked_filter(workspace: Workspace, text: str, scope: Scope) -> MetadataFilters | None:
    """Parse a typed filter; LessonsError for a slip in it, and for a field or a file that is not there."""
    filters = parse_filter(text) if text.strip() else None
    if filters:
        check_fields(workspace, filters, scope)
    return filters


def check_fields(workspace: Workspace, filters: MetadataFilters, scope: Scope) -> None:
    """Raise LessonsError for a field that no chunk has, an unknown file, or a text where numbers are held."""
    stores = [workspace.store(index) for index in indexes()]
    for part in filters.filters:
        if isinstance(part, MetadataFilters):
            check_fields(workspace, part, scope)
        elif part.key not in FIELDS and not any(_has_field(store, part.key, scope) for store in stores):
            raise LessonsError(f"No document has the field {part.key[:100]!r}; the fields are {', '.join(FIELDS)}.")
        elif part.key == "source_file" and part.operator in (FilterOperator.EQ, FilterOperator.IN):
            _check_files(workspace, _values(part), scope)
        elif part.key in NUMBERS:
            for value in _values(part):
                if isinstance(value, str):
                    raise LessonsError(f"The field {part.key!r} holds numbers; write {value[:100]!r} without quotes.")


def _values(part: MetadataFilter) -> list[Any]:
    return part.value if isinstance(part.value, list) else [part.value]


def _check_files(workspace: Workspace, names: Sequence[Any], scope: Scope) -> None:
    """Raise LessonsError for a name that no document of the scope has, and suggest the most similar one."""
    known_files = {name for index in indexes() for name in catalog(workspace.store(index), scope)}
    ends = {PurePath(name).name: name for name in known_files}
    for name in map(str, names):
        if normalize(name) not in known_files:
            if near := get_close_matches(PurePath(normalize(name)).name, ends, 1):
                raise LessonsError(f"No document is called {name[:100]!r}; did you mean {ends[near[0]]!r}?")
            raise LessonsError(f"No document is called {name[:100]!r}; name another file.")


def _has_field(store: ChunkStore, key: str, scope: Scope) -> bool:
    has_key = func.jsonb_exists(store.chunks.c.metadata_, key)
    return bool(store.rows(select(has_key).where(store.within(scope), has_key).limit(1), scope))
