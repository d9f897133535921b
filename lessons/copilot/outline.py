"""The sections of a file, and what of them a chunk holds (row E5: get_section)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import select

from lessons.errors import LessonsError
from lessons.ingest.store import ChunkStore
from lessons.rag.types import RetrievedDocument, Scope
from lessons.search.catalog import chunk_range
from lessons.text import normalize

WHOLE = ""
"""The path of the section that is the whole file."""

SEPARATOR = " > "
_ALL = 10**9


def within_section(document: RetrievedDocument, section: str) -> bool:
    """Whether a chunk holds something of a section, or of one inside it."""
    return section in _paths(document.metadata)


def _paths(metadata: Mapping[str, Any]) -> list[str]:
    """Every section that a chunk holds something of, the outer ones too, and the whole file."""
    own = metadata.get("sections") or [metadata.get("section") or WHOLE]
    return list(dict.fromkeys([WHOLE, *(above for path in own for above in _with_those_above(path))]))


def with_outlines(documents: Sequence[RetrievedDocument], store: ChunkStore, scope: Scope) -> list[RetrievedDocument]:
    """The documents with the `outline` of their file in their metadata: the places of the chunks of every section."""
    chunks = store.chunks
    source = chunks.metadata_["source_file"].astext
    columns = source, chunks.chunk_index, chunks.metadata_["sections"], chunks.metadata_["section"].astext
    named = source.in_({document.source for document in documents})
    statement = select(*columns).where(*store.within(scope), named).order_by(source, chunks.chunk_index)
    outlines: dict[str, dict[str, list[int]]] = {}
    for file, place, sections, section in store.rows(statement, scope):
        for path in _paths({"sections": sections, "section": section}):
            outlines.setdefault(file, {}).setdefault(path, []).append(place)
    return [replace(each, metadata=each.metadata | {"outline": outlines[each.source]}) for each in documents]


def section_of(store: ChunkStore, scope: Scope, source_file: str, section: str) -> list[RetrievedDocument]:
    """All chunks that hold something of a section, in their order.

    LessonsError, for the model to read, for a file or a section that is not there.
    """
    nodes = chunk_range(store, scope, source_file, 0, _ALL)
    found = [RetrievedDocument(node.node_id, node.get_content(), 1.0, source_file, node.metadata) for node in nodes]
    wanted = normalize(section).strip()
    kept = [document for document in found if within_section(document, wanted)]
    if not kept:
        raise LessonsError(f"{source_file[:100]} has no section {wanted[:100]!r}; name it as a found document does.")
    return kept


def _with_those_above(path: str) -> list[str]:
    headings = path.split(SEPARATOR)
    return [SEPARATOR.join(headings[:count]) for count in range(1, len(headings) + 1)]


def headings(documents: Sequence[RetrievedDocument], section: str) -> list[str]:
    """The headings of a section and of those inside it, as far as the documents hold them; none for the whole file."""
    held = dict.fromkeys(path for document in documents for path in _paths(document.metadata))
    inside = [path for path in held if path == section or path.startswith(f"{section}{SEPARATOR}")]
    return [path.rpartition(SEPARATOR)[2] for path in inside] if section else []
