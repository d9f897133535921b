"""A chunk where it stands: in its document, between the chunks before and after it."""

from dataclasses import dataclass

from lessons.ingest.scope import Scope
from lessons.ingest.store import ChunkStore
from lessons.retrieve.catalog import CHUNKS, catalog
from lessons.retrieve.materials import chunk_range


@dataclass(frozen=True)
class Passage:
    """A chunk with its neighbours. `number` is its place in the document, from 1, of so many `chunks`."""

    source_file: str
    page: int | None
    section: str
    number: int
    chunks: int
    text: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def passage(store: ChunkStore, scope: Scope, chunk_id: str, around: int = 1) -> Passage | None:
    """A chunk of the scope with as many neighbours on each side; None if it is not there, or no more."""
    found = store.get_nodes([chunk_id], scope=scope)
    if not found:
        return None
    known = found[0].metadata
    name, place = known["source_file"], known["chunk_index"]
    nodes = chunk_range(store, scope, name, max(0, place - around), place + around + 1)
    texts = [node.get_content() for node in nodes]
    here = [node.node_id for node in nodes].index(chunk_id)
    section = known.get("section") or " · ".join(known.get("sections") or ())
    chunks, neighbours = catalog(store, scope)[name][CHUNKS], (tuple(texts[:here]), tuple(texts[here + 1 :]))
    return Passage(name, known.get("page_number"), section, place + 1, chunks, texts[here], *neighbours)
